/** What one order to the catalog's writer does inside its transaction. */

import {
  isSameLease,
  plainKeyOf,
  requireLease,
  requireOwnStreamIds,
  requireRevision,
} from '../../commit/commit-checks.ts'
import { bytesOfComponent, bytesOfStream } from '../../fields/counted-bytes.ts'
import { addressClaim, seriesClaim, seriesText, streamIdClaim } from '../../fields/unique-texts.ts'
import {
  CatalogConflict,
  CatalogDamaged,
  type CatalogLimit,
  CatalogLimitReached,
  type Lease,
} from '../../ports/catalog-port.ts'
import type {
  ComponentFields,
  Labels,
  PutComponent,
  PutStream,
} from '../../ports/component-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import { documentNameOf, readChecked } from './catalog-checks.ts'
import { isLeaseRunning } from './catalog-lease-table.ts'
import type {
  CreateRequest,
  PutRequest,
  WriteRequest,
  WriterRequest,
  WriterResult,
  Written,
} from './catalog-protocol.ts'
import type { CatalogWriteTable } from './catalog-write-table.ts'
import type { FoundComponent } from './component/component-reader.ts'
import { ownAddress } from './component/component-row.ts'
import type { FoundStream, NumberedOwner } from './component/stream-reader.ts'
import { hashOfSeriesText } from './component/stream-row.ts'
import type { StoredDocument } from './document-table.ts'
import { creationOf } from './write-orders.ts'

/** Stream IDs that are looked for one by one: all of a component's are sorted in the time of about as many. */
const LOOKED_FOR_MAX = 8

/** A whole commit: its parts put together. */
interface Commit {
  readonly type: 'commit'
  readonly id: number
  readonly orders: readonly WriteRequest[]
  readonly lease?: Lease
  readonly limits: readonly CatalogLimit[]
}

export type Job = Commit | Exclude<WriterRequest, { type: 'commit' } | { type: 'close' }>

/** Does a job's writes; throws CatalogConflict or CatalogLimitReached when what is there forbids it. */
export function applyJob(table: CatalogWriteTable, job: Job): WriterResult {
  switch (job.type) {
    case 'commit':
      return new CommitWork(table).apply(job)
    case 'purge':
      return purge(table, job.nowMs, job.limit)
    case 'acquire':
      return acquire(table, job)
    case 'release':
      return release(table, job.lease)
    case 'reindex':
      return table.rebuildIndexes(job.tables)
  }
}

/** The writes of one commit, in their order. */
class CommitWork {
  readonly #table: CatalogWriteTable
  readonly #written: number[] = []
  /** Components whose streams may have an ID twice, with the puts that would be to blame. */
  readonly #named = new Map<number, PutStream[]>()
  /** The hashes of series that streams were given, which others may have. */
  readonly #seriesHashes: number[] = []
  /** Addresses that components were given and others may have: those with claims, and those that are IDs. */
  readonly #claimed: GivenAddress[] = []
  readonly #owned: GivenAddress[] = []

  constructor(table: CatalogWriteTable) {
    this.#table = table
  }

