/**
 * The catalog after the commits of a group, over what was loaded for them. Each commit is checked against those before
 * it, and changes all that it names or nothing. Nobody else writes meanwhile: the group holds the lock of the catalog.
 */
import { countedUidOf } from '../../../base/index.ts'
import {
  plainKeyOf,
  requireLease,
  requireOwnStreamIds,
  requireRevision,
} from '../../commit/commit-checks.ts'
import { bytesOfComponent, bytesOfStream } from '../../fields/counted-bytes.ts'
import { storedClaim } from '../../fields/stored-claim.ts'
import {
  addressClaim,
  componentIdClaim,
  seriesClaim,
  streamIdClaim,
} from '../../fields/unique-texts.ts'
import {
  CatalogConflict,
  type CatalogLimit,
  CatalogLimitReached,
  type CatalogRecord,
  type CatalogWrite,
  type Committed,
  type Lease,
  type PutDocument,
} from '../../ports/catalog-port.ts'
import type {
  ComponentFields,
  CreateComponents,
  PutComponent,
  PutStream,
  StreamFields,
} from '../../ports/component-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import type { StreamHandle } from '../../ports/sample-port.ts'
import type { HandleSupply } from './handle-supply.ts'
import { claimName, keyName } from './map-keys.ts'
import { StepMap } from './step-map.ts'

/** A commit as a caller asks for it. */
export interface WantedCommit {
  readonly writes: readonly CatalogWrite[]
  readonly lease: Lease | undefined
  readonly limits: readonly CatalogLimit[]
}

/** What the table has of a document, without its body. */
export interface DocumentHead {
  readonly parentUid: string
  readonly revision: number
  readonly expiresAtMs: number | undefined
  readonly claims: readonly string[]
  readonly bytes: number
}

/** What the table has of a component, as far as a commit needs it. */
export interface ComponentHead {
  readonly number: number
  readonly orgUid: string
  readonly revision: number
  readonly id: string
  readonly addressedAs: readonly string[]
  readonly bytes: number
  /** How many streams it has; known only of components that are to be deleted. */
  readonly streams: number
}

/** What the table has of a stream, as far as a commit needs it. */
export interface StreamHead {
  readonly handle: number
  readonly orgUid: string
  readonly componentUid: string
  readonly revision: number
  readonly id: string
  readonly seriesClaim: string | undefined
  readonly bytes: number
}

/** A record of some kind: as loaded, as it is now, and as it was last written. */
interface Slot<Head, Written> {
  readonly key: DocumentKey
  readonly stored: Head | undefined
  readonly current: Head | undefined
  readonly written: Written | undefined
}

export type DocumentSlot = Slot<DocumentHead, PutDocument>
export type ComponentSlot = Slot<ComponentHead, ComponentFields>
export type StreamSlot = Slot<StreamHead, StreamFields>

/** A unique text of an organization as storedClaim() makes it, and the record that has it. */
export interface ClaimSlot {
  readonly orgUid: string
  readonly claim: string
  readonly stored: DocumentKey | undefined
  readonly holder: DocumentKey | undefined
}

export interface KindCount {
  readonly orgUid: string
  readonly kind: string
  readonly documents: number
  readonly bytes: number
}

/** An entry of the change log: organization, kind, UID, parent's UID, 1 for deleted, and the streams of a creation. */
export type StoredChange = readonly [string, string, string, string, 0 | 1, number?]

/** A unique text that is taken. */
export interface HeldText {
  readonly orgUid: string
  readonly claim: string
  readonly holder: DocumentKey
}

/** What was loaded for a group. */
export interface Loaded {
  readonly documents: readonly (DocumentHead & DocumentKey)[]
  readonly components: readonly (ComponentHead & { readonly uid: string })[]
  readonly streams: readonly (StreamHead & { readonly uid: string })[]
  /** Who holds claims of the table. */
  readonly claims: readonly HeldText[]
  /** Who has the ID of a component or stream, given as the claims that stand for them. */
  readonly ids: readonly HeldText[]
  readonly tallies: readonly KindCount[]
  readonly leases: readonly Lease[]
  readonly lastComponent: number
}

/** The state of a group. */
export class CommitState {
  readonly documents = new StepMap<string, DocumentSlot>()
  readonly components = new StepMap<string, ComponentSlot>()
  readonly streams = new StepMap<string, StreamSlot>()
  /** The claims of documents, the addresses of components, and the series of streams: rows of table `claim`. */
  readonly claims = new StepMap<string, ClaimSlot>()
  /** The IDs of components and streams: columns of their tables. */
  readonly #ids = new StepMap<string, ClaimSlot>()
  /** By how much the counts of the group differ from those that were loaded. */
  readonly tallies = new StepMap<string, KindCount>()
  readonly changes: StoredChange[] = []
  readonly #handles: HandleSupply
  readonly #stored = new Map<string, KindCount>()
  readonly #leases: ReadonlyMap<string, Lease>
  #lastComponent: number

