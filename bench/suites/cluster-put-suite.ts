import { drive } from '../load/drive.ts'
import { type PutLayout, putLayouts } from '../load/put-layouts.ts'
import type { BenchCluster } from '../peers/cluster.ts'
import { runDrivers } from '../peers/driver.ts'
import { cpuSeconds, type RunningPeer } from '../peers/service.ts'
import { better, type Cell, type Row } from '../report.ts'
import { tell } from '../settings.ts'
import { makeStreams } from './put-suite.ts'

const CALLS_MAX = 100_000_000
const LAYOUTS = ['compact', 'bulk']
const AIM = '≥ 0.8x the driver'

/** What the suites of a cluster share. */
export interface ClusterBench {
  readonly cluster: BenchCluster
  /** Processes on the cluster. */
  readonly weirs: readonly RunningPeer[]
  /** One with the embedded store. */
  readonly embedded: RunningPeer
  readonly seconds: number
  readonly rounds: number
  readonly calls: number
}

/** What one way of writing showed in one round. */
interface Shown {
  readonly rate: Cell
  readonly cpu: Cell
  /** Processor time of the nodes. */
  readonly nodes: Cell | undefined
}

type Cells = Record<string, Cell>

/** Puts through one and two processes, beside the driver alone and the embedded store, in turn. */
export async function clusterPutSuite(bench: ClusterBench): Promise<Row[]> {
  const rows: Row[] = []
  for (const layout of putLayouts.filter(({ name }) => LAYOUTS.includes(name))) {
    for (const running of [bench.weirs[0], bench.embedded]) await makeStreams(running, layout)
    for (const count of [1, 2]) rows.push(...(await compare(bench, layout, count)))
  }
  return rows
}

async function compare(bench: ClusterBench, layout: PutLayout, count: number): Promise<Row[]> {
  const [rates, cpus, nodes]: [Cells, Cells, Cells] = [{}, {}, {}]
  const ways: Record<string, () => Promise<Shown>> = {
    Weir: () => putThrough(bench, bench.weirs.slice(0, count), layout),
    driver: () => putByDriver(bench, count, { layout, isGrouped: true }),
    'driver, row by row': () => putByDriver(bench, count, { layout, isGrouped: false }),
    ...(count > 1 ? {} : { embedded: () => putThrough(bench, [bench.embedded], layout) }),
  }
  for (let round = 0; round < bench.rounds; round++) {
    for (const [name, measure] of Object.entries(ways)) {
      tell(`${layout.name}, ${count} at once: ${name}`)
      const shown = await measure()
      tell(`  ${Math.round(shown.rate.value)} samples/s, ${shown.cpu.value.toFixed(2)} µs a sample`)
      rates[name] = better('samples/s', rates[name], shown.rate)
      cpus[name] = better('µs/sample', cpus[name], shown.cpu)
      const isClustered = name !== 'embedded' && shown.nodes !== undefined
      if (isClustered) nodes[name] = better('µs/sample', nodes[name], shown.nodes)
    }
  }
  const work = count === 1 ? layout.work : `${layout.name}, two processes`
  return [
    { work, unit: 'samples/s', aim: AIM, cells: rates },
    { work: `${work}: processor time`, unit: 'µs/sample', aim: '', cells: cpus },
    { work: `${work}: the nodes' own`, unit: 'µs/sample', aim: '', cells: nodes },
  ].filter(({ cells }) => Object.keys(cells).length > 0) as Row[]
}

/** Puts over as many connections to each process as the layout has; twice, the second time counts. */
async function putThrough(
  { cluster, seconds }: ClusterBench,
  weirs: readonly RunningPeer[],
  layout: PutLayout,
): Promise<Shown> {
  const loads = weirs.map((weir) => {
    const next = layout.puts(weir.putForm)
    const { connections } = layout
    return () => drive(weir, { connections, secondsMax: seconds, callsMax: CALLS_MAX, next })
  })
  await Promise.all(loads.map((load) => load()))
  const used = () => weirs.reduce((sum, weir) => sum + (cpuSeconds(weir.process) ?? 0), 0)
  const [before, nodesBefore] = [used(), cluster.nodeSeconds()]
  const outcomes = await Promise.all(loads.map((load) => load()))
  const cpu = used() - before
  const nodes = secondsSince(cluster, nodesBefore)
  return shownOf(outcomes, { cpu, nodes }, layout.samplesPerCall)
}

async function putByDriver(
  { cluster, seconds }: ClusterBench,
  count: number,
  { layout, isGrouped }: { readonly layout: PutLayout; readonly isGrouped: boolean },
): Promise<Shown> {
  const { port, keyspace } = cluster.settings
  const streams = layout.streams.length
  const samplesPerStream = layout.samplesPerCall / streams
  const outcomes = await runDrivers(count, {
    port,
    keyspace,
    streams,
    samplesPerStream,
    seconds,
    isGrouped,
    calls: layout.connections,
  })
  const cpu = outcomes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
  return shownOf(outcomes, { cpu, nodes: undefined }, layout.samplesPerCall)
}

function secondsSince(cluster: BenchCluster, before: number | undefined): number | undefined {
  const after = cluster.nodeSeconds()
  return before === undefined || after === undefined ? undefined : after - before
}

interface Measured {
  readonly calls: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
}

function shownOf(
  outcomes: readonly Measured[],
  used: { readonly cpu: number; readonly nodes: number | undefined },
  samplesPerCall: number,
): Shown {
  const samples = outcomes.reduce((sum, { calls }) => sum + calls * samplesPerCall, 0)
  const value = outcomes.reduce(
    (sum, { calls, seconds }) => sum + (calls * samplesPerCall) / seconds,
    0,
  )
  const p50Ms = Math.max(...outcomes.map((outcome) => outcome.p50Ms))
  const p99Ms = Math.max(...outcomes.map((outcome) => outcome.p99Ms))
  return {
    rate: { value, p50Ms, p99Ms },
    cpu: { value: (used.cpu * 1e6) / samples },
    nodes: used.nodes === undefined ? undefined : { value: (used.nodes * 1e6) / samples },
  }
}
