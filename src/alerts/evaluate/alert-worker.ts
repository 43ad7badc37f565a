import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, nextIteration } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import {
  type CatalogStore,
  type CatalogWrite,
  HeldLease,
  type SampleStore,
  type StreamHandle,
} from '../../store/index.ts'
import { type StateChange, writesOf } from '../state/change.ts'
import { deleteChildren } from '../state/delete-children.ts'
import { isAcknowledged, restoreStates } from '../state/stored-states.ts'
import type { EvaluateDeps } from './evaluate-deps.ts'
import { evaluateSpans } from './evaluate-spans.ts'
import type { LoadedAlert } from './loaded-alert.ts'
import { type Mark, ProgressBook, readEvaluated, readMark } from './progress.ts'
import { nameStanding } from './standing-samples.ts'
import { StateTable } from './state-table.ts'
import type { WatchList } from './watch-list.ts'
import { NEVER } from './watch-table.ts'

/** How soon samples and timers are looked for: a notice begins its way well within a quarter of a second. */
const LOOK_EVERY_MS = 100
/** How soon a failed look is repeated, and how soon is looked whether the process that evaluates has gone. */
const RETRY_MS = 1_000
/** A process that died is replaced within 15 s. */
const LEASE_MS = 12_000
const RENEW_EVERY_MS = 4_000
/** How often is kept how far alerts are evaluated. A crash repeats so much, which changes nothing. */
const KEEP_EVERY_MS = 30_000
/** Touched spans taken at a time. */
const SPANS_PER_LOOK = 5_000
/** Timers worked off at a time: some hundred milliseconds of work, after which samples are looked at. */
const TIMERS_PER_LOOK = 10_000
/** Writes of one commit: some hundred kilobytes. */
const WRITES_PER_COMMIT = 1_000
/** With more changes at once, events name components by their IDs, because reading each name takes too long. */
const NAMES_READ_MAX = 2_000
/** How often the set of watched streams is passed to the store. */
const WATCH_EVERY_MS = 1_000
/** How long the answer to a saved alert waits for its streams to be watched. */
const FOLLOW_MS = 5_000
/** Changes in memory: some megabytes. More are committed before the evaluation goes on. */
const CHANGES_MAX = 10_000
/** A wall clock that is corrected by less than this makes silence at most so much late. */
const SET_BACK_MS_MIN = 1_000
/** Changes of one epoch: numbers of a later process are greater. */
const SEQUENCES_PER_EPOCH = 2 ** 32
const LATEST_AT_ONCE = 1_000

const LEASE_NAME = 'alerts'

interface WorkerDeps {
  readonly catalog: Catalog
  readonly catalogStore: CatalogStore
  readonly store: SampleStore
  readonly clock: Clock
  readonly holder: string
  /** Whether other processes evaluate over the same catalog. */
  readonly isShared: boolean
  readonly watches: WatchList
  readonly listOrganizations: () => readonly { readonly uid: string }[]
  readonly onFailure: (error: unknown) => void
}

/**
 * Evaluates alerts in one process at a time. Changes of states, their events, and their notices are one commit. How far
 * streams are evaluated is kept from time to time: what is evaluated again after a crash gives the same states.
 */
export class AlertWorker {
  readonly #deps: WorkerDeps
  readonly #held: HeldLease
  #states: StateTable
  #progress: ProgressBook
  /** Everything up to here is evaluated and committed. */
  #cursor = 0
  #mark: Mark = { cursor: 0, atMs: 0, epoch: 0 }
  #keptAtMs = 0
  /** Whether states are in memory, as the catalog keeps them. */
  #isRestored = false
  /** Whether spans are read that arrived before this process evaluates. */
  #isCatchingUp = false
  /** Whether some of these may have been evaluated before a crash. */
  #mayRepeat = false
  #mustKeep = false
  #sequence = 0
  #watchedGeneration = -1
  #watchedAtMs = Number.NEGATIVE_INFINITY
  #lastNowMs = Number.NEGATIVE_INFINITY
  #mayHoldLease = true
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  /** Called when what was stored before is watched. */
  readonly #followers = new Set<() => void>()
  readonly #closing = new AbortController()
  readonly totals = { changes: 0, failures: 0 }