  constructor(loaded: Loaded, handles: HandleSupply) {
    for (const { orgUid, kind, uid, ...head } of loaded.documents) {
      const key = { orgUid, kind, uid }
      this.documents.set(keyName(key), slotOf(key, head))
    }
    for (const { uid, ...head } of loaded.components) {
      this.components.set(uid, slotOf({ orgUid: head.orgUid, kind: 'component', uid }, head))
    }
    for (const { uid, ...head } of loaded.streams) {
      this.streams.set(uid, slotOf({ orgUid: head.orgUid, kind: 'stream', uid }, head))
    }
    for (const text of loaded.claims) noteHeld(this.claims, text)
    for (const text of loaded.ids) noteHeld(this.#ids, text)
    this.#keep()
    for (const { key } of this.documents.values()) this.#noteStored(key)
    for (const { key } of this.components.values()) this.#noteStored(key)
    for (const { key } of this.streams.values()) this.#noteStored(key)
    for (const tally of loaded.tallies) this.#stored.set(tallyName(tally), tally)
    this.#leases = new Map(loaded.leases.map((lease) => [lease.name, lease]))
    this.#lastComponent = loaded.lastComponent
    this.#handles = handles
    this.#keep()
  }

  get lastComponent(): number {
    return this.#lastComponent
  }

  /** Makes all writes of a commit, or throws and makes none. */
  apply(commit: WantedCommit): Committed {
    const before = { changes: this.changes.length, component: this.#lastComponent }
    const handlesBefore = this.#handles.position
    try {
      const committed = this.#apply(commit)
      this.#keep()
      return committed
    } catch (error) {
      for (const map of this.#maps()) map.drop()
      this.changes.length = before.changes
      this.#lastComponent = before.component
      this.#handles.goBack(handlesBefore)
      throw error
    }
  }

  /** Deletes documents that have expired; returns how many. */
  purge(keys: readonly DocumentKey[], nowMs: number): number {
    let deleted = 0
    for (const key of keys) {
      const expiresAtMs = this.#document(key).current?.expiresAtMs
      if (expiresAtMs === undefined || expiresAtMs > nowMs) continue
      this.#deleteDocument(key)
      deleted += 1
    }
    this.#keep()
    return deleted
  }

  #maps() {
    const records = [this.documents, this.components, this.streams] as const
    return [...records, this.claims, this.#ids, this.tallies] as const
  }

  #keep(): void {
    for (const map of this.#maps()) map.keep()
  }

  #apply({ writes, lease, limits }: WantedCommit): Committed {
    if (lease !== undefined) requireLease(this.#leases.get(lease.name), lease)
    // What is unique is let go of first, so that two records may swap it.
    for (const write of writes) {
      if (write.op !== 'expect' && write.op !== 'create') this.#letGo(write)
    }
    const records: CatalogRecord[] = []
    const firstHandles: StreamHandle[] = []
    for (const write of writes) {
      switch (write.op) {
        case 'put':
          records.push(this.#putDocument(write))
          break
        case 'put_component':
          records.push(this.#putComponent(write))
          break
        case 'put_stream':
          records.push(this.#putStream(write))
          break
        case 'create':
          firstHandles.push(this.#create(write))
          break
        default:
          this.#deleteOrExpect(write)
      }
    }
    for (const limit of limits) this.#requireBelow(limit)
    return { records, firstHandles }
  }

  #putDocument(put: PutDocument): CatalogRecord {
    const key = plainKeyOf(put)
    const slot = this.#document(key)
    requireRevision(put, slot.current?.revision)
    this.#letGo(key)
    const claims = [...new Set(put.claims)]
    for (const claim of claims) this.#hold(this.claims, key, claim)
    const { parentUid = '', listKey = '', expiresAtMs, body } = put
    const revision = put.revision ?? (slot.current?.revision ?? 0) + 1
    const bytes = bytesOfDocument(put)
    const current = { parentUid, revision, expiresAtMs, claims: claims.map(storedClaim), bytes }
    this.documents.set(keyName(key), { ...slot, current, written: put })
    this.#count(key, slot.current, bytes)
    this.changes.push([key.orgUid, key.kind, key.uid, parentUid, 0])
    return { ...key, parentUid, revision, listKey, expiresAtMs, body }
  }

  #putComponent(put: PutComponent): CatalogRecord {
    const key = plainKeyOf(put)
    const slot = this.#component(key)
    requireRevision(put, slot.current?.revision)
    this.#letGo(key)
    const fields = componentFieldsOf(put)
    const revision = put.revision ?? (slot.current?.revision ?? 0) + 1
    this.#setComponent(slot, fields, revision)
    this.changes.push([key.orgUid, key.kind, key.uid, '', 0])
    return { kind: 'component', orgUid: key.orgUid, uid: key.uid, revision, ...fields }
  }

  #setComponent(slot: ComponentSlot, fields: ComponentFields, revision: number): void {
    const { key, current: before } = slot
    this.#requireFree(key)
    if (fields.id !== '') this.#hold(this.#ids, key, componentIdClaim(fields.id))
    for (const address of new Set(fields.addressedAs)) {
      this.#hold(this.claims, key, addressClaim(address))
    }
    const number = before?.number ?? ++this.#lastComponent
    const bytes = bytesOfComponent(fields)
    const { id, addressedAs } = fields
    const streams = before?.streams ?? 0
    const current = { number, orgUid: key.orgUid, revision, id, addressedAs, bytes, streams }
    this.components.set(key.uid, { ...slot, current, written: fields })
    this.#count(key, before, bytes)
  }

  #putStream(put: PutStream): CatalogRecord {
    const key = plainKeyOf(put)
    const { componentUid } = put
    const componentKey = { orgUid: put.orgUid, kind: 'component', uid: componentUid }
    if (this.#component(componentKey).current === undefined) {
      throw new CatalogConflict(componentKey, undefined)
    }
    const slot = this.#stream(key)
    requireRevision(put, slot.current?.revision)
    if (slot.current !== undefined && slot.current.componentUid !== componentUid) {
      throw new CatalogConflict(key, undefined)
    }
    this.#letGo(key)
    const fields = streamFieldsOf(put)
    const revision = put.revision ?? (slot.current?.revision ?? 0) + 1
    const handle = slot.current?.handle ?? this.#handles.take(1)
    this.#setStream(slot, fields, { componentUid, revision, handle })
    this.changes.push([key.orgUid, key.kind, key.uid, componentUid, 0])
    return {
      kind: 'stream',
      orgUid: key.orgUid,
      uid: key.uid,
      componentUid,
      handle: handle as StreamHandle,
      revision,
      ...fields,
    }
  }

  #setStream(
    slot: StreamSlot,
    fields: StreamFields,
    place: Pick<StreamHead, 'componentUid' | 'revision' | 'handle'>,
  ): void {
    const { key, current: before } = slot
    this.#requireFree(key)
    const claim = fields.series === undefined ? undefined : seriesClaim(fields.series)
    if (fields.id !== '') this.#hold(this.#ids, key, streamIdClaim(place.componentUid, fields.id))
    if (claim !== undefined) this.#hold(this.claims, key, claim)
    const bytes = bytesOfStream(fields)
    const current = { ...place, orgUid: key.orgUid, id: fields.id, seriesClaim: claim, bytes }
    this.streams.set(key.uid, { ...slot, current, written: fields })
    if (before === undefined) this.#countStreams(place.componentUid, 1)
    this.#count(key, before, bytes)
  }

  #create(create: CreateComponents): StreamHandle {
    const { orgUid, uids, ids, names, addressedAs, common, streamCounts, streamIds } = create
    requireOwnStreamIds(create)
    const firstHandle = streamIds.length === 0 ? 0 : this.#handles.take(streamIds.length)
    let stream = 0
    for (const [at, uid] of uids.entries()) {
      const key = { orgUid, kind: 'component', uid }
      const slot = this.#component(key)
      if (slot.current !== undefined) throw new CatalogConflict(key, undefined)
      const fields: ComponentFields = {
        ...common,
        id: ids[at],
        name: names?.[at] ?? ids[at],
        lastOrdinal: 0,
        addressedAs: addressedAs?.[at] ?? [],
      }
      this.#setComponent(slot, fields, 1)
      for (let ordinal = 1; ordinal <= streamCounts[at]; ordinal++, stream++) {
        const place = { componentUid: uid, revision: 1, handle: firstHandle + stream }
        const streamKey = { orgUid, kind: 'stream', uid: countedUidOf(uid, ordinal) }
        const written = createdFields(create, stream, ordinal - 1)
        this.#setStream(this.#stream(streamKey), written, place)
      }
      this.changes.push([orgUid, 'component', uid, '', 0, streamCounts[at]])
    }
    return firstHandle as StreamHandle
  }

  #deleteOrExpect(write: Extract<CatalogWrite, { op: 'delete' | 'expect' }>): void {
    const key = plainKeyOf(write)
    const current = this.#current(key)
    if (write.op === 'expect' && write.expectedRevision === 'any') {
      if (current === undefined) throw new CatalogConflict(key, undefined)
      return
    }
    requireRevision(write, current?.revision)
    if (write.op === 'expect' || current === undefined) return
    if (key.kind === 'component') this.#deleteComponent(key)
    else if (key.kind === 'stream') this.#deleteStream(key)
    else this.#deleteDocument(key)
  }

