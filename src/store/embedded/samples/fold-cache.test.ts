import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generator, seed } from '../../../../test/support/calendar-oracle.ts'
import { PlainSampleStore } from '../../../../test/support/plain-sample-store.ts'
import { roundsBy } from '../../../../test/support/random.ts'
import { EARLIEST_TIME, epochMs } from '../../../base/index.ts'
import type { SampleBatch, StreamHandle, Summaries } from '../../ports/sample-port.ts'
import { type ComputeFold, FoldCache } from './fold-cache.ts'

const handle = 1 as StreamHandle

function batchOf(samples: ReadonlyMap<number, number>): SampleBatch {
  return {
    count: samples.size,
    handles: new Uint32Array(samples.size).fill(handle),
    times: Float64Array.from(samples.keys()),
    numbers: Float64Array.from(samples.values()),
    removals: [],
  }
}

/** Edges `step` apart; different steps share edges now and then, as hours and days do. */
function edgesOf(step: number, first: number, count: number): Float64Array {
  return Float64Array.from({ length: count + 1 }, (_, index) => (first + index) * step)
}

function shown(rows: Summaries): unknown {
  return Array.from({ length: rows.length }, (_, row) =>
    rows.count[row] === 0
      ? 0
      : [
          rows.count[row],
          rows.numberCount[row],
          rows.sum[row],
          rows.min[row],
          rows.minTime[row],
          rows.max[row],
          rows.maxTime[row],
          rows.first[row],
          rows.firstTime[row],
          rows.last[row],
          rows.lastTime[row],
          rows.mean[row],
        ],
  )
}

async function openStream(): Promise<{ store: PlainSampleStore; computed: number[] }> {
  const store = new PlainSampleStore()
  const samples = new Map(Array.from({ length: 4_096 }, (_, time) => [time, time % 97]))
  await store.append(batchOf(samples))
  return { store, computed: [] }
}

test('fold() computes again only what was touched', async () => {
  const { store, computed } = await openStream()
  const cache = new FoldCache()
  const compute: ComputeFold = (edges) => {
    computed.push(edges.length - 1)
    return store.fold(handle, edges)
  }
  const edges = edgesOf(100, 0, 40)
  await cache.fold(handle, edges, compute)
  await cache.fold(handle, edges, compute)
  await cache.fold(handle, edges.subarray(10, 20), compute)
  assert.deepEqual(computed, [40])
  cache.touch(handle, 3_900, 3_901)
  await cache.fold(handle, edges, compute)
  assert.deepEqual(computed, [40, 1])
  await cache.fold(handle, edgesOf(100, 5, 40), compute)
  assert.deepEqual(computed, [40, 1, 5])
  await cache.fold(handle, edgesOf(100, 0, 45), compute)
  assert.deepEqual(computed, [40, 1, 5])
})

test('a removal of all before a time makes only what lies there unknown', async () => {
  const { store, computed } = await openStream()
  const cache = new FoldCache()
  const edges = edgesOf(100, 0, 40)
  const compute: ComputeFold = (some) => {
    computed.push(some.length - 1)
    return store.fold(handle, some)
  }
  await cache.fold(handle, edges, compute)
  const removal = { handle, from: EARLIEST_TIME, until: epochMs(250) }
  await store.remove(removal)
  const batch = { ...batchOf(new Map()), removals: [removal] }
  cache.touchRecords([{ kind: 'samples', batch }])
  const rows = await cache.fold(handle, edges, compute)
  assert.deepEqual([...rows.count.subarray(0, 4)], [0, 0, 50, 100])
  assert.deepEqual(computed, [40, 3])
})

test('fold() does not keep what changed while it was computed', async () => {
  const { store } = await openStream()
  const cache = new FoldCache()
  const edges = edgesOf(100, 0, 41)
  const early = Promise.withResolvers<void>()
  const slow = cache.fold(handle, edges, async (some) => {
    const rows = await store.fold(handle, some)
    await early.promise
    return rows
  })
  const batch = batchOf(new Map([[50, 1_000]]))
  await new Promise(setImmediate)
  await store.append(batch)
  cache.touchRecords([{ kind: 'samples', batch }])
  early.resolve()
  await slow
  let computed = 0
  const after = await cache.fold(handle, edges, (some) => {
    computed += some.length - 1
    return store.fold(handle, some)
  })
  assert.equal(after.max[0], 1_000)
  assert.equal(computed, 1, 'the intervals that did not change are kept')
})

