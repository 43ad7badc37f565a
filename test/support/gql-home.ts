import type { TestContext } from 'node:test'
import type { Principal } from '../../src/access/index.ts'
import { type Clock, epochMs, MemoryBudget } from '../../src/base/index.ts'
import { type GqlOutcome, type GqlRun, GqlRuns, type StoredReads } from '../../src/gql/index.ts'
import {
  CompileThread,
  type SqlCell,
  type SqlRunnerSettings,
  type SqlRunners,
} from '../../src/sql/index.ts'
import { type DerivationHome, derivationHome, ORG, owner } from './derivation-home.ts'
import { openRunners, sharedRunners } from './sql-runs.ts'

/** The time of a run if a test says nothing else. */
export const RUN_TIME = 1_700_000_000_000

type RunOptions = Partial<Omit<GqlRun, 'variables' | 'now'>> & {
  readonly variables?: Readonly<Record<string, SqlCell>>
  readonly now?: number
  readonly principal?: Principal
}

/** GS SQL over the real stores and real runners. */
export interface GqlHome extends Pick<DerivationHome, 'add' | 'catalog' | 'feed' | 'readOf'> {
  readonly gql: GqlRuns
  readonly runners: SqlRunners
  readonly budget: MemoryBudget
  /** Runs a text as the owner, with @HTTP_BODY and the like. */
  run(sql: string, options?: RunOptions): Promise<GqlOutcome>
  /** The samples of all streams as `component / stream`: [[time, value], …]. */
  stored(): Promise<Record<string, [number, number | string][]>>
}

interface GqlOptions {
  /** Of runners of its own; without them it has the runner that all tests share. */
  readonly settings?: Partial<SqlRunnerSettings>
  readonly clock?: Clock
  readonly stored?: StoredReads
}

/** Opens it until the test ends. */
export async function openGql(t: TestContext, more: GqlOptions = {}): Promise<GqlHome> {
  const home = await derivationHome(t)
  const { settings } = more
  const runners =
    settings === undefined
      ? sharedRunners()
      : openRunners(t, { runnersMax: 1, ...settings }, more.clock)
  const budget = new MemoryBudget(1e9)
  const compiler = new CompileThread()
  t.after(() => compiler.close())
  const gql = new GqlRuns({ runners, compiler, feed: home.feed, budget, stored: more.stored })
  const stored: GqlHome['stored'] = async () => {
    const found: [string, [number, number | string][]][] = []
    for (const handle of home.catalog.index.handlesOf(ORG)) {
      const { compId } = home.catalog.index.componentOf(handle)
      const streamId = home.catalog.index.streamIdOf(handle)
      found.push([`${compId} / ${streamId}`, await home.readOf(compId, streamId)])
    }
    return Object.fromEntries(found.sort())
  }
  return {
    add: home.add,
    catalog: home.catalog,
    feed: home.feed,
    readOf: home.readOf,
    gql,
    runners,
    budget,
    stored,
    run: (sql, { variables = {}, now = RUN_TIME, ...options } = {}) =>
      gql.run({
        principal: owner,
        organizationUid: ORG,
        sql,
        timeZoneId: 'UTC',
        isDry: false,
        allows: { insert: true, stored: false },
        now: epochMs(now),
        variables: new Map(Object.entries(variables)),
        ...options,
      }),
  }
}