  #deleteComponent(key: DocumentKey): void {
    const slot = this.#component(key)
    // Streams without their component would belong to nobody.
    if ((slot.current?.streams ?? 0) > 0) throw new CatalogConflict(key, undefined)
    this.#letGo(key)
    this.components.set(key.uid, { ...slot, current: undefined, written: undefined })
    this.#count(key, slot.current, undefined)
    this.changes.push([key.orgUid, key.kind, key.uid, '', 1])
  }

  #deleteStream(key: DocumentKey): void {
    const slot = this.#stream(key)
    const componentUid = slot.current?.componentUid ?? ''
    this.#letGo(key)
    this.streams.set(key.uid, { ...slot, current: undefined, written: undefined })
    this.#countStreams(componentUid, -1)
    this.#count(key, slot.current, undefined)
    this.changes.push([key.orgUid, key.kind, key.uid, componentUid, 1])
  }

  #deleteDocument(key: DocumentKey): void {
    const slot = this.#document(key)
    this.#letGo(key)
    this.documents.set(keyName(key), { ...slot, current: undefined, written: undefined })
    this.#count(key, slot.current, undefined)
    this.changes.push([key.orgUid, key.kind, key.uid, slot.current?.parentUid ?? '', 1])
  }

  /** Lets go of all unique texts of a record. */
  #letGo(key: DocumentKey): void {
    const { ids, claims } = this.#textsOf(key)
    for (const id of ids) release(this.#ids, key, id)
    for (const claim of claims) release(this.claims, key, claim)
  }

  /** Notes what a record that was loaded has. */
  #noteStored(key: DocumentKey): void {
    const { ids, claims } = this.#textsOf(key)
    for (const id of ids) noteHeld(this.#ids, { orgUid: key.orgUid, claim: id, holder: key })
    for (const claim of claims) noteHeld(this.claims, { orgUid: key.orgUid, claim, holder: key })
  }

  /** The unique texts of a record as it is now. */
  #textsOf(key: DocumentKey): { ids: readonly string[]; claims: readonly string[] } {
    if (key.kind === 'component') {
      const { current } = this.#component(key)
      const ids = current === undefined || current.id === '' ? [] : [componentIdClaim(current.id)]
      return { ids, claims: (current?.addressedAs ?? []).map(addressClaim) }
    }
    if (key.kind !== 'stream') return { ids: [], claims: this.#document(key).current?.claims ?? [] }
    const { current } = this.#stream(key)
    if (current === undefined) return { ids: [], claims: [] }
    const ids = current.id === '' ? [] : [streamIdClaim(current.componentUid, current.id)]
    return { ids, claims: current.seriesClaim === undefined ? [] : [current.seriesClaim] }
  }

  /** Gives a unique text to a record; throws when another record has it. */
  #hold(texts: StepMap<string, ClaimSlot>, holder: DocumentKey, claim: string): void {
    const stored = storedClaim(claim)
    const name = claimName(holder.orgUid, stored)
    // What was not loaded has nobody: all that a group may ask for is loaded.
    const slot = texts.get(name)
    if (slot?.holder !== undefined) throw new CatalogConflict(holder, claim)
    texts.set(name, { orgUid: holder.orgUid, claim: stored, stored: slot?.stored, holder })
  }

  #countStreams(componentUid: string, by: number): void {
    const slot = this.components.get(componentUid)
    if (slot?.current === undefined) return
    const current = { ...slot.current, streams: slot.current.streams + by }
    this.components.set(componentUid, { ...slot, current })
  }

  #count(
    key: DocumentKey,
    before: { readonly bytes: number } | undefined,
    bytes: number | undefined,
  ): void {
    const name = tallyName(key)
    const tally = this.tallies.get(name)
    const documents = (bytes === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
    this.tallies.set(name, {
      orgUid: key.orgUid,
      kind: key.kind,
      documents: (tally?.documents ?? 0) + documents,
      bytes: (tally?.bytes ?? 0) + (bytes ?? 0) - (before?.bytes ?? 0),
    })
  }

  /** A commit that leaves no more than there was passes: otherwise nobody could get below a lowered limit. */
  #requireBelow(limit: CatalogLimit): void {
    let [change, total] = [0, 0]
    for (const kind of limit.kinds) {
      const name = tallyName({ orgUid: limit.orgUid, kind })
      const now = this.tallies.get(name)?.[limit.of] ?? 0
      change += now - (this.tallies.keptOf(name)?.[limit.of] ?? 0)
      total += now + (this.#stored.get(name)?.[limit.of] ?? 0)
    }
    if (change > 0 && total > limit.max) throw new CatalogLimitReached(limit)
  }

  #current(key: DocumentKey): { readonly revision: number } | undefined {
    if (key.kind === 'component') return this.#component(key).current
    return key.kind === 'stream' ? this.#stream(key).current : this.#document(key).current
  }

  #document(key: DocumentKey): DocumentSlot {
    return this.documents.get(keyName(key)) ?? slotOf<DocumentHead, PutDocument>(key, undefined)
  }

  #component(key: DocumentKey): ComponentSlot {
    return ownSlot(this.components.get(key.uid), key)
  }

  #stream(key: DocumentKey): StreamSlot {
    return ownSlot(this.streams.get(key.uid), key)
  }

  /** UIDs of components and streams are unique among all organizations. */
  #requireFree(key: DocumentKey): void {
    const slot = (key.kind === 'component' ? this.components : this.streams).get(key.uid)
    if (slot?.current === undefined || slot.key.orgUid === key.orgUid) return
    throw new CatalogConflict(key, undefined)
  }
}

