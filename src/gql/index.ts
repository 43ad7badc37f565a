export type { GqlOutcome, GqlRun, StoredReads } from './gql-run.ts'
export { GqlRuns } from './gql-runs.ts'
