import { allows, requirePermit, requireSomeFeed } from '../../access/index.ts'
import { type LiveFigures, metricText, Refusal, refusal, refuse } from '../../base/index.ts'
import type { CatalogNews } from '../../catalog/index.ts'
import type { WrittenKey } from '../../store/index.ts'
import { LiveFollows } from './live-follows.ts'
import { LiveLimits } from './live-limits.ts'
import { type LiveCall, LiveListener } from './live-listener.ts'
import { selectStreams } from './live-selection.ts'
import { LiveSender, type LiveSenderDeps } from './live-sender.ts'
import { waitedFor } from './live-store.ts'
import { SlicedWork } from './sliced-work.ts'

/** What live connections are served from. */
interface LiveHubDeps extends LiveSenderDeps {
  readonly figures: LiveFigures
  /** Rises when what callers may do has changed. */
  readonly countChanges: () => number
}

/** Share of the main thread's time that sending may take; beyond it, rounds are less frequent. */
const IDLE_PARTS = 40
/** With any number of listeners, each is served at least this often. */
const PAUSE_MS_MAX = 5_000
/** Proxies take a connection for dead that is silent for a minute. */
const HEARTBEAT_MS = 15_000
/** How often a caller is looked at whose rights nobody has changed: time ends sessions and tokens. */
const CALLERS_EVERY_MS = 60_000
/** Components of an organization that are listed in one round. */
const NEWS_MAX = 10_000

/** What was committed in an organization since the last turn. */
interface OrganizationNews {
  readonly componentUids: Set<string>
  hasFolders: boolean
  hasAlerts: boolean
  /** Whether there were too many to list. */
  isMore: boolean
}

/**
 * Sends listeners the changes of the streams they follow, and changes of the catalog. A put does no work for listeners.
 * A few times a second, the hub asks the store which streams changed. A listener that was not ready gets the later
 * state of these streams.
 */
export class LiveHub {
  readonly #deps: LiveHubDeps
  readonly #follows: LiveFollows
  readonly #sender: LiveSender
  readonly #limits: LiveLimits
  readonly #work: SlicedWork
  readonly #listeners = new Map<LiveListener, () => void>()
  /** Calls that wait to be opened, one by one; the limits say how many there may be. */
  readonly #openings = new Set<() => Promise<void>>()
  /** Those who have gone and are still to be taken off their streams; the limits say how many there may be. */
  readonly #gone = new Set<LiveListener>()
  /** The listeners to serve next. */
  readonly #ready = new Set<LiveListener>()
  readonly #news = new Map<string, OrganizationNews>()
  #changes: number
  #callersAtMs: number
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isRoundDue = false
  #isClosed = false
  #pauseMs: number
  #rounds = 0

  constructor(deps: LiveHubDeps) {
    this.#deps = deps
    this.#work = new SlicedWork(deps.clock)
    const { isShared } = deps.catalog.catchUps
    const store = isShared ? waitedFor(deps.store, this.#work) : deps.store
    this.#follows = new LiveFollows({ ...deps, store })
    this.#sender = new LiveSender({ ...deps, store })
    this.#limits = new LiveLimits(deps.figures)
    this.#changes = deps.countChanges()
    this.#callersAtMs = deps.clock.elapsed()
    this.#pauseMs = 1_000 / deps.figures.perSecond
    deps.catalog.onNews({
      isListening: () => this.#listeners.size > 0,
      note: (news) => this.#noteNews(news),
    })
  }

  /**
   * Lets someone listen until the answered function is called, or the hub ends it by the sink. Refuses
   * what the caller may not read, and more than the figures allow, before anything is sent. Many that
   * come at once are opened one after the other, with turns for others in between.
   */
  async open(call: LiveCall): Promise<() => void> {
    const { principal } = call
    requireSome(call)
    if (this.#isClosed) throw stopping()
    const release = this.#limits.take({
      organization: principal.orgUid,
      user: call.credentialName,
      address: call.network,
    })
    const changes = this.#deps.countChanges()
    try {
      const listener = await new Promise<LiveListener>((resolve, reject) => {
        this.#openings.add(() => this.#begin(call, changes, release).then(resolve, reject))
        this.#wake()
      })
      return () => this.#remove(listener)
    } catch (error) {
      release()
      throw error
    }
  }

