/**
 * A process that writes the rows of puts with the driver alone, as Weir would: the same table, the same bytes, made
 * beforehand, as many at once, at QUORUM. It prints what it did as JSON.
 */
import cassandra from 'cassandra-driver'
import { frameGroups } from '../../src/store/cassandra/samples/frame-groups.ts'
import { longBytes } from '../../src/store/cassandra/samples/row-values.ts'
import { packSmallRun } from '../../src/store/cassandra/samples/run-row.ts'
import { eachAtOnce } from '../../src/store/cassandra/samples/slots.ts'
import { percentilesOf } from '../load/drive.ts'
import { Walk } from '../load/put-template.ts'
import type { DriverWork } from './driver.ts'

const { consistencies, Long } = cassandra.types
const STEP_MS = 10_000
/** Bodies of a stream that take turns. */
const TURNS = 16
/** As Weir: frames of a call under way, or rows where each is sent by itself. */
const FRAMES_AT_ONCE = 16
const ROWS_AT_ONCE = 64

const insertRun = `INSERT INTO sample_run (stream, part, writer, stamp, piece, removed, body)
  VALUES (?, ?, ?, ?, ?, ?, ?)`

const work = JSON.parse(process.argv[2]) as DriverWork
const client = new cassandra.Client({
  contactPoints: [`127.0.0.1:${work.port}`],
  localDataCenter: 'datacenter1',
  keyspace: work.keyspace,
  protocolOptions: { port: work.port },
})
await client.connect()

const part = Date.now() * 1_000
const partBytes = longBytes(part)
let stamp = part

/** Bodies by turn and stream: what Weir packs of such a put. */
function bodiesOf(): Buffer[][] {
  const handles = Array.from({ length: work.streams }, (_, at) => work.firstHandle + at)
  const walks = handles.map((handle) => new Walk(handle))
  return Array.from({ length: TURNS }, (_, turn) =>
    handles.map((handle, at) => {
      const count = work.samplesPerStream
      const first = Date.now() + turn * count * STEP_MS
      const times = Float64Array.from({ length: count }, (_, step) => first + step * STEP_MS)
      const numbers = Float64Array.from({ length: count }, () => walks[at].next() / 100)
      const columns = { count, times, numbers, texts: undefined }
      const { body } = packSmallRun({ handle, removals: [], columns })
      return Buffer.from(body ?? [])
    }),
  )
}

/** Which streams share a frame: those whose first copy is on one node. */
function framesOf(): number[][] {
  if (!work.isGrouped) return Array.from({ length: work.streams }, (_, at) => [at])
  const count = work.samplesPerStream
  const columns = { count, times: new Float64Array(count), numbers: new Float64Array(count) }
  const runs = Array.from({ length: work.streams }, (_, at) => ({
    handle: work.firstHandle + at,
    removals: [],
    columns: { ...columns, texts: undefined },
  }))
  const addresses: string[] = []
  const groups = frameGroups(runs, (handle) => {
    const [host] = client.getReplicas(work.keyspace, keyOf(handle)) ?? []
    const at = addresses.indexOf(host?.address ?? '')
    return at >= 0 ? at : addresses.push(host?.address ?? '') - 1
  })
  return groups.map((group) => group.map(({ handle }) => handle - work.firstHandle))
}

function keyOf(handle: number): Buffer {
  const key = Buffer.alloc(25)
  key.writeUInt16BE(4, 0)
  key.writeInt32BE(handle, 2)
  key.writeUInt16BE(8, 7)
  partBytes.copy(key, 9)
  key.writeUInt16BE(4, 18)
  key.writeInt32BE(work.writer, 20)
  return key
}

const bodies = bodiesOf()
const frames = framesOf()

async function call(): Promise<void> {
  stamp += 1
  const stampBytes = longBytes(stamp)
  const turn = bodies[stamp % TURNS]
  const options = {
    prepare: true,
    isIdempotent: true,
    consistency: consistencies.quorum,
    timestamp: Long.fromNumber(stamp),
  }
  const paramsOf = (at: number) => [
    work.firstHandle + at,
    partBytes,
    work.writer,
    stampBytes,
    0,
    undefined,
    turn[at],
  ]
  await eachAtOnce(frames, work.isGrouped ? FRAMES_AT_ONCE : ROWS_AT_ONCE, (frame) =>
    frame.length === 1
      ? client.execute(insertRun, paramsOf(frame[0]), options)
      : client.batch(
          frame.map((at) => ({ query: insertRun, params: paramsOf(at) })),
          { ...options, logged: false },
        ),
  )
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
  await Promise.all(Array.from({ length: work.calls }, loop))
  const took = (performance.now() - began) / 1_000
  const cpu = process.cpuUsage(cpuBefore)
  const cpuSeconds = (cpu.user + cpu.system) / 1e6
  return { calls: latencies.length, seconds: took, cpuSeconds, ...percentilesOf(latencies) }
}

await run(work.seconds)
console.log(JSON.stringify(await run(work.seconds)))
await client.shutdown()
