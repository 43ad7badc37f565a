import { sendOnce } from '../load/connection.ts'
import { drive, time } from '../load/drive.ts'
import { PutTemplate, type StreamName, Walk } from '../load/put-template.ts'
import { bytesOnDisk, memoryPeakMb, type RunningPeer } from '../peers/service.ts'
import { better, type Cell, type Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'

const STEP_MS = 10_000
const HOUR_MS = 3_600_000
const STREAMS_PER_COMPONENT = 10
const SAMPLES_PER_CALL = 1_000
const SAMPLES_PER_STREAM = 100_000
const READ_SECONDS_MAX = 10

interface Works {
  readonly size: Record<string, Cell>
  readonly last: Record<string, Cell>
  readonly latest: Record<string, Cell>
  readonly hourly: Record<string, Cell>
  readonly hourlyTen: Record<string, Cell>
  readonly memory: Record<string, Cell>
}

/** Slow sensors every 10 s up to now: what they take on disk, and how fast they are read. */
export async function readSuite(settings: Settings): Promise<Row[]> {
  const works: Works = { size: {}, last: {}, latest: {}, hourly: {}, hourlyTen: {}, memory: {} }
  for (const peer of settings.peers) {
    await withPeer(peer, async (running, folder) => {
      const note = peer.isDurable ? undefined : 'not durable'
      const dataset = datasetOf(settings)
      // Logs of a first start would count as empty and be gone later: both sides are settled.
      await running.settle()
      const emptyBytes = bytesOnDisk(folder)
      printProgress(
        `${peer.name}: ${dataset.streams.length} sensors of ${SAMPLES_PER_STREAM} samples`,
      )
      await fill(running, dataset)
      await running.settle()
      const samples = dataset.streams.length * SAMPLES_PER_STREAM
      const bytes = bytesOnDisk(folder)
      works.size[peer.name] = {
        value: Math.max(bytes - emptyBytes, 0) / samples,
        note: `${(bytes / 1e6).toFixed(1)} MB in all, ${(emptyBytes / 1e6).toFixed(1)} when empty`,
      }
      printProgress(`${peer.name}: reads`)
      await readAll(running, { settings, dataset, works, name: peer.name })
      works.memory[peer.name] = { value: memoryPeakMb(running.process) ?? 0, note }
    })
  }
  return rowsOf(works)
}

function rowsOf(works: Works): Row[] {
  const aim = '≤ VictoriaMetrics'
  return [
    {
      work: 'size on disk, 2-decimal sensors every 10 s',
      unit: 'B/sample',
      aim: '≤ 0.6',
      cells: works.size,
    },
    { work: 'last value of one stream', unit: 'ms', aim, cells: works.last },
    { work: 'latest 1,000 samples of a stream', unit: 'ms', aim, cells: works.latest },
    { work: 'hourly max over 24 h, one stream', unit: 'ms', aim, cells: works.hourly },
    { work: 'hourly max over 24 h, ten streams', unit: 'ms', aim, cells: works.hourlyTen },
    { work: 'memory at most, size and reads', unit: 'MB', aim: '', cells: works.memory },
  ]
}

interface Dataset {
  readonly streams: readonly StreamName[]
  readonly lastTime: number
}

function datasetOf(settings: Settings): Dataset {
  const length = Math.max(1, Math.round(settings.samples / SAMPLES_PER_STREAM / 10)) * 10
  const streams = Array.from({ length }, (_, index) => ({
    compId: `plant${Math.floor(index / STREAMS_PER_COMPONENT)}`,
    streamId: `sensor${index % STREAMS_PER_COMPONENT}`,
  }))
  return { streams, lastTime: Math.floor(Date.now() / STEP_MS) * STEP_MS }
}

/** Every stream's samples in the order of time, all streams side by side, as gateways send them. */
async function fill(running: RunningPeer, { streams, lastTime }: Dataset): Promise<void> {
  const walks = streams.map((_, index) => new Walk(index + 1))
  const perStream = SAMPLES_PER_CALL / STREAMS_PER_COMPONENT
  const components = streams.length / STREAMS_PER_COMPONENT
  const templates = Array.from({ length: components }, (_, component) => {
    const first = component * STREAMS_PER_COMPONENT
    const slots = Array.from(
      { length: SAMPLES_PER_CALL },
      (__, index) => streams[first + (index % STREAMS_PER_COMPONENT)],
    )
    return new PutTemplate(running.putForm, slots)
  })
  const start = lastTime - (SAMPLES_PER_STREAM - 1) * STEP_MS
  let call = 0
  await drive(running, {
    connections: 1,
    secondsMax: 600,
    callsMax: (streams.length * SAMPLES_PER_STREAM) / SAMPLES_PER_CALL,
    next: () => {
      const component = call % components
      const first = start + Math.floor(call / components) * perStream * STEP_MS
      call++
      return templates[component].fill(
        (sample) => first + Math.floor(sample / STREAMS_PER_COMPONENT) * STEP_MS,
        (sample) =>
          walks[component * STREAMS_PER_COMPONENT + (sample % STREAMS_PER_COMPONENT)].next(),
      )
    },
  })
}

/** The median of calls one after the other, the best of some rounds. */
export async function timeBest(
  running: RunningPeer,
  requests: readonly Buffer[],
  { calls, rounds }: Settings,
): Promise<Cell> {
  let best: Cell | undefined
  for (let round = 0; round < rounds; round++) {
    const { p50Ms, p99Ms } = await time(running, requests, { calls, secondsMax: READ_SECONDS_MAX })
    best = better('ms', best, { value: p50Ms, p50Ms, p99Ms })
  }
  return best ?? { value: 0 }
}

interface Reading {
  readonly settings: Settings
  readonly dataset: Dataset
  readonly works: Works
  readonly name: string
}

async function readAll(running: RunningPeer, reading: Reading): Promise<void> {
  const { dataset, works, name } = reading
  const { streams, lastTime } = dataset
  const until = Math.floor(lastTime / HOUR_MS) * HOUR_MS
  const from = until - 24 * HOUR_MS
  const components = streams.length / STREAMS_PER_COMPONENT
  const tens = Array.from({ length: components }, (_, component) =>
    streams.slice(component * STREAMS_PER_COMPONENT, (component + 1) * STREAMS_PER_COMPONENT),
  )
  const measure = async (requests: Buffer[], bytesMin: number): Promise<Cell> => {
    const { body } = await sendOnce(running, requests[0])
    if (body.length < bytesMin) throw new Error(`${name} answered only: ${body}`)
    return timeBest(running, requests, reading.settings)
  }
  const each = (make: (stream: StreamName) => Buffer) => streams.map(make)
  works.last[name] = await measure(
    each((stream) => running.lastValue(stream, lastTime)),
    20,
  )
  works.latest[name] = await measure(
    each((stream) => running.latest(stream, 1_000, lastTime)),
    15_000,
  )
  works.hourly[name] = await measure(
    each((stream) => running.hourlyMax([stream], from, until)),
    400,
  )
  works.hourlyTen[name] = await measure(
    tens.map((ten) => running.hourlyMax(ten, from, until)),
    4_000,
  )
}
