import {
  type ChartData,
  entryAt,
  isNumbers,
  type NumberSeries,
  type StateSeries,
} from './chart-series.ts'
import type { Precision } from './digits.ts'
import type { TimeRange } from './time-range.ts'

/** What a legend shows of a series. */
export interface Figures {
  readonly value: string
  readonly min: string
  readonly max: string
  readonly mean: string
}

/** Digits that a number is shown with at most, unless its whole part and two decimals are more. */
const DIGITS = 6
/** From here on two decimals are more than these digits: what a meter reads is never rounded to tens. */
const LONG_FROM = 10 ** (DIGITS - 2)
/** Beyond this, doubles do not distinguish integers. */
const HUGE_FROM = 1e15

/** A number as people read it; long fractions are cut, exact ones stay. */
export function numberText(value: number): string {
  const size = Math.abs(value)
  if (Number.isNaN(value)) return '–'
  if (size >= HUGE_FROM) return Number(value.toPrecision(DIGITS)).toExponential()
  if (Number.isInteger(value)) return String(value)
  return String(Number(size < LONG_FROM ? value.toPrecision(DIGITS) : value.toFixed(2)))
}

/** A number with the digits of its source; long fractions are cut where it has none. */
export function preciseText(value: number, precision: Precision | undefined): string {
  if (precision === undefined || !Number.isFinite(value) || Math.abs(value) >= HUGE_FROM) {
    return numberText(value)
  }
  const text = value.toFixed(precision.decimals)
  // What rounds to zero has no sign.
  const signed = /[1-9]/.test(text) ? text : text.replace('-', '')
  return precision.isFixed ? signed : String(Number(signed))
}

/** What stands where there is no figure. */
export const NO_FIGURE = '–'
const NONE: Figures = { value: NO_FIGURE, min: NO_FIGURE, max: NO_FIGURE, mean: NO_FIGURE }

/** The figures of a series at the crosshair, or over the range without one. */
export function figuresOf(
  { data, precision }: { readonly data: ChartData | undefined; readonly precision?: Precision },
  range: TimeRange,
  cursor: number | undefined,
): Figures {
  if (data === undefined) return NONE
  if (!isNumbers(data)) return { ...NONE, value: stateText(data, range, cursor) }
  const found =
    cursor === undefined ? rangeFigures(data, range) : cursorFigures(data, range, cursor)
  if (found === undefined) return NONE
  const shown = (value: number | undefined, digits = precision) =>
    value === undefined ? NO_FIGURE : preciseText(value, digits)
  const { value, min, max, mean } = found
  const finer = finerThan(precision)
  // The crosshair reads the line, which is the mean of a span.
  const read = value === mean ? shown(value, finer) : shown(value)
  return { value: read, min: shown(min), max: shown(max), mean: shown(mean, finer) }
}

/** Of many samples the mean is known to one digit more than each of them; a unit says how it is written. */
export function finerThan(precision: Precision | undefined): Precision | undefined {
  if (precision === undefined || precision.isFixed) return precision
  return { decimals: precision.decimals + 1, isFixed: false }
}

/** The same as numbers. */
interface Found {
  readonly value: number
  readonly min?: number
  readonly max?: number
  readonly mean?: number
}

/** The entry nearest to a time; -1 without any in the range. */
function nearest(
  { starts, ends, values }: NumberSeries,
  { from, until }: TimeRange,
  time: number,
): number {
  const at = entryAt(ends, time)
  const distance = (index: number) => Math.max(starts[index] - time, time - ends[index], 0)
  const isSeen = (index: number) =>
    index >= 0 && index < values.length && ends[index] >= from && starts[index] <= until
  const candidates = [at, at - 1].filter((index) => isSeen(index) && !Number.isNaN(values[index]))
  candidates.sort((a, b) => distance(a) - distance(b))
  const [best] = candidates
  // Nothing near: the crosshair is over a gap.
  if (best === undefined || distance(best) > (until - from) / 50) return -1
  return best
}

function cursorFigures(data: NumberSeries, range: TimeRange, cursor: number): Found | undefined {
  const at = nearest(data, range, cursor)
  if (at < 0) return undefined
  const { values, lows, highs } = data
  if (lows === values) return { value: values[at] }
  return { value: values[at], min: lows[at], max: highs[at], mean: values[at] }
}

function rangeFigures(data: NumberSeries, { from, until }: TimeRange): Found | undefined {
  const { starts, ends, values, lows, highs, counts } = data
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let [sum, count, last] = [0, 0, Number.NaN]
  for (let at = 0; at < values.length; at++) {
    // Samples beside the range lead lines out of it and are not in it. A span is in it with any part:
    // the last one of a live stream grows faster than the range moves on. So are intervals and
    // periods: the running one is drawn, and it is what is looked for.
    const isMoment = counts === undefined && starts[at] === ends[at]
    const isInside = isMoment
      ? starts[at] >= from && starts[at] < until
      : starts[at] < until && (counts === undefined ? ends[at] > from : ends[at] >= from)
    if (!isInside || Number.isNaN(values[at])) continue
    low = Math.min(low, lows[at])
    high = Math.max(high, highs[at])
    const weight = counts?.[at] ?? 1
    sum += values[at] * weight
    count += weight
    last = (data.lasts ?? values)[at]
  }
  if (count === 0) return undefined
  return { value: last, min: low, max: high, mean: sum / count }
}

function stateText(
  { bands, shape }: StateSeries,
  { from, until }: TimeRange,
  cursor: number | undefined,
) {
  const inside = bands.filter((band) => band.until >= from && band.from <= until)
  if (shape === 'marks') {
    const count = inside.reduce((sum, band) => sum + band.count, 0)
    return count === 1 ? '1 file' : `${count} files`
  }
  const found =
    cursor === undefined
      ? inside.at(-1)
      : inside.find((band) => band.from <= cursor && cursor < Math.max(band.until, band.from + 1))
  if (found === undefined) return '–'
  return found.state ?? `several (${found.count})`
}
