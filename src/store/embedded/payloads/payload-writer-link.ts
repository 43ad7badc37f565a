/**
 * The main thread's end of the writer of payloads.db. What comes while a batch is written shares the next
 * one, its message and its sync. The thread is started by the first who needs it, and restarted when it ended.
 */
import { Worker } from 'node:worker_threads'
import { refusal } from '../../../base/index.ts'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { writeFailure } from '../disk/write-failure.ts'
import type {
  AssignedWrite,
  OutcomeWrite,
  PayloadBatch,
  PayloadReply,
  PayloadWrite,
  PayloadWriterData,
  WholeWrite,
} from './payload-protocol.ts'

/** Beyond this the disk cannot keep up, and an error is better than a wait. */
const WAITING_MAX = 4_096
const WAITING_LENGTH_MAX = 64 * 1024 * 1024
const RETRY_AFTER_SECONDS = 5

const CANNOT = 'Cannot keep payloads of connectors'

/** A batch that is collected or written; all that is in it shares one promise. */
interface Gathering {
  readonly batch: PayloadBatch
  readonly done: PromiseWithResolvers<void>
  /** The characters of its texts. */
  length: number
}

/** A writer thread that is there when it is needed; every order settles. */
export class PayloadWriterLink {
  readonly #data: PayloadWriterData
  #worker: Worker | undefined
  #opening: PromiseWithResolvers<void> | undefined
  #written: Gathering | undefined
  #next = gather()
  #flushing: NodeJS.Immediate | undefined
  #isClosed = false
  #hasOpened = false

  constructor(data: PayloadWriterData) {
    this.#data = data
  }

  /** Whether the file was there with its tables at some time since the start. */
  get hasOpened(): boolean {
    return this.#hasOpened
  }

  /** Starts the thread unless it runs; resolves when the file is open. */
  async open(): Promise<void> {
    if (this.#opening !== undefined) await this.#opening.promise
    else if (this.#worker === undefined) await this.#start().promise
  }

  /** Resolves when the payload is durable; refuses with `overloaded` when too much waits. */
  put(order: PayloadWrite): Promise<void> {
    const { puts } = this.#next.batch
    return this.#take(puts, order, order.query.length + (order.body?.length ?? 0))
  }

  /** Resolves when the times are durable; refuses with `overloaded` when too much waits. */
  keepAssigned(order: AssignedWrite): Promise<void> {
    return this.#take(this.#next.batch.assigned, order, order.spans.length)
  }

  /** Resolves when the outcome is durable. */
  settle(order: OutcomeWrite): Promise<void> {
    this.#next.batch.outcomes.push(order)
    return this.#soon()
  }

  /** Resolves when a payload of another store is durable; a move waits for each. */
  keepWhole(order: WholeWrite): Promise<void> {
    this.#next.batch.wholes.push(order)
    return this.#soon()
  }

  /** Resolves when nothing of a connector is kept any more. */
  delete(connectorUid: string): Promise<void> {
    this.#next.batch.deletes.push(connectorUid)
    return this.#soon()
  }

  /** Writes what waits, then ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearImmediate(this.#flushing)
    if (this.#worker === undefined && !isEmpty(this.#next)) this.#start()
    // Failures reject the waiting calls.
    const quiet = (done: PromiseWithResolvers<void>) => done.promise.catch(() => undefined)
    if (this.#opening !== undefined) await quiet(this.#opening)
    while (this.#written !== undefined) await quiet(this.#written.done)
    const worker = this.#worker
    if (worker === undefined) return
    const exited = new Promise((resolve) => worker.once('exit', resolve))
    const last = this.#next
    this.#next = gather({ ...last.batch, isLast: true }, last.done)
    this.#post()
    await exited
  }

  #take<T>(waiting: T[], order: T, length: number): Promise<void> {
    const next = this.#next
    const isFull = waiting.length >= WAITING_MAX || next.length + length > WAITING_LENGTH_MAX
    if (isFull && next.length > 0) {
      return Promise.reject(refusal('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS }))
    }
    next.length += length
    waiting.push(order)
    return this.#soon()
  }

  #soon(): Promise<void> {
    // The batch includes all that arrives in this iteration.
    this.#flushing ??= setImmediate(() => {
      this.#flushing = undefined
      this.#post()
    })
    return this.#next.done.promise
  }

  #post(): void {
    const isBusy = this.#written !== undefined || this.#opening !== undefined
    if (isBusy || isEmpty(this.#next)) return
    if (this.#worker === undefined) {
      this.#start()
      return
    }
    this.#written = this.#next
    this.#next = gather()
    this.#worker.ref()
    this.#worker.postMessage(this.#written.batch)
  }

  #start(): PromiseWithResolvers<void> {
    const opening = Promise.withResolvers<void>()
    opening.promise.catch(() => undefined)
    const worker = new Worker(new URL('./payload-writer.ts', import.meta.url), {
      workerData: this.#data,
      name: 'weir-payloads',
    })
    this.#worker = worker
    this.#opening = opening
    worker.on('message', (reply: PayloadReply) => this.#settle(errorOf(reply)))
    const fail = (cause: Error): void => {
      if (this.#worker === worker) this.#end(new Error(CANNOT, { cause }))
    }
    worker.on('error', (error) => fail(error as Error))
    worker.on('exit', () => fail(new Error('The thread that keeps payloads has ended')))
    return opening
  }

  #settle(error: Error | undefined): void {
    if (this.#opening !== undefined && error !== undefined) {
      this.#end(error)
      return
    }
    this.#hasOpened = true
    const done = this.#opening ?? this.#written?.done
    this.#opening = undefined
    this.#written = undefined
    if (error === undefined) done?.resolve()
    else done?.reject(error)
    if (this.#isClosed) return
    // close() waits for the end of the thread and must not hang.
    this.#worker?.unref()
    this.#post()
  }

  /** The thread has ended. Waiting calls fail, and new calls start another. */
  #end(error: Error): void {
    const waiting = [this.#opening, this.#written?.done, this.#next.done]
    this.#worker = undefined
    this.#opening = undefined
    this.#written = undefined
    this.#next = gather()
    for (const done of waiting) done?.reject(error)
  }
}

function gather(
  batch: PayloadBatch = { puts: [], assigned: [], outcomes: [], wholes: [], deletes: [] },
  done = Promise.withResolvers<void>(),
): Gathering {
  // An empty one fails with its thread, and nobody waits for it.
  done.promise.catch(() => undefined)
  return { batch, done, length: 0 }
}

function isEmpty({ batch }: Gathering): boolean {
  const { puts, assigned, outcomes, wholes, deletes, isLast } = batch
  const lists = [puts, assigned, outcomes, wholes, deletes]
  const count = lists.reduce((sum, list) => sum + list.length, 0)
  return isLast !== true && count === 0
}

function errorOf({ failure, refusal: refused }: PayloadReply): Error | undefined {
  if (refused !== undefined) return new FolderDamaged(refused)
  return failure && writeFailure(failure, CANNOT)
}