test(`fold() keeps nothing stale when samples land while it reads (seed ${seed})`, async () => {
  const random = generator(seed)
  const { store } = await openStream()
  const cache = new FoldCache(600)
  const slow: ComputeFold = async (edges) => {
    if (random(2) === 0) await new Promise(setImmediate)
    const rows = await store.fold(handle, edges)
    for (let turns = random(3); turns > 0; turns--) await new Promise(setImmediate)
    return rows
  }
  for (let round = 0; round < roundsBy({ everyRun: 30, nightly: 60 }); round++) {
    const step = [100, 300, 700][random(3)]
    const edges = edgesOf(step, random(3), Math.floor(4_000 / step))
    const reads: Promise<unknown>[] = []
    for (let i = 0; i < 6; i++) {
      const from = random(3)
      reads.push(cache.fold(handle, edges.subarray(from, edges.length - random(3)), slow))
      reads.push(cache.span(handle, () => store.span(handle)))
      if (random(2) === 0) continue
      const batch = batchOf(new Map([[random(4_500), random(500)]]))
      reads.push(store.append(batch).then(() => cache.touchRecords([{ kind: 'samples', batch }])))
      if (random(2) === 0) await new Promise(setImmediate)
    }
    await Promise.all(reads)
    const fresh = (some: Float64Array) => store.fold(handle, some)
    const expected = shown(await fresh(edges))
    assert.deepEqual(shown(await cache.fold(handle, edges, fresh)), expected, `round ${round}`)
    const span = await cache.span(handle, () => store.span(handle))
    assert.deepEqual(span, await store.span(handle), `round ${round}`)
  }
})

test('drop() and a full cache forget whole streams', async () => {
  const { store } = await openStream()
  const cache = new FoldCache(60)
  let computed = 0
  const ask = (stream: number) =>
    cache.fold(stream, edgesOf(100, 0, 40), (edges) => {
      computed += 1
      return store.fold(handle, edges)
    })
  await ask(1)
  await ask(1)
  assert.equal(computed, 1)
  cache.drop(1)
  await ask(1)
  assert.equal(computed, 2)
  await ask(2)
  await ask(2)
  assert.equal(computed, 3)
  await ask(1)
  assert.equal(computed, 4)
})

test('span() follows samples, late ones too, and is computed again after removals', async () => {
  const { store } = await openStream()
  const cache = new FoldCache()
  let computed = 0
  const ask = async () => {
    const span = await cache.span(handle, () => {
      computed += 1
      return store.span(handle)
    })
    return [span?.firstTime, span?.lastTime, computed]
  }
  const append = async (time: number) => {
    const batch = batchOf(new Map([[time, 1]]))
    await store.append(batch)
    cache.touchRecords([{ kind: 'samples', batch }])
  }
  assert.deepEqual(await ask(), [0, 4_095, 1])
  await append(5_000)
  assert.deepEqual(await ask(), [0, 5_000, 1])
  await append(-1)
  assert.deepEqual(await ask(), [-1, 5_000, 1])
  const removal = { handle, from: epochMs(5_000), until: epochMs(5_001) }
  await store.remove(removal)
  cache.touch(removal.handle, removal.from, removal.until)
  assert.deepEqual(await ask(), [-1, 4_095, 2])
})

test(`fold() is the same with and without the cache, whatever is asked (seed ${seed})`, async () => {
  const random = generator(seed)
  const { store } = await openStream()
  const cache = new FoldCache(600)
  const compute: ComputeFold = (edges) => store.fold(handle, edges)
  for (let round = 0; round < roundsBy({ everyRun: 200, nightly: 600 }); round++) {
    const choice = random(10)
    if (choice === 0) {
      const batch = batchOf(new Map([[random(5_000), random(500)]]))
      await store.append(batch)
      cache.touchRecords([{ kind: 'samples', batch }])
    } else if (choice === 1) {
      const from = random(4_000)
      const removal = { handle, from: epochMs(from), until: epochMs(from + random(3)) }
      await store.remove(removal)
      const batch = { ...batchOf(new Map()), removals: [removal] }
      cache.touchRecords([{ kind: 'samples', batch }])
    } else {
      const step = [50, 100, 300, 700, 701][random(5)]
      const most = Math.ceil(5_000 / step)
      const first = random(most)
      const edges = edgesOf(step, first, 1 + random(most - first))
      const expected = shown(await compute(edges))
      const about = `seed ${seed} round ${round}`
      assert.deepEqual(shown(await cache.fold(handle, edges, compute)), expected, about)
    }
  }
})
