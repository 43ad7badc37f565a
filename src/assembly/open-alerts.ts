/** A piece of the composition root: alerts, what evaluates them, and the delivery of notices. */
import {
  AlertPreviews,
  AlertStates,
  Alerts,
  AlertWorker,
  BoardAlerts,
  ChannelSecrets,
  Channels,
  Deliverer,
  Mailer,
  Sender,
  WatchList,
} from '../alerts/index.ts'
import type { Identity, SecretBox } from '../auth/index.ts'
import { type Clock, type Config, type Log, newUid } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import { OutboundRules } from '../connectors/index.ts'
import type { CatalogStore, SampleStore, WrittenKey } from '../store/index.ts'
import type { OpenedStorage, OpenedStores } from './opened-storage.ts'

/** What alerts are opened over. */
interface AlertParts {
  readonly box: SecretBox
  readonly catalog: Catalog
  readonly catalogStore: CatalogStore
  /** Samples, for a part that watches streams by itself. */
  readonly alertSamples: SampleStore
  readonly clock: Clock
  readonly config: Config
  readonly identity: Identity
  readonly log: Log
  /** Calls a listener with the writes of every commit, of this process and of others. */
  readonly onCommit: (listener: (writes: readonly WrittenKey[]) => void) => void
  /** Closes what was opened. */
  readonly opened: AsyncDisposableStack
  readonly storage: Pick<OpenedStorage, 'isShared'>
  readonly stores: Pick<OpenedStores, 'sharedClock'>
}

/** Opens alerts and channels, and delivers notices from here on. Nothing is evaluated yet. */
export function openAlerts(parts: AlertParts) {
  const clock = parts.stores.sharedClock ?? parts.clock
  const evaluation = openEvaluation(parts, clock)
  return { ...evaluation, ...openChannels(parts, clock, evaluation.alerts) }
}

function openEvaluation(parts: AlertParts, clock: Clock) {
  const { alertSamples: store, catalog, catalogStore, identity, log, opened } = parts
  const { isShared } = parts.storage
  const deps = { catalog, catalogStore, clock, users: identity.users }
  const alerts = new Alerts({ ...deps, onSaved: () => alertWorker.follow() })
  const alertStates = new AlertStates({ ...deps, alerts })
  const boardAlerts = new BoardAlerts({ ...deps, alerts, alertStates })
  const listOrganizations = () => identity.organizations.list()
  const watchAlso: SampleStore['watchAlso'] = (handle) => store.watchAlso(handle)
  const watches = new WatchList({ ...deps, alerts, listOrganizations, watchAlso })
  parts.onCommit((writes) => watches.noteWritten(writes))
  const alertWorker = new AlertWorker({
    ...deps,
    store,
    watches,
    listOrganizations,
    // A folder is locked: anyone who held a lease before is gone, and need not be waited for.
    holder: isShared ? newUid() : 'the one process of this folder',
    isShared,
    onFailure: (error) => log.error({ error }, 'could not evaluate alerts'),
  })
  opened.defer(() => alertWorker.close())
  const alertPreviews = new AlertPreviews({ ...deps, alerts, watches, store })
  opened.defer(() => alertPreviews.close())
  return { alerts, alertPreviews, alertStates, alertWorker, boardAlerts }
}

function openChannels(parts: AlertParts, clock: Clock, alerts: Alerts) {
  const { catalog, catalogStore: store, config, identity, log, onCommit, opened } = parts
  const { outboundAllow: allow, outboundDeny: deny, publicUrl, smtpFrom, smtpServer } = config
  const secrets = new ChannelSecrets(parts.box)
  const sender = new Sender({
    secrets,
    clock,
    publicUrl,
    rules: new OutboundRules({ allow, deny }),
    mailer: smtpServer && smtpFrom ? new Mailer(smtpServer, smtpFrom) : undefined,
  })
  const channels = new Channels({
    catalog,
    store,
    secrets,
    sender,
    clock,
    findUses: (principal, uid) => alerts.listUsing(principal, uid),
  })
  const deliverer = new Deliverer({
    store,
    sender,
    clock,
    log,
    listOrganizations: () => identity.organizations.list(),
    // In a folder of its own this process is the only one, and takes over at once from one that was killed.
    holder: parts.storage.isShared ? newUid() : 'service',
  })
  onCommit((writes) => deliverer.noteCommit(writes))
  opened.defer(() => deliverer.close())
  deliverer.start()
  return { channels, deliverer }
}
