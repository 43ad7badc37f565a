/**
 * The thread that alone writes catalog.db. What has arrived while a transaction ran shares the next
 * one and its one sync; each commit in it stands or falls by itself.
 */
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { invariant } from '../../../base/plain.ts'
import { CatalogConflict, CatalogDamaged, CatalogLimitReached } from '../../ports/catalog-port.ts'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { ProgressSlotFile } from '../damage/progress-file.ts'
import { applyJob, type Job } from './catalog-apply.ts'
import { openChecked } from './catalog-checks.ts'
import type { CommitPart, WriteRequest, WriterReply, WriterRequest } from './catalog-protocol.ts'
import { CatalogReserve } from './catalog-reserve.ts'
import { CatalogWriteTable } from './catalog-write-table.ts'
import { openCatalogFile } from './open-catalog-file.ts'
import { rowsOf } from './write-orders.ts'

/** One transaction's share: enough to spread a sync, little enough to answer within milliseconds. */
const JOBS_PER_TRANSACTION_MAX = 256
const ROWS_PER_TRANSACTION_MAX = 10_000
const ROWS_PER_TRIM = 20_000
/** SQLite's code, and our words, for what is not tried any more. */
const DISK_IS_FULL = { message: 'database or disk is full', errcode: 13 }

invariant(parentPort !== null, 'catalog-writer.ts runs only as a thread')
const port = parentPort

function reply(replies: readonly WriterReply[]): void {
  port.postMessage(JSON.stringify(replies))
}

function failureOf(error: unknown): Omit<WriterReply, 'id'> {
  const { message, errcode } = error as Error & { errcode?: number }
  if (error instanceof FolderDamaged) return { refusal: message }
  if (error instanceof CatalogDamaged) return { damage: error.what }
  return { failure: { message, errcode } }
}

/** What a job comes to by itself, others of its group being made; undefined for a failure of the disk. */
function outcomeOf(error: unknown): Omit<WriterReply, 'id'> | undefined {
  if (error instanceof CatalogDamaged) return failureOf(error)
  if (error instanceof CatalogLimitReached) return { reached: error.limit }
  if (!(error instanceof CatalogConflict)) return undefined
  return { conflict: { key: error.key, claim: error.claim } }
}

function failAll(group: readonly Job[], error: unknown): WriterReply[] {
  const failure = failureOf(error)
  return group.map(({ id }) => ({ id, ...failure }))
}

/** Whether a group came to nothing because the disk is full. */
function isFull(replies: readonly WriterReply[]): boolean {
  return replies.some(({ failure }) => ((failure?.errcode ?? 0) & 0xff) === DISK_IS_FULL.errcode)
}

function mayUseReserve(job: Job): boolean {
  if (job.type !== 'commit') return true
  return job.orders.every(mayUseReserveFor)
}

/** What people need to make room again; deletes always may. */
function mayUseReserveFor(order: WriteRequest): boolean {
  if (order.op === 'create') return false
  return order.op === 'delete' || order.op === 'expect' || order.mayUseReserve === true
}

function rowsOfJob(job: Job): number {
  return job.type === 'commit' ? job.orders.reduce((sum, order) => sum + rowsOf(order), 0) : 1
}

/** What the thread does with what arrives. */
class CatalogWriter {
  readonly #db: DatabaseSync
  readonly #table: CatalogWriteTable
  readonly #parts = new Map<number, WriteRequest[]>()
  #queue: Job[] = []
  #closingId: number | undefined
  #rowsSinceTrim = 0
  readonly #progress: ProgressSlotFile

  readonly #reserve: CatalogReserve | undefined

  constructor(db: DatabaseSync, folder: string, hasReserve: boolean) {
    this.#db = db
    this.#reserve = hasReserve ? new CatalogReserve(db, folder) : undefined
    this.#progress = new ProgressSlotFile(folder, 'catalogCursor')
    this.#table = new CatalogWriteTable(db)
  }

  listen(): void {
    port.on('message', (requests: string) => this.#onMessage(requests))
    reply([{ id: 0 }])
  }

  #acceptAll(requests: string): void {
    for (const request of JSON.parse(requests) as WriterRequest[]) this.#accept(request)
  }

