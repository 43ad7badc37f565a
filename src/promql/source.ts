/**
 * What the engine needs from whatever stores the series. All times are milliseconds since 1970. Spans of time are
 * left-open, as ranges of PromQL are: from < time ≤ until.
 */

/** Names and values in turn: name, value, name, value. Sorted by name; no value is empty. */
export type SeriesLabels = readonly string[]

/** The stale marker of Prometheus: a NaN with these bits. Every other NaN is a value. */
export const STALE_MARKER_BITS = 0x7ff0000000000002n

export interface SeriesMatcher {
  readonly name: string
  readonly operation: '=' | '!=' | '=~' | '!~'
  readonly value: string
}

/** The calls of one query. A failed promise ends the query; a `PromqlError` reaches the caller with its kind. */
export interface SeriesSource {
  /** The readable series that all matchers accept. A series without samples in the span may be left out. */
  select(request: SeriesRequest): Promise<SelectedSeries>
  /** Samples of some series, ascending by time. */
  read(request: SeriesRead): Promise<SeriesSamples>
  /** Values of adjacent windows from summaries; undefined when reading samples costs as little. */
  fold(request: SeriesFold): Promise<FoldedSeries | undefined>
  /** The statistic of the period that contains each time, over all samples known at present. */
  statistics(request: SeriesStatistics): Promise<StatisticValues>
}

/** The reserved matchers `__cycle__` and `__stat__` are not among the matchers. */
export interface SeriesRequest {
  readonly matchers: readonly SeriesMatcher[]
  /** Where samples are needed. It leaves room for the default lookback, not for the lookback of a series. */
  readonly from: number
  readonly until: number
}

export interface SelectedSeries {
  readonly series: readonly SelectedOne[]
  readonly warnings: readonly string[]
  readonly infos: readonly string[]
}

export interface SelectedOne {
  /** By which the other calls name this series. Valid until the query ends. */
  readonly ref: number
  readonly labels: SeriesLabels
  /** How long a sample stands for the time after it. */
  readonly lookbackMs: number
}

export interface SeriesRead {
  readonly refs: readonly number[]
  readonly from: number
  readonly until: number
  /** Most samples that the answer may have. */
  readonly samplesMax: number
  /** The source may leave out all but the last sample of each step, which is the only one that is looked at. */
  readonly steps?: SampleSteps
}

/** Step k is start + (k - 1) · stepMs < time ≤ start + k · stepMs, for every whole k, negative ones too. */
export interface SampleSteps {
  readonly start: number
  /** Above 0. */
  readonly stepMs: number
}

/** Samples of the first series of a request, as many series as fit in `samplesMax`. */
export interface SeriesSamples {
  /** Less than the series asked for when all together have too many samples; 0 when the first alone has. */
  readonly seriesCount: number
  /** The samples of series i are those from starts[i] to before starts[i + 1]; seriesCount + 1 numbers. */
  readonly starts: Uint32Array
  readonly times: Float64Array
  /** The exact bits as they were written, stale markers and other NaNs too. */
  readonly values: Float64Array
}

/** Window k is firstFrom + k · windowMs < time ≤ firstFrom + (k + 1) · windowMs. */
export interface SeriesFold {
  readonly refs: readonly number[]
  readonly statistic: FoldStatistic
  readonly firstFrom: number
  readonly windowMs: number
  readonly windowCount: number
}

/**
 * Stale markers are no samples. `sum` is the exact sum of the samples, rounded once; `avg` is the exact sum divided by
 * the count, rounded once. `last` is the value of the latest sample.
 */
type FoldStatistic = 'min' | 'max' | 'sum' | 'avg' | 'count' | 'last'

export interface FoldedSeries {
  /** One byte a series: 0 where the engine must read samples, as for a series with a NaN or an infinity in the span. */
  readonly isFolded: Uint8Array
  /** windowCount values of the first series, then of the second. */
  readonly values: Float64Array
  /** One byte a value: 0 where the window has no sample. */
  readonly present: Uint8Array
}

export interface SeriesStatistics {
  readonly refs: readonly number[]
  /** The values of `__cycle__` and `__stat__`. An unknown one is refused as bad_data. */
  readonly cycle: string
  readonly statistic: string
  /** Ascending, at least one. */
  readonly times: Float64Array
}

export interface StatisticValues {
  /** One value for each time of the first series, then of the second. */
  readonly values: Float64Array
  /** One byte a value: 0 where the period has no such statistic. */
  readonly present: Uint8Array
}

/** A regular expression by RE2's rules that must match the whole text; `.` matches line breaks, too. */
export interface TextPattern {
  matches(text: string): boolean
  /** The text of each group, the whole match first, undefined for a group without a part in it; undefined without a match. */
  groups(text: string): readonly (string | undefined)[] | undefined
  /** The name of each group in the order of `groups`; empty for a group without a name. */
  readonly groupNames: readonly string[]
}

/** Throws an Error whose message says what is wrong with the pattern. */
export type CompilePattern = (pattern: string) => TextPattern
