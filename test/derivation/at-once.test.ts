/** Puts that derive, and the background beside them: each result is derived and counted once, and time is kept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs, nextIteration, TIME_END } from '../../src/base/index.ts'
import type { StreamInput } from '../../src/catalog/shape/index.ts'
import { isProblem } from '../../src/derivation/derivation-plan.ts'
import { deriveAppended } from '../../src/derivation/derive-stream.ts'
import { deriveSpan } from '../../src/derivation/evaluate/derive-span.ts'
import type { SampleBatch } from '../../src/store/index.ts'
import { type DerivationHome, derivationHome } from '../support/derivation-home.ts'

const source = (id: string): StreamInput => ({ id, valueType: 'DOUBLE' })

function derived(id: string, expression: string, more = {}): StreamInput {
  const variables = [{ name: 'a', streamId: 'a' }]
  return { id, derivation: { expression, variables, ...more } }
}

/** As long as another run takes to come to its own append, if nothing holds it up. */
async function manyTurns(): Promise<void> {
  for (let round = 0; round < 200; round += 1) await nextIteration()
}

for (const [kind, more] of Object.entries({
  'with ALL': {},
  'with ANY': { trigger: 'ANY' },
  'that follows corrections': { followsCorrections: true },
})) {
  test(`results of a stream ${kind} count once when a put and the background come to them at once`, async (t) => {
    let other: (() => Promise<unknown>) | undefined
    const beforeAppend = async ({ handles }: SampleBatch) => {
      if (handles[0] !== home.handleOf('c', 'd') || other === undefined) return
      const begin = other
      other = undefined
      others.push(begin())
      await manyTurns()
    }
    const others: Promise<unknown>[] = []
    const home: DerivationHome = await derivationHome(t, { beforeAppend })
    await home.add('c', [source('a'), derived('d', 'a * 2', more)])
    await home.derivation.types.settle()
    for (let round = 1; round <= 5; round += 1) {
      // The background begins while a put stores what it has derived, and the other way round.
      other = () => home.derivation.worker.settle()
      await home.putAndDerive('c', ['a', round * 20, round])
      await Promise.all(others.splice(0))
      await home.put(['a', round * 20 + 10, round])
      other = () => home.putAndDerive('c', ['a', round * 20 + 11, round])
      await home.derivation.worker.settle()
      await Promise.all(others.splice(0))
      await home.derivation.worker.settle()
    }
    assert.equal((await home.read('d')).length, 15)
    const { sampleCount } = await home.derivation.status.read(home.handleOf('c', 'd'))
    assert.equal(sampleCount, 15)
  })
}

test('a block ends where its time is over, and the next goes on there', async (t) => {
  const home = await derivationHome(t)
  await home.catalogStore.acquireLease('derivation', 'another', 60_000)
  const text = derived('text', "if(a > 5, 'high', 'low')")
  await home.add('c', [source('a'), derived('number', 'sqrt(a - 3)'), text])
  const count = 3_000
  await home.put(...Array.from({ length: count }, (_, at) => ['a', at, at] as const))
  for (const id of ['number', 'text']) {
    const plan = await home.derivation.graph.planOf(home.handleOf('c', id))
    assert.ok(!isProblem(plan))
    const whole = await deriveSpan(
      { store: home.samples, worked: () => 0 },
      ...([plan, { from: epochMs(0), until: TIME_END }] as const),
    )
    let [blocks, failures] = [0, 0]
    const times: number[] = []
    for (let from = epochMs(0); from < TIME_END; blocks += 1) {
      // Every look at the time finds that two milliseconds were worked.
      let worked = 0
      const deps = { store: home.samples, worked: () => (worked += 2) }
      const block = await deriveSpan(deps, plan, { from, until: TIME_END })
      assert.ok(block.until > from)
      assert.ok(block.until === TIME_END || (block.fittingRows ?? count) < count)
      times.push(...block.samples.times)
      failures += block.failures.count
      from = block.until
    }
    assert.ok(blocks > 5, `${blocks} blocks`)
    assert.deepEqual(times, [...whole.samples.times])
    assert.equal(failures, whole.failures.count)
  }
})

test('a run that is over leaves what it has read, and the next one derives it', async (t) => {
  const home = await derivationHome(t)
  await home.catalogStore.acquireLease('derivation', 'another', 60_000)
  await home.add('c', [source('a'), derived('d', 'a')])
  await home.derivation.types.settle()
  await home.put(['a', 1, 1], ['a', 2, 2])
  const plan = await home.derivation.graph.planOf(home.handleOf('c', 'd'))
  assert.ok(!isProblem(plan))
  const { derivation, feed, samples: store } = home
  const deps = { feed, store, status: derivation.status }
  let isOver = true
  const control = { onBlock: () => true, isOver: () => isOver }
  const left = await deriveAppended(deps, plan, 1, control)
  assert.deepEqual([left.isThrough, left.changedFrom], [false, undefined])
  assert.deepEqual(await home.read('d'), [])
  isOver = false
  assert.equal((await deriveAppended(deps, plan, 1, control)).samples, 2)
  assert.equal((await home.read('d')).length, 2)
})

test('streams that are derived side by side let others have a turn after each long block', async (t) => {
  const home = await derivationHome(t)
  await home.catalogStore.acquireLease('derivation', 'another', 60_000)
  await home.add('c', [source('a'), derived('d', 'a')])
  await home.put(['a', 1, 1])
  const plan = await home.derivation.graph.planOf(home.handleOf('c', 'd'))
  assert.ok(!isProblem(plan))
  let iterations = 0
  let isDone = false
  const counting = (async () => {
    for (; !isDone; iterations += 1) await nextIteration()
  })()
  const long = () => {
    let worked = 0
    const deps = { store: home.samples, worked: () => (worked += 20) }
    return deriveSpan(deps, plan, { from: epochMs(0), until: TIME_END })
  }
  const blocks = await Promise.all(Array.from({ length: 30 }, long))
  isDone = true
  await counting
  assert.ok(blocks.every(({ samples }) => samples.count === 1))
  assert.ok(iterations >= 29, `${iterations} turns`)
})
