export type { GqlOutcome, GqlRun, StoredReads } from './gql-run.ts'
export { GqlRuns } from './gql-runs.ts'
export { Queries, type QueryCall, type QueryRange } from './queries.ts'
export { StoreReads } from './stored/store-reads.ts'
