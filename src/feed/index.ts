export { catalogClockMark } from './clock-mark.ts'
export type { ClockMark } from './clock-watch.ts'
export { requireDefinition } from './create-missing.ts'
export type { DeleteCommand, SamplesRemoved } from './delete-feed.ts'
export {
  type DeleteProfileDeps,
  DeleteProfileJob,
  type ExpiringStream,
  type IsDue,
} from './delete-profile-job.ts'
export { expiringStreams } from './expiring-streams.ts'
export { Feed, type FeedOptions, type PutAnswer } from './feed.ts'
export { requireCreation, requireStream } from './feed-rights.ts'
export type { FeedFields, FeedSeries } from './feed-series.ts'
export { findStreams, type StreamPath } from './find-streams.ts'
export type { GetCommand, ShowFile } from './get-feed.ts'
export type { StatisticCommand } from './get-statistic.ts'
export {
  IncomingSamples,
  type OpenTarget,
  OpenTargets,
  VALUE_EMPTY,
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from './incoming-samples.ts'
export { EXACT_DIGITS, isShownBy } from './number-text.ts'
export { placeTime } from './place-samples.ts'
export type { PutCommand, SamplesLanded } from './put-feed.ts'
export type { PutOptions } from './put-options.ts'
export type { RequestedAnswer, RequestedValue, RequestedValues } from './requested-values.ts'
export { Retention, type RetentionRule } from './retention.ts'
export { rollupStatistic } from './rollup.ts'
export {
  readStatistics,
  type StatisticColumns,
  type StatisticQuery,
} from './statistic.ts'
export { isStreamValue, readStatisticId, STATISTIC_IDS, type StatisticId } from './statistic-id.ts'
export type { StatisticValue } from './statistic-value.ts'
export {
  baseCycleOf,
  cycleOfGrid,
  factsOf,
  factsOfPrepared,
  type StreamFacts,
} from './stream-facts.ts'
export { formatValue, showNumber, type UnitFormat } from './unit-format.ts'
