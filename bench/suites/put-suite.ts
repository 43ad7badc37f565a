import { drive, type Outcome } from '../load/drive.ts'
import { PutTemplate, type StreamName, Walk } from '../load/put-template.ts'
import { cpuSeconds, memoryPeakMb, type RunningPeer } from '../peers/service.ts'
import { better, type Cell, type Row } from '../report.ts'
import { type Settings, tell, withPeer } from '../settings.ts'

const COMPONENTS = 10
const STREAMS_PER_COMPONENT = 10
const BULK_SAMPLES = 1_000
const BULK_CONNECTIONS = 4
const SINGLE_CONNECTIONS = 16
const STEP_MS = 10_000

/** Services warm up before they are measured: compilers, caches, first streams. */
const WARM_UP_SHARE = 0.4
const START = Date.now() - 30 * 86_400_000

const streams: readonly StreamName[] = Array.from(
  { length: COMPONENTS * STREAMS_PER_COMPONENT },
  (_, index) => ({
    compId: `gateway${Math.floor(index / STREAMS_PER_COMPONENT)}`,
    streamId: `sensor${index % STREAMS_PER_COMPONENT}`,
  }),
)

/** Bulk puts and single puts, each on a service with an empty folder. */
export async function putSuite(settings: Settings): Promise<Row[]> {
  const bulk: Record<string, Cell> = {}
  const single: Record<string, Cell> = {}
  const memory: Record<string, Cell> = {}
  for (let round = 0; round < settings.rounds; round++) {
    for (const { name, isDurable, ...peer } of settings.peers) {
      const note = isDurable ? undefined : 'not durable'
      await withPeer(peer, async (running) => {
        tell(`${name}: ${BULK_SAMPLES} samples a put, ${BULK_CONNECTIONS} connections`)
        const outcome = await measure(running, bulkLoad(running), settings)
        bulk[name] = better('samples/s', bulk[name], cellOf(outcome, BULK_SAMPLES, note))
        memory[name] = { value: memoryPeakMb(running.process) ?? 0 }
      })
      await withPeer(peer, async (running) => {
        tell(`${name}: one sample a put, ${SINGLE_CONNECTIONS} connections`)
        const outcome = await measure(running, singleLoad(running), settings)
        single[name] = better('calls/s', single[name], cellOf(outcome, 1, note))
      })
    }
  }
  return [
    {
      work: 'bulk put, 1,000 samples a call, 4 connections',
      unit: 'samples/s',
      aim: '≥ 3.3x InfluxDB, ≥ 0.8x VictoriaMetrics',
      cells: bulk,
    },
    {
      work: 'one sample a put, 16 connections',
      unit: 'calls/s',
      aim: '≥ 1.8x InfluxDB',
      cells: single,
    },
    { work: 'memory at most, bulk put', unit: 'MB', aim: '', cells: memory },
  ]
}

/** A load that goes on where it ended when it is driven again, for so many seconds. */
type Driven = (seconds: number) => Promise<Outcome>

/** Drives a load and tells what it cost: processor time per call says more than a busy machine. */
async function measure(
  running: RunningPeer,
  load: Driven,
  { seconds }: Settings,
): Promise<Outcome> {
  await load(seconds * WARM_UP_SHARE)
  const before = cpuSeconds(running.process) ?? 0
  const outcome = await load(seconds)
  const used = (cpuSeconds(running.process) ?? 0) - before
  tell(`  ${((used * 1e6) / outcome.calls).toFixed(0)} µs of processor time a call`)
  return outcome
}

function cellOf(outcome: Outcome, samplesPerCall: number, note: string | undefined): Cell {
  if (outcome.generatorShare > 0.8) {
    tell(`  the generator used ${(outcome.generatorShare * 100).toFixed(0)} % of a core`)
  }
  const { p50Ms, p99Ms } = outcome
  return { value: (outcome.calls * samplesPerCall) / outcome.seconds, p50Ms, p99Ms, note }
}

/** Ten samples of each of a hundred streams a call; every call is ten steps later. */
export function bulkLoad(running: RunningPeer): Driven {
  const perStream = BULK_SAMPLES / streams.length
  const slots = Array.from({ length: BULK_SAMPLES }, (_, index) => streams[index % streams.length])
  const templates = Array.from(
    { length: BULK_CONNECTIONS },
    () => new PutTemplate(running.putForm, slots),
  )
  const walks = streams.map((_, index) => new Walk(index + 1))
  let round = 0
  const next = (connection: number) => {
    const first = START + round++ * perStream * STEP_MS
    return templates[connection].fill(
      (sample) => first + Math.floor(sample / streams.length) * STEP_MS,
      (sample) => walks[sample % streams.length].next(),
    )
  }
  return (secondsMax) =>
    drive(running, { connections: BULK_CONNECTIONS, secondsMax, callsMax: 1_000_000, next })
}

function singleLoad(running: RunningPeer): Driven {
  const templates = Array.from(
    { length: SINGLE_CONNECTIONS },
    (_, index) =>
      [new PutTemplate(running.putForm, [streams[index]]), new Walk(index + 1)] as const,
  )
  let round = 0
  const next = (connection: number) => {
    const [template, walk] = templates[connection]
    const time = START + round++ * 100
    return template.fill(
      () => time,
      () => walk.next(),
    )
  }
  return (secondsMax) =>
    drive(running, { connections: SINGLE_CONNECTIONS, secondsMax, callsMax: 10_000_000, next })
}
