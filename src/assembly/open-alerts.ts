/** A piece of the composition root: channels, and the delivery of notices. */
import { ChannelSecrets, Channels, Deliverer, Mailer, Sender } from '../alerts/index.ts'
import type { Identity, SecretBox } from '../auth/index.ts'
import { type Clock, type Config, type Log, newUid } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import { OutboundRules } from '../connectors/index.ts'
import type { CatalogStore, WrittenKey } from '../store/index.ts'
import type { OpenedStorage, OpenedStores } from './opened-storage.ts'

/** What alerts are opened over. */
interface AlertParts {
  readonly box: SecretBox
  readonly catalog: Catalog
  readonly catalogStore: CatalogStore
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

/** Opens channels, and delivers notices from here on. */
export function openAlerts(parts: AlertParts) {
  const { catalog, catalogStore: store, config, identity, log, onCommit, opened } = parts
  const clock = parts.stores.sharedClock ?? parts.clock
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
    findUses: async () => [],
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