/** The slot of a key; a record of another organization is not there for it. */
function ownSlot<Head, Written>(
  slot: Slot<Head, Written> | undefined,
  key: DocumentKey,
): Slot<Head, Written> {
  if (slot === undefined) return slotOf<Head, Written>(key, undefined)
  if (slot.key.orgUid === key.orgUid) return slot
  return { ...slot, key, current: undefined, written: undefined }
}

function noteHeld(texts: StepMap<string, ClaimSlot>, { orgUid, claim, holder }: HeldText): void {
  const stored = storedClaim(claim)
  texts.set(claimName(orgUid, stored), { orgUid, claim: stored, stored: holder, holder })
}

function release(texts: StepMap<string, ClaimSlot>, key: DocumentKey, claim: string): void {
  const name = claimName(key.orgUid, storedClaim(claim))
  const slot = texts.get(name)
  if (slot?.holder === undefined || keyName(slot.holder) !== keyName(key)) return
  texts.set(name, { ...slot, holder: undefined })
}

function slotOf<Head, Written>(key: DocumentKey, stored: Head | undefined): Slot<Head, Written> {
  return { key, stored, current: stored, written: undefined }
}

/** What a document counts beside its JSON and list key: the length of the embedded store's checksum. */
const BYTES_BESIDE = 8

