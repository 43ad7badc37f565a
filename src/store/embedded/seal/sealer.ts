import { systemClock } from '../../../base/index.ts'
import { asFolderDamage } from '../damage/folder-damaged.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import type { SealerEvents, SealerLink } from './sealer-link.ts'
import type { SealerReply } from './sealer-protocol.ts'

/** So long one that may wait does: sealing takes processor time from a bulk load in progress. */
const WAITS_MS = 10_000

/** This number of segments may always wait, whatever they hold. */
const FEW_WAIT = 3

/** What each of those that may wait holds on average: twice what a segment of the usual length does. */
const WAITING_BYTES = 64 * 1024 * 1024

/** A segment and the memory that it takes until it is sealed. */
interface HeldSegment {
  readonly segment: number
  readonly bytes: number
}

interface ClosedSegment extends HeldSegment {
  readonly closedAtMs: number
}

interface SealerOptions {
  start(events: SealerEvents): SealerLink
  /** How many segments may be sealed in one pass. */
  readonly togetherMax: number
  /** How long to wait before sealing again when the disk was full, or the like. */
  readonly roomRetryMs: number
  /** Called once segments are in samples.db for good. */
  onSealed(segments: readonly number[], damages: readonly FoundDamage[]): void
  /** Called when sealing cannot go on for now, or at all, for a reason that was not reported before. */
  onStuck(reason: string): void
  /** Called with what is wrong beside what was sealed; a segment that could not be is kept. */
  onUnsealable(damage: FoundDamage): void
  /** Called with an error that only a mistake in Weir can produce. */
  onBug(error: unknown): void
}

/** The main thread's end of the sealer: closed segments are sealed in order, those that wait together where they can. */
export class Sealer {
  readonly #options: SealerOptions
  readonly #link: SealerLink
  readonly #ready: Promise<void>
  readonly #watchers = new Map<number, { resolve(): void; reject(error: Error): void }>()
  readonly #repairs: Array<(isDone: boolean) => void> = []
  #queue: ClosedSegment[] = []
  #held: ClosedSegment[] = []
  #waiting: Array<() => void> = []
  #watches = 0
  /** Streams that are watched and that samples.db does not know yet. */
  #unreported = new Set<number>()
  /** Those that went with the seal under way. */
  #telling: readonly number[] = []
  #isSealing = false
  #isClosing = false
  #releasing: NodeJS.Timeout | undefined
  #isEnded = false
  #stuckReason: string | undefined

