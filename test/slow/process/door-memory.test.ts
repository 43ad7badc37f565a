/** What the largest bodies of remote write and OpenTelemetry take: at most three times their inflated size. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { memoryOf, startReportedMb } from '../../support/million-puts.ts'
import { metricsOf, otlpProtobuf, textAttribute, type WrittenPoint } from '../../support/otlp.ts'
import { roundsBy } from '../../support/random.ts'
import {
  packSnappy,
  REMOTE_WRITE_TYPES,
  type WrittenSeries,
  writeRequest1,
  writeRequest2,
} from '../../support/remote-write.ts'

const KEY = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
const MIB = 1024 * 1024
/** WEIR_BODY_BYTES_MAX, and a smaller one that shows the same. */
const BODY_BYTES = roundsBy({ everyRun: 64_000_000, nightly: 200_000_000 })
/** Enough for a body that Snappy does not make smaller, as those here. */
const MEMORY_MB = roundsBy({ everyRun: 800, nightly: 1_600 })
const TIMES_MAX = 3
/** What collecting leaves for a while, whatever the body is. */
const NOISE_MB = 60
const SERIES = 100
const SAMPLES = 1_000
const FIRST_TIME = 1_700_000_000_000

type Send = readonly [path: string, headers: Readonly<Record<string, string>>, body: Buffer]

/** A message of a hundred series, repeated: each field of it is a field of the whole. */
function repeated(message: Buffer, bytes = BODY_BYTES): Buffer {
  const count = Math.floor(bytes / message.length)
  return Buffer.alloc(count * message.length, message)
}

function series(): WrittenSeries[] {
  return Array.from({ length: SERIES }, (_, at) => ({
    labels: { __name__: 'load', job: 'memory', n: String(at) },
    samples: Array.from({ length: SAMPLES }, (__, step) => [step / 7, FIRST_TIME + step] as const),
  }))
}

function points(): WrittenPoint[] {
  return Array.from({ length: SAMPLES }, (_, at) => ({
    timeUnixNano: `${FIRST_TIME + at}000000`,
    asDouble: at / 7,
    attributes: [textAttribute('n', String(at % SERIES))],
  }))
}

const metrics = metricsOf([textAttribute('service.name', 'memory')], {
  name: 'load',
  gauge: { dataPoints: points() },
})

function remoteWrite(version: 1 | 2, body: Buffer): Send {
  const headers = { 'Content-Encoding': 'snappy', 'Content-Type': REMOTE_WRITE_TYPES[version] }
  return ['/api/v1/write', headers, packSnappy(body)]
}

/** A body of version 2.0 has its symbols once. */
function version2(): Buffer {
  const whole = writeRequest2(series())
  const bare = writeRequest2(series().map((one) => ({ ...one, samples: [] })))
  // Both have the same symbols. The first message of a series differs in its length, after one byte.
  let at = -1
  while (whole[at + 1] === bare[at + 1]) at += 1
  const messages = whole.subarray(at)
  return Buffer.concat([whole.subarray(0, at), repeated(messages, BODY_BYTES - at)])
}

function json(): Buffer {
  const [one] = metrics.resourceMetrics
  const text = `${JSON.stringify(one)},`
  const list = repeated(Buffer.from(text), BODY_BYTES - 100)
  return Buffer.concat([
    Buffer.from('{"resourceMetrics":['),
    list.subarray(0, -1),
    Buffer.from(']}'),
  ])
}

const bodies: Readonly<Record<string, () => Send>> = {
  'remote write 1.0': () => remoteWrite(1, repeated(writeRequest1(series()))),
  'remote write 2.0': () => remoteWrite(2, version2()),
  'remote write 1.0 of empty series': () => remoteWrite(1, repeated(Buffer.from([0x0a, 0]))),
  'OTLP as protobuf': () => {
    const headers = { 'Content-Type': 'application/x-protobuf' }
    return ['/v1/metrics', headers, repeated(otlpProtobuf(metrics))]
  },
  'OTLP as JSON': () => ['/v1/metrics', { 'Content-Type': 'application/json' }, json()],
}

for (const [name, makeSend] of Object.entries(bodies)) {
  test(`${name}: the largest body takes at most three times its size`, {
    skip: process.platform !== 'linux' && 'memory is read from /proc',
  }, async (t) => {
    await measure(t, makeSend())
  })
}

async function measure(t: TestContext, [path, headers, body]: Send): Promise<void> {
  const service = await startReportedMb(MEMORY_MB, KEY)
  t.after(() => service.kill())
  const before = memoryOf(service.pid, 'VmRSS')
  const answer = await fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { 'X-Api-Key': KEY, ...headers },
    body,
  })
  const text = await answer.text()
  assert.ok([200, 204].includes(answer.status), `${answer.status} ${text.slice(0, 300)}`)
  const growth = memoryOf(service.pid, 'VmHWM') - before
  const times = (growth * MIB) / BODY_BYTES
  t.diagnostic(`${growth} MiB, ${times.toFixed(2)} times the body`)
  assert.ok(growth < (TIMES_MAX * BODY_BYTES) / MIB + NOISE_MB, `${growth} MiB`)
}
