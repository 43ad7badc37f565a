/**
 * A process that measures the least that a call of Weir can cost, with the driver alone. It writes the same rows to the
 * same table, or reads the same rows, with one prepared statement per stream at QUORUM. Prints the results as JSON.
 */
import cassandra from 'cassandra-driver'
import { longBytes } from '../../src/store/cassandra/samples/row-values.ts'
import { packSmallRun } from '../../src/store/cassandra/samples/run-row.ts'
import { LAST_KEY, RUN_SECTION } from '../../src/store/cassandra/samples/sample-head.ts'
import { eachAtOnce } from '../../src/store/cassandra/samples/slots.ts'
import { percentilesOf } from '../load/drive.ts'
import { Walk } from '../load/put-template.ts'
import { type DriverRun, type DriverWork, FIRST_HANDLE } from './driver.ts'

const { consistencies, Long } = cassandra.types
const quorum = { prepare: true, isIdempotent: true, consistency: consistencies.quorum }
const STEP_MS = 10_000
/** Bodies of a stream that take turns. */
const TURNS = 16
/** Rows of one call that are sent at once. */
const ROWS_AT_ONCE = 64

const insertRun = `INSERT INTO sample (stream, section, key, writer, piece, body)
  VALUES (?, ${RUN_SECTION}, ?, 1, 0, ?)`
/** Static columns come along, and the row behind all runs. */
const selectRuns = `SELECT key, writer, removed, body, version, sealed, newest, forgotten
  FROM sample WHERE stream = ? AND section = ${RUN_SECTION} AND key > ? AND key <= ${LAST_KEY}`

const work = JSON.parse(process.argv[2]) as DriverWork & DriverRun & { firstHandle: number }
const client = new cassandra.Client({
  contactPoints: [`127.0.0.1:${work.port}`],
  localDataCenter: 'datacenter1',
  keyspace: work.keyspace,
  protocolOptions: { port: work.port },
})
await client.connect()
const call = work.kind === 'put' ? putCall(work) : await readCall(work.isFirstOnly)

function putCall({ streams, samplesPerStream: count }: Extract<DriverWork, { kind: 'put' }>) {
  const handles = Array.from({ length: streams }, (_, at) => work.firstHandle + at)
  const walks = handles.map((handle) => new Walk(handle))
  const bodies = Array.from({ length: TURNS }, (_, turn) =>
    handles.map((handle, at) => {
      const first = Date.now() + turn * count * STEP_MS
      const times = Float64Array.from({ length: count }, (_, step) => first + step * STEP_MS)
      const numbers = Float64Array.from({ length: count }, () => walks[at].next() / 100)
      const columns = { count, times, numbers, texts: undefined }
      return Buffer.from(packSmallRun({ handle, removals: [], columns }).body ?? [])
    }),
  )
  let stamp = Date.now() * 1_000
  return async () => {
    stamp += 1
    const key = longBytes(stamp)
    const turn = bodies[stamp % TURNS]
    const options = { ...quorum, timestamp: Long.fromNumber(stamp) }
    await eachAtOnce([...handles.entries()], ROWS_AT_ONCE, ([at, handle]) =>
      client.execute(insertRun, [handle, key, turn[at]], options),
    )
  }
}

async function readCall(isFirstOnly: boolean) {
  const { rows } = await client.execute('SELECT DISTINCT stream, sealed FROM sample', [], {
    ...quorum,
    fetchSize: 10_000,
  })
  const streams = rows
    .filter(({ stream }) => stream < FIRST_HANDLE)
    .sort((left, right) => left.stream - right.stream)
    .map(({ stream, sealed }) => [stream, sealed ?? Long.fromNumber(0)])
  const wanted = isFirstOnly ? streams.slice(0, 1) : streams.slice(1)
  let next = 0
  return async () => {
    await client.execute(selectRuns, wanted[next++ % wanted.length], quorum)
  }
}

async function run(seconds: number) {
  const latencies: number[] = []
  const began = performance.now()
  const cpuBefore = process.cpuUsage()
  const loop = async () => {
    while (performance.now() < began + seconds * 1_000) {
      const sent = performance.now()
      await call()
      latencies.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: work.connections }, loop))
  const took = (performance.now() - began) / 1_000
  const cpu = process.cpuUsage(cpuBefore)
  const cpuSeconds = (cpu.user + cpu.system) / 1e6
  return { calls: latencies.length, seconds: took, cpuSeconds, ...percentilesOf(latencies) }
}

await run(work.seconds)
console.log(JSON.stringify(await run(work.seconds)))
await client.shutdown()
