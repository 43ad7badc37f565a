/**
 * What every process of Node can expose, under the names that dashboards for Node know. Written here, as the usual
 * library brings 83 modules to every start.
 */
import { readdirSync, readFileSync } from 'node:fs'
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import {
  DurationCounts,
  findOpenFilesMax,
  histogramHead,
  type MetricRow,
  metricText,
  nextIteration,
} from '../../base/index.ts'

/** How Prometheus' text is called. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const GC_BOUNDS_S = [0.001, 0.01, 0.1, 1, 2, 5]
const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}
const NS_PER_S = 1e9

interface GcEntry {
  readonly detail: { readonly kind: number }
}

/** Watches the process from its making until it is closed. */
export class ProcessMetrics {
  readonly #delay = monitorEventLoopDelay()
  readonly #gc = new Map(
    Object.values(GC_KINDS).map((kind) => [kind, new DurationCounts(GC_BOUNDS_S)]),
  )
  readonly #gcWatch = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & GcEntry)[]) {
      this.#gc.get(GC_KINDS[entry.detail.kind])?.add(entry.duration / 1_000)
    }
  })

  constructor() {
    this.#delay.enable()
    this.#gcWatch.observe({ entryTypes: ['gc'] })
  }

  async text(): Promise<string> {
    const asked = performance.now()
    await nextIteration()
    const lag = (performance.now() - asked) / 1_000
    return [
      cpuText(),
      memoryText(),
      filesText(),
      this.#lagText(lag),
      heapText(),
      this.#gcText(),
      resourcesText(),
      versionText(),
    ].join('')
  }

  close(): void {
    this.#delay.disable()
    this.#gcWatch.disconnect()
  }

  /** Since it was last asked for, as a maximum of months ago would hide that of today. */
  #lagText(lag: number): string {
    const of = (name: string, help: string, value: number) =>
      metricText(`nodejs_eventloop_lag_${name}seconds`, 'gauge', help, value)
    const delay = this.#delay
    const inSeconds = (ns: number) => (Number.isFinite(ns) && delay.count > 0 ? ns / NS_PER_S : 0)
    const text = [
      of('', 'Lag of event loop in seconds.', lag),
      of('min_', 'The minimum recorded event loop delay.', inSeconds(delay.min)),
      of('max_', 'The maximum recorded event loop delay.', inSeconds(delay.max)),
      of('mean_', 'The mean of the recorded event loop delays.', inSeconds(delay.mean)),
      of(
        'stddev_',
        'The standard deviation of the recorded event loop delays.',
        inSeconds(delay.stddev),
      ),
      ...[50, 90, 99].map((share) =>
        of(
          `p${share}_`,
          `The ${share}th percentile of the recorded event loop delays.`,
          inSeconds(delay.percentile(share)),
        ),
      ),
    ].join('')
    delay.reset()
    return text
  }

  #gcText(): string {
    const name = 'nodejs_gc_duration_seconds'
    const help = 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.'
    const lines = [...this.#gc].map(([kind, counts]) => counts.lines(name, `kind="${kind}"`))
    return histogramHead(name, help) + lines.join('')
  }
}

function cpuText(): string {
  const { user, system } = process.cpuUsage()
  const startedAtS = (Date.now() - process.uptime() * 1_000) / 1_000
  const of = (name: string, what: string, us: number) =>
    metricText(
      `process_cpu_${name}seconds_total`,
      'counter',
      `Total ${what} CPU time spent in seconds.`,
      us / 1e6,
    )
  return [
    of('user_', 'user', user),
    of('system_', 'system', system),
    of('', 'user and system', user + system),
    metricText(
      'process_start_time_seconds',
      'gauge',
      'Start time of the process since unix epoch in seconds.',
      Math.round(startedAtS),
    ),
  ].join('')
}

function memoryText(): string {
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage()
  const status = readStatus()
  const ofProc = (name: string, help: string, field: RegExp) => {
    const found = field.exec(status)?.[1]
    return found === undefined ? '' : metricText(name, 'gauge', help, Number(found) * 1_024)
  }
  return [
    metricText('process_resident_memory_bytes', 'gauge', 'Resident memory size in bytes.', rss),
    ofProc('process_virtual_memory_bytes', 'Virtual memory size in bytes.', /^VmSize:\s+(\d+) kB/m),
    ofProc('process_heap_bytes', 'Process heap size in bytes.', /^VmData:\s+(\d+) kB/m),
    metricText(
      'nodejs_heap_size_total_bytes',
      'gauge',
      'Process heap size from Node.js in bytes.',
      heapTotal,
    ),
    metricText(
      'nodejs_heap_size_used_bytes',
      'gauge',
      'Process heap size used from Node.js in bytes.',
      heapUsed,
    ),
    metricText(
      'nodejs_external_memory_bytes',
      'gauge',
      'Node.js external memory size in bytes.',
      external,
    ),
  ].join('')
}

function filesText(): string {
  const most = findOpenFilesMax()
  const open = countOpenFiles()
  return [
    open === undefined
      ? ''
      : metricText('process_open_fds', 'gauge', 'Number of open file descriptors.', open),
    most === undefined
      ? ''
      : metricText('process_max_fds', 'gauge', 'Maximum number of open file descriptors.', most),
  ].join('')
}

function heapText(): string {
  const spaces = getHeapSpaceStatistics()
  const of = (
    what: 'total' | 'used' | 'available',
    bytesOf: (space: (typeof spaces)[number]) => number,
  ) =>
    metricText(
      `nodejs_heap_space_size_${what}_bytes`,
      'gauge',
      `Process heap space size ${what} from Node.js in bytes.`,
      spaces.map(
        (space): MetricRow => [
          `space="${space.space_name.replace(/_space$/, '')}"`,
          bytesOf(space),
        ],
      ),
    )
  return [
    of('total', ({ space_size }) => space_size),
    of('used', ({ space_used_size }) => space_used_size),
    of('available', ({ space_available_size }) => space_available_size),
  ].join('')
}

function resourcesText(): string {
  const counts = new Map<string, number>()
  const resources = process.getActiveResourcesInfo()
  for (const type of resources) counts.set(type, (counts.get(type) ?? 0) + 1)
  const rows = [...counts].map(([type, count]): MetricRow => [`type="${type}"`, count])
  return [
    metricText(
      'nodejs_active_resources',
      'gauge',
      'Number of active resources that are currently keeping the event loop alive, grouped by async resource type.',
      rows,
    ),
    metricText(
      'nodejs_active_resources_total',
      'gauge',
      'Total number of active resources.',
      resources.length,
    ),
  ].join('')
}

function versionText(): string {
  const [major, minor, patch] = process.versions.node.split('.')
  const labels = `version="${process.version}",major="${major}",minor="${minor}",patch="${patch}"`
  return metricText('nodejs_version_info', 'gauge', 'Node.js version info.', [[labels, 1]])
}

/** The figures that Linux has of the process; '' on other systems. */
function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8')
  } catch {
    return ''
  }
}

function countOpenFiles(): number | undefined {
  try {
    // Reading the folder opens it.
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return undefined
  }
}