  async #begin(call: LiveCall, changes: number, release: () => void): Promise<LiveListener> {
    let { principal } = call
    // Rights may have ended while others were opened.
    for (let seen = changes; seen !== this.#deps.countChanges(); ) {
      seen = this.#deps.countChanges()
      principal = await call.renew(false)
    }
    if (this.#isClosed) throw stopping()
    const renewed = { ...call, principal }
    requireSome(renewed)
    const selected = selectStreams(this.#deps.catalog.index, principal, call.selection)
    const listener = new LiveListener(renewed, selected, this.#deps.clock.elapsed())
    this.#listeners.set(listener, release)
    try {
      await this.#follows.begin(listener)
      if (this.#isClosed) throw stopping()
    } catch (error) {
      this.#remove(listener)
      throw error
    }
    call.sink.begin()
    this.#ready.add(listener)
    this.#schedule()
    return listener
  }

  /** The counts in Prometheus' text format. */
  metrics(): string {
    return [
      metricText('weir_live_connections', 'gauge', 'Open live connections.', this.#listeners.size),
      metricText(
        'weir_live_streams',
        'gauge',
        'Streams with live subscribers.',
        this.#follows.size,
      ),
      metricText('weir_live_turns_total', 'counter', 'Rounds of live updates.', this.#rounds),
      metricText('weir_live_sent_total', 'counter', 'Live updates sent.', this.#sender.sent),
      metricText(
        'weir_live_sent_characters_total',
        'counter',
        'Characters of live updates sent.',
        this.#sender.sentLength,
      ),
      metricText(
        'weir_live_unsent_bytes',
        'gauge',
        'Bytes of live updates waiting to be sent.',
        this.#unsentBytes(),
      ),
      metricText(
        'weir_live_refused_total',
        'counter',
        'Live connections rejected by a limit.',
        this.#limits.refused,
      ),
      metricText(
        'weir_live_pause_seconds',
        'gauge',
        'Time between two rounds of live updates.',
        this.#pauseMs / 1_000,
      ),
    ].join('')
  }

  /** Ends every connection at once. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const listener of [...this.#listeners.keys()]) this.#end(listener, stopping())
    this.#gone.clear()
    await this.#running
    this.#follows.close()
  }

  /** Notes what a commit has written about alerts: the catalog has no news of them. */
  noteWritten(writes: readonly WrittenKey[]): void {
    if (this.#listeners.size === 0) return
    for (const { orgUid, kind, op } of writes) {
      if (op === 'expect' || !(kind === 'alert' || kind.startsWith('alert_'))) continue
      this.#newsOf(orgUid).hasAlerts = true
    }
  }

  #newsOf(orgUid: string): OrganizationNews {
    const none = { hasFolders: false, hasAlerts: false, isMore: false }
    return this.#news.getOrInsertComputed(orgUid, () => ({
      componentUids: new Set<string>(),
      ...none,
    }))
  }

  #noteNews({ orgUid, componentUids, hasFolders }: CatalogNews): void {
    const news = this.#newsOf(orgUid)
    news.hasFolders ||= hasFolders
    for (const uid of componentUids) {
      if (news.componentUids.size >= NEWS_MAX) news.isMore = true
      else news.componentUids.add(uid)
    }
  }

  #remove(listener: LiveListener): void {
    if (listener.isOver) return
    listener.isOver = true
    this.#sender.countSent(listener)
    this.#listeners.get(listener)?.()
    this.#listeners.delete(listener)
    this.#ready.delete(listener)
    if (this.#isClosed) return
    // A thousand streams each: when many go at once, others have turns in between.
    this.#gone.add(listener)
    this.#wake()
  }

  #end(listener: LiveListener, error: unknown): void {
    if (listener.isOver) return
    const { code, message } = error instanceof Refusal ? error : stopping()
    this.#remove(listener)
    listener.call.sink.end(this.#deps.frame('end', JSON.stringify({ code, message })))
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isRoundDue || this.#isClosed) return
    if (this.#listeners.size === 0 && this.#follows.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#isRoundDue = true
      this.#wake()
    }, this.#pauseMs).unref()
  }

  /** Does what is to be done, one thing after the other. */
  #wake(): void {
    if (this.#running !== undefined) return
    if (!this.#hasWork) return
    this.#running = this.#run().finally(() => {
      this.#running = undefined
      this.#wake()
    })
  }

  get #hasWork(): boolean {
    return (
      this.#isRoundDue || this.#gone.size > 0 || this.#openings.size > 0 || this.#ready.size > 0
    )
  }

  async #run(): Promise<void> {
    const work = this.#work
    work.begin()
    while (this.#hasWork) {
      // First, because listeners that come back use the room of those that left.
      await this.#letGo(work)
      if (this.#isRoundDue) await this.#runRound()
      const [open] = this.#openings
      if (open !== undefined) {
        this.#openings.delete(open)
        await open()
      }
      await work.rest()
      const [listener] = this.#ready
      if (listener === undefined) continue
      this.#ready.delete(listener)
      await this.#send(listener).catch(this.#deps.onFailure)
      await work.rest()
    }
    work.end()
  }

