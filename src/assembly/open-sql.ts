/** A piece of the composition root: what runs GS SQL. */

import type { Identity } from '../auth/index.ts'
import type { Clock, Config, Log, MemoryBudget } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import { IMPORTS_RUNNING_MAX } from '../connectors/index.ts'
import type { Feed } from '../feed/index.ts'
import { GqlRuns, Queries, StoreReads } from '../gql/index.ts'
import { CompileThread, SqlRunners } from '../sql/index.ts'
import type { SampleStore } from '../store/index.ts'

/** A database may give its rows slowly, all night long. */
const IMPORT_WAIT_MS = 4 * 3_600_000

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
): {
  readonly sql: SqlRunners
  readonly gql: GqlRuns
  /** For imports, which may keep a runner as long as their database takes. */
  readonly importGql: GqlRuns
  readonly queries: Queries
} {
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
    catalog,
    budget,
    store: parts.samples,
    showFile: feed.showFile,
    rowsMax: config.sqlSamples,
    isIncluded: (orgUid) => identity.organizations.find(orgUid)?.gsSql === true,
  })
  const accountOf = (orgUid: string) => identity.organizations.accountOf(orgUid)
  const gql = new GqlRuns({ runners: sql, compiler, feed, budget, stored, accountOf })
  const importRunners = new SqlRunners({
    // One more than run at a time: those of one organization may then be all of them.
    settings: {
      ...settings,
      runnersMax: IMPORTS_RUNNING_MAX + 1,
      callerWaitMs: IMPORT_WAIT_MS,
    },
    clock,
    log,
  })
  opened.defer(() => importRunners.close())
  const importGql = new GqlRuns({
    runners: importRunners,
    compiler,
    feed,
    budget,
    stored,
    accountOf,
  })
  return { sql, gql, importGql, queries: new Queries({ runs: gql, catalog }) }
}