  /** Revision and handle of each put, 0 and the first handle of each creation. */
  apply({ orders, lease, limits }: Commit): Written {
    if (lease !== undefined) requireLease(this.#table.leases.select(lease.name), lease)
    const isNaming = orders.some(({ op }) => op === 'put_component' || op === 'create')
    for (const order of orders) this.#letGo(order, isNaming)
    for (const order of orders) this.#applyWrite(order)
    for (const [ref, puts] of this.#named) this.#refuseSharedIds(ref, puts)
    this.#refuseSharedAddresses()
    this.#refuseSharedSeries(orders)
    for (const limit of limits) checkLimit(this.#table, limit)
    return this.#written
  }

  /** What is unique is let go of first, so that two may swap it; IDs of components if the commit gives any. */
  #letGo(order: WriteRequest, isNaming: boolean): void {
    // One that must not exist yet holds nothing, or the commit comes to nothing.
    if (order.expectedRevision === 0 || order.op === 'expect' || order.op === 'create') return
    if (order.op === 'put_component') this.#letGoOfComponent(order, order.id)
    else if (order.kind === 'component') {
      if (isNaming) this.#letGoOfComponent(order, '')
    } else if (order.kind !== 'stream') {
      const stored = this.#document(order)
      if (stored !== undefined) this.#table.documents.releaseClaims(stored.ref)
    }
  }

  /** Takes the ID from a component unless it keeps it, and its addresses. */
  #letGoOfComponent(key: DocumentKey, nextId: string): void {
    const found = this.#component(key)
    if (found === undefined) return
    const { ref, component } = found
    if (component.addressedAs.length > 0) this.#table.documents.releaseClaims(-ref)
    if (component.id === '' || component.id === nextId) return
    // Its row checks without the ID too: other writes of the commit may have to read it.
    const unnamed = { ...component, id: '' }
    this.#table.componentTable.update(
      this.#table.scopeOf(key.orgUid),
      found,
      unnamed,
      component.revision,
    )
    const bytes = bytesOfComponent(unnamed) - bytesOfComponent(component)
    this.#table.count(key, { documents: 0, bytes })
  }

