import { countAtMost } from '../../base/index.ts'
import type { Summaries } from '../../store/index.ts'
import { intervalOf } from '../../time/index.ts'
import type { GetDeps } from '../get/get-feed.ts'
import { compareDecimals, type Decimal, readDecimal } from '../value/decimal.ts'
import type { PlotColumn } from './plot.ts'
import { type PlotStream, type SampleRange, showText, visitPages } from './plot-stream.ts'

/** Texts read to find the extremes, which summaries do not have. Reading them yields to other calls. */
export const TEXTS_SCANNED_MAX = 100_000

/** Spans that hold samples, as columns. */
export function spanColumns(
  deps: GetDeps,
  stream: PlotStream,
  summaries: Summaries,
  extremes?: DecimalExtremes,
): PlotColumn[] {
  const rows = filledRows(summaries)
  const { firstTime, lastTime, count, numberCount } = summaries
  const { cycle } = stream
  const isBoolean = stream.kind === 'boolean'
  const ends = (name: 'first' | 'last'): PlotColumn => {
    const times = name === 'first' ? firstTime : lastTime
    const values = rows.map((row) => summaries[name][row])
    const texts = values.map((value, at) =>
      typeof value === 'string'
        ? showText(deps, stream, { text: value, time: times[rows[at]] })
        : undefined,
    )
    const numbers = values.map((value) => (typeof value === 'number' ? value : Number.NaN))
    return { name, numbers, texts, isBoolean }
  }
  const figure = (name: 'min' | 'max' | 'mean'): PlotColumn => ({
    name,
    numbers: rows.map((row) => (numberCount[row] > 0 ? summaries[name][row] : Number.NaN)),
    texts: name === 'mean' ? undefined : extremes?.[name],
    isBoolean: isBoolean && name !== 'mean',
  })
  const starts = rows.map((row) => {
    const first = firstTime[row]
    return cycle === undefined ? first : (intervalOf(cycle, first)?.from ?? first)
  })
  return [
    { name: 'start', numbers: starts },
    { name: 'end', numbers: rows.map((row) => lastTime[row]) },
    { name: 'count', numbers: rows.map((row) => count[row]) },
    ends('first'),
    figure('min'),
    figure('max'),
    ends('last'),
    figure('mean'),
  ]
}

function filledRows({ length, count }: Summaries): number[] {
  const rows: number[] = []
  for (let row = 0; row < length; row++) if (count[row] > 0) rows.push(row)
  return rows
}

/** How many samples summaries hold. */
export function countOf({ count }: Summaries): number {
  return count.reduce((sum, some) => sum + some, 0)
}

/** The least and greatest decimal of each span that holds samples. */
interface DecimalExtremes {
  readonly min: readonly string[]
  readonly max: readonly string[]
}

interface Extreme {
  readonly text: string
  readonly value: Decimal
}

/** Reads the extremes of decimals from the samples; undefined when there are too many to be read. */
export async function decimalExtremes(
  deps: GetDeps,
  stream: PlotStream,
  range: SampleRange,
  summaries: Summaries,
): Promise<DecimalExtremes | undefined> {
  if (countOf(summaries) > TEXTS_SCANNED_MAX) return undefined
  const starts = Float64Array.from(filledRows(summaries), (row) => summaries.firstTime[row])
  const min: (Extreme | undefined)[] = new Array(starts.length).fill(undefined)
  const max: (Extreme | undefined)[] = new Array(starts.length).fill(undefined)
  await visitPages(deps, stream, { ...range, limit: TEXTS_SCANNED_MAX }, (page) => {
    for (let at = 0; at < page.count; at++) {
      const text = page.texts?.[at]
      // A sample that landed since the spans were read may lie before them.
      const span = countAtMost(starts, page.times[at]) - 1
      if (text === undefined || span < 0) continue
      const value = readDecimal(text)
      const [least, greatest] = [min[span], max[span]]
      if (least === undefined || compareDecimals(value, least.value) < 0)
        min[span] = { text, value }
      if (greatest === undefined || compareDecimals(value, greatest.value) > 0) {
        max[span] = { text, value }
      }
    }
    return true
  })
  return { min: textsOf(min), max: textsOf(max) }
}

function textsOf(extremes: readonly (Extreme | undefined)[]): string[] {
  return extremes.map((extreme) => extreme?.text ?? '0')
}
