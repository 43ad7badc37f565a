import { keepLabels, labelsKey, removeLabels } from '../series/label-list.ts'
import type { StepSeries } from '../series/step-series.ts'
import type { SeriesLabels } from '../source.ts'
import type { VectorMatching } from '../syntax/query-node.ts'

/** The labels by which series of both sides find each other. */
export function matchLabelsOf(matching: VectorMatching): (labels: SeriesLabels) => SeriesLabels {
  const names = new Set(matching.labels)
  if (matching.isOn) return (labels) => keepLabels(labels, names)
  names.add('__name__')
  return (labels) => removeLabels(labels, names)
}

/** Indexes of series by the key of their matching labels. */
export function indexByMatch(
  series: readonly StepSeries[],
  labelsOf: (labels: SeriesLabels) => SeriesLabels,
): Map<string, number[]> {
  const indexes = new Map<string, number[]>()
  for (const [index, { labels }] of series.entries()) {
    const key = labelsKey(labelsOf(labels))
    const same = indexes.get(key)
    if (same === undefined) indexes.set(key, [index])
    else same.push(index)
  }
  return indexes
}

/** One byte a step: whether any of some series has a value there. */
export function presenceOf(series: readonly StepSeries[], count: number): Uint8Array {
  const present = new Uint8Array(count)
  for (const one of series) {
    for (let step = 0; step < count; step++) present[step] |= one.present[step]
  }
  return present
}
