import { Worker } from 'node:worker_threads'
import type { FoundDamage } from '../replay.ts'
import type { SealerCommand, SealerReply, SealerThreadData } from './sealer-protocol.ts'

export interface SealerOptions extends Omit<SealerThreadData, 'control'> {
  /** How long to wait before sealing again on a disk that was full. */
  readonly roomRetryMs: number
  /** Called once a segment is in samples.db for good. */
  onSealed(segment: number, damages: readonly FoundDamage[]): void
  /** Called with an error that only a mistake in Weir can produce. */
  onBug(error: unknown): void
}

/** The main thread's end of the sealer: closed segments are sealed one after the other, in order. */
export class Sealer {
  readonly #options: SealerOptions
  readonly #worker: Worker
  readonly #cells: Int32Array
  readonly #ready: Promise<void>
  readonly #exited: Promise<void>
  readonly #watchers = new Map<number, { resolve(): void; reject(error: Error): void }>()
  #queue: number[] = []
  #waiting: Array<() => void> = []
  #watches = 0
  #isSealing = false
  #isClosing = false
  #stuckReason: string | undefined

  constructor(options: SealerOptions) {
    this.#options = options
    const { file, journalFolder, faults } = options
    const control = new SharedArrayBuffer(4)
    this.#cells = new Int32Array(control)
    const workerData: SealerThreadData = { file, journalFolder, faults, control }
    this.#worker = new Worker(new URL('./sealer-thread.ts', import.meta.url), {
      workerData,
      name: 'sealer',
    })
    this.#exited = new Promise((resolve) => this.#worker.once('exit', () => resolve()))
    this.#ready = new Promise((resolve, reject) => {
      let isReady = false
      this.#worker.on('message', (reply: SealerReply) => {
        isReady = true
        if (reply.op === 'ready') resolve()
        else this.#onReply(reply)
      })
      this.#worker.on('error', (error) => {
        reject(error)
        this.#stop(`the sealer died: ${String(error)}`)
        // A file that cannot be opened is told by ready(); later the thread dies of a bug only.
        if (isReady) this.#options.onBug(error)
      })
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

  /** Resolves once samples.db is there. */
  ready(): Promise<void> {
    return this.#ready
  }

  /** Seals a segment after those given before. */
  enqueue(segment: number): void {
    this.#queue.push(segment)
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
    return new Promise((resolve, reject) => {
      this.#watchers.set(id, { resolve, reject })
      this.#send({ op: 'watch', id, handles })
    })
  }

  /** Stops where the seal under way may stop; what is left is sealed after the next start. */
  async close(): Promise<void> {
    this.#isClosing = true
    Atomics.store(this.#cells, 0, 1)
    this.#send({ op: 'close' })
    await this.#exited
    this.#wake()
  }

  #send(command: SealerCommand): void {
    this.#worker.postMessage(command)
  }

  #next(): void {
    if (this.#isSealing || this.#isClosing || this.#queue.length === 0) return
    this.#isSealing = true
    this.#send({ op: 'seal', segment: this.#queue[0] })
  }

  #onReply(reply: SealerReply): void {
    if (reply.op === 'watched') {
      const watcher = this.#watchers.get(reply.id)
      this.#watchers.delete(reply.id)
      if (reply.what === undefined) watcher?.resolve()
      else watcher?.reject(new Error(`Cannot keep the watched streams: ${reply.what}`))
      return
    }
    this.#isSealing = false
    if (reply.op === 'failed') this.#onFailed(reply)
    if (reply.op !== 'sealed') return
    this.#stuckReason = undefined
    this.#queue.shift()
    this.#options.onSealed(reply.segment, reply.damages)
    this.#wake()
    this.#next()
  }

  #onFailed(reply: Extract<SealerReply, { op: 'failed' }>): void {
    if (!reply.isDiskFull) {
      this.#stop(`sealing failed: ${reply.what}`)
      return
    }
    this.#stuckReason = 'the disk is full'
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
