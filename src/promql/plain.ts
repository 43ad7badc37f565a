/** The part of this folder that the service loads, while only threads load the engine, which is in index.ts. */
export { PromqlError } from './promql-error.ts'
export { PROMQL_LOOKBACK_MS, PROMQL_POINTS_MAX, PROMQL_SAMPLES_MAX } from './promql-limits.ts'
export {
  type CompilePattern,
  type FoldedSeries,
  type SampleSteps,
  type SelectedOne,
  type SelectedSeries,
  type SeriesFold,
  type SeriesLabels,
  type SeriesMatcher,
  type SeriesRead,
  type SeriesRequest,
  type SeriesSamples,
  type SeriesSource,
  type SeriesStatistics,
  STALE_MARKER_BITS,
  type StatisticValues,
  type TextPattern,
} from './source.ts'
export { readDuration } from './syntax/text-literals.ts'
