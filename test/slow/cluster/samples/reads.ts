import assert from 'node:assert/strict'
import { test } from 'node:test'
import cassandra from 'cassandra-driver'
import { epochMs } from '../../../../src/base/index.ts'
import type { ClusterSamples } from '../../../../src/store/cassandra/index.ts'
import { batch, stream } from '../../../support/samples.ts'
import { eventually } from '../../../support/settle.ts'
import { OwnStreams, openProcess, reportEnds } from './home.ts'

/** What a call asked of Cassandra, as traces of its nodes show. */
interface Traced {
  /** Statements, each of one partition. */
  readonly reads: number
  readonly rows: number
  readonly tombstones: number
}

const READ = /Read (\d+) live rows and (\d+) tombstone/

type Execute = (
  cql: string,
  params: unknown[],
  options: cassandra.QueryOptions,
) => Promise<cassandra.types.ResultSet>

/** Runs a call with the tracing of Cassandra on. */
async function traced(work: () => Promise<unknown>): Promise<Traced> {
  const prototype = cassandra.Client.prototype as unknown as { execute: Execute }
  const { execute } = prototype
  const asked: { readonly client: cassandra.Client; readonly result: cassandra.types.ResultSet }[] =
    []
  prototype.execute = async function (this: cassandra.Client, cql, params, options) {
    const isRead = cql.startsWith('SELECT')
    const result = await execute.call(this, cql, params, { ...options, traceQuery: isRead })
    if (isRead) asked.push({ client: this, result })
    return result
  }
  try {
    await work()
  } finally {
    prototype.execute = execute
  }
  let [rows, tombstones] = [0, 0]
  for (const { client, result } of asked) {
    const found = await readOf(client, result)
    rows += Number(found?.[1] ?? 0)
    tombstones += Number(found?.[2] ?? 0)
  }
  return { reads: asked.length, rows, tombstones }
}

/** What the trace of a statement says of its read; undefined where its partition has nothing at all. */
async function readOf(client: cassandra.Client, { info, rows }: cassandra.types.ResultSet) {
  let before = -1
  // A trace is written after the answer, event by event.
  return await eventually(async () => {
    const { events } = await client.metadata.getTrace(info.traceId as cassandra.types.Uuid)
    const [read] = events.flatMap(({ activity }) => {
      const found = READ.exec(String(activity))
      return found === null ? [] : [found]
    })
    const isWhole = read !== undefined || (rows.length === 0 && events.length === before)
    before = events.length
    assert.ok(isWhole)
    return read
  })
}

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
