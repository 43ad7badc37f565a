import { type Principal, requirePermit } from '../../access/index.ts'
import { type Clock, newUid, refuse } from '../../base/index.ts'
import type { Author, Catalog } from '../../catalog/index.ts'
import {
  type Page,
  type RecordList,
  refuseUnknown,
  type SimpleRecords,
} from '../../catalog/record/index.ts'
import type { CatalogStore } from '../../store/index.ts'
import { ATTEMPT_LOG_KIND, type Attempt, readLog } from '../delivery/attempt-log.ts'
import type { Delivery, SendOutcome } from '../delivery/delivery.ts'
import type { Sender } from '../delivery/sender.ts'
import { channelRules } from './channel-rules.ts'
import type { ChannelSecrets } from './channel-secrets.ts'
import type { ChannelBody } from './channel-shape.ts'

/** A channel as callers see it: where it leads, and that there are secrets. */
type ChannelRecord = Omit<ChannelBody, 'sealedUrl' | 'sealedToken' | 'sealedSecret'> & {
  readonly uid: string
  readonly hasToken: boolean
  readonly hasSecret: boolean
  readonly revision: number
}

/** The result of a test message. */
interface ChannelTest extends Pick<SendOutcome, 'isOk' | 'message' | 'reason'> {
  readonly status: number | null
  readonly tookMs: number
}

interface Deps {
  readonly catalog: Pick<Catalog, 'recordsOf'>
  readonly store: Pick<CatalogStore, 'get'>
  readonly secrets: ChannelSecrets
  readonly sender: Sender
  readonly clock: Clock
  /** Names the alerts that use a channel. */
  readonly findUses: (principal: Principal, uid: string) => Promise<readonly string[]>
}

/** Tests at a time: each sends a request to a host that someone has chosen. */
const TESTS_MAX = 8
const TESTS_PER_ORGANIZATION_MAX = 2

/** Where notices go: get, list, insert, update, delete, and test, each checked against the caller's permissions. */
export class Channels {
  readonly #records: SimpleRecords<ChannelBody>
  readonly #deps: Deps
  readonly #testing = new Map<string, number>()

  constructor(deps: Deps) {
    this.#deps = deps
    const rules = channelRules(deps.secrets, deps.sender.hasMail)
    this.#records = deps.catalog.recordsOf(rules, deps.findUses)
  }

  /** A channel that is not saved. */
  make(principal: Principal): ChannelRecord {
    return shown(this.#records.make(principal))
  }

  async get(principal: Principal, uid: string): Promise<ChannelRecord> {
    return shown(await this.#records.get(principal, uid))
  }

  async list(principal: Principal, page: Page): Promise<RecordList<ChannelRecord>> {
    const { records, totalCount } = await this.#records.list(principal, page)
    return { records: records.map(shown), totalCount }
  }

  async insert(author: Author, input: unknown): Promise<ChannelRecord> {
    return shown(await this.#records.insert(author, input))
  }

  async update(author: Author, uid: string, input: unknown): Promise<ChannelRecord> {
    return shown(await this.#records.update(author, uid, input))
  }

  async delete(author: Author, uid: string): Promise<void> {
    await this.#records.delete(author, uid)
  }

  /** What a channel was sent lately, the newest first. */
  async listAttempts(principal: Principal, uid: string, page: Page): Promise<RecordList<Attempt>> {
    await this.#records.get(principal, uid)
    const { orgUid } = principal
    const kept = await this.#deps.store.get({ orgUid, kind: ATTEMPT_LOG_KIND, uid })
    const { attempts } = readLog(kept)
    const { start, limit } = page
    return { records: attempts.slice(start, start + limit), totalCount: attempts.length }
  }

  /** Sends a test message, and returns the result. */
  async test(principal: Principal, uid: string): Promise<ChannelTest> {
    requirePermit(principal, `channel/${uid}`, 'POST')
    const { orgUid } = principal
    const channel = await this.#records.find(orgUid, uid)
    if (channel === undefined) refuseUnknown('channel', uid)
    const running = this.#testing.get(orgUid) ?? 0
    const total = this.#testing.values().reduce((sum, count) => sum + count, 0)
    if (running >= TESTS_PER_ORGANIZATION_MAX || total >= TESTS_MAX) {
      refuse('rate_limited', { retryAfterSeconds: 5 })
    }
    this.#testing.set(orgUid, running + 1)
    const { clock, sender } = this.#deps
    const startMs = clock.elapsed()
    try {
      const delivery = testDelivery(channel.name, clock.now())
      const never = new AbortController().signal
      const outcome = await sender.send({ channel, orgUid, delivery }, never)
      const { isOk, message, reason, status = null } = outcome
      return { isOk, message, reason, status, tookMs: Math.round(clock.elapsed() - startMs) }
    } finally {
      const left = (this.#testing.get(orgUid) ?? 1) - 1
      if (left === 0) this.#testing.delete(orgUid)
      else this.#testing.set(orgUid, left)
    }
  }
}

function shown(record: ChannelBody & { uid: string; revision: number }): ChannelRecord {
  const { sealedUrl: _url, sealedToken, sealedSecret, ...rest } = record
  return { ...rest, hasToken: sealedToken !== '', hasSecret: sealedSecret !== '' }
}

function testDelivery(channelName: string, nowMs: number): Delivery {
  const uid = newUid()
  const content = {
    alertUid: '',
    alertName: 'Test message of Weir',
    severity: 'info',
    state: 'FIRING',
    reason: 'change',
    message: `The channel "${channelName}" works.`,
    streamUid: '',
    streamId: '',
    componentUid: '',
    componentId: '',
    componentName: '',
    startedMs: nowMs,
    eventUid: '',
  } as const
  return { idempotencyKey: uid, createdMs: nowMs, content, isTest: true }
}
