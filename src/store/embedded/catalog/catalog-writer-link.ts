/** The main thread's end of the catalog writer: requests out, replies matched to their promises. */
import { Worker } from 'node:worker_threads'
import { nextTurn, refusal } from '../../../base/index.ts'
import {
  CatalogConflict,
  CatalogDamaged,
  type CatalogLimit,
  CatalogLimitReached,
  type Lease,
  type PutFleet,
} from '../../catalog-port.ts'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { writeFailure } from '../disk/write-failure.ts'
import type {
  PackedWritten,
  WriteOrder,
  WriterReply,
  WriterRequest,
  WriterResult,
} from './catalog-protocol.ts'
import { packFleet } from './family/fleet-order.ts'
import { PartWriter } from './family/order-part.ts'

/** Beyond this the disk cannot keep up, and a caller is better told so than kept waiting. */
const WAITING_MAX = 4_096
const ORDERS_WAITING_MAX = 4_000_000
/** One message's share: about a millisecond of copying. */
const ORDERS_PER_PART = 500
const RETRY_AFTER_SECONDS = 5

interface Waiting {
  readonly orders: number
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
  readonly #parts = new PartWriter()
  #outbox: WriterRequest[] = []
  #ordersWaiting = 0
  #lastId = 0
  #goneBecause: Error | undefined

  constructor(file: string, hasReserve: boolean) {
    this.#worker = new Worker(new URL('./catalog-writer.ts', import.meta.url), {
      workerData: { file, hasReserve },
      name: 'weir-catalog',
    })
    this.#worker.on('message', (replies: WriterReply[]) => this.#settle(replies))
    this.#worker.on('error', (error) => this.#fail(error as Error))
    this.#worker.on('exit', () => this.#fail(new Error('The catalog writer thread has ended')))
  }

  /** Resolves when the database is open and its schema is the newest. */
  ready(): Promise<void> {
    return this.#wait(0, 0).then(() => undefined)
  }

  /** Sends a commit of `count` orders in parts; `takeOrders` gives those of a part when it leaves. */
  async commit(
    count: number,
    takeOrders: (from: number, until: number) => WriteOrder[],
    { lease, limits }: { lease: Lease | undefined; limits: readonly CatalogLimit[] },
  ): Promise<PackedWritten> {
    const id = this.#admit(count)
    const done = this.#wait(id, count)
    // A rejection while parts are still on their way is met by the await below.
    done.catch(() => undefined)
    for (let at = 0; at === 0 || at < count; at += ORDERS_PER_PART) {
      if (at > 0) await nextTurn()
      const orders = this.#parts.write(takeOrders(at, at + ORDERS_PER_PART))
      const isLast = at + ORDERS_PER_PART >= count
      this.#post({ type: 'commit', id, isLast, orders, lease, limits })
    }
    return (await done) as PackedWritten
  }

  /** Sends a fleet; the handle of its first stream. Undefined, with nothing sent, when it cannot be packed. */
  async makeFleet(
    fleet: PutFleet,
    { lease, limits }: { lease: Lease | undefined; limits: readonly CatalogLimit[] },
  ): Promise<number | undefined> {
    const packed = packFleet(fleet, this.#parts)
    if (packed === undefined) return undefined
    const documents = fleet.compIds.length + fleet.streamIds.length
    const id = this.#admit(documents)
    const done = this.#wait(id, documents)
    this.#post({ type: 'fleet', id, fleet: packed, lease, limits: JSON.stringify(limits) })
    return (await done) as number
  }

  async request(
    body: Exclude<RequestBody, { type: 'commit' } | { type: 'fleet' }>,
  ): Promise<WriterResult> {
    const id = this.#admit(1)
    const done = this.#wait(id, 1)
    this.#post({ ...body, id } as WriterRequest)
    return await done
  }

  /** Finishes what was asked, then ends the thread. */
  async close(): Promise<void> {
    if (this.#goneBecause !== undefined) return
    const exited = new Promise((resolve) => this.#worker.once('exit', resolve))
    const id = ++this.#lastId
    const done = this.#wait(id, 0)
    this.#post({ type: 'close', id })
    // A thread that has ended by itself has closed its database with it.
    await done.catch(() => undefined)
    this.#worker.ref()
    await exited
  }

  /**
   * Sends at once what an idle writer can begin with. While it works, requests of one turn share a message: handing
   * one over costs more than what a small one says.
   */
  #post(request: WriterRequest): void {
    if (this.#waiting.size <= 1 && this.#outbox.length === 0) {
      this.#worker.postMessage([request])
      return
    }
    this.#outbox.push(request)
    if (this.#outbox.length > 1) return
    setImmediate(() => {
      const requests = this.#outbox
      this.#outbox = []
      this.#worker.postMessage(requests)
    })
  }

  #admit(orders: number): number {
    if (this.#goneBecause !== undefined) {
      throw new Error('Cannot write the catalog', { cause: this.#goneBecause })
    }
    const isFull = this.#waiting.size >= WAITING_MAX || this.#ordersWaiting > ORDERS_WAITING_MAX
    if (isFull) throw refusal('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    this.#ordersWaiting += orders
    return ++this.#lastId
  }

  #wait(id: number, orders: number): Promise<WriterResult> {
    // An idle writer keeps no process alive that forgot to close it.
    this.#worker.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { orders, resolve, reject })
    })
  }

  #settle(replies: readonly WriterReply[]): void {
    for (const reply of replies) {
      const waiting = this.#waiting.get(reply.id)
      if (waiting === undefined) continue
      this.#waiting.delete(reply.id)
      this.#ordersWaiting -= waiting.orders
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
    this.#ordersWaiting = 0
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
