export { commitDocuments } from './commit/commit-documents.ts'
export { CommitFollower } from './commit/commit-follower.ts'
export { withCommit } from './commit/with-commit.ts'
export { withCommitListener } from './commit/with-commit-listener.ts'
export { bytesOfComponent, bytesOfStream } from './fields/counted-bytes.ts'
export { keyFingerprint } from './fields/key-fingerprint.ts'
export { specialCodeOf, writeSpecial } from './fields/special-code.ts'
export { storedClaim } from './fields/stored-claim.ts'
export { isSeriesClaim, seriesText } from './fields/unique-texts.ts'
export { HeldLease } from './lease/held-lease.ts'
export { type JobRun, LeasedJob, type LeasedJobDeps } from './lease/leased-job.ts'
export { holdForMove, takeServingSlot } from './lease/serving-slot.ts'
export { SharedClock } from './lease/shared-clock.ts'
export { TimeSlot } from './lease/time-slot.ts'
export * from './ports/ports.ts'
export { StoreUnusable } from './ports/store-unusable.ts'
export { KnownDamage, OF_NO_STREAM } from './scrub/known-damage.ts'
export { damageDetails, scrubMetrics } from './scrub/scrub-metrics.ts'
export type { StreamPlaces } from './scrub/scrub-report.ts'
export {
  type ScrubPart,
  type ScrubProgress,
  ScrubRunner,
  type ScrubState,
} from './scrub/scrub-runner.ts'
export { SharedWatch } from './shared-watch.ts'