  constructor(options: SealerOptions) {
    this.#options = options
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#ready = promise
    let isReady = false
    this.#link = options.start({
      onReply: (reply) => {
        isReady = true
        if (reply.op === 'ready') resolve()
        else this.#onReply(reply)
      },
      onDied: (error) => {
        reject(asFolderDamage(error))
        this.#end()
        // A file that cannot be opened is reported by ready() alone; later only a bug ends the thread.
        if (!isReady) return
        this.#stop(`the sealer died: ${String(error)}`)
        this.#options.onBug(error)
      },
    })
  }

  /** Why nothing can be sealed, or undefined. */
  get stuckReason(): string | undefined {
    return this.#stuckReason
  }

  /** Segments that are closed and wait for nothing but the sealer. */
  get backlog(): number {
    return this.#queue.length
  }

  /**
   * Whether the backlog is too long: more segments than `backlogMax`, or fewer that hold more bytes than that many
   * usually do.
   */
  isBehind(backlogMax: number): boolean {
    const waiting = this.#queue.length
    if (waiting <= Math.min(FEW_WAIT, backlogMax)) return false
    const bytes = this.#queue.reduce((sum, closed) => sum + closed.bytes, 0)
    return waiting > backlogMax || bytes > (backlogMax + 1) * WAITING_BYTES
  }

  /** All segments that are closed and not yet sealed, and for how long the oldest waits; 0 when there is none. */
  get unsealed(): { readonly count: number; readonly lagMs: number } {
    const count = this.#queue.length + this.#held.length
    const oldest = this.#queue[0] ?? this.#held[0]
    return { count, lagMs: oldest === undefined ? 0 : systemClock.elapsed() - oldest.closedAtMs }
  }

  /** Resolves once samples.db is there. */
  ready(): Promise<void> {
    return this.#ready
  }

  /** Seals segments before all others; those that are held from release() on, or when another is closed. */
  sealFirst(generations: readonly HeldSegment[], { isHeld }: { readonly isHeld: boolean }): void {
    this.#held = generations.map(closedNow)
    if (!isHeld) this.release()
  }

  /** Lets what is held be sealed. */
  release(): void {
    clearTimeout(this.#releasing)
    this.#releasing = undefined
    this.#queue.push(...this.#held.splice(0))
    this.#next()
  }

  /** Seals a segment after those given before; one that may wait with the next, or some seconds later. */
  enqueue(generation: HeldSegment, { mayWait }: { readonly mayWait: boolean }): void {
    this.#held.push(closedNow(generation))
    if (mayWait) {
      this.#releasing ??= setTimeout(() => this.release(), WAITS_MS).unref()
      return
    }
    this.release()
  }

  /** Resolves when the backlog has changed, or sealing is stuck. */
  changed(): Promise<void> {
    if (this.#stuckReason !== undefined || this.#queue.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Replaces the set of streams whose touched spans are kept. */
  watch(handles: readonly number[]): Promise<void> {
    this.#watches += 1
    const id = this.#watches
    this.#unreported = new Set()
    return new Promise((resolve, reject) => {
      const rejectAll = (error: Error): void => {
        for (const handle of handles) this.#unreported.add(handle)
        reject(error)
      }
      this.#watchers.set(id, { resolve, reject: rejectAll })
      this.#link.send({ op: 'watch', id, handles })
    })
  }

  /** Adds one stream to those whose touched spans are kept; no segment is sealed without knowing it. */
  watchAlso(handle: number): void {
    this.#unreported.add(handle)
  }

  /** Builds the index of the rows again from the rows; false where those are damaged. */
  async repair(): Promise<boolean> {
    if (this.#isEnded) return false
    return await new Promise((resolve) => {
      this.#repairs.push(resolve)
      this.#link.send({ op: 'mend' })
    })
  }

  /** Stops where the seal under way may stop; what is left is sealed after the next start. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#releasing)
    await this.#link.close()
    this.#end()
    this.#wake()
  }

  /** Nobody is there to follow commands. */
  #end(): void {
    this.#isEnded = true
    for (const resolve of this.#repairs.splice(0)) resolve(false)
  }

  #next(): void {
    if (this.#isSealing || this.#isClosing || this.#queue.length === 0) return
    this.#isSealing = true
    this.#telling = [...this.#unreported]
    this.#unreported = new Set()
    // Where one failed, for lack of room say, the first alone needs least and gives back what it held.
    const togetherMax = this.#stuckReason === undefined ? this.#options.togetherMax : 1
    const segments = this.#queue.slice(0, togetherMax).map(({ segment }) => segment)
    this.#link.send({ op: 'seal', segments, watched: this.#telling })
  }

  #onReply(reply: SealerReply): void {
    if (reply.op === 'watched') {
      const watcher = this.#watchers.get(reply.id)
      this.#watchers.delete(reply.id)
      if (reply.what === undefined) watcher?.resolve()
      else watcher?.reject(new Error(`Cannot keep the watched streams: ${reply.what}`))
      return
    }
    if (reply.op === 'mended') {
      for (const damage of reply.damages) this.#options.onUnsealable(damage)
      this.#repairs.shift()?.(reply.isDone)
      return
    }
    this.#isSealing = false
    if (reply.op !== 'sealed') for (const handle of this.#telling) this.#unreported.add(handle)
    if (reply.op === 'failed') this.#onFailed(reply)
    if (reply.op !== 'sealed') return
    this.#stuckReason = undefined
    this.#queue.splice(0, reply.segments.length)
    this.#options.onSealed(reply.segments, reply.damages)
    this.#wake()
    this.#next()
  }

  #onFailed(reply: Extract<SealerReply, { op: 'failed' }>): void {
    for (const damage of reply.damages) this.#options.onUnsealable(damage)
    if (reply.passing === undefined) {
      this.#stop(`sealing failed: ${reply.what}`)
      return
    }
    this.#stick(reply.passing)
    setTimeout(() => this.#next(), this.#options.roomRetryMs).unref()
  }

  #stop(reason: string): void {
    this.#isSealing = true
    this.#stick(reason)
  }

  #stick(reason: string): void {
    const isNews = reason !== this.#stuckReason
    this.#stuckReason = reason
    if (isNews) this.#options.onStuck(reason)
    this.#wake()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

function closedNow({ segment, bytes }: HeldSegment): ClosedSegment {
  return { segment, bytes, closedAtMs: systemClock.elapsed() }
}
