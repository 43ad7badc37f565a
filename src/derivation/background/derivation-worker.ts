import { setTimeout as wait } from 'node:timers/promises'
import { type Clock, nextIteration } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import {
  type CatalogStore,
  HeldLease,
  type StreamHandle,
  type TouchedSpan,
} from '../../store/index.ts'
import type { ComponentLocks } from '../component-locks.ts'
import { type DerivationGraph, isProblem } from '../derivation-plan.ts'
import { StreamRanks } from '../stream-ranks.ts'
import { cursorWrite, readCursor } from './derivation-cursor.ts'
import { derivePending, type UpdateDeps } from './derive-pending.ts'
import { DueLevels } from './due-levels.ts'
import { PendingUpdates } from './pending-updates.ts'

/** How soon appends are looked for; what is derived is there well within two seconds. */
const LOOK_EVERY_MS = 100
/** How soon is looked again whether the process that derives has gone, or the store can be written. */
const RETRY_MS = 1_000
/** How often the cursor is kept: a crash derives so much once more, which changes nothing. */
const KEEP_EVERY_MS = 5_000
const LEASE_MS = 60_000
/** Well below the time that a lease lasts. */
const RENEW_EVERY_MS = 15_000
/** Touched spans taken at a time. */
const SPANS_PER_LOOK = 2_000
/** Looks for what streams of one rank have touched; what is left after them is taken the next time. */
const LOOKS_PER_LEVEL_MAX = 20
/** Streams derived at a time: their samples become durable together. */
const STREAMS_AT_ONCE = 64
/** A stream with much to derive lets the others have their turn after so long. */
const SLICE_MS = 250
/** How often the whole set of watched streams is read from the store. */
const WATCH_EVERY_MS = 1_000

const LEASE_NAME = 'derivation'

/** No generation of the graph. */
const NEVER = -1

/** What the worker is built from. */
interface WorkerDeps extends UpdateDeps {
  readonly catalog: Pick<CatalogStore, 'get' | 'commit' | 'acquireLease' | 'releaseLease'>
  readonly clock: Clock
  readonly graph: DerivationGraph
  readonly holder: string
  readonly index: StreamIndex
  readonly locks: ComponentLocks
  readonly onFailure: (error: unknown) => void
}

/** How far a pass is. */
interface PassState {
  /** Streams up to this rank were derived. */
  readonly rank: number
  readonly due: DueLevels
  /** What the next pass has to derive. */
  readonly late: Map<StreamHandle, PendingUpdates>
}

/**
 * Derives in the background what was touched. The store reports every change at least once, across
 * restarts; deriving it again changes nothing. Stored results are reported to streams that are derived
 * from it, so a chain follows link by link. While no stream is derived it does nothing, not even look.
 */
export class DerivationWorker {
  readonly #deps: WorkerDeps
  readonly #ranks: StreamRanks
  /** What could not be derived yet: the component is locked, or the store takes nothing. */
  #waiting = new Map<StreamHandle, PendingUpdates>()
  readonly #held: HeldLease
  /** Everything up to here was derived, or waits. */
  #cursor = 0
  /** Everything up to here was derived. */
  #safeCursor = 0
  #keptCursor = 0
  #keptAt = 0
  #watchedGeneration = NEVER
  #watchableAt = 0
  #mayHoldLease = true
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  /** Why a stream could not be derived, in the look under way. */
  #failure: unknown
  readonly #closing = new AbortController()

  constructor(deps: WorkerDeps) {
    this.#deps = deps
    this.#ranks = new StreamRanks(deps.graph)
    const { catalog, clock, holder } = deps
    this.#held = new HeldLease({ catalog, clock, holder, name: LEASE_NAME, ttlMs: LEASE_MS })
  }

  /** Streams that wait until they can be derived. */
  get waitingCount(): number {
    return this.#waiting.size
  }

  /**
   * Begins: what is touched from here on is derived, and what earlier processes have left. A process that knows only
   * some of the streams must not hold the lease, and must not tell the store which streams are watched.
   */
  async start(mayHoldLease = true): Promise<void> {
    this.#mayHoldLease = mayHoldLease
    // A disk that is full keeps nobody from reading: the next look tells the store once more.
    if (mayHoldLease) await this.#watch().catch(this.#deps.onFailure)
    this.wake()
  }

  /** Takes in that a stream has become the source of another. */
  addSource(handle: StreamHandle): void {
    this.#deps.store.watchAlso(handle)
    this.wake()
  }

