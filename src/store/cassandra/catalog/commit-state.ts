/**
 * What the catalog is after the commits of a group, over what it is before them: each commit is checked
 * against those before it and changes all that it names, or nothing.
 */
import { crc32 } from 'node:zlib'
import {
  CatalogConflict,
  type CatalogDocument,
  type CatalogLimit,
  CatalogLimitReached,
  type CatalogWrite,
  type DocumentKey,
  type Lease,
  type PutDocument,
} from '../../catalog-port.ts'
import type { StreamHandle } from '../../sample-port.ts'
import { storedClaim } from '../../stored-claim.ts'
import type { DocumentHead } from './catalog-reader.ts'
import { KindCounts } from './kind-counts.ts'
import type { Effects, KeptDocument, OldDocument, StoredChange, StoredUsage } from './log-entry.ts'
import { EXPIRY_BUCKET_MS } from './materialize.ts'

/** What a document counts beside its JSON and list key: as the embedded store's checksum does. */
const BYTES_BESIDE = 8

interface Slot {
  readonly key: DocumentKey
  readonly stored: DocumentHead | undefined
  /** Without its body as long as nothing was written. */
  current: (DocumentHead & { readonly body?: string }) | undefined
  isTouched: boolean
}

interface ClaimSlot {
  readonly org: string
  /** As the table has it. */
  readonly claim: string
  readonly stored: string | undefined
  holder: DocumentKey | undefined
}

/** What was read for a group before it is applied. */
export interface Loaded {
  readonly heads: readonly DocumentHead[]
  readonly holders: readonly (DocumentKey & { readonly claim: string })[]
  readonly usage: readonly StoredUsage[]
  readonly leases: ReadonlyMap<string, Lease | undefined>
  readonly lastHandle: number
}

/** A commit as a caller asks for it. */
export interface Commit {
  readonly writes: readonly Exclude<CatalogWrite, { op: 'fleet' }>[]
  readonly lease: Lease | undefined
  readonly limits: readonly CatalogLimit[]
}

/** The state of a group; made anew whenever others have committed meanwhile. */
export class CommitState {
  readonly #slots = new Map<string, Slot>()
  readonly #claims = new Map<string, ClaimSlot>()
  readonly #counts: KindCounts
  readonly #leases: Loaded['leases']
  readonly #changes: StoredChange[] = []
  readonly #emptied: number[] = []
  /** How to take back what the commit has changed so far. */
  #undo: (() => void)[] = []
  #lastHandle: number

  constructor({ heads, holders, usage, leases, lastHandle }: Loaded) {
    for (const stored of heads) {
      const key = { orgUid: stored.org, kind: stored.kind, uid: stored.uid }
      this.#slots.set(slotName(key), { key, stored, current: stored, isTouched: false })
    }
    for (const { claim, ...holder } of holders) {
      const name = claimName(holder.orgUid, claim)
      const stored = slotName(holder)
      this.#claims.set(name, { org: holder.orgUid, claim, stored, holder })
    }
    this.#counts = new KindCounts(usage)
    this.#leases = leases
    this.#lastHandle = lastHandle
  }

  get lastHandle(): number {
    return this.#lastHandle
  }

