/** The composition root: the only file that chooses adapters and wires the parts together. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AlertWorker } from './alerts/index.ts'
import {
  addressOf,
  connectionLimits,
  memoryBytesOf,
  oauthSettings,
  outerUrls,
  tlsFiles,
} from './assembly/app-settings.ts'
import {
  type CommitListener,
  CommitListeners,
  openRemoteCommits,
  type RemoteCommits,
} from './assembly/commit-listeners.ts'
import { beginFirstStart } from './assembly/first-start.ts'
import { openAlerts } from './assembly/open-alerts.ts'
import { openConnectors } from './assembly/open-connectors.ts'
import { openData, startDeleteProfiles } from './assembly/open-data.ts'
import { openDoors } from './assembly/open-doors.ts'
import { openLive } from './assembly/open-live.ts'
import { openSql } from './assembly/open-sql.ts'
import { openStorage } from './assembly/open-storage.ts'
import type { OpenedStorage, OpenedStores } from './assembly/opened-storage.ts'
import { purgeRegularly } from './assembly/purge-regularly.ts'
import { serviceMetrics } from './assembly/service-metrics.ts'
import { trimAuditRegularly } from './assembly/trim-audit.ts'
import {
  type Command,
  type CreatedOrganization,
  resumeOrganizationDeletions,
} from './auth/administer/index.ts'
import {
  catalogUsageOf,
  grantAuditor,
  type Identity,
  logActs,
  Operators,
  type Organization,
  OrganizationFence,
  type OrganizationUsage,
  openIdentity,
  type PasswordCost,
  SecretBox,
  withCallerChecks,
  withQuotas,
} from './auth/index.ts'
import { BearerCache } from './auth/oauth/index.ts'
import {
  budgetBytesOf,
  type Clock,
  type Config,
  createLog,
  type Log,
  MemoryBudget,
  peopleLog,
  refuse,
  systemClock,
} from './base/index.ts'
import type { Catalog } from './catalog/index.ts'
import type { CheckParts } from './cli/index.ts'
import type { StreamDeriver } from './derivation/index.ts'
import type { Feed } from './feed/index.ts'
import type { FileUsage } from './files/index.ts'
import {
  buildServer,
  FeedCalls,
  Gate,
  openCommandSocket,
  serviceOperations,
  type WeirServer,
} from './http/index.ts'
import { PrometheusQueries } from './prometheus/index.ts'
import { runServiceCommand } from './run-service-command.ts'
import { acceptLoss, type LostPart, lockFolder, openKeyFile } from './store/embedded/index.ts'
import {
  type CatalogStore,
  damageDetails,
  KnownDamage,
  type LeasedJob,
  type PayloadStore,
  type SampleStore,
  type ScrubRunner,
  withCommitListener,
} from './store/index.ts'

/** The whole service, opened and not yet listening. */
export interface WeirApp {
  readonly server: WeirServer
  readonly identity: Identity
  readonly catalog: Catalog
  readonly samples: SampleStore
  /** Payloads and calls of connectors, each with its result. */
  readonly payloads: PayloadStore
  readonly feed: Feed
  /** Removes file bodies that no sample names. */
  readonly fileSweep: LeasedJob
  /** Removes samples that are older than their stream's delete profile says. */
  readonly deleteProfileJob: LeasedJob
  /** Derives streams from others, in the background and over history. */
  readonly derivation: StreamDeriver
  /** Evaluates alerts. */
  readonly alertWorker: AlertWorker
  /** Reads back all that is stored, once a week and when it is asked to. */
  readonly scrub: ScrubRunner
  /** What was made on the first start of a data folder, printed once. */
  readonly firstStart: CreatedOrganization | undefined
  /** Starts to listen; answers the address people can use. */
  listen(): Promise<string>
  /** Lets running calls finish, then closes everything in reverse order. */
  close(): Promise<void>
}

/** What tests put in the place of the machine's own. */
export interface AppOptions {
  readonly clock?: Clock
  readonly log?: Log
  /** Ends a start that waits for its storage. */
  readonly signal?: AbortSignal
  /** Puts faults between the service and its catalog. */
  readonly wrapCatalog?: (store: CatalogStore) => CatalogStore
  /** Puts another store of samples in the place of the folder's. */
  readonly wrapSamples?: (store: SampleStore) => Promise<SampleStore>
  /** Passwords that guard nothing, as those of tests, may be hashed at once. */
  readonly passwordCost?: PasswordCost
  /** Has Node's HTTP parser read every request, so that tests can compare the front with it. */
  readonly isFrontOff?: boolean
}

/** How long running calls may take to finish when the service stops. */
const DRAIN_MS = 8_000