  /** Looks for work from here on, while any stream is derived. */
  wake(): void {
    if (this.#closing.signal.aborted || this.#timer !== undefined || this.#looking !== undefined)
      return
    if (this.#deps.graph.isEmpty && this.#watchedGeneration === NEVER) return
    this.#lookAfter(LOOK_EVERY_MS)
  }

  /** Derives all that was touched before the call; for who must not wait. */
  async settle(): Promise<void> {
    await this.#looking
    await this.#look()
  }

  /** Ends the work under way, and keeps how far it is. */
  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#timer)
    await this.#looking
    if (this.#held.lease === undefined) {
      await this.#deps.status.flush([]).catch(this.#deps.onFailure)
      return
    }
    await this.#keep().catch(this.#deps.onFailure)
    await this.#held.release()
  }

  #lookAfter(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      void this.#look().then(() => this.wake())
    }, ms)
    this.#timer.unref()
  }

  /** One look at a time; errors are reported, and the next look tries again. */
  #look(): Promise<void> {
    this.#looking ??= this.#work()
      .catch((error: unknown) => {
        // What was taken in and not derived is reported again.
        this.#cursor = this.#safeCursor
        this.#deps.onFailure(error)
        return this.#rest()
      })
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  async #rest(): Promise<void> {
    const { signal } = this.#closing
    await wait(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
  }

  async #work(): Promise<void> {
    const { clock } = this.#deps
    if (!(await this.#holdLease())) {
      await this.#keepRemote()
      return this.#rest()
    }
    await this.#watch()
    for (;;) {
      const before = this.#cursor
      const waited = this.#waiting.size
      this.#failure = undefined
      await this.#pass()
      if (this.#closing.signal.aborted) return
      // Also while one stream has much to derive: how far it is counts after a crash.
      if (clock.elapsed() - this.#keptAt >= KEEP_EVERY_MS) await this.#keep()
      if (this.#failure !== undefined) return this.#rest()
      // What had waited and was derived is touched itself, which may be due to others.
      const isMore =
        this.#cursor !== before || this.#waiting.size < waited || (await this.#hasRoundsLeft())
      if (!isMore || !(await this.#holdLease())) return
    }
  }

  /**
   * Derives what waits and what was touched, by ascending rank: what streams of one rank have touched is due to those
   * behind them, so each is derived once, after all its sources.
   */
  async #pass(): Promise<void> {
    const due = new DueLevels(this.#ranks)
    for (const [derived, pending] of this.#waiting) due.set(derived, pending)
    this.#waiting = new Map()
    const late = new Map<StreamHandle, PendingUpdates>()
    await this.#take((derived) => due.pendingOf(derived))
    const begun = this.#cursor
    for (let level = due.takeFirst(); level !== undefined; level = due.takeFirst()) {
      const { rank } = level
      await this.#deriveAll(level.due)
      let before: number
      let looks = 0
      do {
        before = this.#cursor
        await this.#take((derived) => this.#pendingBehind(derived, { rank, due, late }))
        looks += 1
      } while (this.#cursor !== before && looks < LOOKS_PER_LEVEL_MAX)
    }
    // What was touched too late for this pass was touched after it began.
    if (this.#waiting.size === 0) this.#safeCursor = late.size === 0 ? this.#cursor : begun
    for (const [derived, pending] of late) this.#waiting.set(derived, pending)
  }

  /** Takes in what was touched since the last time. */
  async #take(pendingOf: (derived: StreamHandle) => PendingUpdates): Promise<void> {
    const { graph, store } = this.#deps
    const { spans, cursor } = await store.touchedSince(this.#cursor, SPANS_PER_LOOK)
    for (const span of spans) {
      for (const derived of graph.dependentsOf(span.handle)) pendingOf(derived).add(span)
    }
    this.#cursor = cursor
  }

  /** Where is noted what is due after streams of a rank were derived: in this pass, or in the next. */
  #pendingBehind(derived: StreamHandle, { rank, due, late }: PassState): PendingUpdates {
    const waiting = this.#waiting.get(derived)
    if (waiting !== undefined) return waiting
    if (this.#ranks.of(derived) > rank) return due.pendingOf(derived)
    return late.getOrInsertComputed(derived, () => new PendingUpdates())
  }

  async #deriveAll(due: ReadonlyMap<StreamHandle, PendingUpdates>): Promise<void> {
    const queue = due.entries()
    const worker = async (): Promise<void> => {
      for (const [derived, pending] of queue) {
        if (this.#closing.signal.aborted || !(await this.#derive(derived, pending)))
          this.#waiting.set(derived, pending)
        await nextIteration()
      }
    }
    await Promise.all(Array.from({ length: Math.min(STREAMS_AT_ONCE, due.size) }, worker))
  }

  /** False: it has to be tried again. */
  async #derive(derived: StreamHandle, pending: PendingUpdates): Promise<boolean> {
    const { clock, graph, index, locks, onFailure, status } = this.#deps
    if (!index.has(derived)) return true
    try {
      if (await locks.isLocked(index.componentOf(derived).uid)) return false
      const plan = await graph.planOf(derived)
      if (isProblem(plan)) {
        await status.noteHindrance(derived, plan.problem)
        return true
      }
      const begunAt = clock.elapsed()
      const onBlock = async () =>
        clock.elapsed() - begunAt < SLICE_MS &&
        !this.#closing.signal.aborted &&
        !(await locks.isLocked(plan.componentUid))
      const touchedSince = (handles: readonly StreamHandle[]) => this.#touchedSince(handles)
      return (await derivePending(this.#deps, plan, pending, { onBlock, touchedSince })).isThrough
    } catch (error) {
      // A stream that was deleted meanwhile takes nothing, and needs nothing.
      if (!index.has(derived)) return true
      // The store that takes nothing refuses every stream: one of them is enough to report it.
      if (this.#failure === undefined) onFailure(error)
      this.#failure = error
      await status.noteProblem(derived, messageOf(error))
      return false
    }
  }

  /** Where streams were touched since the look began; undefined where that is too much to list. */
  async #touchedSince(handles: readonly StreamHandle[]): Promise<TouchedSpan[] | undefined> {
    const { spans } = await this.#deps.store.touchedSince(this.#cursor, SPANS_PER_LOOK)
    if (spans.length >= SPANS_PER_LOOK) return undefined
    const asked = new Set(handles)
    return spans.filter(({ handle }) => asked.has(handle))
  }

  /**
   * The earliest time at which one of some streams was touched that is not derived yet; undefined where
   * that is too much to list.
   */
  async earliestTouch(handles: readonly StreamHandle[]): Promise<number | undefined> {
    const touches = await this.openTouches(handles)
    return touches === undefined ? undefined : Math.min(...touches.map(({ from }) => from))
  }

  /** Changed spans of some streams that are not derived yet; undefined when there are too many. */
  async openTouches(handles: readonly StreamHandle[]): Promise<TouchedSpan[] | undefined> {
    // Where another process derives, its saved progress counts.
    const { catalog, store } = this.#deps
    const derived = this.#held.lease === undefined ? await readCursor(catalog) : this.#safeCursor
    const { spans } = await store.touchedSince(derived, SPANS_PER_LOOK)
    if (spans.length >= SPANS_PER_LOOK) return undefined
    const asked = new Set(handles)
    return spans.filter(({ handle }) => asked.has(handle))
  }

  /** Whether streams wait that are not kept from being derived: they had their turn and need another. */
  async #hasRoundsLeft(): Promise<boolean> {
    const { index, locks } = this.#deps
    for (const derived of this.#waiting.keys()) {
      if (index.has(derived) && !(await locks.isLocked(index.componentOf(derived).uid))) return true
    }
    return false
  }

  /** Passes the set of watched streams to the store when it has changed. */
  async #watch(): Promise<void> {
    const { clock, graph, store } = this.#deps
    const { generation } = graph
    const elapsed = clock.elapsed()
    if (generation === this.#watchedGeneration || elapsed < this.#watchableAt) return
    this.#watchableAt = elapsed + WATCH_EVERY_MS
    await store.watch(graph.watched())
    this.#watchedGeneration = graph.isEmpty ? NEVER : generation
  }

  async #holdLease(): Promise<boolean> {
    if (!this.#mayHoldLease) return false
    const held = this.#held
    const before = held.lease
    if (before !== undefined && held.ageMs < RENEW_EVERY_MS) return true
    if (!(await held.renew())) return false
    if (held.lease?.fence !== before?.fence) {
      this.#cursor = await readCursor(this.#deps.catalog)
      this.#safeCursor = this.#cursor
      this.#keptCursor = this.#cursor
      this.#waiting.clear()
    }
    return true
  }

  /** Keeps what has become of streams that puts of this process have derived, while another one holds the lease. */
  async #keepRemote(): Promise<void> {
    const { clock, status } = this.#deps
    if (clock.elapsed() - this.#keptAt < KEEP_EVERY_MS || !status.isDirty) return
    this.#keptAt = clock.elapsed()
    await status.flush([])
  }

  /** Keeps what has become of streams, then how far all of it is. */
  async #keep(): Promise<void> {
    const { clock, status } = this.#deps
    const cursor = this.#safeCursor
    this.#keptAt = clock.elapsed()
    await status.flush(cursor === this.#keptCursor ? [] : [cursorWrite(cursor)])
    this.#keptCursor = cursor
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error && 'code' in error
    ? error.message
    : 'Internal error. See the log of the service'
}
