import { systemClock } from '../../../base/index.ts'
import { asFolderDamage } from '../damage/folder-damaged.ts'
import type { FoundDamage } from '../damage/found-damage.ts'
import type { SealerEvents, SealerLink } from './sealer-link.ts'
import type { SealerReply } from './sealer-protocol.ts'

/** So long one that may wait does: sealing takes processor time from a fleet that signs on meanwhile. */
const WAITS_MS = 10_000

interface SealerOptions {
  start(events: SealerEvents): SealerLink
  /** How long to wait before sealing again when the disk was full, or the like. */
  readonly roomRetryMs: number
  /** Called once a segment is in samples.db for good. */
  onSealed(segment: number, damages: readonly FoundDamage[]): void
  /** Called with what is wrong beside what was sealed; a segment that could not be is kept. */
  onUnsealable(damage: FoundDamage): void
  /** Called with an error that only a mistake in Weir can produce. */
  onBug(error: unknown): void
}

/** The main thread's end of the sealer: closed segments are sealed one after the other, in order. */
export class Sealer {
  readonly #options: SealerOptions
  readonly #link: SealerLink
  readonly #ready: Promise<void>
  readonly #watchers = new Map<number, { resolve(): void; reject(error: Error): void }>()
  readonly #menders: Array<(isDone: boolean) => void> = []
  #queue: number[] = []
  #held: number[] = []
  /** When each of the queue was closed. */
  #closedAtMs: number[] = []
  #waiting: Array<() => void> = []
  #watches = 0
  /** Streams that are watched and that samples.db has not been told of. */
  #untold = new Set<number>()
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
        this.#stop(`the sealer died: ${String(error)}`)
        this.#end()
        // A file that cannot be opened is told by ready(); later the thread dies of a bug only.
        if (isReady) this.#options.onBug(error)
      },
    })
  }

  /** Why nothing can be sealed, or undefined. */
  get stuckReason(): string | undefined {
    return this.#stuckReason
  }

  /** Segments that are closed and not yet sealed. */
  get backlog(): number {
    return this.#queue.length
  }

  /** For how long the oldest segment of the backlog waits; 0 when there is none. */
  get lagMs(): number {
    const [oldest] = this.#closedAtMs
    return oldest === undefined ? 0 : systemClock.elapsed() - oldest
  }

  /** Resolves once samples.db is there. */
  ready(): Promise<void> {
    return this.#ready
  }

  /** Seals segments before all others; those that are held from release() on, or when another is closed. */
  sealFirst(
    generations: readonly { readonly segment: number }[],
    { isHeld }: { readonly isHeld: boolean },
  ): void {
    this.#held = generations.map(({ segment }) => segment)
    if (!isHeld) this.release()
  }

  /** Lets what is held be sealed. */
  release(): void {
    clearTimeout(this.#releasing)
    this.#releasing = undefined
    for (const segment of this.#held.splice(0)) this.#push(segment)
  }

  /** Seals a segment after those given before; one that may wait with the next, or some seconds later. */
  enqueue(segment: number, { mayWait }: { readonly mayWait: boolean }): void {
    if (mayWait) {
      this.#held.push(segment)
      this.#releasing ??= setTimeout(() => this.release(), WAITS_MS).unref()
      return
    }
    this.release()
    this.#push(segment)
  }

  #push(segment: number): void {
    this.#queue.push(segment)
    this.#closedAtMs.push(systemClock.elapsed())
    this.#next()
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
    this.#untold = new Set()
    return new Promise((resolve, reject) => {
      const rejectAll = (error: Error): void => {
        for (const handle of handles) this.#untold.add(handle)
        reject(error)
      }
      this.#watchers.set(id, { resolve, reject: rejectAll })
      this.#link.send({ op: 'watch', id, handles })
    })
  }

  /** Adds one stream to those whose touched spans are kept; no segment is sealed without knowing it. */
  watchAlso(handle: number): void {
    this.#untold.add(handle)
  }

  /** Builds the index of the rows again from the rows; false where those are damaged. */
  async mend(): Promise<boolean> {
    if (this.#isEnded) return false
    return await new Promise((resolve) => {
      this.#menders.push(resolve)
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
    for (const resolve of this.#menders.splice(0)) resolve(false)
  }

  #next(): void {
    if (this.#isSealing || this.#isClosing || this.#queue.length === 0) return
    this.#isSealing = true
    this.#telling = [...this.#untold]
    this.#untold = new Set()
    this.#link.send({ op: 'seal', segment: this.#queue[0], watched: this.#telling })
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
      this.#menders.shift()?.(reply.isDone)
      return
    }
    this.#isSealing = false
    if (reply.op !== 'sealed') for (const handle of this.#telling) this.#untold.add(handle)
    if (reply.op === 'failed') this.#onFailed(reply)
    if (reply.op !== 'sealed') return
    this.#stuckReason = undefined
    this.#queue.shift()
    this.#closedAtMs.shift()
    this.#options.onSealed(reply.segment, reply.damages)
    this.#wake()
    this.#next()
  }

  #onFailed(reply: Extract<SealerReply, { op: 'failed' }>): void {
    for (const damage of reply.damages) this.#options.onUnsealable(damage)
    if (reply.passing === undefined) {
      this.#stop(`sealing failed: ${reply.what}`)
      return
    }
    this.#stuckReason = reply.passing
    this.#wake()
    setTimeout(() => this.#next(), this.#options.roomRetryMs).unref()
  }

  #stop(reason: string): void {
    this.#stuckReason = reason
    this.#isSealing = true
    this.#wake()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
