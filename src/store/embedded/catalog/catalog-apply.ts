/** What one order to the catalog's writer does inside its transaction. */
import {
  CatalogConflict,
  CatalogDamaged,
  type CatalogLimit,
  CatalogLimitReached,
  type DocumentKey,
  type Lease,
} from '../../catalog-port.ts'
import { isLeaseRunning } from './catalog-lease-table.ts'
import type {
  AnyPut,
  Fleet,
  PackedWritten,
  WriteOrder,
  WriterRequest,
  WriterResult,
  Written,
} from './catalog-protocol.ts'
import type { CatalogWriteTable, StoredDocument } from './catalog-write-table.ts'

/** A whole commit: its parts put together. */
interface Commit {
  readonly type: 'commit'
  readonly id: number
  readonly orders: readonly WriteOrder[]
  readonly lease: Lease | undefined
  readonly limits: readonly CatalogLimit[]
}

/** A fleet with its shapes. */
interface FleetJob {
  readonly type: 'fleet'
  readonly id: number
  readonly fleet: Fleet
  readonly lease: Lease | undefined
  readonly limits: readonly CatalogLimit[]
}

export type Job =
  | Commit
  | FleetJob
  | Exclude<WriterRequest, { type: 'commit' } | { type: 'fleet' } | { type: 'close' }>

/** Does a job's writes; throws CatalogConflict or CatalogLimitReached when what is there forbids it. */
export function applyJob(table: CatalogWriteTable, job: Job): WriterResult {
  switch (job.type) {
    case 'commit':
      return applyCommit(table, job)
    case 'fleet':
      return applyFleet(table, job)
    case 'purge':
      return purge(table, job.nowMs, job.limit)
    case 'acquire':
      return acquire(table, job)
    case 'release':
      return release(table, job.lease)
    case 'reindex':
      return table.rebuildIndexes()
  }
}

function applyCommit(table: CatalogWriteTable, commit: Commit): PackedWritten {
  if (commit.lease !== undefined) checkLease(table, commit.lease)
  // All claims of the commit's documents are let go first, so that two may swap theirs.
  for (const order of commit.orders) {
    // One that must not exist yet holds none, or the commit comes to nothing.
    if (order.expectedRevision === 0 || order.op === 'expect') continue
    const stored = table.select(order)
    if (stored !== undefined && !table.keepsClaims(order, stored)) table.releaseClaims(stored)
  }
  const written: number[] = []
  for (const order of commit.orders) {
    const result = applyOrder(table, order)
    if (result !== undefined) written.push(result.revision, result.handle ?? 0)
  }
  for (const limit of commit.limits) checkLimit(table, limit)
  return Float64Array.from(written)
}

function applyFleet(table: CatalogWriteTable, { fleet, lease, limits }: FleetJob): number {
  if (lease !== undefined) checkLease(table, lease)
  const firstHandle = table.makeFleet(fleet)
  for (const limit of limits) checkLimit(table, limit)
  return firstHandle
}

/** What leaves no more than there was goes through, or nobody could get below a lowered limit. */
function checkLimit(table: CatalogWriteTable, limit: CatalogLimit): void {
  const { orgUid, kinds, of, max } = limit
  const sum = (countOf: (kind: string) => number) =>
    kinds.reduce((total, kind) => total + countOf(kind), 0)
  if (sum((kind) => table.changeOf(orgUid, kind)[of]) <= 0) return
  if (sum((kind) => table.usageOf(orgUid, kind)[of]) > max) throw new CatalogLimitReached(limit)
}

function applyOrder(table: CatalogWriteTable, order: WriteOrder): Written | undefined {
  if (order.op === 'put' && order.expectedRevision === 0) return insertNew(table, order)
  const stored = table.select(order)
  const { expectedRevision } = order
  if (expectedRevision !== 'any' && (stored?.revision ?? 0) !== expectedRevision) {
    throw new CatalogConflict(keyOf(order), undefined)
  }
  if (order.op === 'expect') {
    if (expectedRevision === 'any' && stored === undefined) {
      throw new CatalogConflict(keyOf(order), undefined)
    }
    return undefined
  }
  if (order.op === 'delete') {
    if (stored !== undefined) deleteStored(table, order, stored)
    return undefined
  }
  if (stored === undefined) return insertNew(table, order)
  const isClaimed = table.keepsClaims(order, stored)
  if (!isClaimed) table.releaseClaims(stored)
  return finishPut(table, order, { ...table.update(order, stored), isClaimed })
}

/** Creations are most of what is written: the index that must find nothing is asked once, by the insert. */
function insertNew(table: CatalogWriteTable, order: AnyPut): Written {
  const made = table.insert(order)
  if (made === undefined) {
    // What is there may be damaged, which is told rather than a conflict with it.
    table.select(order)
    throw new CatalogConflict(keyOf(order), undefined)
  }
  return finishPut(table, order, { ...made, isClaimed: false })
}

function finishPut(
  table: CatalogWriteTable,
  order: AnyPut,
  next: StoredDocument & { readonly isClaimed: boolean },
): Written {
  const taken = next.isClaimed ? undefined : table.insertClaims(order, next)
  if (taken !== undefined) throw new CatalogConflict(keyOf(order), taken)
  table.insertChange(order, next.parent_uid)
  return { revision: next.revision, handle: next.handle ?? undefined }
}

function deleteStored(table: CatalogWriteTable, key: DocumentKey, stored: StoredDocument): void {
  table.delete(key, stored)
  table.insertChange({ ...keyOf(key), op: 'delete', expectedRevision: 'any' }, stored.parent_uid)
}

function purge(table: CatalogWriteTable, nowMs: number, limit: number): number {
  let deleted = 0
  for (const key of table.selectExpired(nowMs, limit)) {
    const stored = selectWhole(table, key)
    if (stored === undefined) continue
    deleteStored(table, key, stored)
    deleted += 1
  }
  return deleted
}

/** A document that does not check may not be over at all: it stays, for the scrub to tell of. */
function selectWhole(table: CatalogWriteTable, key: DocumentKey): StoredDocument | undefined {
  try {
    return table.select(key)
  } catch (error) {
    if (error instanceof CatalogDamaged) return undefined
    throw error
  }
}

function acquire(
  table: CatalogWriteTable,
  wish: { name: string; holder: string; nowMs: number; ttlMs: number },
): Lease | undefined {
  const held = table.leases.select(wish.name)
  const isRunning = held !== undefined && isLeaseRunning(held, wish)
  if (isRunning && held.holder !== wish.holder) return undefined
  const fence = isRunning ? held.fence : (held?.fence ?? 0) + 1
  const lease = { name: wish.name, holder: wish.holder, fence }
  table.leases.upsert(lease, wish.nowMs + wish.ttlMs)
  return lease
}

function release(table: CatalogWriteTable, lease: Lease): undefined {
  const held = table.leases.select(lease.name)
  // The row stays, so that the fence keeps rising.
  if (isSameLease(held, lease)) table.leases.upsert({ ...lease, holder: '' }, 0)
  return undefined
}

function checkLease(table: CatalogWriteTable, lease: Lease): void {
  if (isSameLease(table.leases.select(lease.name), lease)) return
  throw new CatalogConflict({ orgUid: '', kind: 'lease', uid: lease.name }, undefined)
}

function isSameLease(held: Lease | undefined, lease: Lease): boolean {
  return held?.fence === lease.fence && held.holder === lease.holder
}

function keyOf({ orgUid, kind, uid }: DocumentKey): DocumentKey {
  return { orgUid, kind, uid }
}
