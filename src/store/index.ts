export { type JobRun, LeasedJob, type LeasedJobDeps } from './leased-job.ts'
export * from './ports.ts'
export {
  DAMAGE_PARTS,
  findingsOf,
  KnownDamage,
  type KnownDamageDeps,
  OF_NO_STREAM,
} from './scrub/known-damage.ts'
export { damageDetails, scrubMetrics } from './scrub/scrub-metrics.ts'
export type { ScrubReport, StreamPlace, StreamPlaces } from './scrub/scrub-report.ts'
export {
  type ScrubPart,
  type ScrubProgress,
  ScrubRunner,
  type ScrubRunnerDeps,
  type ScrubState,
} from './scrub/scrub-runner.ts'
export { tellCommits } from './tell-commits.ts'
