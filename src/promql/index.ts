/**
 * Planned next to these types:
 * `checkQuery(text, compilePattern): CheckedQuery` throws a `PromqlError`;
 * `queryInstant(query: InstantQuery, context: QueryContext): Promise<QueryResult>`;
 * `queryRange(query: SteppedQuery, context: QueryContext): Promise<QueryResult>`;
 * `parseSelector(text, compilePattern): SeriesMatcher[]` for `match[]`;
 * `PROMQL_POINTS_MAX` steps a query, and further limits.
 */
export { PromqlError } from './promql-error.ts'
export type { InstantQuery, QueryContext, QueryResult, QueryValue, SteppedQuery } from './query.ts'
export {
  type CompilePattern,
  type FoldedSeries,
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
