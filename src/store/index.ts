export { commitDocuments } from './commit-documents.ts'
export { CommitFollower } from './commit-follower.ts'
export { bytesOfComponent, bytesOfStream } from './counted-bytes.ts'
export { keyFingerprint } from './key-fingerprint.ts'
export { type JobRun, LeasedJob, type LeasedJobDeps } from './leased-job.ts'
export * from './ports.ts'
export { KnownDamage, OF_NO_STREAM } from './scrub/known-damage.ts'
export { damageDetails, scrubMetrics } from './scrub/scrub-metrics.ts'
export type { StreamPlaces } from './scrub/scrub-report.ts'
export {
  type ScrubPart,
  type ScrubProgress,
  ScrubRunner,
  type ScrubState,
} from './scrub/scrub-runner.ts'
export { holdForMove, takeServingSlot } from './serving-slot.ts'
export { SharedClock } from './shared-clock.ts'
export { StoreUnusable } from './store-unusable.ts'
export { storedClaim } from './stored-claim.ts'
export { tellCommits } from './tell-commits.ts'
export { TimeSlot } from './time-slot.ts'
export { withCommit } from './with-commit.ts'
