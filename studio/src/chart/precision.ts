/** How many digits behind the point the numbers of a stream are shown with. */
import type { Plot, PlotValue } from './chart-series.ts'
import type { Precision } from './digits.ts'
import { finerThan } from './figures.ts'
import { decimalsOf } from './number-format.ts'

/** Samples that are looked at: the others have as many digits. */
const LOOKED_MAX = 200
/** Samples with more digits are calculated, not measured. */
const SOURCE_DECIMALS_MAX = 6

/** The precision of the unit, else that of the samples; undefined: neither has one. */
export function precisionOf(plot: Plot | undefined): Precision | undefined {
  if (plot === undefined || plot.kind !== 'number') return undefined
  const decimals = decimalsOf(plot.numberFormat)
  if (decimals !== undefined) return { decimals, isFixed: true }
  if (plot.form === 'periods') return undefined
  return digitsIn(plot.form === 'samples' ? [plot.value] : [plot.first, plot.last])
}

/** Statistics that are values of samples, with their digits. */
const OF_SAMPLES = ['min', 'max', 'first', 'last']

/**
 * The precision of a statistic of periods, from the unit, or from the extremes of the periods. Counts and durations
 * have none.
 */
export function statisticPrecision(
  plot: Plot | undefined,
  drawn: string,
  figures: ReadonlyArray<{
    readonly stat: string
    readonly values: ReadonlyMap<number, PlotValue>
  }>,
): (stat: string) => Precision | undefined {
  const further = figures.flatMap(({ stat, values }) =>
    OF_SAMPLES.includes(stat) ? [[...values.values()]] : [],
  )
  const lists = OF_SAMPLES.includes(drawn) ? [plot?.value, ...further] : further
  const isKnown = plot?.kind === 'number' && lists.length > 0
  const source = precisionOf(plot) ?? (isKnown ? digitsIn(lists) : undefined)
  return (stat) => {
    if (stat === 'avg') return finerThan(source)
    return stat === 'sum' || OF_SAMPLES.includes(stat) ? source : undefined
  }
}

function digitsIn(lists: ReadonlyArray<readonly PlotValue[] | undefined>): Precision | undefined {
  const found = Math.max(0, ...lists.flatMap((list = []) => list.slice(-LOOKED_MAX).map(digitsOf)))
  return found > SOURCE_DECIMALS_MAX ? undefined : { decimals: found, isFixed: false }
}

function digitsOf(value: PlotValue): number {
  const text = typeof value === 'number' ? String(value) : ''
  if (text.includes('e')) return SOURCE_DECIMALS_MAX + 1
  const point = text.indexOf('.')
  return point < 0 ? 0 : text.length - point - 1
}
