/** A long append is put into memory in steps; reads in between see all of it or nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EARLIEST_TIME, epochMs, nextIteration, TIME_END } from '../../src/base/index.ts'
import { type EmbeddedSampleStore, openSampleStore } from '../../src/store/embedded/index.ts'
import type { Removal, StreamHandle } from '../../src/store/index.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Many times what is applied in one step. */
const MANY = 60_000
const POINT = 1 as StreamHandle
const LONG = 2 as StreamHandle
const OTHER = 3 as StreamHandle
const EDGES = Float64Array.from({ length: 7 }, (_, edge) => (edge * MANY) / 6)
const ALL: Removal[] = [POINT, LONG].map((handle) => ({
  handle,
  from: EARLIEST_TIME,
  until: TIME_END,
}))

/** Replaces everything by MANY samples of value `round`, the point in the middle of them. */
function replaceAll(store: EmbeddedSampleStore, round: number): Promise<void> {
  const middle = MANY / 2
  return store.append({
    count: MANY,
    removals: ALL,
    handles: Uint32Array.from({ length: MANY }, (_, at) => (at === middle ? POINT : LONG)),
    times: Float64Array.from({ length: MANY }, (_, at) => at),
    numbers: new Float64Array(MANY).fill(round),
  })
}

/** The rounds that a few reads of all kinds show; more than one each is a part of an append. */
async function readRounds(store: EmbeddedSampleStore): Promise<Array<Set<number | string>>> {
  const query = { from: epochMs(0), until: epochMs(MANY), limit: MANY, order: 'oldest_first' }
  const [point, long, latest, folded, span] = await Promise.all([
    store.range(POINT, { ...query, order: 'latest_first', limit: 1 }),
    store.range(LONG, { ...query, order: 'oldest_first' }),
    store.latest([POINT, LONG]),
    store.fold(LONG, EDGES),
    store.span(LONG),
  ])
  assert.equal(point.count, 1)
  assert.equal(long.count, MANY - 1)
  assert.ok(latest[0] !== undefined && latest[1] !== undefined)
  assert.deepEqual(span, { firstTime: 0, lastTime: MANY - 1 })
  assert.equal(
    folded.count.reduce((sum, count) => sum + count),
    MANY - 1,
  )
  return [
    new Set(point.numbers),
    new Set(long.numbers),
    new Set(latest.map((sample) => sample?.value ?? '')),
    new Set([...folded.min, ...folded.max]),
  ]
}

test('reads see a long append whole or not at all, and other streams do not wait for it', async () => {
  const folder = temporaryFolder()
  const store = await openSampleStore({ folder })
  const other = { count: 1, removals: [], handles: Uint32Array.of(OTHER) }
  await store.append({ ...other, times: Float64Array.of(1), numbers: Float64Array.of(1) })
  await replaceAll(store, 0)
  let otherReads = 0
  for (let round = 1; round <= 4; round += 1) {
    // Some statistics are remembered from before, others are not.
    await store.fold(LONG, EDGES.subarray(0, round))
    const reads: Array<Promise<Array<Set<number | string>>>> = []
    let isDone = false
    const appended = replaceAll(store, round).then(() => {
      isDone = true
    })
    while (!isDone) {
      if (reads.length < 40) reads.push(readRounds(store))
      await store.latest([OTHER])
      if (!isDone) otherReads += 1
      await nextIteration()
    }
    await appended
    reads.push(readRounds(store))
    for (const shown of await Promise.all(reads)) {
      for (const rounds of shown) assert.equal(rounds.size, 1, `round ${round}: ${[...rounds]}`)
    }
    const last = await readRounds(store)
    assert.deepEqual(last.map((rounds) => [...rounds]), [[round], [round], [round], [round]]) // biome-ignore format: short
  }
  assert.ok(otherReads > 0)
  await store.close()
})
