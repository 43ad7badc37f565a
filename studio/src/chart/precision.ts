/** How many digits behind the point the numbers of a stream are shown with. */
import type { Plot, PlotValue } from './chart-series.ts'
import type { Precision } from './digits.ts'
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
  const lists = plot.form === 'samples' ? [plot.value] : [plot.first, plot.last]
  const found = Math.max(0, ...lists.flatMap((list = []) => list.slice(-LOOKED_MAX).map(digitsOf)))
  return found > SOURCE_DECIMALS_MAX ? undefined : { decimals: found, isFixed: false }
}

function digitsOf(value: PlotValue): number {
  const text = typeof value === 'number' ? String(value) : ''
  if (text.includes('e')) return SOURCE_DECIMALS_MAX + 1
  const point = text.indexOf('.')
  return point < 0 ? 0 : text.length - point - 1
}