  /** Makes all writes of a commit, or throws and makes none; the documents as written. */
  apply(commit: Commit): CatalogDocument[] {
    this.#undo = []
    this.#counts.begin()
    const [changes, lastHandle] = [this.#changes.length, this.#lastHandle]
    try {
      return this.#apply(commit)
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo()
      this.#counts.takeBack()
      this.#changes.length = changes
      this.#lastHandle = lastHandle
      throw error
    }
  }

  /** Deletes those documents that are over; tells how many. */
  purge(keys: readonly DocumentKey[], nowMs: number, emptied: readonly number[]): number {
    this.#undo = []
    this.#counts.begin()
    let deleted = 0
    for (const key of keys) {
      const { current } = this.#slotOf(key)
      if (current?.expiresAt === undefined || current.expiresAt === null) continue
      if (current.expiresAt > nowMs) continue
      this.#delete(key)
      deleted += 1
    }
    this.#emptied.push(...emptied)
    return deleted
  }

  /** What all commits of the group have changed together. */
  effects(): Effects {
    const puts: KeptDocument[] = []
    const gone: { org: string; kind: string; uid: string }[] = []
    const unlisted: OldDocument[] = []
    for (const { key, stored, current, isTouched } of this.#slots.values()) {
      if (!isTouched) continue
      if (stored !== undefined) unlisted.push(...rowsToGo(stored, current))
      if (current?.body !== undefined) puts.push({ ...current, body: current.body })
      else if (current === undefined && stored !== undefined) {
        gone.push({ org: key.orgUid, kind: key.kind, uid: key.uid })
      }
    }
    const claims = [...this.#claims.values()]
      .filter(({ stored, holder }) => stored !== (holder && slotName(holder)))
      .map(({ org, claim, holder }) => ({
        ...{ org, claim, holder: holder && { kind: holder.kind, uid: holder.uid } },
      }))
    // An hour in which this group puts something that expires is not empty.
    const filled = this.#emptied.filter((hour) => !puts.some((put) => isWithin(put, hour)))
    return {
      ...{ puts, gone, unlisted, claims, usage: this.#counts.changed() },
      ...{ emptied: filled, changes: this.#changes },
    }
  }

  #apply({ writes, lease, limits }: Commit): CatalogDocument[] {
    if (lease !== undefined) this.#checkLease(lease)
    // All claims of the commit's documents are let go first, so that two may swap theirs.
    for (const write of writes) if (write.op !== 'expect') this.#letGoClaims(this.#slotOf(write))
    const documents: CatalogDocument[] = []
    for (const write of writes) {
      const slot = this.#slotOf(write)
      const revision = slot.current?.revision ?? 0
      const { expectedRevision } = write
      const isOther = expectedRevision !== 'any' && expectedRevision !== revision
      const isMissing = write.op === 'expect' && expectedRevision === 'any' && revision === 0
      if (isOther || isMissing) throw new CatalogConflict(slot.key, undefined)
      if (write.op === 'put') documents.push(this.#put(write, slot))
      else if (write.op === 'delete') this.#delete(write)
    }
    for (const limit of limits) this.#checkLimit(limit)
    return documents
  }

  #put(put: PutDocument, slot: Slot): CatalogDocument {
    this.#letGoClaims(slot)
    const before = slot.current
    const claims = [...new Set(put.claims)]
    for (const claim of claims) {
      const held = this.#claimOf(put.orgUid, claim)
      if (held.holder !== undefined) throw new CatalogConflict(slot.key, claim)
      this.#setHolder(held, slot.key)
    }
    const body = JSON.stringify(put.body)
    const listKey = put.listKey ?? ''
    const isStream = put.kind === 'stream'
    const handle = isStream ? before?.handle || ++this.#lastHandle : 0
    const bytes = Buffer.byteLength(body) + Buffer.byteLength(listKey) + BYTES_BESIDE
    const shards = this.#counts.shardsOf(put.orgUid, put.kind)
    const after = {
      ...{ org: put.orgUid, kind: put.kind, uid: put.uid, parent: put.parentUid ?? '' },
      ...{ revision: put.revision ?? (before?.revision ?? 0) + 1, listKey, handle, claims },
      ...{ bytes, body, expiresAt: put.expiresAtMs ?? null, index: put.index ?? null },
      shard: slot.stored?.shard ?? before?.shard ?? crc32(put.uid) % shards,
    }
    this.#setCurrent(slot, after)
    this.#changes.push([after.org, after.kind, after.uid, after.parent, 0])
    return {
      ...{ ...slot.key, parentUid: after.parent, revision: after.revision, listKey },
      ...{ expiresAtMs: put.expiresAtMs, body: put.body },
      handle: handle === 0 ? undefined : (handle as StreamHandle),
    }
  }

  #delete(key: DocumentKey): void {
    const slot = this.#slotOf(key)
    if (slot.current === undefined) return
    this.#letGoClaims(slot)
    this.#changes.push([key.orgUid, key.kind, key.uid, slot.current.parent, 1])
    this.#setCurrent(slot, undefined)
  }

  #setCurrent(slot: Slot, after: Slot['current']): void {
    const { current, isTouched } = slot
    this.#undo.push(() => {
      slot.current = current
      slot.isTouched = isTouched
    })
    this.#counts.change(slot.key, current, after)
    slot.current = after
    slot.isTouched = true
  }

  #letGoClaims(slot: Slot): void {
    const name = slotName(slot.key)
    for (const claim of slot.current?.claims ?? []) {
      const held = this.#claimOf(slot.key.orgUid, claim, slot.stored)
      if (held.holder !== undefined && slotName(held.holder) === name) {
        this.#setHolder(held, undefined)
      }
    }
  }

  #setHolder(held: ClaimSlot, holder: DocumentKey | undefined): void {
    const before = held.holder
    this.#undo.push(() => {
      held.holder = before
    })
    held.holder = holder
  }

  #checkLease(lease: Lease): void {
    const held = this.#leases.get(lease.name)
    if (held?.fence === lease.fence && held.holder === lease.holder) return
    throw new CatalogConflict({ orgUid: '', kind: 'lease', uid: lease.name }, undefined)
  }

  /** What leaves no more than there was goes through, or nobody could get below a lowered limit. */
  #checkLimit(limit: CatalogLimit): void {
    const { change, total } = this.#counts.sumOf(limit)
    if (change > 0 && total > limit.max) throw new CatalogLimitReached(limit)
  }

  #slotOf({ orgUid, kind, uid }: DocumentKey): Slot {
    const key = { orgUid, kind, uid }
    const name = slotName(key)
    let slot = this.#slots.get(name)
    if (slot === undefined) {
      slot = { key, stored: undefined, current: undefined, isTouched: false }
      this.#slots.set(name, slot)
    }
    return slot
  }

  /** A claim that a stored document has is that document's, whether it was asked for or not. */
  #claimOf(org: string, text: string, owner?: DocumentHead): ClaimSlot {
    const claim = storedClaim(text)
    const name = claimName(org, claim)
    let held = this.#claims.get(name)
    if (held === undefined) {
      const isOwned = owner?.claims.includes(text) === true
      const holder = isOwned ? { orgUid: org, kind: owner.kind, uid: owner.uid } : undefined
      held = { org, claim, stored: holder && slotName(holder), holder }
      this.#claims.set(name, held)
    }
    return held
  }
}

/** The rows beside a document that are not those of what it is afterwards. */
function rowsToGo(stored: DocumentHead, after: Slot['current']): OldDocument[] {
  const { org, kind, uid, listKey, expiresAt } = stored
  const isMoved = after === undefined || after.listKey !== listKey
  const hasOtherParent = isMoved || after.parent !== stored.parent
  const hasOtherEnd = after === undefined || after.expiresAt !== expiresAt
  if (!isMoved && !hasOtherParent && !hasOtherEnd) return []
  return [
    {
      ...{ org, kind, uid, listKey, shard: isMoved ? stored.shard : -1 },
      ...{ parent: hasOtherParent ? stored.parent : '', expiresAt: hasOtherEnd ? expiresAt : null },
    },
  ]
}

function isWithin({ expiresAt }: KeptDocument, hour: number): boolean {
  return expiresAt !== null && Math.floor(expiresAt / EXPIRY_BUCKET_MS) === hour
}

function slotName({ orgUid, kind, uid }: DocumentKey): string {
  return JSON.stringify([orgUid, kind, uid])
}

function claimName(org: string, claim: string): string {
  return JSON.stringify([org, claim])
}
