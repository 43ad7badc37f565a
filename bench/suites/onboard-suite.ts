import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Connection } from '../load/connection.ts'
import { drive, percentilesOf } from '../load/drive.ts'
import { PutTemplate, type StreamName } from '../load/put-template.ts'
import { cpuSeconds, memoryMb, type Peer, type RunningPeer, stop } from '../peers/service.ts'
import { weir } from '../peers/weir.ts'
import { better, type Cell, type Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'

/** Ends a load that hangs; far more than any service here needs. */
const SECONDS_MAX = 600
/** Between two reads of the last value: they see what waits and are no load of their own. */
const POLL_PAUSE_MS = 2
const TIME = Date.now() - 86_400_000
const KNOWN: StreamName = { compId: 'known', streamId: 'value' }

/** A bulk load of new devices: every stream of every call is new to the service. */
interface BulkLoad {
  readonly work: string
  readonly components: number
  readonly streamsPerComponent: number
  readonly componentsPerCall: number
  readonly connections: number
}

const loads: readonly BulkLoad[] = [
  {
    work: '100,000 components of one stream, 1,000 a call, 4 connections',
    components: 100_000,
    streamsPerComponent: 1,
    componentsPerCall: 1_000,
    connections: 4,
  },
  {
    work: '5,000 devices of ten streams, one device a call, 16 connections',
    components: 5_000,
    streamsPerComponent: 10,
    componentsPerCall: 1,
    connections: 16,
  },
]

/** The figures of one service for one bulk load. */
interface Onboarding {
  readonly rate: Cell
  readonly wait: Cell
  readonly catalog: Cell | undefined
}

/** New streams as fast as their first samples, on services with an empty folder. */
export async function onboardSuite(settings: Settings): Promise<Row[]> {
  const rows: Row[] = []
  for (const bulk of loads) rows.push(...(await rowsOf(bulk, settings)))
  return rows
}

async function rowsOf(bulk: BulkLoad, { rounds, peers }: Settings): Promise<Row[]> {
  const rate: Record<string, Cell> = {}
  const wait: Record<string, Cell> = {}
  const catalog: Record<string, Cell> = {}
  for (let round = 0; round < rounds; round++) {
    for (const peer of peers) {
      printProgress(`${peer.name}: ${bulk.work}`)
      const { name } = peer
      const shown = await withPeer(peer, (running, folder) =>
        onboard(bulk, { peer, running, folder }),
      )
      rate[name] = better('streams/s', rate[name], shown.rate)
      wait[name] = better('ms', wait[name], shown.wait)
      if (shown.catalog !== undefined) catalog[name] = shown.catalog
    }
  }
  const of = (what: string) => `${what}${bulk.work}`
  const aim = { rate: '≥ 1x InfluxDB, ≥ 0.5x VictoriaMetrics', wait: '< 20', catalog: '≤ 300' }
  return [
    { work: of('new: '), unit: 'streams/s', aim: aim.rate, cells: rate },
    { work: of('p99 of last values during '), unit: 'ms', aim: aim.wait, cells: wait },
    { work: of('catalog.db after '), unit: 'B/stream', aim: aim.catalog, cells: catalog },
  ]
}

async function onboard(
  bulk: BulkLoad,
  { peer, running, folder }: { peer: Peer; running: RunningPeer; folder: string },
): Promise<Onboarding> {
  const requests = requestsOf(bulk, running)
  const streams = bulk.components * bulk.streamsPerComponent
  await drive(running, loadOf([putOf(running, [KNOWN])], 1))
  const before = { cpu: cpuSeconds(running.process) ?? 0, mb: memoryMb(running.process) ?? 0 }
  const load = { isOver: false }
  const polling = pollLastValue(running, load)
  const outcome = await drive(running, loadOf(requests, bulk.connections)).finally(() => {
    load.isOver = true
  })
  const { p99Ms } = await polling
  const cpu = (cpuSeconds(running.process) ?? 0) - before.cpu
  const grownMb = (memoryMb(running.process) ?? 0) - before.mb
  printProgress(`  ${((cpu * 1e6) / streams).toFixed(1)} µs of processor time a stream`)
  const note = peer.isDurable ? undefined : 'not durable'
  const rate = {
    value: streams / outcome.seconds,
    p50Ms: outcome.p50Ms,
    p99Ms: outcome.p99Ms,
    note,
  }
  const wait = { value: p99Ms, note: `${grownMb.toFixed(0)} MB more held` }
  return {
    rate,
    wait,
    catalog: peer.name === weir.name ? await catalogOf(running, folder, streams) : undefined,
  }
}

/** What the catalog takes once its log is written back, which a stop does. */
async function catalogOf(running: RunningPeer, folder: string, streams: number): Promise<Cell> {
  await stop(running.process)
  return { value: statSync(join(folder, 'catalog.db')).size / streams }
}

function loadOf(requests: readonly Buffer[], connections: number) {
  let at = 0
  const next = () => requests[at++]
  return { connections, secondsMax: SECONDS_MAX, callsMax: requests.length, next }
}

/** All calls beforehand, so that the generator only sends. */
function requestsOf(bulk: BulkLoad, running: RunningPeer): Buffer[] {
  const requests: Buffer[] = []
  for (let first = 0; first < bulk.components; first += bulk.componentsPerCall) {
    const count = bulk.componentsPerCall * bulk.streamsPerComponent
    const streams = Array.from({ length: count }, (_, at) => ({
      compId: `device-${first + Math.floor(at / bulk.streamsPerComponent)}`,
      streamId: `sensor${at % bulk.streamsPerComponent}`,
    }))
    requests.push(putOf(running, streams))
  }
  return requests
}

function putOf(running: RunningPeer, streams: readonly StreamName[]): Buffer {
  return new PutTemplate(running.putForm, streams).fill(
    () => TIME,
    (sample) => 2_000 + (sample % 100),
  )
}

/** Reads one stream's last value again and again during the bulk load. */
async function pollLastValue(running: RunningPeer, load: { readonly isOver: boolean }) {
  const connection = await Connection.open(running)
  const request = running.lastValue(KNOWN, TIME)
  const latencies: number[] = []
  do {
    const sent = performance.now()
    await connection.send(request)
    latencies.push(performance.now() - sent)
    await new Promise((resolve) => setTimeout(resolve, POLL_PAUSE_MS))
  } while (!load.isOver)
  connection.close()
  return percentilesOf(latencies)
}
