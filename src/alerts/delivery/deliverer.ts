import { type Log, metricText } from '../../base/index.ts'
import { type CatalogStore, HeldLease, type WrittenKey } from '../../store/index.ts'
import { CHANNEL_KIND } from '../channel/channel-shape.ts'
import {
  type ChannelPlace,
  type ChannelRunDeps,
  type DeliveryFigures,
  LeaseLost,
  runChannel,
} from './channel-run.ts'
import { NOTICE_KIND } from './notice-document.ts'

const LEASE_NAME = 'alert_delivery'
/** With TAKE_EVERY_MS: another process delivers 15 s after this one has died. */
const LEASE_MS = 11_000
const TAKE_EVERY_MS = 3_000
/** How exactly pauses are kept. It also lets the wall clock be set. */
const TICK_MS = 250
/** Commits wake their channel. This finds the notices of a commit that nobody heard of. */
const LOOK_EVERY_MS = 60_000
/** Requests at a time: each has a socket. */
const RUNNING_MAX = 64
/** Hanging receivers of one organization must not hold up the others. */
const RUNNING_PER_ORGANIZATION_MAX = 8
/** After a fault of the service itself, such as a full disk. The message under way is sent again after it. */
const FAULT_PAUSE_MS = 30_000
/** A stop waits so long for the answers of receivers. What is cut short is sent again after the next start. */
const CLOSE_MS = 2_000
const NOTICES_PER_STEP = 500

interface DelivererDeps extends Pick<ChannelRunDeps, 'clock' | 'sender'> {
  readonly store: Pick<
    CatalogStore,
    'acquireLease' | 'commit' | 'get' | 'list' | 'releaseLease' | 'usage' | 'walk'
  >
  /** Who this process is among those that share the catalog. */
  readonly holder: string
  readonly log: Log
  readonly listOrganizations: () => readonly { readonly uid: string }[]
}

/** A channel with notices that wait. */
interface Waiting extends ChannelPlace {
  /** When it runs next; undefined while it runs. */
  atMs: number | undefined
  /** Something was committed during its run. */
  isWoken: boolean
  /** The channel was changed or deleted during its run. */
  isChanged: boolean
}

/** Delivers notices, in one process of a cluster at a time. A commit wakes it; nothing is polled in between. */
export class Deliverer {
  readonly #deps: DelivererDeps
  readonly #held: HeldLease
  readonly #waiting = new Map<string, Waiting>()
  readonly #runningOf = new Map<string, number>()
  readonly #runs = new Set<Promise<void>>()
  readonly #figures: DeliveryFigures = { delivered: 0, failed: 0, expired: 0, summedUp: 0 }
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> | undefined
  #takeAtMs = 0
  #lookAtMs = 0
  #lastNowMs = Number.NEGATIVE_INFINITY
  #isHolder = false
  #isFailing = false
  #isClosed = false
  readonly #ending = new AbortController()

  constructor(deps: DelivererDeps) {
    this.#deps = deps
    this.#held = this.#newLease()
  }

  /** Begins to deliver as soon as no other process does. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#ticking ??= this.#tick()
        .then(
          () => {
            this.#isFailing = false
          },
          (error: unknown) => this.#noteFailure(error),
        )
        .finally(() => {
          this.#ticking = undefined
        })
    }, TICK_MS)
    this.#timer.unref()
  }

  /** Takes in what was committed: new notices, and channels that were changed or deleted. */
  noteCommit(writes: readonly WrittenKey[]): void {
    for (const { kind, op, orgUid, parentUid, uid } of writes) {
      if (kind === NOTICE_KIND && op !== 'delete' && parentUid !== undefined) {
        this.#wake({ orgUid, channelUid: parentUid })
      } else if (kind === CHANNEL_KIND) {
        const waiting = this.#waiting.get(uid)
        if (waiting !== undefined) waiting.isChanged = true
        this.#wake({ orgUid, channelUid: uid })
      }
    }
  }

  /** Counts for /metrics. */
  metrics(): string {
    const { delivered, failed, expired, summedUp } = this.#figures
    return [
      metricText('weir_notice_attempts_total', 'counter', 'Notices sent to channels by result.', [
        ['outcome="delivered"', delivered],
        ['outcome="failed"', failed],
        ['outcome="expired"', expired],
      ]),
      metricText(
        'weir_notices_summed_up_total',
        'counter',
        'Notices that were sent as part of a summary.',
        summedUp,
      ),
      metricText(
        'weir_channels_waiting',
        'gauge',
        'Channels with notices that are not delivered yet.',
        this.#waiting.size,
      ),
    ].join('')
  }

  /** Waits for requests under way, and lets another process deliver. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#ticking
    const ending = setTimeout(() => this.#ending.abort(), CLOSE_MS)
    await Promise.all(this.#runs)
    clearTimeout(ending)
    // While the store is away the lease ends by itself.
    await this.#held.release().catch(() => undefined)
  }

  /** Logs the first of several failures in a row: a store that is away fails every few seconds. */
  #noteFailure(error: unknown): void {
    if (!this.#isFailing) this.#deps.log.warn({ error }, 'cannot deliver notices')
    this.#isFailing = true
  }

