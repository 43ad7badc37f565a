/** The main thread's end of the catalog writer: requests out, replies matched to their promises. */
import { Worker } from 'node:worker_threads'
import { nextIteration, refusal } from '../../../base/index.ts'
import {
  CatalogConflict,
  CatalogDamaged,
  type CatalogLimit,
  CatalogLimitReached,
  type Lease,
} from '../../ports/catalog-port.ts'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { writeFailure } from '../disk/write-failure.ts'
import type {
  WriteRequest,
  WriterReply,
  WriterRequest,
  WriterResult,
  Written,
} from './catalog-protocol.ts'
import { rowsOf } from './write-orders.ts'

/** Beyond this the disk cannot keep up, and an error is better than a wait. */
const WAITING_MAX = 4_096
const ROWS_WAITING_MAX = 4_000_000
/** One message's share: about a millisecond of copying. */
const ROWS_PER_PART = 500
const RETRY_AFTER_SECONDS = 5

interface Waiting {
  rows: number
  resolve(result: WriterResult): void
  reject(error: Error): void
}

type RequestBody = WriterRequest extends infer R
  ? R extends unknown
    ? Omit<R, 'id'>
    : never
  : never

/** A running writer thread; every request settles, with an error once the thread is gone. */
export class CatalogWriterLink {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #outbox: WriterRequest[] = []
  #rowsWaiting = 0
  #lastId = 0
  #goneBecause: Error | undefined

  constructor(file: string, hasReserve: boolean) {
    this.#worker = new Worker(new URL('./catalog-writer.ts', import.meta.url), {
      workerData: { file, hasReserve },
      name: 'weir-catalog',
    })
    this.#worker.on('message', (replies: string) => this.#settle(JSON.parse(replies)))
    this.#worker.on('error', (error) => this.#fail(error as Error))
    this.#worker.on('exit', () => this.#fail(new Error('The catalog writer thread has ended')))
  }

  /** Resolves when the database is open and its schema is the newest. */
  ready(): Promise<void> {
    return this.#wait(0).then(() => undefined)
  }

  /** Sends the orders of a commit, a big one in parts. */
  async commit(
    orders: Iterable<WriteRequest>,
    { lease, limits }: { lease: Lease | undefined; limits: readonly CatalogLimit[] },
  ): Promise<Written> {
    const id = this.#admit()
    const done = this.#wait(id)
    // A rejection while parts are still on their way is met by the await below.
    done.catch(() => undefined)
    let part: WriteRequest[] = []
    let rows = 0
    for (const order of orders) {
      if (rows >= ROWS_PER_PART) {
        this.#post({ type: 'commit', id, isLast: false, orders: part, lease, limits: [] }, rows)
        part = []
        rows = 0
        await nextIteration()
      }
      part.push(order)
      rows += rowsOf(order)
    }
    this.#post({ type: 'commit', id, isLast: true, orders: part, lease, limits }, rows)
    return (await done) as Written
  }

  async request(body: Exclude<RequestBody, { type: 'commit' }>): Promise<WriterResult> {
    const id = this.#admit()
    const done = this.#wait(id)
    this.#post({ ...body, id } as WriterRequest, 1)
    return await done
  }

  /** Finishes what was asked, then ends the thread. */
  async close(): Promise<void> {
    if (this.#goneBecause !== undefined) return
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve))
    const id = ++this.#lastId
    const done = this.#wait(id)
    this.#post({ type: 'close', id }, 0)
    // A thread that has ended by itself has closed its database with it.
    await done.catch(() => undefined)
    this.#worker.ref()
    await exited
  }

  /**
   * Sends at once what an idle writer can begin with. While it works, requests of one turn share a message: handing
   * one over costs more than what a small one says.
   */
  #post(request: WriterRequest, rows: number): void {
    const waiting = this.#waiting.get(request.id)
    if (waiting !== undefined) waiting.rows += rows
    this.#rowsWaiting += rows
    if (this.#waiting.size <= 1 && this.#outbox.length === 0) {
      this.#worker.postMessage(JSON.stringify([request]))
      return
    }
    this.#outbox.push(request)
    if (this.#outbox.length > 1) return
    setImmediate(() => {
      const requests = this.#outbox
      this.#outbox = []
      this.#worker.postMessage(JSON.stringify(requests))
    })
  }

  #admit(): number {
    if (this.#goneBecause !== undefined) {
      throw new Error('Cannot write the catalog', { cause: this.#goneBecause })
    }
    const isFull = this.#waiting.size >= WAITING_MAX || this.#rowsWaiting > ROWS_WAITING_MAX
    if (isFull) throw refusal('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    return ++this.#lastId
  }

  #wait(id: number): Promise<WriterResult> {
    // An idle writer keeps no process alive that forgot to close it.
    this.#worker.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { rows: 0, resolve, reject })
    })
  }

  #settle(replies: readonly WriterReply[]): void {
    for (const reply of replies) {
      const waiting = this.#waiting.get(reply.id)
      if (waiting === undefined) continue
      this.#waiting.delete(reply.id)
      this.#rowsWaiting -= waiting.rows
      const error = errorOf(reply)
      if (error === undefined) waiting.resolve(reply.result)
      else waiting.reject(error)
    }
    if (this.#waiting.size === 0) this.#worker.unref()
  }

  #fail(cause: Error): void {
    this.#goneBecause ??= cause
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    this.#rowsWaiting = 0
    for (const { reject } of waiting) reject(new Error('Cannot write the catalog', { cause }))
  }
}

function errorOf(reply: WriterReply): Error | undefined {
  if (reply.conflict !== undefined) {
    return new CatalogConflict(reply.conflict.key, reply.conflict.claim)
  }
  if (reply.reached !== undefined) return new CatalogLimitReached(reply.reached)
  if (reply.refusal !== undefined) return new FolderDamaged(reply.refusal)
  if (reply.damage !== undefined) return new CatalogDamaged(reply.damage)
  return reply.failure && writeFailure(reply.failure, 'Cannot write the catalog')
}
