import { sortByLabels } from '../series/label-list.ts'
import type { SelectedOne, SeriesMatcher } from '../source.ts'
import type { SelectorNode } from '../syntax/query-node.ts'
import type { Evaluation } from './evaluation.ts'

/** The calendar statistic that a selector asks for. */
export interface CalendarStatistic {
  readonly cycle: string
  readonly statistic: string
}

/** The statistic that the reserved labels of a selector name; undefined for a plain selector. */
export function calendarStatistic(node: SelectorNode): CalendarStatistic | undefined {
  const cycle = node.matchers.find(({ name }) => name === '__cycle__')?.value
  const statistic = node.matchers.find(({ name }) => name === '__stat__')?.value
  return cycle === undefined || statistic === undefined ? undefined : { cycle, statistic }
}

/** The series of a selector that may have samples in a span, in the order of their labels. */
export async function findSeries(
  evaluation: Evaluation,
  matchers: readonly SeriesMatcher[],
  span: { readonly from: number; readonly until: number },
): Promise<readonly SelectedOne[]> {
  evaluation.checkStop()
  const selected = await evaluation.source.select({
    matchers: matchers.filter(({ name }) => name !== '__cycle__' && name !== '__stat__'),
    ...span,
  })
  evaluation.checkStop()
  evaluation.annotations.addSourceTexts(selected)
  const { lookbackMs } = evaluation
  const series = sortByLabels(selected.series)
  if (lookbackMs === undefined) return series
  return series.map((one) => ({ ...one, lookbackMs }))
}
