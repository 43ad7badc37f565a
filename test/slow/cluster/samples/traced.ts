/** What reads cost the nodes, by Cassandra's own tracing. */
import assert from 'node:assert/strict'
import cassandra from 'cassandra-driver'
import { eventually } from '../../../support/settle.ts'

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
export async function traced(work: () => Promise<unknown>): Promise<Traced> {
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
