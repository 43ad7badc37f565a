/** Streams that read each other many times over: each is derived once, after all that it reads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { type DerivationHome, derivationHome, ORG } from '../support/derivation-home.ts'
import { batch } from '../support/samples.ts'

const DEADLINE_FAR = 600_000

/** d0, d1 and so on, each reading `a` and all those before it. */
const dense = (count: number, followsCorrections = false): StreamInput[] => [
  { id: 'a', valueType: 'DOUBLE' },
  ...Array.from({ length: count }, (_, at) => ({
    id: `d${at}`,
    streamDerivationType: 'FROM_EXPRESSION' as const,
    derivation: {
      expression: 'v',
      variables: [
        { name: 'v', streamId: 'a' },
        ...Array.from({ length: at }, (_, one) => ({ name: `w${one}`, streamId: `d${one}` })),
      ],
      trigger: 'ALL' as const,
      followsCorrections,
    },
  })),
]

interface Work {
  /** Plans that were asked for. */
  readonly plans: number
  /** Records of derived streams that were described, and those of sources. */
  readonly records: number
  readonly sources: number
  /** Stretches of samples that were read, and streams of which the newest sample was. */
  readonly ranges: number
  readonly latest: number
}

/** Counts what a call takes. */
async function workOf(home: DerivationHome, call: () => Promise<unknown>): Promise<Work> {
  const { catalog, samples } = home
  const { graph } = home.derivation
  const counts = { plans: 0, records: 0, sources: 0, ranges: 0, latest: 0 }
  const counted = {
    planOf: graph.planOf.bind(graph),
    describeDerived: catalog.describeDerived.bind(catalog),
    describeSource: catalog.describeSource.bind(catalog),
    range: samples.range.bind(samples),
    latest: samples.latest.bind(samples),
  }
  graph.planOf = (...args) => {
    counts.plans += 1
    return counted.planOf(...args)
  }
  catalog.describeDerived = (...args) => {
    counts.records += 1
    return counted.describeDerived(...args)
  }
  catalog.describeSource = (...args) => {
    counts.sources += 1
    return counted.describeSource(...args)
  }
  samples.range = (...args) => {
    counts.ranges += 1
    return counted.range(...args)
  }
  samples.latest = (handles, ...args) => {
    counts.latest += handles.length
    return counted.latest(handles, ...args)
  }
  try {
    await call()
  } finally {
    const { planOf, describeDerived, describeSource, range, latest } = counted
    Object.assign(graph, { planOf })
    Object.assign(catalog, { describeDerived, describeSource })
    Object.assign(samples, { range, latest })
  }
  return counts
}

const edgesOf = (count: number): number => (count * (count + 1)) / 2

for (const followsCorrections of [false, true]) {
  const kind = followsCorrections ? 'that follow corrections ' : ''
  test(`streams ${kind}of a dense graph are derived once each in the background`, async (t) => {
    const home = await derivationHome(t)
    for (const count of [12, 40]) {
      const compId = `c${count}`
      await home.add(compId, dense(count, followsCorrections))
      await home.putTo(compId, ['a', 1_000, 1])
      await home.derivation.worker.settle()
      await home.derivation.types.settle()
      const work = await workOf(home, async () => {
        await home.putTo(compId, ['a', 2_000, 2])
        await home.derivation.worker.settle()
      })
      assert.deepEqual(await home.readOf(compId, `d${count - 1}`), [
        [1_000, 1],
        [2_000, 2],
      ])
      const edges = edgesOf(count)
      assert.equal(work.plans, count)
      assert.equal(work.records, count)
      assert.equal(work.sources, edges)
      assert.ok(work.latest <= 2 * edges + 2 * count, `${work.latest} newest samples`)
      assert.ok(work.ranges <= 6 * edges + 6 * count, `${work.ranges} ranges, ${edges} edges`)
      assert.equal(home.derivation.worker.waitingCount, 0)
    }
  })
}

test('a put derives streams of a dense graph once each', async (t) => {
  const home = await derivationHome(t)
  // The background is another process, which has not come to it yet.
  await home.catalogStore.acquireLease('derivation', 'another', 60_000)
  await home.add('c', dense(60))
  await home.derivation.types.settle()
  const a = home.handleOf('c', 'a')
  const landed = batch([[a, 1_000, 1]])
  await home.feed.append(landed, ORG)
  const limits = { streamsMax: 20, deadline: DEADLINE_FAR + performance.now() }
  const work = await workOf(home, () => home.derivation.derivePut(landed, limits))
  assert.deepEqual(await home.read('d19'), [[1_000, 1]])
  assert.deepEqual(await home.read('d20'), [])
  assert.deepEqual([work.plans, work.records, work.sources], [20, 20, edgesOf(20)])
})

test('a chain that is touched at both ends is derived from its beginning, each link once', async (t) => {
  const home = await derivationHome(t)
  const count = 30
  const chain = Array.from({ length: count }, (_, at) => ({
    id: `d${at}`,
    streamDerivationType: 'FROM_EXPRESSION' as const,
    derivation: {
      expression: 'v + a',
      variables: [
        { name: 'v', streamId: at === 0 ? 'a' : `d${at - 1}` },
        { name: 'a', streamId: 'a' },
      ],
    },
  }))
  await home.add('c', [{ id: 'a', valueType: 'DOUBLE' }, ...chain])
  await home.derivation.types.settle()
  const work = await workOf(home, async () => {
    await home.put(['a', 1_000, 1])
    await home.derivation.worker.settle()
  })
  assert.deepEqual(await home.read(`d${count - 1}`), [[1_000, count + 1]])
  assert.equal(work.plans, count)
})
