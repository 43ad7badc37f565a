import { bytesText, countText, secondsText } from '../../../ui/figure-text.ts'
import { type Metrics, quantileOf, sumOf } from './metrics-text.ts'

/** The metrics at a moment of the page's own clock. */
export interface Look {
  readonly at: number
  readonly metrics: Metrics
}

/** A figure with its way since the page was opened. */
export interface Figure {
  readonly label: string
  readonly text: string
  readonly points: ReadonlyArray<{ readonly at: number; readonly value: number }>
  /** Whether somebody should look. */
  readonly isBad: boolean
}

type Read = (now: Look, before: Look | undefined) => number | undefined

interface Kind {
  readonly label: string
  readonly read: Read
  readonly text: (value: number) => string
  readonly isBad?: (value: number) => boolean
}

const MS = 1_000
const DISK_LOW_BYTES = 1e9

/** How much a counter grew a second between two looks. */
function rateOf(name: string): Read {
  return (now, before) => {
    if (before === undefined) return undefined
    const grown = sumOf(now.metrics, name) - sumOf(before.metrics, name)
    return Math.max(0, grown) / ((now.at - before.at) / MS)
  }
}

const gaugeOf =
  (name: string, holding?: string): Read =>
  ({ metrics }) =>
    sumOf(metrics, name, holding)

const slowestOf =
  (name: string, without?: string): Read =>
  (now, before) =>
    quantileOf(0.99, name, { now: now.metrics, before: before?.metrics, without })

const KINDS: readonly Kind[] = [
  {
    label: 'Samples stored per second',
    read: rateOf('weir_samples_stored_total'),
    text: countText,
  },
  { label: 'Requests per second', read: rateOf('weir_http_requests_total'), text: countText },
  {
    label: 'Latency p99',
    // A live page keeps its request open, so its duration says nothing about latency.
    read: slowestOf('weir_http_request_duration_seconds', 'call="live"'),
    text: boundText,
  },
  {
    label: 'Write latency p99',
    read: slowestOf('weir_journal_sync_seconds'),
    text: boundText,
  },
  { label: 'Rejections per second', read: rateOf('weir_refusals_total'), text: countText },
  {
    label: 'Journal',
    read: gaugeOf('weir_storage_bytes', 'part="journal"'),
    text: bytesText,
  },
  {
    label: 'Oldest unsealed data',
    read: gaugeOf('weir_seal_lag_seconds'),
    text: secondsText,
  },
  {
    label: 'Process memory',
    read: gaugeOf('process_resident_memory_bytes'),
    text: bytesText,
  },
  {
    label: 'Memory of running requests',
    read: gaugeOf('weir_memory_budget_used_bytes'),
    text: bytesText,
  },
  { label: 'Connections', read: gaugeOf('weir_connections'), text: countText },
  {
    label: 'Free disk space',
    read: gaugeOf('weir_disk_free_bytes'),
    text: bytesText,
    isBad: (value) => value < DISK_LOW_BYTES,
  },
  {
    label: 'Known damage',
    read: gaugeOf('weir_damaged_items'),
    text: countText,
    isBad: (value) => value > 0,
  },
]

function boundText(seconds: number): string {
  return Number.isFinite(seconds) ? secondsText(seconds) : 'more than 5 s'
}

/** The figures of the health page from what was read so far. */
export function figuresOf(looks: readonly Look[]): Figure[] {
  return KINDS.map(({ label, read, text, isBad }) => {
    const points = looks.flatMap((now, at) => {
      const value = read(now, looks[at - 1])
      return value === undefined ? [] : [{ at: now.at, value }]
    })
    const value = points.at(-1)?.value
    return {
      label,
      points,
      text: value === undefined ? '–' : text(value),
      isBad: value !== undefined && isBad?.(value) === true,
    }
  })
}
