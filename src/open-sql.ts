/** A piece of the composition root: what runs GS SQL. */

import type { Identity } from './auth/index.ts'
import type { Clock, Config, Log, MemoryBudget } from './base/index.ts'
import type { Catalog } from './catalog/index.ts'
import type { Feed } from './feed/index.ts'
import { GqlRuns, Queries, StoreReads } from './gql/index.ts'
import { CompileThread, SqlRunners } from './sql/index.ts'
import type { SampleStore } from './store/index.ts'

/** The runners of GS SQL and the runs that callers ask for, closed with what is opened; no runner is started before it is needed. */
export function openSql(
  parts: {
    readonly config: Config
    readonly clock: Clock
    readonly log: Log
    readonly feed: Feed
    readonly budget: MemoryBudget
    readonly catalog: Catalog
    readonly samples: SampleStore
    readonly identity: Identity
  },
  opened: AsyncDisposableStack,
): { readonly sql: SqlRunners; readonly gql: GqlRuns; readonly queries: Queries } {
  const { budget, catalog, clock, config, feed, identity, log } = parts
  const settings = {
    runnersMax: config.sqlRunners,
    seconds: config.sqlSeconds,
    memoryMb: config.sqlMemoryMb,
  }
  const sql = new SqlRunners({ settings, clock, log })
  opened.defer(() => sql.close())
  const compiler = new CompileThread()
  opened.defer(() => compiler.close())
  const stored = new StoreReads({
    ...{ catalog, budget, store: parts.samples, showFile: feed.showFile },
    rowsMax: config.sqlSamples,
    isIncluded: (orgUid) => identity.organizations.find(orgUid)?.gsSql === true,
  })
  const gql = new GqlRuns({ runners: sql, compiler, feed, budget, stored })
  return { sql, gql, queries: new Queries({ runs: gql, catalog }) }
}