function bytesOfDocument({ listKey = '', body }: PutDocument): number {
  return Buffer.byteLength(JSON.stringify(body)) + Buffer.byteLength(listKey) + BYTES_BESIDE
}

function createdFields(create: CreateComponents, stream: number, order: number): StreamFields {
  const { streamIds, streamNames, labels, series, definitions, definitionOf } = create
  const definition = definitions[definitionOf[stream]]
  const own = { labels: labels?.[stream], series: series?.[stream] }
  return {
    ...definition,
    id: streamIds[stream],
    name: streamNames?.[stream] ?? streamIds[stream],
    order,
    ...definedOf(own),
  }
}

function componentFieldsOf(put: PutComponent): ComponentFields {
  const { id, name, folder, timeZone, createdAtMs, owner, lastOrdinal, addressedAs, more } = put
  return { id, name, folder, timeZone, createdAtMs, owner, lastOrdinal, addressedAs, more }
}

function streamFieldsOf(put: PutStream): StreamFields {
  const { id, name, order, streamKind, valueCode, isDerived, hasDeleteProfile, grid, more } = put
  const plain = { id, name, order, streamKind, valueCode, isDerived, hasDeleteProfile, grid, more }
  return { ...plain, ...definedOf({ labels: put.labels, series: put.series }) }
}

/** Without the fields that are undefined. */
function definedOf(fields: Pick<StreamFields, 'labels' | 'series'>) {
  const { labels, series } = fields
  return {
    ...(labels === undefined ? {} : { labels }),
    ...(series === undefined ? {} : { series }),
  }
}

function tallyName({ orgUid, kind }: Pick<DocumentKey, 'orgUid' | 'kind'>): string {
  return `${orgUid}\n${kind}`
}
