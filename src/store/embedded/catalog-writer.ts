/**
 * The thread that alone writes catalog.db. What has arrived while a transaction ran shares the next
 * one and its one sync; each commit in it stands or falls by itself.
 */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { invariant } from '../../base/index.ts'
import { CatalogConflict } from '../catalog-port.ts'
import { applyJob, type Job } from './catalog-apply.ts'
import { migrateCatalog } from './catalog-migrations.ts'
import type { CommitPart, WriteOrder, WriterReply, WriterRequest } from './catalog-protocol.ts'
import { CatalogWriteTable } from './catalog-write-table.ts'

/** One transaction's share: enough to spread a sync, little enough to answer within milliseconds. */
const JOBS_PER_TRANSACTION_MAX = 256
const ORDERS_PER_TRANSACTION_MAX = 5_000
const ORDERS_PER_TRIM = 20_000
const WAL_BYTES_KEPT = 64 * 1024 * 1024

invariant(parentPort !== null, 'catalog-writer.ts runs only as a thread')
const port = parentPort
const db = openForWriting((workerData as { file: string }).file)
const table = new CatalogWriteTable(db)
const parts = new Map<number, WriteOrder[]>()
let queue: Job[] = []
let closingId: number | undefined
let ordersSinceTrim = 0

function openForWriting(file: string): DatabaseSync {
  const opened = new DatabaseSync(file, { timeout: 5_000 })
  opened.exec('PRAGMA page_size = 4096')
  opened.exec('PRAGMA journal_mode = WAL')
  opened.exec('PRAGMA synchronous = FULL')
  opened.exec('PRAGMA cache_size = -32000')
  opened.exec(`PRAGMA journal_size_limit = ${WAL_BYTES_KEPT}`)
  migrateCatalog(opened)
  return opened
}

function accept(request: WriterRequest): void {
  if (request.type === 'close') closingId = request.id
  else if (request.type === 'commit') acceptPart(request)
  else queue.push(request)
}

function acceptPart(part: CommitPart): void {
  const earlier = parts.get(part.id)
  if (!part.isLast) {
    if (earlier === undefined) parts.set(part.id, [...part.orders])
    else for (const order of part.orders) earlier.push(order)
    return
  }
  parts.delete(part.id)
  const orders = earlier === undefined ? part.orders : earlier.concat(part.orders)
  queue.push({ type: 'commit', id: part.id, orders, lease: part.lease })
}

function takeGroup(): Job[] {
  let orders = 0
  let count = 0
  while (count < queue.length && count < JOBS_PER_TRANSACTION_MAX) {
    const job = queue[count]
    orders += job.type === 'commit' ? job.orders.length : 1
    if (count > 0 && orders > ORDERS_PER_TRANSACTION_MAX) break
    count++
  }
  const group = queue.slice(0, count)
  queue = queue.slice(count)
  return group
}

function runGroup(group: readonly Job[]): WriterReply[] {
  try {
    table.begin()
    const replies = group.map(runJob)
    trimAfter(group)
    table.commit()
    return replies
  } catch (error) {
    table.rollback()
    const { message, errcode } = error as Error & { errcode?: number }
    return group.map(({ id }) => ({ id, failure: { message, errcode } }))
  }
}

function trimAfter(group: readonly Job[]): void {
  for (const job of group) ordersSinceTrim += job.type === 'commit' ? job.orders.length : 1
  if (ordersSinceTrim < ORDERS_PER_TRIM) return
  ordersSinceTrim = 0
  table.trimChanges()
}

function runJob(job: Job): WriterReply {
  try {
    return { id: job.id, result: table.atomically(() => applyJob(table, job)) }
  } catch (error) {
    if (!(error instanceof CatalogConflict)) throw error
    return { id: job.id, conflict: { key: error.key, claim: error.claim } }
  }
}

function onMessage(request: WriterRequest): void {
  accept(request)
  let next = receiveMessageOnPort(port)
  for (; next !== undefined; next = receiveMessageOnPort(port)) accept(next.message)
  while (queue.length > 0) port.postMessage(runGroup(takeGroup()))
  if (closingId !== undefined) close(closingId)
}

function close(id: number): void {
  table.trimChanges()
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  port.postMessage([{ id, result: undefined }] satisfies WriterReply[])
  port.close()
}

port.on('message', onMessage)
port.postMessage([{ id: 0, result: undefined }] satisfies WriterReply[])
