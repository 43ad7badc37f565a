/** A piece of the composition root: connectors, what they were given, and their sinks. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Identity, SecretBox } from '../auth/index.ts'
import {
  type Clock,
  type Config,
  type Log,
  type MemoryBudget,
  newUid,
  Refusal,
} from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import {
  Connections,
  Connectors,
  forgetOrganization,
  Imports,
  KeptPayloads,
  OutboundRules,
  PayloadRuns,
  recoverLeft,
  recoverPayloads,
  resultFolder,
  SharedResults,
  SinkCalls,
} from '../connectors/index.ts'
import type { Feed } from '../feed/index.ts'
import type { GqlRuns } from '../gql/index.ts'
import type { Gate } from '../http/index.ts'
import type { CatalogStore, PayloadStore, WrittenKey } from '../store/index.ts'
import type { OpenedStorage, OpenedStores } from './opened-storage.ts'

/** A start waits so long for what the last run of the service has left; the rest goes on beside its calls. */
const RECOVERY_MS = 10_000

/** What connectors are opened over. */
interface ConnectorParts {
  readonly box: SecretBox
  readonly budget: MemoryBudget
  readonly catalog: Catalog
  readonly catalogStore: CatalogStore
  readonly clock: Clock
  readonly config: Config
  readonly gate: Gate
  readonly feed: Feed
  readonly gql: GqlRuns
  readonly importGql: GqlRuns
  readonly identity: Identity
  readonly log: Log
  /** Calls a listener with the writes of every commit. */
  readonly onCommit: (listener: (writes: readonly WrittenKey[]) => void) => void
  /** Closes what was opened. */
  readonly opened: AsyncDisposableStack
  readonly payloads: PayloadStore
  readonly storage: Pick<OpenedStorage, 'isShared'>
  readonly stores: Pick<OpenedStores, 'blobs' | 'sharedClock'>
}

/** Opens connectors, connections and imports over the parts that they need. */
export function openConnectors(parts: ConnectorParts) {
  const { clock, log, onCommit, payloads } = parts
  const checkSql = sqlCheck(parts.gql)
  const { connections, connectors } = openRecords(parts, checkSql)
  const runs = new PayloadRuns({ ...parts, connectors })
  parts.opened.defer(() => runs.close())
  const folder = resultFolder(parts.config.dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Of processes that share a storage each is another, whatever was copied to its folder.
  const holder = parts.storage.isShared ? newUid() : readHolder(folder)
  const imports = new Imports({
    ...parts,
    clock: parts.stores.sharedClock ?? clock,
    connections,
    connectors,
    holder,
    users: runs,
    results: parts.storage.isShared
      ? new SharedResults({ ...parts, ...parts.stores, folder })
      : undefined,
    folder,
    gql: parts.importGql,
    samplesMax: parts.config.importSamples,
    listOrganizations: () => parts.identity.organizations.list(),
  })
  parts.opened.defer(() => imports.close())
  const runningOf = (uid: string) => imports.runningOf(uid)
  const prepareSql = sqlPreparation(parts.gql)
  const keptPayloads = new KeptPayloads({
    connectors,
    payloads,
    runs,
    clock,
    checkSql,
    prepareSql,
    runningOf,
  })
  const sinks = new SinkCalls({ connectors, runs, clock })
  onCommit((writes) => sinks.forgetWritten(writes))
  return {
    connections,
    connectors,
    imports,
    keptPayloads,
    sinks,
    /** Runs what a stop has cut short; resolves when it is done, or after a while. */
    recover: async (): Promise<void> => {
      const onNewest = sinks.noteArrival.bind(sinks)
      const resumeImport = imports.resume.bind(imports)
      const recovery = { connectors, payloads, runs, log, onNewest, resumeImport }
      recoverRemote(recovery)
      const recovering = recoverPayloads(recovery).then(
        (count) => {
          if (count > 0) log.info({ count }, 'interrupted payloads were run again')
        },
        (error) => log.error({ error }, 'interrupted payloads could not be run again'),
      )
      const { promise: late, resolve: giveUp } = Promise.withResolvers<void>()
      const timer = setTimeout(giveUp, RECOVERY_MS)
      await Promise.race([recovering, late])
      clearTimeout(timer)
      imports.start()
    },
    /** Forgets what the connectors of an organization were given. */
    forgetOrganization: (orgUid: string) => forgetOrganization(payloads, orgUid),
  }
}

/** Runs what other processes have left, as soon as it is known that they are gone; payloads reported meanwhile are reported again. */
function recoverRemote(recovery: Parameters<typeof recoverLeft>[0]): void {
  const { log, payloads } = recovery
  let isRecovering = false
  payloads.watchLeft((left) => {
    if (isRecovering) return
    isRecovering = true
    log.warn({ count: left.length }, 'running payloads that another process left unfinished')
    recoverLeft(recovery, left)
      .catch((error: unknown) =>
        log.error({ error }, 'payloads of another process could not be run'),
      )
      .finally(() => {
        isRecovering = false
      })
  })
}

/**
 * Who runs imports over this data folder, which one process at a time has: what is started after a kill holds the leases
 * of the one before it.
 */
function readHolder(folder: string): string {
  const path = join(folder, 'holder')
  try {
    const known = readFileSync(path, 'utf8').trim()
    if (known !== '') return known
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const holder = newUid()
  writeFileSync(path, `${holder}\n`, { mode: 0o600 })
  return holder
}

const CONNECTOR_ALLOWS = { insert: true, stored: true }

/** Refuses statements with a mistake, naming the field that holds them. */
function sqlCheck(gql: GqlRuns) {
  return (proc: { sql: string; timeZoneId: string }, field: string): void => {
    try {
      gql.check({ ...proc, allows: CONNECTOR_ALLOWS })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { code, message, place } = error
      throw new Refusal(code, `${field}: ${message}`, { field, place })
    }
  }
}

/** Compiles long statements where that holds nobody up. */
function sqlPreparation(gql: GqlRuns) {
  return (proc: { sql: string; timeZoneId: string }): Promise<void> =>
    gql.prepare({ ...proc, allows: CONNECTOR_ALLOWS })
}

/** Connections and connectors, which know of each other. */
function openRecords(
  { box, catalog, clock, config, gql, identity, payloads }: ConnectorParts,
  checkSql: ReturnType<typeof sqlCheck>,
): { readonly connections: Connections; readonly connectors: Connectors } {
  const {
    outboundAllow: allow,
    outboundDeny: deny,
    connectionRole: changeRole,
    driversDir,
  } = config
  const connections: Connections = new Connections({
    box,
    catalog,
    clock,
    changeRole,
    driversDir,
    rules: new OutboundRules({ allow, deny }),
    findUses: (principal, uid) => connectors.listUsing(principal, uid),
  })
  const connectors: Connectors = new Connectors({
    catalog,
    users: identity.users,
    payloads,
    checkSql,
    prepareSql: sqlPreparation(gql),
    hasConnection: (orgUid, uid) => connections.has(orgUid, uid),
  })
  return { connections, connectors }
}
