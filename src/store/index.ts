export {
  DAMAGE_PARTS,
  findingsOf,
  KnownDamage,
  type KnownDamageDeps,
  OF_NO_STREAM,
} from './known-damage.ts'
export { type JobTurn, LeasedJob, type LeasedJobDeps } from './leased-job.ts'
export * from './ports.ts'
export { damageDetails, scrubMetrics } from './scrub-metrics.ts'
export type { ScrubReport, StreamPlace, StreamPlaces } from './scrub-report.ts'
export {
  type ScrubPart,
  type ScrubProgress,
  ScrubRunner,
  type ScrubRunnerDeps,
  type ScrubState,
} from './scrub-runner.ts'
export { tellCommits } from './tell-commits.ts'