  /** Takes those who have gone off their streams, one after the other. */
  async #letGo(work: SlicedWork): Promise<void> {
    for (const listener of this.#gone) {
      this.#gone.delete(listener)
      this.#follows.end(listener)
      await work.rest()
    }
  }

  async #runRound(): Promise<void> {
    const { figures, onFailure } = this.#deps
    const work = this.#work
    this.#sender.beginRound()
    try {
      await this.#checkCallers(work)
      await this.#followCatalog(work)
      await this.#follows.gather(work)
      this.#readyOwed()
    } catch (error) {
      onFailure(error)
    }
    await this.#follows.endRound(work)
    this.#rounds += 1
    const pauseMs = Math.max(1_000 / figures.perSecond, work.takeBusyMs() * IDLE_PARTS)
    this.#pauseMs = Math.min(pauseMs, PAUSE_MS_MAX)
    this.#isRoundDue = false
    this.#schedule()
  }

  /** Nobody receives anything after their rights have ended: rights are checked before each round. */
  async #checkCallers(work: SlicedWork): Promise<void> {
    const changes = this.#deps.countChanges()
    const now = this.#deps.clock.elapsed()
    const isTimed = now - this.#callersAtMs >= CALLERS_EVERY_MS
    if (changes === this.#changes && !isTimed) return
    this.#changes = changes
    if (isTimed) this.#callersAtMs = now
    for (const listener of [...this.#listeners.keys()]) {
      await this.#checkCaller(listener, isTimed)
      await work.rest()
    }
  }

  async #checkCaller(listener: LiveListener, isTimed: boolean): Promise<void> {
    if (listener.isOver) return
    try {
      const principal = await listener.call.renew(isTimed)
      if (isTimed) this.#sender.countSent(listener)
      if (principal === listener.principal) return
      listener.principal = principal
      if (listener.call.wantsCatalog) requirePermit(principal, 'component', 'GET')
      await this.#follows.select(listener)
    } catch (error) {
      this.#endBy(listener, error)
    }
  }

  #endBy(listener: LiveListener, error: unknown): void {
    if (!(error instanceof Refusal)) this.#deps.onFailure(error)
    this.#end(listener, error instanceof Refusal ? error : failed())
  }

  async #followCatalog(work: SlicedWork): Promise<void> {
    if (this.#news.size === 0) return
    const byOrg = new Map(this.#news)
    this.#news.clear()
    for (const listener of [...this.#listeners.keys()]) {
      const news = byOrg.get(listener.principal.orgUid)
      if (news === undefined || listener.isOver) continue
      if (listener.call.wantsCatalog) noteFor(listener, news)
      if (!concerns(listener, news)) continue
      await this.#follows.select(listener).catch((error) => this.#endBy(listener, error))
      await work.rest()
    }
  }

  #readyOwed(): void {
    const now = this.#deps.clock.elapsed()
    for (const listener of this.#listeners.keys()) {
      if (listener.isOwed || now - listener.sentAtMs >= HEARTBEAT_MS) this.#ready.add(listener)
    }
  }

  /** Sends a listener one piece, and the next when that was read. */
  async #send(listener: LiveListener): Promise<void> {
    // Rights may have ended since the turn began.
    if (this.#deps.countChanges() !== this.#changes) await this.#checkCaller(listener, false)
    await this.#sender.send(listener, this.#follows.cursor, () => {
      if (listener.isOver || !listener.isOwed) return
      this.#ready.add(listener)
      this.#wake()
    })
  }

  #unsentBytes(): number {
    let bytes = 0
    for (const { call } of this.#listeners.keys()) bytes += call.sink.unsentBytes
    return bytes
  }
}

/** Refuses a call that follows nothing, or that may follow nothing of its kind. */
function requireSome({ principal, selection, wantsCatalog }: LiveCall): void {
  if (wantsCatalog) requirePermit(principal, 'component', 'GET')
  if (selection.length > 0) requireSomeFeed(principal, 'GET')
  if (wantsCatalog || selection.length > 0) return
  requirePermit(principal, 'component/*/feed', 'GET')
  const what = 'Nothing to follow. Set "comp" and "stream", or "catalog"'
  refuse('bad_input', { what })
}

function noteFor(listener: LiveListener, news: OrganizationNews): void {
  const { principal } = listener
  const mayGet = (uid: string) => allows(principal, `component/${uid}`, 'GET')
  listener.noteCatalog([...news.componentUids].filter(mayGet), {
    hasFolders: news.hasFolders,
    hasAlerts: news.hasAlerts && allows(principal, 'alert', 'GET'),
  })
}

/** Whether what a listener has selected may mean other streams by what was committed. */
function concerns({ selected }: LiveListener, news: OrganizationNews): boolean {
  if (selected.missing.length > 0 || news.isMore) return true
  for (const uid of selected.componentUids) if (news.componentUids.has(uid)) return true
  return false
}

function stopping(): Refusal {
  return refusal('shutting_down', { retryAfterSeconds: 5 })
}

function failed(): Refusal {
  return refusal('overloaded', { retryAfterSeconds: 5 })
}
