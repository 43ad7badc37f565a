import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs } from '../../../../src/base/index.ts'
import type { ClusterSamples } from '../../../../src/store/cassandra/index.ts'
import type { SampleReads } from '../../../../src/store/index.ts'
import { batch, stream } from '../../../support/samples.ts'
import { OwnStreams, openProcess, reportEnds } from './home.ts'
import { traced } from './traced.ts'

/** Three processes that write in turn, with as many calls each; none of them has read the stream. */
async function written(streams: OwnStreams, calls: number): Promise<ClusterSamples[]> {
  const stores = await Promise.all([1, 2, 3].map(() => openProcess(streams.clock)))
  for (let call = 0; call < calls; call += 1) {
    const rows = [[streams.handleOf(1), call * 1_000, call]] as const
    await stores[call % stores.length].append(batch(rows))
  }
  return stores
}

/** What reads cost the nodes, however many processes write: docs/cluster.md has the figures. */
export function readTests(skip: string | false): void {
  test('a last value reads one partition, and the rows that are not merged', { skip }, async () => {
    const streams = new OwnStreams()
    const handle = stream(streams.handleOf(1))
    const stores = await written(streams, 60)
    const asking = () => stores[0].latest([handle])
    const before = await traced(asking)
    assert.deepEqual([before.reads, before.rows], [1, 60])
    await reportEnds()
    await stores[1].compaction.compact(handle)
    const after = await traced(asking)
    // The values that the whole stream has, and the row that is always there.
    assert.deepEqual([after.reads, after.rows], [1, 2])
    assert.ok(after.tombstones <= 2, `${after.tombstones} tombstones`)
    for (const store of stores) await store.close()
  })

  test('a range reads the list of leaves once, and a partition for each leaf', {
    skip,
  }, async () => {
    const streams = new OwnStreams()
    const handle = stream(streams.handleOf(1))
    const stores = await written(streams, 60)
    await reportEnds()
    await stores[1].compaction.compact(handle)
    const span = { from: epochMs(0), until: epochMs(1e9) }
    const asking = () => stores[0].range(handle, { ...span, limit: 1_000, order: 'oldest_first' })
    // The rows and the leaves of the stream, the index of the leaf, and its one chunk.
    const first = await traced(asking)
    assert.deepEqual([first.reads, first.rows], [4, 7])
    // The leaves, the index, and the chunk are remembered.
    const next = await traced(asking)
    assert.deepEqual([next.reads, next.rows], [1, 2])
    const ends = await traced(() => stores[0].span(handle))
    assert.deepEqual([ends.reads, ends.rows], [1, 2])
    for (const store of stores) await store.close()
  })

  test('the reads of one call read the runs of a stream once, and see what was acknowledged before', {
    skip,
  }, async () => {
    const streams = new OwnStreams()
    const handle = stream(streams.handleOf(1))
    const stores = await written(streams, 60)
    await reportEnds()
    await stores[1].compaction.compact(handle)
    await stores[2].append(batch([[handle, 60_000, 60]]))
    const edges = Float64Array.of(0, 30_000, 1e9)
    const works = (reads: SampleReads) => async () => {
      const span = await reads.span(handle)
      const { count } = await reads.fold(handle, edges)
      const query = { from: epochMs(0), until: epochMs(1e9), limit: 1_000 }
      const range = await reads.range(handle, { ...query, order: 'latest_first' })
      assert.deepEqual([span?.lastTime, [...count], range.count], [60_000, [30, 31], 61])
    }
    await works(stores[0])()
    const apart = await traced(works(stores[0]))
    const together = await traced(works(stores[0].reads()))
    assert.deepEqual([apart.reads, together.reads], [3, 1])
    for (const store of stores) await store.close()
  })

  test('a call whose stream is merged between two reads reads it again', { skip }, async () => {
    const streams = new OwnStreams()
    const handle = stream(streams.handleOf(1))
    const [reader, other] = await written(streams, 60)
    const all = { from: epochMs(0), until: epochMs(1e9), limit: 1_000 }
    await reportEnds()
    await other.compaction.compact(handle)
    const reads = reader.reads()
    await reads.latest([handle])
    for (let pass = 0; pass < 2; pass += 1) {
      streams.clock.advance(120_000)
      await other.append(batch([[handle, 60_000 + pass, 1]]))
      await reportEnds()
      await other.compaction.compact(handle)
    }
    const found = await reads.range(handle, { ...all, order: 'oldest_first' })
    assert.equal(found.count, 62)
    await reader.close()
    await other.close()
  })

  test('what was withdrawn and swept is not read again and again', { skip }, async () => {
    const streams = new OwnStreams()
    const handles = Array.from({ length: 64 }, (_, at) => stream(streams.handleOf(at)))
    const store = await openProcess(streams.clock)
    await store.watch(handles)
    for (const handle of handles) await store.append(batch([[handle, 1, 1]]))
    await reportEnds()
    const adopting = () => store.load()
    for (let looks = 0; looks < 7; looks += 1) await adopting()
    const adopted = await traced(adopting)
    assert.ok(adopted.tombstones < handles.length / 4, `${adopted.tombstones} withdrawn intents`)
    streams.clock.advance(3 * 86_400_000)
    await reportEnds()
    const count = await store.compaction.sweep()
    assert.ok(count >= handles.length, `${count} streams`)
    const swept = await traced(() => store.compaction.sweep())
    assert.ok(swept.tombstones < handles.length / 4, `${swept.tombstones} swept streams`)
    await store.close()
  })
}
