export { commandSocketAddress } from './command-socket-address.ts'
export { type ErrorCode, errorCatalogue } from './error-catalogue.ts'
export {
  hashSecret,
  isUid,
  newComponentUid,
  newOrderedUid,
  newSecret,
  newUid,
} from './ids.ts'
export { isDeepJson } from './json-depth.ts'
export { KeyedMutex } from './keyed-mutex.ts'
export { createLog, type Log } from './log.ts'
export { trimWhenIdle } from './memory/idle-trim.ts'
export {
  type HeldMemory,
  MemoryBudget,
  type MemoryShare,
  memoryRefusal,
  SMALL_CALL_BYTES_MAX,
  type WaitOptions,
} from './memory/memory-budget.ts'
export { budgetBytesOf, findMemoryBytes } from './memory/memory-limit.ts'
export { RecordBytes } from './memory/record-bytes.ts'
export { littleGarbage } from './memory/thread-heap.ts'
export {
  DurationCounts,
  histogramHead,
  type MetricRow,
  metricText,
} from './metric-text.ts'
export { Mutex } from './mutex.ts'
export { bodyFilesWithin, connectionsWithin, findOpenFilesMax } from './open-files.ts'
export { peopleLog } from './people-log.ts'
export * from './plain.ts'
export { PreviewTurns } from './preview-turns.ts'
export { boundedLog, detachOutputs, exitSoon, outliveReaders } from './process-outputs.ts'
export { redactUrl } from './redact.ts'
export {
  fitsSchema,
  requireCheckable,
  type SchemaError,
  schemaErrors,
} from './schema/schema-errors.ts'
export { Type } from './schema/schema-type.ts'
export type { Brand, Brands } from './settings/brands.ts'
export { clusterPortsOf } from './settings/cluster-figures.ts'
export { type Config, ConfigError, type MetricsAccess, readConfig } from './settings/config.ts'
export type { LiveFigures } from './settings/live-figures.ts'
export type { QuotaName, Quotas } from './settings/quota-figures.ts'
export {
  capRateFigures,
  type RateClass,
  type RateFigure,
  type RateFigures,
  readRateFigures,
} from './settings/rate-figures.ts'
export {
  PASSWORD_LENGTH_MAX,
  readEmail,
  readTimeZone,
  SettingMistake,
} from './settings/setting-readers.ts'
export type { SmtpServer } from './settings/smtp-figures.ts'
export { releaseCommit, version } from './version.ts'
