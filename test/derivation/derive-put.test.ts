import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../src/base/index.ts'
import type { StreamIndex } from '../../src/catalog/index.ts'
import type { DerivationGraph, DerivationPlan } from '../../src/derivation/derivation-plan.ts'
import { derivePut } from '../../src/derivation/derive-put.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import { Random, roundsBy, testSeeds } from '../support/random.ts'
import { batch, stream } from '../support/samples.ts'

/** A graph by the sources of each derived stream. */
function graphOf(sources: Readonly<Record<number, readonly number[]>>): DerivationGraph {
  const derived = Object.keys(sources).map((key) => stream(Number(key)))
  const sourcesOf = (handle: StreamHandle) => (sources[handle] ?? []).map(stream)
  const dependentsOf = (handle: StreamHandle) =>
    derived.filter((one) => sourcesOf(one).includes(handle))
  return {
    isEmpty: derived.length === 0,
    hasDependents: (handle) => dependentsOf(handle).length > 0,
    dependentsOf,
    sourcesOf,
    generation: 1,
    derived: () => derived,
    planOf: async (handle) =>
      handle === 404 ? { problem: 'gone' } : ({ handle } as DerivationPlan),
    isRevised: () => false,
    watched: () => [...new Set(derived.flatMap(sourcesOf))],
  }
}

interface Run {
  readonly graph: DerivationGraph
  readonly streamsMax?: number
  readonly locked?: readonly number[]
  /** What deriving a stream does; one sample unless said otherwise. */
  readonly derive?: (handle: number, clock: ManualClock) => number
  readonly rows?: Parameters<typeof batch>[0]
}

async function run({ graph, streamsMax = 20, locked = [], derive = () => 1, rows }: Run) {
  const clock = new ManualClock(0)
  const derived: string[] = []
  const failures: unknown[] = []
  const index = {
    has: () => true,
    componentOf: (handle: number) => ({ uid: `c${handle}` }),
  } as unknown as StreamIndex
  await derivePut(
    {
      clock,
      graph,
      index,
      onFailure: (error) => void failures.push(error),
      locks: { isLocked: async (uid) => locked.includes(Number(uid.slice(1))) },
      deriveAppended: async ({ handle }, news) => {
        const from = Math.min(...news.values())
        derived.push(`${handle}@${from}`)
        return { changedFrom: derive(handle, clock) > 0 ? from : undefined }
      },
    },
    batch(rows ?? [[1, 1_000, 5]]),
    { streamsMax, deadline: 100 },
  )
  return { derived, failures }
}

test('derivePut() derives dependents, each after the streams it reads', async () => {
  const graph = graphOf({ 14: [11, 13], 13: [12], 12: [1], 11: [1] })
  assert.deepEqual((await run({ graph })).derived, ['11@1000', '12@1000', '13@1000', '14@1000'])
})

test('derivePut() asks from the earliest sample of what was put, and only what depends on it', async () => {
  const graph = graphOf({ 11: [1, 2], 12: [3], 13: [2] })
  const rows = [
    ...([[1, 900, 1] as const, [1, 500, 1] as const, [2, 700, 1] as const] as const),
    [5, 100, 1] as const,
  ]
  assert.deepEqual((await run({ graph, rows })).derived, ['11@500', '13@700'])
  assert.deepEqual((await run({ graph: graphOf({}) })).derived, [])
})

test('derivePut() stops at its count of streams and at its deadline', async () => {
  const chain = graphOf({ 11: [1], 12: [11], 13: [12], 14: [13] })
  assert.deepEqual((await run({ graph: chain, streamsMax: 2 })).derived, ['11@1000', '12@1000'])
  const wide = graphOf(Object.fromEntries(Array.from({ length: 50 }, (_, at) => [10 + at, [1]])))
  assert.equal((await run({ graph: wide, streamsMax: 20 })).derived.length, 20)
  const derive = (handle: number, clock: ManualClock) => {
    if (handle === 12) clock.advance(100)
    return 1
  }
  assert.deepEqual((await run({ graph: chain, derive })).derived, ['11@1000', '12@1000'])
})

test('derivePut() ends a branch that is locked, fails or brings nothing, and goes on elsewhere', async () => {
  const graph = graphOf({
    11: [1],
    12: [1],
    13: [1],
    404: [1],
    14: [1],
    21: [11],
    22: [12],
    23: [13],
    24: [14],
    25: [404],
  })
  const derive = (handle: number) => {
    if (handle === 12) throw new Error('no room')
    return handle === 13 ? 0 : 1
  }
  const { derived, failures } = await run({ graph, derive, locked: [11] })
  assert.deepEqual(
    derived,
    [12, 13, 14, 24].map((handle) => `${handle}@1000`),
  )
  assert.deepEqual(failures, [new Error('no room')])
})

test('derivePut() finds an order in any graph', async () => {
  for (const seed of testSeeds(roundsBy({ everyRun: 30, nightly: 50 }))) {
    const random = new Random(seed)
    const sources: Record<number, number[]> = {}
    for (let at = 10; at < 30; at++) {
      const earlier = Array.from({ length: at - 10 }, (_, one) => 10 + one).concat(1, 2)
      sources[at] = [random.pick(earlier), random.pick(earlier)]
    }
    const { derived } = await run({ graph: graphOf(sources) })
    const order = derived.map((text) => Number(text.split('@')[0]))
    for (const [at, handle] of order.entries()) {
      const later = sources[handle].filter((source) => order.indexOf(source) > at)
      assert.deepEqual(later, [], `WEIR_TEST_SEED=${seed}`)
    }
  }
})
