import type { SampleMemory } from './evaluate/evaluation.ts'
import type { CompilePattern, SeriesLabels, SeriesSource } from './source.ts'

/** What a query runs on, and when it stops. */
export interface QueryContext {
  readonly source: SeriesSource
  readonly compilePattern: CompilePattern
  /** Most samples that the query may hold in memory at once; by default `PROMQL_SAMPLES_MAX`. */
  readonly samplesMax?: number
  /** Counts these samples in the place of `samplesMax`, for callers that look at the count meanwhile. */
  readonly memory?: SampleMemory
  /** Replaces the lookback of every series, as the parameter `lookback_delta` does. */
  readonly lookbackMs?: number
  /** Why the query must end, if it must. Asked often, so it must be cheap: a clock, or a shared flag. */
  readonly stopReason?: () => 'timeout' | 'canceled' | undefined
}

export interface InstantQuery {
  readonly text: string
  readonly time: number
}

/** Steps are start, start + stepMs, up to and with end. */
export interface SteppedQuery {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly stepMs: number
}

export interface QueryResult {
  readonly value: QueryValue
  /** Texts as Prometheus words them, each once. */
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
}

export type QueryValue =
  | { readonly type: 'scalar'; readonly time: number; readonly value: number }
  | { readonly type: 'string'; readonly time: number; readonly value: string }
  | { readonly type: 'vector'; readonly time: number; readonly samples: readonly VectorSample[] }
  | { readonly type: 'matrix'; readonly series: readonly MatrixSeries[] }

/** One element of an instant vector. Its time is that of the vector. */
interface VectorSample {
  readonly labels: SeriesLabels
  readonly value: number
}

interface MatrixSeries {
  readonly labels: SeriesLabels
  readonly times: Float64Array
  readonly values: Float64Array
}
