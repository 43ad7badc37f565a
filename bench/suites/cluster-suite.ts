/** Calls of Weir beside plain prepared statements that write or read the same rows. */
import { drive, time } from '../load/drive.ts'
import { putLayouts } from '../load/put-layouts.ts'
import { PutTemplate, Walk } from '../load/put-template.ts'
import type { BenchCluster } from '../peers/cluster.ts'
import { type DriverWork, runDrivers } from '../peers/driver.ts'
import { cpuSeconds, type RunningPeer } from '../peers/service.ts'
import { statistic } from '../peers/weir.ts'
import { better, type Cell, type Row } from '../report.ts'
import { printProgress } from '../settings.ts'
import { makeStreams } from './put-suite.ts'

const CALLS_MAX = 100_000_000
const MINUTE_MS = 60_000
const MINUTES = 100 * 24 * 60
const SAMPLES_PER_CALL = 1_000
/** Merging of what was put ends within seconds; the reads are of streams at rest. */
const REST_MS = 10_000
const HOURS = 100
const meter = { compId: 'meter', streamId: 'power' }

/** What the rows of a cluster are measured with. */
export interface ClusterBench {
  readonly cluster: BenchCluster
  /** Processes on the cluster. */
  readonly weirs: readonly RunningPeer[]
  readonly seconds: number
  readonly rounds: number
}

/** What one way of working showed: calls or samples a second, and processor time for each. */
interface Shown {
  readonly rate: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpu: number
  readonly nodes: number
}

type Way = () => Promise<Shown>

const bulk = putLayouts.find(({ name }) => name === 'bulk') ?? putLayouts[0]
const layouts = putLayouts.filter(({ name }) => name === 'bulk' || name === 'single')

/** Puts and reads with one process, then with all of them. */
export async function clusterSuite(bench: ClusterBench): Promise<Row[]> {
  await fillMeter(bench.weirs[0])
  const rows: Row[] = []
  await makeStreams(bench.weirs[0], bulk)
  for (const count of [1, bench.weirs.length]) {
    const processes = count === 1 ? 'one process' : `${count} processes`
    for (const layout of layouts)
      rows.push(...(await compare(bench, putWork(bench, layout, count), processes)))
    await new Promise((resolve) => setTimeout(resolve, REST_MS))
    for (const read of reads) rows.push(...(await compare(bench, readWork(bench, read), processes)))
  }
  return rows
}

/** What is compared, and what Weir is to reach. */
interface Work {
  readonly name: string
  readonly isRead: boolean
  readonly aim: string
  readonly weir: Way
  readonly plain: Way
}

async function compare({ rounds }: ClusterBench, work: Work, processes: string): Promise<Row[]> {
  const [rates, cpus, nodes]: [Cells, Cells, Cells] = [{}, {}, {}]
  const unit = work.isRead ? 'ms' : 'samples/s'
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of [
      ['Weir', work.weir],
      ['plain', work.plain],
    ] as const) {
      const { rate, p50Ms, p99Ms, ...cost } = await measure()
      printProgress(
        `${work.name}, ${processes}, ${name}: ${Math.round(rate)}/s, p50 ${p50Ms.toFixed(2)} ms`,
      )
      const cell = { value: work.isRead ? p50Ms : rate, p50Ms, p99Ms }
      rates[name] = better(unit, rates[name], cell)
      cpus[name] = better('µs', cpus[name], { value: cost.cpu })
      nodes[name] = better('µs', nodes[name], { value: cost.nodes })
    }
  }
  const title = `${work.name}, ${processes}`
  return [
    { work: title, unit, aim: work.aim, cells: rates },
    { work: `${title}: CPU of Weir, or of the driver`, unit: 'µs', aim: '', cells: cpus },
    { work: `${title}: CPU of the nodes`, unit: 'µs', aim: '', cells: nodes },
  ]
}

type Cells = Record<string, Cell>

