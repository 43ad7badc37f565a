import { allows, requirePermit, requireSomeFeed } from '../../access/index.ts'
import { type LiveFigures, metricText, Refusal, refusal, refuse } from '../../base/index.ts'
import type { CatalogNews } from '../../catalog/index.ts'
import { LiveFollows } from './live-follows.ts'
import { LiveLimits } from './live-limits.ts'
import { type LiveCall, LiveListener } from './live-listener.ts'
import { selectStreams } from './live-selection.ts'
import { LiveTeller, type LiveTellerDeps } from './live-teller.ts'
import { TurnWork } from './turn-work.ts'

/** What live connections are served from. */
interface LiveHubDeps extends LiveTellerDeps {
  readonly figures: LiveFigures
  /** Rises when what callers may do has changed. */
  readonly countChanges: () => number
}

/** Telling listeners takes at most one part in so many of the main thread's time: then it is done less often. */
const IDLE_PARTS = 40
/** However many listen, each is told at least this often. */
const PAUSE_MS_MAX = 5_000
/** Proxies take a connection for dead that is silent for a minute. */
const HEARTBEAT_MS = 15_000
/** How often a caller is looked at whose rights nobody has changed: time ends sessions and tokens. */
const CALLERS_EVERY_MS = 60_000
/** Components of an organization that are told apart in one turn. */
const NEWS_MAX = 10_000

/** What was committed in an organization since the last turn. */
interface OrganizationNews {
  readonly componentUids: Set<string>
  hasFolders: boolean
  /** Whether there were too many to tell apart. */
  isMore: boolean
}

/**
 * Tells listeners what happens to the streams that they follow, and to the catalog. Nothing is done
 * when a put lands: in turns, a few a second, the store is asked what was touched, and whatever a
 * listener has not taken is told later as what it is then.
 */
export class LiveHub {
  readonly #deps: LiveHubDeps
  readonly #follows: LiveFollows
  readonly #teller: LiveTeller
  readonly #limits: LiveLimits
  readonly #listeners = new Map<LiveListener, () => void>()
  readonly #news = new Map<string, OrganizationNews>()
  #changes: number
  #callersAtMs: number
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isClosed = false
  #pauseMs: number
  #turns = 0

