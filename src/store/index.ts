export { type JobTurn, LeasedJob, type LeasedJobDeps } from './leased-job.ts'
export * from './ports.ts'
export { tellCommits } from './tell-commits.ts'