  #newLease(): HeldLease {
    const { store: catalog, holder, clock } = this.#deps
    return new HeldLease({ catalog, clock, holder, name: LEASE_NAME, ttlMs: LEASE_MS })
  }

  async #tick(): Promise<void> {
    const elapsedMs = this.#deps.clock.elapsed()
    if (elapsedMs >= this.#takeAtMs) {
      this.#takeAtMs = elapsedMs + TAKE_EVERY_MS
      await this.#hold()
    }
    if (!this.#isHolder) return
    this.#followClock()
    if (elapsedMs >= this.#lookAtMs) {
      this.#lookAtMs = elapsedMs + LOOK_EVERY_MS
      await this.#look()
    }
    this.#runDue()
  }

  /** After the wall clock was set back, channels would wait for times that come much later. */
  #followClock(): void {
    const nowMs = this.#deps.clock.now()
    if (nowMs < this.#lastNowMs) {
      for (const waiting of this.#waiting.values()) {
        if (waiting.atMs !== undefined) waiting.atMs = nowMs
      }
    }
    this.#lastNowMs = nowMs
  }

  /** Takes or renews the lease. */
  async #hold(): Promise<void> {
    const wasHolder = this.#isHolder
    try {
      this.#isHolder = await this.#held.renew()
    } finally {
      if (this.#held.ageMs >= LEASE_MS) this.#isHolder = false
    }
    if (wasHolder === this.#isHolder) return
    // Those that run stay: a channel must not run twice.
    for (const [uid, { atMs }] of this.#waiting) if (atMs !== undefined) this.#waiting.delete(uid)
    if (this.#isHolder) this.#lookAtMs = 0
    else this.#deps.log.warn({}, 'another process delivers notices from here on')
  }

  /** Finds all channels with notices: those of earlier processes, and those that no commit has told of. */
  async #look(): Promise<void> {
    const { store } = this.#deps
    for (const { uid: orgUid } of this.#deps.listOrganizations()) {
      if (this.#isClosed) return
      const usage = await store.usage(orgUid)
      if (!usage.some(({ kind, documents }) => kind === NOTICE_KIND && documents > 0)) continue
      let after: string | undefined
      do {
        const step = { orgUid, kind: NOTICE_KIND, after, limit: NOTICES_PER_STEP }
        const { documents, next } = await store.walk(step)
        for (const { parentUid } of documents) this.#add({ orgUid, channelUid: parentUid })
        after = next
      } while (after !== undefined)
    }
  }

  /** Makes sure that a channel runs; one that waits for its time goes on waiting. */
  #add(place: ChannelPlace): Waiting {
    const known = this.#waiting.get(place.channelUid)
    if (known !== undefined) return known
    const waiting: Waiting = {
      ...place,
      atMs: this.#deps.clock.now(),
      isWoken: false,
      isChanged: false,
    }
    this.#waiting.set(place.channelUid, waiting)
    return waiting
  }

  #wake(place: ChannelPlace): void {
    if (!this.#isHolder || this.#isClosed) return
    const waiting = this.#add(place)
    waiting.isWoken = true
    if (waiting.atMs === undefined) return
    waiting.atMs = this.#deps.clock.now()
    this.#runIfFree(waiting)
  }

  #runDue(): void {
    const nowMs = this.#deps.clock.now()
    for (const waiting of this.#waiting.values()) {
      if (this.#runs.size >= RUNNING_MAX) return
      if ((waiting.atMs ?? Number.POSITIVE_INFINITY) <= nowMs) this.#runIfFree(waiting)
    }
  }

  #runIfFree(waiting: Waiting): void {
    const { orgUid } = waiting
    const running = this.#runningOf.get(orgUid) ?? 0
    const isFull = this.#runs.size >= RUNNING_MAX || running >= RUNNING_PER_ORGANIZATION_MAX
    if (isFull || this.#isClosed || !this.#isHolder) return
    waiting.atMs = undefined
    waiting.isWoken = false
    waiting.isChanged = false
    this.#runningOf.set(orgUid, running + 1)
    const run = this.#run(waiting).finally(() => {
      this.#runs.delete(run)
      const left = (this.#runningOf.get(orgUid) ?? 1) - 1
      if (left === 0) this.#runningOf.delete(orgUid)
      else this.#runningOf.set(orgUid, left)
      if (!this.#isClosed) this.#runDue()
    })
    this.#runs.add(run)
  }

  async #run(waiting: Waiting): Promise<void> {
    const { clock, log } = this.#deps
    const { channelUid, orgUid } = waiting
    try {
      const findLease = () => (this.#held.ageMs >= LEASE_MS ? undefined : this.#held.lease)
      const { signal } = this.#ending
      const mayStart = () => !this.#isClosed && !waiting.isChanged && findLease() !== undefined
      const deps = { ...this.#deps, figures: this.#figures, findLease, mayStart, signal }
      const nextMs = await runChannel(deps, { orgUid, channelUid })
      waiting.atMs = waiting.isWoken ? clock.now() : nextMs
    } catch (error) {
      if (!(error instanceof LeaseLost)) {
        log.error({ error, channel: channelUid }, 'could not deliver notices of a channel')
      }
      waiting.atMs = clock.now() + FAULT_PAUSE_MS
    }
    if (waiting.atMs === undefined && this.#waiting.get(channelUid) === waiting) {
      this.#waiting.delete(channelUid)
    }
  }
}
