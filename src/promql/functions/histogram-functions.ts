import type { AnnotationList } from '../annotations.ts'
import { parseFloatText } from '../series/go-format.ts'
import { dropMetadata, labelsKey, labelValue, removeLabels } from '../series/label-list.ts'
import { emptySeries, type StepGrid, type StepSeries, StepTable } from '../series/step-series.ts'
import type { SeriesLabels } from '../source.ts'
import { type HistogramBuckets, sortBuckets } from './classic-histogram.ts'

/** The series of one classic histogram: those whose labels differ only in `le`. */
interface ClassicHistogram {
  /** Labels of the result. */
  readonly labels: SeriesLabels
  readonly bounds: number[]
  readonly series: StepSeries[]
}

const bucketLabel = new Set(['le'])

/** Groups bucket series into histograms. A series whose `le` is no number gets a warning. */
export function groupBuckets(
  series: readonly StepSeries[],
  { annotations, start }: { readonly annotations: AnnotationList; readonly start: number },
): ClassicHistogram[] {
  const histograms = new Map<string, ClassicHistogram>()
  for (const one of series) {
    const text = labelValue(one.labels, 'le')
    const bound = parseFloatText(text)
    if (bound === undefined) {
      annotations.badBucketLabel(text, start)
      continue
    }
    const rest = removeLabels(one.labels, bucketLabel)
    const key = labelsKey(rest)
    const known = histograms.get(key)
    const histogram = known ?? { labels: dropMetadata(rest), bounds: [], series: [] }
    if (known === undefined) histograms.set(key, histogram)
    histogram.bounds.push(bound)
    histogram.series.push(one)
  }
  return [...histograms.values()]
}

/** Calculates a value of every histogram at every step at which it has buckets. */
export function mapHistograms(
  histograms: readonly ClassicHistogram[],
  grid: StepGrid,
  numberOf: (buckets: HistogramBuckets, step: number) => number,
): StepSeries[] {
  const table = new StepTable()
  for (const { labels, bounds, series } of histograms) {
    const row = emptySeries(labels, grid.count)
    for (let step = 0; step < grid.count; step++) {
      const some = series.keys().filter((index) => series[index].present[step] === 1)
      const indexes = [...some]
      if (indexes.length === 0) continue
      const buckets = sortBuckets(
        indexes.map((index) => bounds[index]),
        indexes.map((index) => series[index].values[step]),
      )
      row.values[step] = numberOf(buckets, step)
      row.present[step] = 1
    }
    table.add(row)
  }
  return table.rows()
}
