/** A piece of the composition root: what runs GS SQL. */
import type { Clock, Config, Log, MemoryBudget } from './base/index.ts'
import type { Feed } from './feed/index.ts'
import { GqlRuns } from './gql/index.ts'
import { SqlRunners } from './sql/index.ts'

/** The runners of GS SQL and the runs that callers ask for, closed with what is opened; no runner is started before it is needed. */
export function openSql(
  parts: {
    readonly config: Config
    readonly clock: Clock
    readonly log: Log
    readonly feed: Feed
    readonly budget: MemoryBudget
  },
  opened: AsyncDisposableStack,
): { readonly sql: SqlRunners; readonly gql: GqlRuns } {
  const { budget, clock, config, feed, log } = parts
  const settings = {
    runnersMax: config.sqlRunners,
    seconds: config.sqlSeconds,
    memoryMb: config.sqlMemoryMb,
  }
  const sql = new SqlRunners({ settings, clock, log })
  opened.defer(() => sql.close())
  return { sql, gql: new GqlRuns({ runners: sql, feed, budget }) }
}
