export type { DeleteCommand, SamplesRemoved } from './delete-feed.ts'
export { catalogClockMark } from './expire/clock-mark.ts'
export type { ClockMark } from './expire/clock-watch.ts'
export {
  type DeleteProfileDeps,
  DeleteProfileJob,
  type ExpiringStream,
  type IsDue,
} from './expire/delete-profile-job.ts'
export { expiringStreams } from './expire/expiring-streams.ts'
export { Retention, type RetentionRule } from './expire/retention.ts'
export { Feed, type FeedOptions, type PutAnswer } from './feed.ts'
export { requireCreation, requireStream } from './feed-rights.ts'
export { findStreams, type StreamPath } from './find-streams.ts'
export type { FeedFields, FeedSeries } from './get/feed-series.ts'
export type { GetCommand, ShowFile } from './get/get-feed.ts'
export { requireDefinition } from './put/create-missing.ts'
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
} from './put/incoming-samples.ts'
export { placeTime } from './put/place-samples.ts'
export type { PutCommand, SamplesLanded } from './put/put-feed.ts'
export type { PutOptions } from './put/put-options.ts'
export type { RequestedAnswer, RequestedValue, RequestedValues } from './put/requested-values.ts'
export type { StatisticCommand } from './statistic/get-statistic.ts'
export { rollupStatistic } from './statistic/rollup.ts'
export {
  readStatistics,
  type StatisticColumns,
  type StatisticQuery,
} from './statistic/statistic.ts'
export {
  isStreamValue,
  readStatisticId,
  STATISTIC_IDS,
  type StatisticId,
} from './statistic/statistic-id.ts'
export type { StatisticValue } from './statistic/statistic-value.ts'
export {
  baseCycleOf,
  cycleOfGrid,
  factsOf,
  factsOfPrepared,
  type StreamFacts,
} from './stream-facts.ts'
export { EXACT_DIGITS, isShownBy } from './value/number-text.ts'
export { formatValue, showNumber, type UnitFormat } from './value/unit-format.ts'