  #applyWrite(order: WriteRequest): void {
    if (order.op === 'put') this.#putDocument(order)
    else if (order.op === 'put_component') this.#putComponent(order)
    else if (order.op === 'put_stream') this.#putStream(order)
    else if (order.op === 'create') this.#create(order)
    else this.#deleteOrExpect(order)
  }

  #putDocument(order: PutRequest): void {
    const { documents } = this.#table
    const scope = this.#table.scopeOf(order.orgUid)
    const before = order.expectedRevision === 0 ? undefined : this.#document(order)
    requireRevision(order, before?.revision)
    const revision = order.revision ?? (before?.revision ?? 0) + 1
    const stored =
      before === undefined
        ? documents.insert(scope, order, revision)
        : documents.update(order, before, revision)
    if (stored === undefined) {
      // If the row that is there is damaged, the caller hears of the damage instead of a conflict.
      this.#document(order)
      throw new CatalogConflict(plainKeyOf(order), undefined)
    }
    if (before !== undefined) documents.releaseClaims(before.ref)
    const taken = documents.insertClaims(scope, order.claims ?? [], {
      ...plainKeyOf(order),
      ref: stored.ref,
    })
    if (taken !== undefined) throw new CatalogConflict(plainKeyOf(order), taken)
    this.#table.count(order, {
      documents: before === undefined ? 1 : 0,
      bytes: stored.bytes - (before?.bytes ?? 0),
    })
    this.#table.changes.add(scope, order, { parentUid: stored.parentUid, isDeleted: false })
    this.#written.push(revision, 0)
  }

  #putComponent(order: PutComponent): void {
    const { componentTable, documents, numbers } = this.#table
    const scope = this.#table.scopeOf(order.orgUid)
    const before = this.#component(order)
    requireRevision(order, before?.component.revision)
    const revision = order.revision ?? (before?.component.revision ?? 0) + 1
    const ref = before?.ref ?? numbers.takeComponents(1)
    if (before === undefined) componentTable.insert({ scope, ref }, order, revision)
    else componentTable.update(scope, before, order, revision)
    if (before !== undefined) documents.releaseClaims(-ref)
    this.#claimAddresses({ ...plainKeyOf(order), scope, ref }, order)
    this.#table.count(order, {
      documents: before === undefined ? 1 : 0,
      bytes:
        bytesOfComponent(order) - (before === undefined ? 0 : bytesOfComponent(before.component)),
    })
    this.#table.changes.add(scope, order, { parentUid: '', isDeleted: false })
    this.#written.push(revision, 0)
  }

  /** Claims the addresses of a component, but for one that is its ID. */
  #claimAddresses(
    holder: DocumentKey & { readonly scope: number; readonly ref: number },
    fields: Pick<ComponentFields, 'id' | 'addressedAs'>,
  ): void {
    const own = ownAddress(fields)
    if (own !== undefined) this.#owned.push({ holder, address: own })
    if (own !== undefined && fields.addressedAs.length === 1) return
    const addresses = fields.addressedAs.filter((address) => address !== own)
    const claims = addresses.map(addressClaim)
    const { documents } = this.#table
    const taken = documents.insertClaims(holder.scope, claims, { ...holder, ref: -holder.ref })
    if (taken !== undefined) throw new CatalogConflict(plainKeyOf(holder), taken)
    for (const address of addresses) this.#claimed.push({ holder, address })
  }

  #putStream(order: PutStream): void {
    const { streamTable, numbers } = this.#table
    const scope = this.#table.scopeOf(order.orgUid)
    const owner = this.#ownerOf(scope, order.componentUid)
    if (owner === undefined) {
      const key = { ...plainKeyOf(order), kind: 'component', uid: order.componentUid }
      throw new CatalogConflict(key, undefined)
    }
    const before = this.#streamOf(owner, order)
    requireRevision(order, before?.stream.revision)
    const revision = order.revision ?? (before?.stream.revision ?? 0) + 1
    const handle = before?.stream.handle ?? numbers.takeHandles(1)
    if (before !== undefined) streamTable.update(before, order, revision)
    else this.#insertStream(owner, order, { handle, revision })
    if (order.id !== '' && order.id !== before?.stream.id) {
      const named = this.#named.getOrInsertComputed(owner.ref, () => [])
      named.push(order)
    }
    if (order.series !== undefined) {
      this.#seriesHashes.push(hashOfSeriesText(seriesText(order.series)))
    }
    this.#table.count(order, {
      documents: before === undefined ? 1 : 0,
      bytes: bytesOfStream(order) - (before === undefined ? 0 : bytesOfStream(before.stream)),
    })
    this.#table.changes.add(scope, order, { parentUid: order.componentUid, isDeleted: false })
    this.#written.push(revision, handle)
  }

  /** Refuses a UID that a stream of any component has. */
  #insertStream(
    owner: NumberedOwner,
    order: PutStream,
    state: { readonly handle: number; readonly revision: number },
  ): void {
    const { streams, streamTable } = this.#table
    const isFree = !streams.isOfAnother(owner, order.uid)
    if (isFree && streamTable.insert(owner, order, state)) return
    throw new CatalogConflict(plainKeyOf(order), undefined)
  }

  #create(request: CreateRequest): void {
    const order = creationOf(request)
    const { componentTable, streamTable, numbers, changes } = this.#table
    const { orgUid, uids, ids, addressedAs, streamIds } = order
    const scope = this.#table.scopeOf(orgUid)
    requireOwnStreamIds(order)
    const ref = numbers.takeComponents(uids.length)
    const handle = numbers.takeHandles(streamIds.length)
    const bytes = componentTable.insertMany(scope, ref, order)
    const streams = streamTable.insertMany(order, { ref, handle })
    for (const hash of streams.seriesHashes) this.#seriesHashes.push(hash)
    for (const [at, addresses] of (addressedAs ?? []).entries()) {
      const holder = { orgUid, kind: 'component', uid: uids[at], scope, ref: ref + at }
      this.#claimAddresses(holder, { id: ids[at], addressedAs: addresses })
    }
    this.#table.count({ orgUid, kind: 'component' }, { documents: uids.length, bytes })
    this.#table.count(
      { orgUid, kind: 'stream' },
      { documents: streamIds.length, bytes: streams.bytes },
    )
    changes.addCreated(scope, order)
    this.#written.push(0, streamIds.length === 0 ? 0 : handle)
  }

  #deleteOrExpect(order: Extract<WriteRequest, { op: 'delete' | 'expect' }>): void {
    const found = this.#find(order)
    if (order.expectedRevision !== 'any' || order.op === 'delete')
      requireRevision(order, found?.revision)
    else if (found === undefined) throw new CatalogConflict(plainKeyOf(order), undefined)
    if (order.op === 'expect' || found === undefined) return
    found.delete()
    this.#table.count(order, { documents: -1, bytes: -found.bytes })
    const scope = this.#table.scopeOf(order.orgUid)
    this.#table.changes.add(scope, order, { parentUid: found.parentUid, isDeleted: true })
  }

  /** What is there under a key of any kind, and how it is deleted. */
  #find(key: DocumentKey): Found | undefined {
    if (key.kind === 'component') return this.#foundComponent(key)
    if (key.kind === 'stream') return this.#foundStream(key)
    const { documents } = this.#table
    const stored = this.#document(key)
    if (stored === undefined) return undefined
    const deleteIt = () => {
      documents.releaseClaims(stored.ref)
      documents.delete(stored.ref)
    }
    return { ...stored, delete: deleteIt }
  }

  #foundComponent(key: DocumentKey): Found | undefined {
    const found = this.#component(key)
    if (found === undefined) return undefined
    const { ref, component } = found
    const deleteIt = () => {
      // Streams without their component would be nobody's.
      if (this.#table.streamTable.hasAny(ref)) throw new CatalogConflict(plainKeyOf(key), undefined)
      this.#table.documents.releaseClaims(-ref)
      this.#table.componentTable.delete(ref)
    }
    const { revision } = component
    return { revision, bytes: bytesOfComponent(component), parentUid: '', delete: deleteIt }
  }

  #foundStream(key: DocumentKey): Found | undefined {
    const found = this.#stream(key)
    if (found === undefined) return undefined
    const { revision, componentUid } = found.stream
    return {
      revision,
      bytes: bytesOfStream(found.stream),
      parentUid: componentUid,
      delete: () => this.#table.streamTable.delete(found),
    }
  }

  #document(key: DocumentKey): StoredDocument | undefined {
    return readChecked(documentNameOf(key), () =>
      this.#table.documents.find(this.#table.scopeOf(key.orgUid), key),
    )
  }

  #component({ orgUid, uid }: Pick<DocumentKey, 'orgUid' | 'uid'>): FoundComponent | undefined {
    return readChecked(`component ${uid}`, () =>
      this.#table.components.find(this.#table.scopeOf(orgUid), uid),
    )
  }

  #ownerOf(scope: number, uid: string): NumberedOwner | undefined {
    return readChecked(`component ${uid}`, () => this.#table.streams.ownerOf(scope, uid))
  }

  #streamOf(owner: NumberedOwner, { uid }: { readonly uid: string }): FoundStream | undefined {
    return readChecked(`stream ${uid}`, () => this.#table.streams.findOf(owner, uid))
  }

  #stream({ orgUid, uid }: Pick<DocumentKey, 'orgUid' | 'uid'>): FoundStream | undefined {
    return readChecked(`stream ${uid}`, () =>
      this.#table.streams.find(this.#table.scopeOf(orgUid), uid),
    )
  }

  #refuseSharedIds(ref: number, puts: readonly PutStream[]): void {
    const { streamTable } = this.#table
    const isFew = puts.length <= LOOKED_FOR_MAX
    const doubled = isFew
      ? puts.findLast(({ id }) => streamTable.isDouble(ref, id))?.id
      : streamTable.findDouble(ref)
    if (doubled === undefined) return
    const to = puts.findLast(({ id }) => id.toWellFormed() === doubled.toWellFormed()) ?? puts[0]
    throw new CatalogConflict(plainKeyOf(to), streamIdClaim(to.componentUid, doubled))
  }

  /** Refuses an address that is the ID of a component which is found by it, and such an ID that is an address. */
  #refuseSharedAddresses(): void {
    const { components, documents } = this.#table
    for (const { holder, address } of this.#claimed) {
      const other = components.findRefById(holder.scope, address)
      if (other === undefined || other.ref === holder.ref || !other.isAddress) continue
      throw new CatalogConflict(plainKeyOf(holder), addressClaim(address))
    }
    for (const [scope, given] of Map.groupBy(this.#owned, ({ holder }) => holder.scope)) {
      const claims = given.map(({ address }) => addressClaim(address))
      const at = documents.findClaimed(scope, claims)
      if (at === undefined) continue
      throw new CatalogConflict(plainKeyOf(given[at].holder), claims[at])
    }
  }

  #refuseSharedSeries(orders: readonly WriteRequest[]): void {
    if (this.#seriesHashes.length === 0) return
    const { streams } = this.#table
    const shared = streams.sharedHashes(this.#seriesHashes)
    if (shared.size === 0) return
    for (const { key, series } of orders.flatMap(seriesOf)) {
      if (!shared.has(hashOfSeriesText(seriesText(series)))) continue
      const holders = streams.findSeries(this.#table.scopeOf(key.orgUid), series)
      if ([...holders].length > 1) throw new CatalogConflict(key, seriesClaim(series))
    }
  }
}

interface Found {
  readonly revision: number
  readonly bytes: number
  readonly parentUid: string
  delete(): void
}

/** An address that a component was given. */
interface GivenAddress {
  readonly holder: DocumentKey & { readonly scope: number; readonly ref: number }
  readonly address: string
}

/** The series that an order gives to streams, with what a conflict names. */
function seriesOf(order: WriteRequest): { readonly key: DocumentKey; readonly series: Labels }[] {
  if (order.op === 'put_stream') {
    return order.series === undefined ? [] : [{ key: plainKeyOf(order), series: order.series }]
  }
  if (order.op !== 'create') return []
  const { orgUid, uids, streamCounts, series = [] } = creationOf(order)
  const owners = streamCounts.flatMap((count, at): string[] => new Array(count).fill(uids[at]))
  return series.flatMap((one, at) =>
    one ? [{ key: { orgUid, kind: 'component', uid: owners[at] }, series: one }] : [],
  )
}

/** What leaves no more than there was goes through, or nobody could get below a lowered limit. */
function checkLimit(table: CatalogWriteTable, limit: CatalogLimit): void {
  const { orgUid, kinds, of, max } = limit
  const { tallies } = table
  const scope = table.scopeOf(orgUid)
  let [change, usage] = [0, 0]
  for (const kind of kinds) change += tallies.changeOf(scope, kind)[of]
  if (change <= 0) return
  for (const kind of kinds) usage += tallies.usageOf(scope, kind)[of]
  if (usage > max) throw new CatalogLimitReached(limit)
}

function purge(table: CatalogWriteTable, nowMs: number, limit: number): number {
  let deleted = 0
  for (const key of table.documents.selectExpired(nowMs, limit)) {
    const scope = table.scopeOf(key.orgUid)
    const stored = findWhole(table, scope, key)
    if (stored === undefined) continue
    table.documents.releaseClaims(stored.ref)
    table.documents.delete(stored.ref)
    table.count(key, { documents: -1, bytes: -stored.bytes })
    table.changes.add(scope, key, { parentUid: stored.parentUid, isDeleted: true })
    deleted += 1
  }
  return deleted
}

/** A damaged document may not have expired: it stays, for the scrub to report. */
function findWhole(
  table: CatalogWriteTable,
  scope: number,
  key: DocumentKey,
): StoredDocument | undefined {
  try {
    return readChecked(documentNameOf(key), () => table.documents.find(scope, key))
  } catch (error) {
    if (error instanceof CatalogDamaged) return undefined
    throw error
  }
}

function acquire(
  table: CatalogWriteTable,
  inferredType: { name: string; holder: string; nowMs: number; ttlMs: number },
): Lease | undefined {
  const held = table.leases.select(inferredType.name)
  const isRunning = held !== undefined && isLeaseRunning(held, inferredType)
  if (isRunning && held.holder !== inferredType.holder) return undefined
  const fence = isRunning ? held.fence : (held?.fence ?? 0) + 1
  const lease = { name: inferredType.name, holder: inferredType.holder, fence }
  table.leases.upsert(lease, inferredType.nowMs + inferredType.ttlMs)
  return lease
}

function release(table: CatalogWriteTable, lease: Lease): undefined {
  const held = table.leases.select(lease.name)
  // The row stays, so that the fence keeps rising.
  if (isSameLease(held, lease)) table.leases.upsert({ ...lease, holder: '' }, 0)
  return undefined
}