  constructor(deps: LiveHubDeps) {
    this.#deps = deps
    this.#follows = new LiveFollows(deps)
    this.#teller = new LiveTeller(deps)
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
   * what the caller may not read, and more than the figures allow, before anything is sent.
   */
  async open(call: LiveCall): Promise<() => void> {
    const { principal, sink } = call
    requireSome(call)
    if (this.#isClosed) throw stopping()
    const selected = selectStreams(this.#deps.catalog.index, principal, call.selection)
    const release = this.#limits.take({
      organization: principal.orgUid,
      ...{ user: call.credentialName, address: call.network },
    })
    const listener = new LiveListener(call, selected, this.#deps.clock.elapsed())
    const cursor = this.#follows.doneCursor
    this.#listeners.set(listener, release)
    try {
      await this.#follows.begin(listener)
      if (this.#isClosed) throw stopping()
    } catch (error) {
      this.#remove(listener)
      throw error
    }
    sink.begin()
    await this.#teller.tell(listener, cursor)
    this.#schedule()
    return () => this.#remove(listener)
  }

  /** The counts in Prometheus' text format. */
  metrics(): string {
    return [
      metricText('weir_live_connections', 'gauge', 'Open live connections.', this.#listeners.size),
      metricText('weir_live_streams', 'gauge', 'Streams that are followed.', this.#follows.size),
      metricText('weir_live_turns_total', 'counter', 'Turns of telling.', this.#turns),
      metricText(
        'weir_live_sent_total',
        'counter',
        'Times that something was told.',
        this.#teller.sent,
      ),
      metricText(
        'weir_live_sent_characters_total',
        'counter',
        'Characters of what was told.',
        this.#teller.sentLength,
      ),
      metricText(
        'weir_live_refused_total',
        'counter',
        'Live connections that were one too many.',
        this.#limits.refused,
      ),
      metricText(
        'weir_live_pause_seconds',
        'gauge',
        'Between two turns of telling.',
        this.#pauseMs / 1_000,
      ),
    ].join('')
  }

  /** Ends every connection at once. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    for (const listener of [...this.#listeners.keys()]) this.#end(listener, stopping())
    await this.#running
    this.#follows.close()
  }

  #noteNews({ orgUid, componentUids, hasFolders }: CatalogNews): void {
    const known = this.#news.get(orgUid)
    const news = known ?? { componentUids: new Set<string>(), hasFolders: false, isMore: false }
    news.hasFolders ||= hasFolders
    for (const uid of componentUids) {
      if (news.componentUids.size >= NEWS_MAX) news.isMore = true
      else news.componentUids.add(uid)
    }
    this.#news.set(orgUid, news)
  }

  #remove(listener: LiveListener): void {
    if (listener.isOver) return
    listener.isOver = true
    this.#teller.countSent(listener)
    this.#listeners.get(listener)?.()
    this.#listeners.delete(listener)
    this.#follows.end(listener)
  }

  #end(listener: LiveListener, error: unknown): void {
    if (listener.isOver) return
    const { code, message } = error instanceof Refusal ? error : stopping()
    this.#remove(listener)
    listener.call.sink.end(this.#deps.frame('end', JSON.stringify({ code, message })))
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isClosed || this.#running !== undefined) return
    if (this.#listeners.size === 0 && this.#follows.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#running = this.#runTurn().finally(() => {
        this.#running = undefined
        this.#schedule()
      })
    }, this.#pauseMs).unref()
  }

  async #runTurn(): Promise<void> {
    const { clock, figures, onFailure } = this.#deps
    const work = new TurnWork(clock)
    try {
      await this.#checkCallers(work)
      await this.#followCatalog(work)
      await this.#follows.gather(work)
      await this.#tellAll(work)
    } catch (error) {
      onFailure(error)
    }
    this.#teller.endTurn()
    this.#follows.endTurn()
    this.#turns += 1
    const pauseMs = Math.max(1_000 / figures.perSecond, work.finish() * IDLE_PARTS)
    this.#pauseMs = Math.min(pauseMs, PAUSE_MS_MAX)
  }

  /** Nobody is told a thing after their rights have ended: it is asked before each turn. */
  async #checkCallers(work: TurnWork): Promise<void> {
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
      if (isTimed) this.#teller.countSent(listener)
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

  async #followCatalog(work: TurnWork): Promise<void> {
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

  async #tellAll(work: TurnWork): Promise<void> {
    const now = this.#deps.clock.elapsed()
    for (const listener of this.#listeners.keys()) {
      if (!listener.isOwed && now - listener.sentAtMs < HEARTBEAT_MS) continue
      // Rights may have ended since the turn began.
      if (this.#deps.countChanges() !== this.#changes) await this.#checkCaller(listener, false)
      await this.#teller.tell(listener, this.#follows.cursor)
      await work.rest()
    }
  }
}

/** Refuses a call that follows nothing, or that may follow nothing of its kind. */
function requireSome({ principal, selection, wantsCatalog }: LiveCall): void {
  if (wantsCatalog) requirePermit(principal, 'component', 'GET')
  if (selection.length > 0) requireSomeFeed(principal, 'GET')
  if (wantsCatalog || selection.length > 0) return
  requirePermit(principal, 'component/*/feed', 'GET')
  const what = 'Say by "comp" and "stream", or by "catalog", what to follow'
  refuse('bad_input', { what })
}

function noteFor(listener: LiveListener, news: OrganizationNews): void {
  const mayGet = (uid: string) => allows(listener.principal, `component/${uid}`, 'GET')
  listener.noteCatalog([...news.componentUids].filter(mayGet), news.hasFolders)
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