function putWork(bench: ClusterBench, layout: (typeof layouts)[number], count: number): Work {
  const { connections, samplesPerCall, streams } = layout
  const weirs = bench.weirs.slice(0, count)
  const samplesPerStream = Math.max(1, samplesPerCall / streams.length)
  const loads = weirs.map((weir) => ({ weir, next: layout.puts(weir.putForm) }))
  return {
    name: layout.work,
    isRead: false,
    aim: '≥ 0.7x',
    weir: () =>
      measured(bench, { weirs, each: samplesPerCall }, (secondsMax) =>
        Promise.all(
          loads.map(({ weir, next }) =>
            drive(weir, { connections, secondsMax, callsMax: CALLS_MAX, next }),
          ),
        ),
      ),
    plain: () =>
      byDriver(bench, count, {
        work: { kind: 'put', streams: samplesPerCall / samplesPerStream, samplesPerStream },
        connections,
        each: samplesPerCall,
      }),
  }
}

const reads = [
  {
    name: 'last value of a stream that was put to',
    aim: '≥ 0.77x (1.3x of the time)',
    requests: ({ lastValue }: RunningPeer) => bulk.streams.map((stream) => lastValue(stream, 0)),
    isFirstOnly: false,
  },
  {
    name: `${HOURS} hourly averages of a sample each minute`,
    aim: '≥ 0.33x (3x of the time)',
    requests: () => [statistic(meter, 'hour', 'avg', HOURS)],
    isFirstOnly: true,
  },
]

function readWork(
  bench: ClusterBench,
  { name, aim, requests, isFirstOnly }: (typeof reads)[0],
): Work {
  const [weir] = bench.weirs
  return {
    name,
    isRead: true,
    aim,
    weir: () =>
      measured(bench, { weirs: [weir], each: 1 }, async (secondsMax) => [
        await time(weir, requests(weir), { calls: CALLS_MAX, secondsMax }),
      ]),
    plain: () =>
      byDriver(bench, 1, { work: { kind: 'read', isFirstOnly }, connections: 1, each: 1 }),
  }
}

/** Runs a load twice; the second time counts. */
async function measured(
  { cluster, seconds }: ClusterBench,
  { weirs, each }: { readonly weirs: readonly RunningPeer[]; readonly each: number },
  load: (seconds: number) => Promise<readonly Measured[]>,
): Promise<Shown> {
  await load(seconds)
  const used = () => weirs.reduce((sum, weir) => sum + (cpuSeconds(weir.process) ?? 0), 0)
  const [before, nodesBefore] = [used(), cluster.nodeSeconds()]
  const outcomes = await load(seconds)
  return shownOf(
    outcomes,
    { cpu: used() - before, nodes: cluster.nodeSeconds() - nodesBefore },
    each,
  )
}

interface DriverLoad {
  readonly work: DriverWork
  readonly connections: number
  readonly each: number
}

async function byDriver(
  { cluster, seconds }: ClusterBench,
  count: number,
  { work, connections, each }: DriverLoad,
): Promise<Shown> {
  const { port, keyspace } = cluster.settings
  const nodesBefore = cluster.nodeSeconds()
  const outcomes = await runDrivers(count, { ...work, port, keyspace, connections, seconds })
  const cpu = outcomes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
  // The nodes also worked for the calls before, which were about as many.
  return shownOf(outcomes, { cpu, nodes: (cluster.nodeSeconds() - nodesBefore) / 2 }, each)
}

interface Measured {
  readonly calls: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

function shownOf(
  outcomes: readonly Measured[],
  used: { readonly cpu: number; readonly nodes: number },
  each: number,
): Shown {
  const done = outcomes.reduce((sum, { calls }) => sum + calls * each, 0)
  return {
    rate: outcomes.reduce((sum, { calls, seconds }) => sum + (calls * each) / seconds, 0),
    p50Ms: Math.max(...outcomes.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...outcomes.map(({ p99Ms }) => p99Ms)),
    cpu: (used.cpu * 1e6) / done,
    nodes: (used.nodes * 1e6) / done,
  }
}

/** Puts a sample each minute into the first stream of the cluster, which is read later. */
async function fillMeter(running: RunningPeer): Promise<void> {
  const template = new PutTemplate(running.putForm, new Array(SAMPLES_PER_CALL).fill(meter))
  const walk = new Walk(1)
  const start = Math.floor(Date.now() / MINUTE_MS - MINUTES) * MINUTE_MS
  let call = 0
  await drive(running, {
    connections: 1,
    secondsMax: 300,
    callsMax: Math.floor(MINUTES / SAMPLES_PER_CALL),
    next: () => {
      const first = start + call++ * SAMPLES_PER_CALL * MINUTE_MS
      return template.fill(
        (sample) => first + sample * MINUTE_MS,
        () => walk.next(),
      )
    },
  })
}
