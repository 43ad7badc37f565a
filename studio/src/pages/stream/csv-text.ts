/** What a downloaded CSV holds beside what the service answers, and how its file is called. */
import type { PlotValue } from '../../chart/chart-series.ts'
import type { TimeRange } from '../../chart/time-range.ts'
import { momentText } from '../../ui/time/moment-text.ts'
import { offsetOf } from '../../ui/time/zone-time.ts'

const MINUTE_MS = 60_000
/** Clocks of zones are set at such steps, with few exceptions, which are found out. */
const STEP_MS = 15 * MINUTE_MS
const LINE_END = '\r\n'
const COLUMN = 'isoTime'

/** Writes moments as ISO 8601 on the clocks of a zone, with their offset: `2026-03-01T09:00:00.000+09:00`. */
export function isoTimes(zone: string): (at: number) => string {
  let [from, until, minutes] = [0, 0, 0]
  return (at) => {
    if (at < from || at >= until) {
      const [start, end] = [
        Math.floor(at / STEP_MS) * STEP_MS,
        (Math.floor(at / STEP_MS) + 1) * STEP_MS,
      ]
      const isEven = offsetOf(zone, start) === offsetOf(zone, end - 1)
      ;[from, until] = isEven ? [start, end] : [at, at + 1]
      minutes = Math.round(offsetOf(zone, at) / MINUTE_MS)
    }
    const local = new Date(at + minutes * MINUTE_MS).toISOString().slice(0, -1)
    return `${local}${offsetText(minutes)}`
  }
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/** How times are written, and whether the first row has the names of the columns. */
interface IsoOptions {
  readonly isoOf: (at: number) => string
  readonly hasHead: boolean
}

/** Rows of the service, which begin with the epoch ms, with the same moment as a text behind it. */
export function withIsoTimes(csv: string, { isoOf, hasHead }: IsoOptions): string {
  const rows: string[] = []
  for (let at = 0, isHead = hasHead; at < csv.length; isHead = false) {
    const end = endOfRow(csv, at)
    const comma = csv.indexOf(',', at)
    const time = csv.slice(at, comma)
    rows.push(`${time},${isHead ? COLUMN : isoOf(Number(time))}${csv.slice(comma, end)}`)
    at = end
  }
  return rows.join('')
}

/** Behind the end of the row that begins at a place: line ends inside quotes are part of it. */
function endOfRow(csv: string, from: number): number {
  let isOpen = false
  for (let at = from; ; ) {
    const line = csv.indexOf(LINE_END, at)
    const end = line < 0 ? csv.length : line
    for (
      let quote = csv.indexOf('"', at);
      quote >= 0 && quote < end;
      quote = csv.indexOf('"', quote + 1)
    ) {
      isOpen = !isOpen
    }
    at = line < 0 ? csv.length : line + LINE_END.length
    if (!isOpen || line < 0) return at
  }
}

/** A statistic of periods: where each starts and ends, and its value, oldest first. */
interface PeriodColumn {
  readonly label: string
  /** Blank without one. */
  readonly unit: string
  readonly start: readonly number[]
  readonly end: readonly number[]
  readonly value: readonly PlotValue[]
}

/** Statistics as CSV: a row for each period of the first of them, the latest first, its edges with their offset. */
export function periodsCsv(
  columns: readonly PeriodColumn[],
  isoOf: (at: number) => string,
): string {
  const [{ start, end } = { start: [], end: [] }, ...others] = columns
  // Periods that one statistic has and another has not are blank there.
  const found = others.map(
    (column) => new Map(column.start.map((at, index) => [at, column.value[index]])),
  )
  const heads = columns.map(({ label, unit }) =>
    unit.trim() === '' ? label : `${label} (${unit})`,
  )
  const rows = start.map((from, at) => {
    const values = [columns[0].value[at], ...found.map((values) => values.get(from))]
    return [isoOf(from), isoOf(end[at]), ...values]
  })
  return [['From', 'Until', ...heads], ...rows.reverse()]
    .map((row) => `${row.map(cellText).join(',')}${LINE_END}`)
    .join('')
}

/** A cell as RFC 4180 has it. */
function cellText(value: PlotValue | undefined): string {
  const text = value === null || value === undefined ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Longer names are cut: file systems take 255 bytes in all. */
const NAME_LENGTH_MAX = 30

/**
 * The name of a file of samples, or of statistics by a cycle: whose they are, and from when until when on the
 * clocks of the zone.
 */
export function csvName(
  { componentName, streamName }: { readonly componentName: string; readonly streamName: string },
  { from, until }: TimeRange,
  zone: string,
  cycle?: string,
): string {
  const names = [componentName, streamName, ...(cycle === undefined ? [] : [cycle])]
  const words = names.map((name) =>
    name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, NAME_LENGTH_MAX),
  )
  const moments = [from, until].map((at) =>
    momentText(zone, at).slice(0, 19).replace(' ', 'T').replaceAll(':', ''),
  )
  return `${[...words, ...moments].join('_')}.csv`
}
