import { keepLabels, labelsKey, removeLabels } from '../series/label-list.ts'
import type { StepSeries } from '../series/step-series.ts'
import type { SeriesLabels } from '../source.ts'

/** How an aggregation puts series into groups. */
export interface Grouping {
  readonly labels: readonly string[]
  readonly isWithout: boolean
}

export interface SeriesGroup {
  readonly labels: SeriesLabels
  /** Indexes of its series, in their order. */
  readonly members: number[]
}

/** The labels of the group that a series belongs to. */
export function groupLabelsOf(grouping: Grouping): (labels: SeriesLabels) => SeriesLabels {
  const names = new Set(grouping.labels)
  if (!grouping.isWithout) return (labels) => keepLabels(labels, names)
  names.add('__name__')
  return (labels) => removeLabels(labels, names)
}

/** Groups in the order of their first series. */
export function groupSeries(series: readonly StepSeries[], grouping: Grouping): SeriesGroup[] {
  const labelsOf = groupLabelsOf(grouping)
  const groups = new Map<string, SeriesGroup>()
  for (const [index, one] of series.entries()) {
    const labels = labelsOf(one.labels)
    const key = labelsKey(labels)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { labels, members: [index] })
    else group.members.push(index)
  }
  return [...groups.values()]
}