  #accept(request: WriterRequest): void {
    if (request.type === 'close') this.#closingId = request.id
    else if (request.type === 'commit') this.#acceptPart(request)
    else this.#queue.push(request)
  }

  #acceptPart(part: CommitPart): void {
    const earlier = this.#parts.get(part.id)
    if (!part.isLast) {
      if (earlier === undefined) this.#parts.set(part.id, [...part.orders])
      else for (const order of part.orders) earlier.push(order)
      return
    }
    this.#parts.delete(part.id)
    const orders = earlier === undefined ? part.orders : earlier.concat(part.orders)
    this.#queue.push({ ...part, orders })
  }

  #takeGroup(): Job[] {
    let rows = 0
    let count = 0
    while (count < this.#queue.length && count < JOBS_PER_TRANSACTION_MAX) {
      const job = this.#queue[count]
      rows += rowsOfJob(job)
      if (count > 0 && rows > ROWS_PER_TRANSACTION_MAX) break
      count++
    }
    const group = this.#queue.slice(0, count)
    this.#queue = this.#queue.slice(count)
    return group
  }

  /** On a full disk only what may use the reserve goes on, until there is room besides it again. */
  #runGroup(group: readonly Job[]): WriterReply[] {
    if (this.#reserve === undefined) return this.#tryGroup(group)
    if (this.#reserve.hasRoom()) {
      const replies = this.#tryGroup(group)
      if (!isFull(replies)) {
        this.#reserve.followSize()
        return replies
      }
      this.#reserve.noteFull()
    }
    const vital = group.filter(mayUseReserve)
    const others = group.filter((job) => !mayUseReserve(job))
    return [
      ...(vital.length === 0 ? [] : this.#runVital(vital, this.#reserve)),
      ...others.map(({ id }) => ({ id, failure: DISK_IS_FULL })),
    ]
  }

  /** Only these jobs draw on the reserve, part by part: other programs may take what it lets go. */
  #runVital(group: readonly Job[], reserve: CatalogReserve): WriterReply[] {
    let replies = this.#tryGroup(group)
    while (isFull(replies) && reserve.releasePart()) replies = this.#tryGroup(group)
    return replies
  }

  /** Nearly all jobs go through: only when one of several did not, they are run again, each by itself. */
  #tryGroup(group: readonly Job[]): WriterReply[] {
    try {
      return this.#commitGroup(group, (job) => ({
        id: job.id,
        result: this.#table.run(() => applyJob(this.#table, job)),
      }))
    } catch (error) {
      const outcome = outcomeOf(error)
      if (outcome === undefined) return failAll(group, error)
      if (group.length === 1) return [{ id: group[0].id, ...outcome }]
    }
    try {
      return this.#commitGroup(group, (job) => this.#runJob(job))
    } catch (error) {
      return failAll(group, error)
    }
  }

  #commitGroup(group: readonly Job[], run: (job: Job) => WriterReply): WriterReply[] {
    try {
      this.#table.begin()
      const replies = group.map(run)
      this.#trimAfter(group)
      this.#table.commit()
      this.#progress.note(this.#table.changes.last)
      return replies
    } catch (error) {
      this.#rollback()
      throw error
    }
  }

  /** A disk that failed may fail here too: the next transaction begins by asking again. */
  #rollback(): void {
    try {
      this.#table.rollback()
    } catch {
      // The first failure is reported.
    }
  }

  #trimAfter(group: readonly Job[]): void {
    for (const job of group) this.#rowsSinceTrim += rowsOfJob(job)
    if (this.#rowsSinceTrim < ROWS_PER_TRIM) return
    this.#rowsSinceTrim = 0
    this.#table.changes.trim()
  }

  #runJob(job: Job): WriterReply {
    try {
      return { id: job.id, result: this.#table.atomically(() => applyJob(this.#table, job)) }
    } catch (error) {
      const outcome = outcomeOf(error)
      if (outcome === undefined) throw error
      return { id: job.id, ...outcome }
    }
  }

  #onMessage(requests: string): void {
    this.#acceptAll(requests)
    let next = receiveMessageOnPort(port)
    for (; next !== undefined; next = receiveMessageOnPort(port)) this.#acceptAll(next.message)
    while (this.#queue.length > 0) reply(this.#runGroup(this.#takeGroup()))
    if (this.#closingId !== undefined) this.#close(this.#closingId)
  }

  #close(id: number): void {
    try {
      this.#table.close()
      this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      this.#db.close()
    } catch {
      // On a disk that cannot be written the log stays: it holds all that was acknowledged.
      if (this.#db.isOpen) this.#db.close()
    }
    this.#progress.close()
    reply([{ id }])
    port.close()
  }
}

try {
  const { file, hasReserve } = workerData as { file: string; hasReserve: boolean }
  openChecked(() => new CatalogWriter(openCatalogFile(file), dirname(file), hasReserve)).listen()
} catch (error) {
  // Reported as a reply: an error that crosses threads loses its code. The thread ends by itself.
  reply([{ id: 0, ...failureOf(error) }])
}