  constructor(deps: WorkerDeps) {
    this.#deps = deps
    const { catalogStore, clock, holder } = deps
    const terms = { catalog: catalogStore, clock, holder, name: LEASE_NAME, ttlMs: LEASE_MS }
    this.#held = new HeldLease(terms)
    this.#states = this.#newStates()
    this.#progress = new ProgressBook(deps.watches.table, deps.catalog.index)
  }

  /** Whether this process evaluates. */
  get isHolder(): boolean {
    return this.#held.lease !== undefined && this.#isRestored
  }

  /** When the last sample of a stream arrived. */
  arrivalMsOf(handle: number): number {
    return this.#deps.watches.table.arrivalOf(handle)
  }

  get watchedCount(): number {
    return this.#deps.watches.table.count
  }

  /** What arrived before this time is known exactly after a crash. */
  get markedMs(): number {
    return this.#mark.atMs
  }

  get states(): StateTable {
    return this.#states
  }

  /** Begins; what was left by an earlier process is evaluated first. A process that knows only some streams never evaluates. */
  async start(mayHoldLease = true): Promise<void> {
    this.#mayHoldLease = mayHoldLease
    await this.#deps.watches.sync()
    // The store learns that no stream is watched, too.
    await this.#watch(true).catch(this.#deps.onFailure)
    await this.#look()
    this.#lookAgain()
  }

  /** Evaluates all that was put, changed, or due before the call; for those who must not wait. */
  async settle({ keeps = false }: { readonly keeps?: boolean } = {}): Promise<void> {
    await this.#looking
    await this.#look()
    if (keeps && this.#isRestored) await this.#keep()
  }

  /**
   * Waits until the alerts that are stored watch their streams, but not forever. Samples that are put afterwards are
   * evaluated, earlier ones are not. A process that does not evaluate alerts does not wait: it cannot know.
   */
  async follow(): Promise<void> {
    if (this.#closing.signal.aborted || (this.#deps.isShared && !this.isHolder)) return
    const followed = Promise.withResolvers<void>()
    this.#followers.add(followed.resolve)
    void this.settle()
    const limit = new AbortController()
    const { signal } = limit
    const late = wait(FOLLOW_MS, undefined, { signal, ref: false }).catch(() => {})
    await Promise.race([followed.promise, late])
    this.#followers.delete(followed.resolve)
    limit.abort()
  }

  /** Evaluates what arrived last, and keeps how far it is. */
  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#timer)
    await this.#looking
    if (this.#held.lease === undefined) return
    try {
      if (this.#isRestored && (await this.#holdLease()) && this.#isRestored) {
        await this.#step()
        await this.#keep(true)
      }
    } catch (error) {
      this.#deps.onFailure(error)
    }
    await this.#held.release()
  }

  get #isIdle(): boolean {
    const { watches } = this.#deps
    return !this.#isRestored && watches.isEmpty && !watches.isBehind
  }

  #newStates(): StateTable {
    const { catalog, clock, watches } = this.#deps
    const states = new StateTable({
      index: catalog.index,
      watches,
      now: () => clock.now(),
      nextSequence: () => {
        this.#sequence += 1
        return this.#sequence
      },
    })
    return states
  }