/** Opens every part over the data folder, in the order they need each other. Long: the order is its content. */
export async function openApp(config: Config, options: AppOptions = {}): Promise<WeirApp> {
  const clock = options.clock ?? systemClock
  const log = options.log ?? createLog({ level: config.logLevel })
  await using opened = new AsyncDisposableStack()
  const parts = await openIdentityParts({ ...options, config, clock, log }, opened)
  const { catalogStore, identity, oauthBase } = parts
  const firstStart = await beginFirstStart({ identity, config, log }, opened)
  trimAuditRegularly({ identity, log }, opened)
  const oauth = { ...oauthBase, users: identity.oauthUsers, planGrantActs: grantAuditor(identity) }
  const gate = new Gate(identity)
  const operators = await Operators.open({ store: catalogStore, ...identity })
  const data = await openData({ ...options, ...parts, config, clock, log }, opened)
  // Behind the last call: a search may still wait for names.
  opened.defer(() => data.catalog.components.close())
  // Background jobs walk all streams, which the index has only where all are loaded.
  const hasAll = config.index === 'all'
  if (hasAll) data.scrub.start()
  const jobClock = data.stores.sharedClock ?? clock
  purgeRegularly({ store: catalogStore, clock: jobClock, log }, opened)
  const jobs = { ...data, catalogStore, clock: jobClock, log, isStarted: hasAll }
  const deleteProfileJob = startDeleteProfiles(jobs, opened)
  await data.derivation.start({ isWorker: hasAll })
  const budget = new MemoryBudget(budgetBytesOf(memoryBytesOf(config)))
  const calls = new FeedCalls(data.feed, budget)
  const live = openLive({ ...parts, ...data, config, clock, log })
  const running = openSql({ ...data, identity, config, clock, log, budget }, opened)
  const wanted = { ...parts, ...data, ...running, budget, clock, config, gate, log, opened }
  const connecting = openConnectors(wanted)
  const alerting = openAlerts({ ...wanted, ...data })
  const doors = openDoors({ ...data, ...parts })
  await alerting.alertWorker.start(hasAll)
  const prometheus = new PrometheusQueries({ ...data, store: data.samples, budget })
  opened.defer(() => prometheus.close())
  const deletion = { ...data, ...connecting, identity, store: catalogStore, oauth }
  await resumeOrganizationDeletions(deletion, log)
  await connecting.recover()
  parts.remoteCommits?.start()
  const server = buildServer({
    isFrontOff: options.isFrontOff,
    clock,
    log,
    tls: tlsFiles(config),
    trustedProxies: config.trustedProxies ?? [],
    publicUrl: config.publicUrl,
    metricsAccess: config.metrics,
    isPublicSecure: config.publicUrl?.startsWith('https:') ?? false,
    connectionLimits: connectionLimits(config),
    readiness: readinessOf(data.stores, parts.remoteCommits),
    findDetails: () => [
      ...sealingDetails(data.samples),
      ...damageDetails(data.damage),
      ...(data.stores.findDetails?.() ?? []),
    ],
    moreMetrics: () =>
      serviceMetrics({
        ...data,
        ...connecting,
        ...running,
        ...doors,
        ...alerting,
        live,
        prometheus,
      }),
    budget,
    gate,
    keepingUp: keepingUp(parts, data),
    operations: (readMetrics) =>
      serviceOperations({
        ...data,
        calls,
        config,
        deletion,
        gate,
        identity,
        oauth,
        operators,
        ...connecting,
        ...doors,
        ...alerting,
        budget,
        live,
        clock,
        prometheus,
        queries: running.queries,
        usageOf: usageReader(catalogStore, data.fileUsage),
        readMetrics,
        measure: data.stores.measure,
        findOuterUrls: () => outerUrls(config, server.port),
      }),
  })
  const run = (command: Command) => runServiceCommand({ ...data, identity }, command)
  const commands = await openCommandSocket({ folder: config.dataDir, log, run })
  opened.defer(() => commands.close())
  // What has no end must not be waited for.
  opened.defer(() => live.close().then(() => server.close(DRAIN_MS)))
  const closing = opened.move()
  return {
    server,
    identity,
    firstStart: firstStart?.created,
    deleteProfileJob,
    ...data,
    alertWorker: alerting.alertWorker,
    listen: async () => {
      await firstStart?.port.release()
      const address = addressOf(config, await server.listen(config))
      if (hasAll) prepareSearch({ ...data, identity, log })
      return address
    },
    close: () => closing.disposeAsync(),
  }
}

/** Reads what searches look through once the service listens; organizations are in no order of use. */
function prepareSearch(parts: {
  readonly catalog: Catalog
  readonly identity: Identity
  readonly log: Log
}): void {
  const uids = parts.identity.organizations.list().map(({ uid }) => uid)
  parts.catalog.components.prepareSearch(uids, (error) =>
    parts.log.warn({ error }, 'could not load component names for search'),
  )
}

/** Without which calls cannot be served. */
function readinessOf(stores: OpenedStores, remoteCommits: RemoteCommits | undefined) {
  return [
    { name: 'samples', findProblem: () => stores.samples.status().readOnlyReason },
    { name: 'clock', findProblem: () => stores.findClockProblem?.() },
    { name: 'cluster', findProblem: () => remoteCommits?.problem },
    { name: 'storage', findProblem: () => stores.findStoreProblem?.() },
  ]
}

