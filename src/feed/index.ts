export { catalogClockMark } from './expire/clock-mark.ts'
export { makeDeleteProfileJob } from './expire/delete-profile-job.ts'
export { expiringStreams } from './expire/expiring-streams.ts'
export { keptFrom } from './expire/retention.ts'
export { Feed } from './feed.ts'
export { allowsStream, feedName, requireCreation, requireStream } from './feed-rights.ts'
export { addressPath, findStreams, type OneStreamPath, type StreamPath } from './find-streams.ts'
export type { FeedFields, FeedSeries } from './get/feed-series.ts'
export type { ShowFile } from './get/get-feed.ts'
export type { Extent, ExtentPath } from './get/measure-extent.ts'
export { endsOf } from './get/read-samples.ts'
export { LiveHub } from './live/live-hub.ts'
export type { LiveCall, LiveSink } from './live/live-listener.ts'
export type { LiveForm } from './live/live-reader.ts'
export type { LiveItem, LiveName, LiveSelection } from './live/live-selection.ts'
export type { Plot, PlotColumn, PlotCommand, PlotNeighbour } from './plot/plot.ts'
export { textBytesInJournal } from './put/bytes-in-journal.ts'
export { requireDefinition } from './put/create-missing.ts'
export {
  IncomingSamples,
  type OpenTarget,
  OpenTargets,
  type SampleRun,
  type TargetRules,
  VALUE_EMPTY,
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from './put/incoming-samples.ts'
export { placeTime, whyUnplaced } from './put/place-samples.ts'
export type { DeriveLimits, PutCommand } from './put/put-feed.ts'
export type { PutOptions } from './put/put-options.ts'
export type { RepeatablePut } from './put/repeatable-times.ts'
export type { RequestedAnswer, RequestedValue } from './put/requested-values.ts'
export type { PutTrial } from './put/try-put.ts'
export { looksLikeSeconds, secondsWarnings } from './put/warn-of-times.ts'
export { compiledCycle } from './statistic/compiled-cycles.ts'
export { type CutQuery, type CutValues, readCutPeriods } from './statistic/cut-periods.ts'
export type { StatisticCommand } from './statistic/get-statistic.ts'
export { rollupStatistic } from './statistic/rollup.ts'
export { readStatistics } from './statistic/statistic.ts'
export { readStatisticId, STATISTIC_IDS, type StatisticId } from './statistic/statistic-id.ts'
export { baseCycleOf, factsOf, factsOfPrepared, type StreamFacts } from './stream-facts.ts'
export { EXACT_DIGITS, isShownBy } from './value/number-text.ts'
export { formatValue, showNumber } from './value/unit-format.ts'
export { typeOfValue } from './value/value-rules.ts'