  #lookAgain(): void {
    if (this.#closing.signal.aborted) return
    this.#timer = setTimeout(() => {
      void this.#look().then(() => this.#lookAgain())
    }, LOOK_EVERY_MS)
    this.#timer.unref()
  }

  #look(): Promise<void> {
    this.#looking ??= this.#work()
      .catch((error: unknown) => {
        // What is in memory may be ahead of the catalog: it is read again.
        this.#isRestored = false
        this.#deps.watches.listen(undefined)
        this.totals.failures += 1
        this.#deps.onFailure(error)
        const { signal } = this.#closing
        return wait(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
      })
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  async #work(): Promise<void> {
    const { watches } = this.#deps
    // Without alerts nothing is done, and no lease is held.
    if (this.#isIdle) return
    if (!(await this.#holdLease())) {
      await watches.sync()
      await this.#watch()
      const { signal } = this.#closing
      await wait(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
      return
    }
    if (!this.#isRestored) await this.#restore()
    for (let isMore = true; isMore && !this.#closing.signal.aborted; ) {
      isMore = await this.#step()
      if (isMore && !(await this.#holdLease())) return
    }
    if (this.#isKeepingDue()) await this.#keep()
  }

  /** Evaluates some of what is due; whether there may be more. */
  async #step(): Promise<boolean> {
    const { clock, store, watches } = this.#deps
    this.#followClock()
    // Read first: the streams of these spans are known after the watches have followed the catalog.
    const { spans, cursor } =
      watches.isEmpty && !watches.isBehind
        ? { spans: [], cursor: this.#cursor }
        : await store.touchedSince(this.#cursor, SPANS_PER_LOOK)
    const followers = [...this.#followers]
    if (watches.isBehind) await watches.sync()
    await this.#watch()
    await this.#admitJoined()
    // A kill may follow the answer at once.
    if (followers.length > 0 && this.#mustKeep && !this.#isCatchingUp) await this.#keep()
    for (const resolve of followers) resolve()
    if (spans.length > 0) {
      if (clock.now() - this.#mark.atMs > KEEP_EVERY_MS && !this.#isCatchingUp) await this.#keep()
      await evaluateSpans(this.#evaluateDeps(), spans)
    }
    const timers = this.#states.runTimers(TIMERS_PER_LOOK)
    await this.#commit()
    await this.#remind()
    await this.#deleteGone()
    const { lease } = this.#held
    if (lease !== undefined) await this.#progress.keepUrgent(this.#deps.catalogStore, lease)
    this.#cursor = cursor
    if (this.#isCatchingUp && spans.length < SPANS_PER_LOOK) {
      this.#isCatchingUp = false
      // Another crash does not repeat this, and then knows less of when samples arrived.
      if (cursor !== this.#mark.cursor) this.#mustKeep = true
    }
    return spans.length >= SPANS_PER_LOOK || timers >= TIMERS_PER_LOOK
  }

  /** After the wall clock was set back, arrivals would lie in the future, and their silence begin late. */
  #followClock(): void {
    const nowMs = this.#deps.clock.now()
    if (nowMs <= this.#lastNowMs - SET_BACK_MS_MIN) {
      this.#limitArrivals(nowMs)
      this.#states.armAll()
    }
    this.#lastNowMs = nowMs
  }

  /** Limits are kept soon: a start after a crash would read an arrival that is in the past by then. */
  #limitArrivals(nowMs: number): void {
    const limited = this.#deps.watches.table.limitArrivals(nowMs)
    for (const handle of limited) this.#progress.note(handle)
    if (limited.length > 0) this.#mustKeep = true
  }

  #evaluateDeps(): EvaluateDeps {
    const { catalog, clock, store, watches } = this.#deps
    const nowMs = clock.now()
    const { atMs } = this.#mark
    // What arrived before this process evaluates arrived after the mark, and not before its own time.
    const arrivalOf = this.#isCatchingUp
      ? (sampleTime: number) => Math.min(nowMs, Math.max(atMs, sampleTime))
      : () => nowMs
    return {
      catalog,
      store,
      watches,
      states: this.#states,
      arrivalOf,
      mayRepeat: this.#isCatchingUp && this.#mayRepeat,
      onChanges: async () => {
        if (this.#states.changeCount >= CHANGES_MAX) await this.#commit()
      },
      onProgress: (handle) => this.#progress.note(handle),
      onLate: (handle) => this.#progress.noteLate(handle),
      // After a crash this sample would be judged at the time of the mark, at which it was not too old.
      onTooOld: (byMs) => {
        if (byMs <= nowMs - atMs) this.#mustKeep = true
      },
      onFailure: (_loaded, count) => {
        this.totals.failures += count
      },
    }
  }

  async #holdLease(): Promise<boolean> {
    if (!this.#mayHoldLease) return false
    const held = this.#held
    const before = held.lease
    if (before !== undefined && held.ageMs < RENEW_EVERY_MS) return true
    if (!(await held.renew())) {
      this.#isRestored = false
      this.#deps.watches.listen(undefined)
      return false
    }
    // Of a folder nobody else can have held the lease meanwhile.
    const mayHaveChanged = this.#deps.isShared || before === undefined
    if (mayHaveChanged && held.lease?.fence !== before?.fence) this.#isRestored = false
    return true
  }

  /** Reads states and progress from the catalog, as this process begins to evaluate. */
  async #restore(): Promise<void> {
    const { catalog, catalogStore, clock, store, watches } = this.#deps
    this.#states = this.#newStates()
    this.#progress.clear()
    watches.listen(undefined)
    const mark = await readMark(catalogStore)
    await watches.sync()
    watches.table.resetProgress()
    const known = await readEvaluated(catalogStore, watches.table)
    const nowMs = clock.now()
    this.#limitArrivals(nowMs)
    const epoch = (mark?.epoch ?? 0) + 1
    this.#sequence = epoch * SEQUENCES_PER_EPOCH
    this.#cursor = mark?.cursor ?? (await this.#endOfSpans())
    this.#mark = { cursor: this.#cursor, atMs: mark?.atMs ?? nowMs, epoch }
    this.#isCatchingUp = mark !== undefined
    this.#mayRepeat = mark?.isLast !== true
    const fresh = this.#admitUnknown(known)
    await this.#watch(true)
    const deps = { catalogStore, index: catalog.index, watches, states: this.#states }
    await restoreStates(deps, this.#deps.listOrganizations())
    await this.#readLatest(fresh, store)
    if (fresh.length > 0) this.#mustKeep = true
    this.#states.armAll()
    watches.listen(this.#states)
    this.#isRestored = true
    this.#keptAtMs = clock.elapsed()
    // From here on numbers of this epoch are used.
    await this.#keepMark()
  }

  /**
   * Streams of which no progress is kept. A stream that was made after the mark has no sample from before it. Returns the
   * others, which alerts began to watch after the mark.
   */
  #admitUnknown(known: ReadonlySet<number>): StreamHandle[] {
    const { watches } = this.#deps
    const { atMs } = this.#mark
    const fresh: StreamHandle[] = []
    for (const handle of watches.table.handles()) {
      if (known.has(handle)) continue
      const refs = watches.table.refsOf(handle)
      const begins = refs.map((ref) => watches.byRef(ref)?.alert.startedMs ?? 0)
      if (!this.#isCatchingUp || begins.every((startedMs) => startedMs > atMs)) fresh.push(handle)
      else watches.table.setArrival(handle, atMs)
    }
    return fresh
  }

  /** The cursor behind all spans. */
  async #endOfSpans(): Promise<number> {
    for (let cursor = 0; ; ) {
      const next = await this.#deps.store.touchedSince(cursor, SPANS_PER_LOOK)
      if (next.cursor === cursor || next.spans.length === 0) return next.cursor
      cursor = next.cursor
    }
  }

  /** What streams had before they were watched is evaluated already. */
  async #readLatest(handles: readonly StreamHandle[], store: SampleStore): Promise<void> {
    const { clock, watches } = this.#deps
    for (let at = 0; at < handles.length; at += LATEST_AT_ONCE) {
      const some = handles.slice(at, at + LATEST_AT_ONCE)
      const latest = await store.latest(some, { isTimesOnly: true })
      for (const [place, handle] of some.entries()) {
        const time = latest[place]?.time
        if (time !== undefined) watches.table.setLastTime(handle, time)
        watches.table.setArrival(handle, clock.now())
        this.#progress.note(handle)
      }
      await nextIteration()
    }
  }

  async #admitJoined(): Promise<void> {
    const { store, watches } = this.#deps
    const fresh: StreamHandle[] = []
    for (const { handle, isNew } of this.#states.takeJoined()) {
      if (watches.table.lastTimeOf(handle) !== NEVER) continue
      if (!isNew) fresh.push(handle)
      else if (watches.table.arrivalOf(handle) === NEVER) {
        watches.table.setArrival(handle, this.#deps.clock.now())
      }
    }
    if (fresh.length === 0) return
    await this.#readLatest(fresh, store)
    this.#mustKeep = true
  }

  /** Passes the watched streams to the store when they have changed. */
  async #watch(isForced = false): Promise<void> {
    const { clock, store, watches } = this.#deps
    const { generation } = watches.table
    const elapsed = clock.elapsed()
    const isDue = generation !== this.#watchedGeneration || watches.isOverWatched
    if (!isForced && (!isDue || elapsed - this.#watchedAtMs < WATCH_EVERY_MS)) return
    if (!this.#mayHoldLease) return
    this.#watchedAtMs = elapsed
    await store.watch([...watches.table.handles()])
    this.#watchedGeneration = generation
    watches.noteWatched()
  }

  /** Stores changes, those of one organization in commits of their own. */
  async #commit(): Promise<void> {
    const taken = this.#states.takeChanges()
    if (taken.length === 0) return
    const { index } = this.#deps.catalog
    const changes = await nameStanding({ ...this.#deps, index, states: this.#states }, taken)
    const byOrganization = Map.groupBy(changes, ({ loaded }) => loaded.alert.orgUid)
    for (const some of byOrganization.values()) await this.#commitOf(some)
    this.#states.forgetOk(changes, ({ loaded, names }) =>
      index.hasLivingUid(names.streamUid)
        ? index.streamByUid(loaded.alert.orgUid, names.streamUid)
        : 0,
    )
    this.totals.changes += changes.length
  }

  async #commitOf(changes: readonly StateChange[]): Promise<void> {
    const { catalog, catalogStore } = this.#deps
    const readsNames = changes.length <= NAMES_READ_MAX
    let writes = new Map<string, CatalogWrite>()
    let written: Promise<unknown> | undefined
    for (const [at, change] of changes.entries()) {
      const { names, loaded } = change
      const { orgUid } = loaded.alert
      const name = readsNames ? await catalog.componentName(orgUid, names.componentUid) : undefined
      // Of several states of one stream the last is kept.
      for (const write of writesOf(change, name ?? names.componentId)) {
        writes.set(`${write.kind} ${write.uid}`, write)
      }
      if (writes.size < WRITES_PER_COMMIT && at + 1 < changes.length) continue
      // The next writes are made while the catalog stores these.
      await written
      written = catalogStore.commit([...writes.values()], this.#held.lease)
      written.catch(() => {})
      writes = new Map()
      await nextIteration()
    }
    await written
  }

  /** Reminds of states that fire still, and reports them when a mute has ended. */
  async #remind(): Promise<void> {
    const { catalogStore } = this.#deps
    for (const reminder of this.#states.takeReminders()) {
      const { loaded, names, state } = reminder
      const { orgUid, uid: alertUid } = loaded.alert
      const place = { orgUid, alertUid, streamUid: names.streamUid }
      const now = this.#states.stateOf(loaded.ref, reminder.handle)
      const isOver = now.state !== 'FIRING' || now.eventUid !== state.eventUid
      if (isOver || (await isAcknowledged(catalogStore, place, state.eventUid))) continue
      this.#states.remind(reminder, 'repeat')
    }
    for (const loaded of this.#states.takeUnmuted()) await this.#unmute(loaded)
    await this.#commit()
  }

  async #unmute(loaded: LoadedAlert): Promise<void> {
    const { catalogStore } = this.#deps
    const { mute } = loaded.context
    if (mute === undefined) return
    for (const firing of [...this.#states.firing(loaded.ref)]) {
      const { noticeMs, unmutedOf } = firing.state
      const isTold = noticeMs !== null && noticeMs >= (mute.untilMs ?? noticeMs)
      if (unmutedOf === mute.uid || isTold) continue
      this.#states.remind({ ...firing, loaded }, 'unmuted', mute.uid)
    }
    await this.#commit()
    const { orgUid, uid } = loaded.alert
    const key = { orgUid, kind: 'alert_mute', uid }
    const document = await catalogStore.get(key)
    // Somebody may have muted it again.
    if (document === undefined || document.body.untilMs !== mute.untilMs) return
    const { revision } = document
    const deletion = { op: 'delete', ...key, expectedRevision: revision } as const
    await catalogStore.commit([deletion], this.#held.lease)
  }

  async #deleteGone(): Promise<void> {
    for (const { alert } of this.#states.takeGone()) {
      await deleteChildren(this.#deps.catalogStore, alert, this.#held.lease)
    }
  }

  #isKeepingDue(): boolean {
    if (this.#mustKeep) return true
    if (this.#cursor === this.#mark.cursor && !this.#progress.isDirty) return false
    return this.#deps.clock.elapsed() - this.#keptAtMs >= KEEP_EVERY_MS
  }

  async #keep(isLast = false): Promise<void> {
    const { lease } = this.#held
    if (lease === undefined) return
    this.#mustKeep = false
    this.#keptAtMs = this.#deps.clock.elapsed()
    const mark = { ...this.#mark, cursor: this.#cursor, atMs: this.#deps.clock.now() }
    await this.#progress.keep(this.#deps.catalogStore, lease, { ...mark, isLast })
    this.#mark = mark
  }

  /** Keeps the epoch, and nothing of what is not evaluated yet. */
  async #keepMark(): Promise<void> {
    const { lease } = this.#held
    if (lease === undefined) return
    const book = new ProgressBook(this.#deps.watches.table, this.#deps.catalog.index)
    await book.keep(this.#deps.catalogStore, lease, this.#mark)
  }
}