/** What goes on and should not for long; why is in the log. */
function sealingDetails(samples: SampleStore): string[] {
  if (!samples.status().isSealingStuck) return []
  return ['samples: cannot be sealed and stay in the journal. See the log for the reason']
}

function keepingUp(
  { remoteCommits }: { readonly remoteCommits: RemoteCommits | undefined },
  { catalog }: { readonly catalog: Catalog },
) {
  if (remoteCommits === undefined) return undefined
  return {
    catchUp: remoteCommits.look,
    heard: () => catalog.catchUps.heard(),
    ensureLoaded: (orgUid: string) => catalog.ensureLoaded(orgUid),
  }
}

/** Counts the resources of an organization that have quotas. */
function usageReader(store: CatalogStore, fileUsage: FileUsage) {
  return async (organization: Organization): Promise<OrganizationUsage> => ({
    ...(await catalogUsageOf(store, organization)),
    fileBytes: await fileUsage.bytesOf(organization.uid),
  })
}

/** The part that commands need, over a data folder on which no service runs. */
export async function openMaintenance(
  config: Config,
): Promise<{ readonly identity: Identity; close(): Promise<void> }> {
  requireFolder(config)
  await using opened = new AsyncDisposableStack()
  const { identity } = await openIdentityParts(commandOpening(config), opened)
  const closing = opened.move()
  return { identity, close: () => closing.disposeAsync() }
}

/** What `weir check` needs, over a data folder on which no service runs; opened as a start does. */
export async function openChecker(
  config: Config,
): Promise<CheckParts & { close(): Promise<void> }> {
  requireFolder(config)
  await using opened = new AsyncDisposableStack()
  const opening = commandOpening(config)
  const parts = await openIdentityParts(opening, opened)
  const { damage, places, scrub } = await openData({ ...parts, ...opening }, opened)
  const closing = opened.move()
  return { damage, places, scrub, close: () => closing.disposeAsync() }
}

/** Prints to the user of a command why it waits, and nothing else. */
function commandOpening(config: Config) {
  const destination = peopleLog((line) => process.stderr.write(line))
  const log =
    config.store === 'embedded'
      ? createLog({ level: 'silent' })
      : createLog({ level: 'warn', destination })
  return { config, clock: systemClock, log }
}

/** Lets the next start go on without what the data folder has lost; returns what is lost. */
export function acceptFolderLoss(config: Config): LostPart[] {
  requireFolder(config)
  if (config.store !== 'embedded') {
    refuse('conflict', {
      what: 'Data is stored in PostgreSQL and Cassandra, not in the data folder',
    })
  }
  const lock = lockFolder(config.dataDir)
  try {
    return acceptLoss(config.dataDir)
  } finally {
    lock.release()
  }
}

function requireFolder({ dataDir }: Config): void {
  if (existsSync(dataDir)) return
  refuse('not_found', {
    what: `Cannot find the data folder ${dataDir}. Start the service once, or set WEIR_DATA_DIR`,
  })
}

/** The key that secrets are encrypted under; a cluster has one for all its processes. */
async function openKey({ dataDir, keyFile, store }: Config, storage: OpenedStorage) {
  const file = (store === 'cluster' ? keyFile : undefined) ?? join(dataDir, 'secret.key')
  const key = openKeyFile(dataDir, file)
  await storage.requireKey(key, file)
  return key
}

async function openIdentityParts(
  opening: Required<Pick<AppOptions, 'clock' | 'log'>> & AppOptions & { config: Config },
  opened: AsyncDisposableStack,
) {
  const { config, clock, log, signal, passwordCost } = opening
  const { wrapCatalog = (store: CatalogStore) => store } = opening
  const damage = new KnownDamage()
  const storage = await openStorage({ config, clock, log, damage, signal }, opened)
  const limitedCatalog = withQuotas(wrapCatalog(storage.catalog), config.quotas)
  const fence = new OrganizationFence()
  const fencedCatalog = withCallerChecks(fence.around(limitedCatalog))
  const commits = new CommitListeners()
  const catalogStore = withCommitListener(fencedCatalog, (writes, isMade) => {
    commits.notify(writes)
    if (isMade) logActs(log, writes)
  })
  const remoteCommits = await openRemoteCommits({ ...storage, commits, log }, opened)
  const oauthBase = { store: catalogStore, clock, settings: oauthSettings(config) }
  const bearers = new BearerCache(oauthBase)
  commits.onCommit((writes) => bearers.forgetWritten(writes))
  const box = new SecretBox(await openKey(config, storage))
  const identity = await openIdentity({
    store: catalogStore,
    clock,
    log,
    oauth: oauthBase,
    bearers,
    fence,
    box,
    passwordCost,
    rateFigures: config.rateLimits,
    rateCeiling: config.rateCeiling,
  })
  opened.defer(() => identity.close())
  remoteCommits?.onChanges((changes) => identity.forgetWritten(changes))
  return {
    box,
    catalogStore,
    damage,
    remoteCommits,
    identity,
    oauthBase,
    storage,
    onCommit: (listener: CommitListener) => commits.onCommit(listener),
  }
}
