/** Delivery of notices over a real catalog, without a service around it. */

import { noticeWrite } from '../../src/alerts/delivery/notice-document.ts'
import { ChannelSecrets, Channels, Deliverer, Mailer, Sender } from '../../src/alerts/index.ts'
import type { Notice, NoticeContent } from '../../src/alerts/notice.ts'
import { SecretBox } from '../../src/auth/index.ts'
import {
  type Clock,
  createLog,
  newUid,
  type SmtpServer,
  systemClock,
} from '../../src/base/index.ts'
import { openCatalog } from '../../src/catalog/index.ts'
import { OutboundRules } from '../../src/connectors/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { type CatalogStore, withCommitListener } from '../../src/store/index.ts'
import { ownerOf, people } from './catalog.ts'

export const ORG = 'org'
export const owner = ownerOf(ORG)

/** What a home is opened with. */
export interface NoticeHomeOptions {
  readonly folder: string
  readonly clock?: Clock
  /** Addresses that the outbound rules allow. */
  readonly allow?: readonly string[]
  readonly smtp?: SmtpServer
  readonly publicUrl?: string
}

/** Channels and a deliverer that runs. */
export interface NoticeHome {
  readonly store: CatalogStore
  readonly channels: Channels
  readonly deliverer: Deliverer
  readonly logLines: readonly string[]
  /** Commits notices as alerts do: in one step, durable when it resolves. */
  put(...notices: readonly Notice[]): Promise<void>
  /** The number of notices that wait. */
  countWaiting(): Promise<number>
  close(): Promise<void>
}

/** Opens the catalog of a folder, and begins to deliver. */
export async function openNoticeHome(options: NoticeHomeOptions): Promise<NoticeHome> {
  const { folder, clock = systemClock, allow = ['127.0.0.0/8'], publicUrl, smtp } = options
  const logLines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => logLines.push(line) } })
  const embedded = await openCatalogStore({ folder })
  let deliverer: Deliverer | undefined
  const store = withCommitListener(embedded, (writes) => deliverer?.noteCommit(writes))
  const catalog = await openCatalog({ store, people, clock })
  const secrets = new ChannelSecrets(new SecretBox(new Uint8Array(32).fill(7)))
  const rules = new OutboundRules({ allow })
  const mailer = smtp && new Mailer(smtp, 'Weir <weir@example.com>')
  const sender = new Sender({ secrets, rules, clock, publicUrl, mailer })
  const findUses = async () => []
  const channels = new Channels({ catalog, store, secrets, sender, clock, findUses })
  deliverer = new Deliverer({
    store,
    sender,
    clock,
    log,
    listOrganizations: () => [{ uid: ORG }],
    holder: 'service',
  })
  deliverer.start()
  const running = deliverer
  return {
    store,
    channels,
    deliverer,
    logLines,
    put: async (...notices) => {
      await store.commit(notices.map(noticeWrite))
    },
    countWaiting: async () => {
      const query = { orgUid: ORG, kind: 'notice', start: 0, limit: 1 }
      return (await store.list(query)).totalCount
    },
    close: async () => {
      await running.close()
      await embedded.close()
    },
  }
}

/** A notice that says as much as a test gives. */
export function noticeOf(
  channelUid: string,
  more: Partial<Notice> & { readonly about?: Partial<NoticeContent> } = {},
): Notice {
  const { about, ...fields } = more
  const uid = newUid()
  const content: NoticeContent = {
    alertUid: 'alert',
    alertName: 'Too hot',
    severity: 'critical',
    state: 'FIRING',
    reason: 'change',
    message: 'Boiler at 93.5 °C',
    streamUid: 'stream',
    streamId: 'temperature',
    componentUid: 'component',
    componentId: 'boiler',
    componentName: 'Boiler 3',
    sampleTime: 1_760_000_000_000,
    value: '93.5',
    startedMs: 1_760_000_000_000,
    eventUid: newUid(),
    ...about,
  }
  return {
    uid,
    orgUid: ORG,
    channelUid,
    idempotencyKey: uid,
    orderKey: 'alert/stream',
    sequence: 1,
    createdMs: Date.now(),
    content,
    ...fields,
  }
}
