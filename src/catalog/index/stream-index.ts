/**
 * Which streams there are, in memory: the look-ups of every put and get. Typed columns instead of
 * objects keep a million streams small and out of the garbage collector's way.
 */
import { invariant } from '../../base/index.ts'
import {
  CatalogDamaged,
  type LostDocuments,
  type PackedIndexRow,
  type StreamHandle,
} from '../../store/index.ts'
import { componentClaim } from '../shape/component-shape.ts'
import type { StreamKind } from '../shape/stream-kind.ts'
import { ComponentColumns, type ComponentPlace } from './component-columns.ts'
import { DefinitionOrder } from './definition-order.ts'
import type { ComponentIndexEntry, StreamIndexEntry } from './index-entry.ts'
import { IndexLoader } from './index-loader.ts'
import { StreamColumns } from './stream-columns.ts'

/** A component as the index knows it: a view that always shows the state of the moment. */
export interface ComponentEntry {
  /** Its number in the index, valid while the component lives. */
  readonly ref: number
  readonly uid: string
  readonly compId: string
  readonly orgUid: string
  readonly timeZone: string
  /** The streams in definition order; as the two below, it throws CatalogDamaged when some of them are lost. */
  readonly streams: readonly StreamHandle[]
  readonly streamCount: number
  /** The greatest ordinal among the streams whose UIDs are counted from its own, 0 when there are none. */
  readonly lastOrdinal: number
}

const FIRST_REVISION = 1

/** What the index is told of a document. */
interface IndexedDocument {
  readonly orgUid: string
  readonly uid: string
  /** 0 when not known: taken as the newest. */
  readonly revision: number
}

/**
 * The index of all components and streams; changed only by the catalog. What it does not find and may be lost is
 * told as CatalogDamaged, except by resolve(), which others ask first that create what is missing.
 */
export class StreamIndex {
  readonly #components = new ComponentColumns()
  readonly #order = new DefinitionOrder(
    (a, b) => this.orderOf(a) - this.orderOf(b) || this.#streams.uids.compare(a, b),
  )
  #generation = 0
  #retentionGeneration = 0
  readonly #streams: StreamColumns = new StreamColumns(this.#components.uids, this.#order)
  readonly #loader = new IndexLoader(this.#components, this.#streams)
  /** Streams come component by component, mostly in the order the components were made. */
  #lastParent = 0
  #lost: LostDocuments | undefined

  /** Moves whenever an ID may mean another stream or component than before. */
  get generation(): number {
    return this.#generation
  }

  /** Moves whenever a living stream may keep its samples longer or shorter than before. */
  get retentionGeneration(): number {
    return this.#retentionGeneration
  }

  get streamCount(): number {
    return this.#streams.count
  }

  get componentCount(): number {
    return this.#components.count
  }

  /** The greatest handle that is known of: streams that are made from now on have greater ones. */
  get lastHandle(): number {
    return this.#streams.lastHandle
  }

  /** The component with an ID in an organization; a blank ID names none. */
  resolveComponent(orgUid: string, compId: string): ComponentEntry | undefined {
    const found = this.#entry(this.#components.find(orgUid, compId))
    if (found === undefined && compId !== '') {
      refuseLost(this.#lost?.ofClaim(orgUid, componentClaim(compId)))
    }
    return found
  }

  /** The stream with an ID in a component, 0 when there is none; a blank ID names none. */
  resolveStream(component: ComponentEntry, streamId: string): StreamHandle | 0 {
    const handle = this.#streams.ids.find(component.ref, streamId) as StreamHandle | 0
    if (handle === 0 && streamId !== '') refuseLost(this.#lost?.ofUid(component.uid))
    return handle
  }

  /** Both look-ups in one, without anything allocated. */
  resolve(orgUid: string, compId: string, streamId: string): StreamHandle | 0 {
    const component = this.#components.find(orgUid, compId)
    return component === 0 ? 0 : (this.#streams.ids.find(component, streamId) as StreamHandle | 0)
  }

  /** The component of a UID, if it belongs to the organization. */
  componentByUid(orgUid: string, uid: string): ComponentEntry | undefined {
    const ref = this.#components.uids.find(uid)
    if (ref === 0) refuseLost(this.#lost?.ofUid(uid))
    if (ref === 0 || this.#components.orgUidOf(ref) !== orgUid) return undefined
    return this.#entry(ref)
  }

  /** The stream of a UID, 0 unless it belongs to the organization. */
  streamByUid(orgUid: string, uid: string): StreamHandle | 0 {
    const handle = this.#streams.uids.find(uid)
    if (handle === 0) refuseLost(this.#lost?.ofUid(uid))
    if (handle === 0) return 0
    const component = this.#streams.componentOf(handle)
    return this.#components.orgUidOf(component) === orgUid ? (handle as StreamHandle) : 0
  }

  /** Whether a component or a stream of any organization has a UID. */
  hasUid(uid: string): boolean {
    if (this.#streams.uids.find(uid) !== 0 || this.#components.uids.find(uid) !== 0) return true
    refuseLost(this.#lost?.ofUid(uid))
    return false
  }

  /** Whether a stream with a UID is known; one that is lost is not, and that is not told. */
  hasLivingUid(uid: string): boolean {
    return this.#streams.uids.find(uid) !== 0
  }

  /** Whether a handle belongs to a living stream. */
  has(handle: number): handle is StreamHandle {
    return this.#streams.has(handle)
  }

  streamUid(handle: number): string {
    return this.#streams.uids.textOf(handle)
  }

  streamIdOf(handle: number): string {
    return this.#streams.ids.idOf(handle)
  }

  /** The component a living stream belongs to. */
  componentOf(handle: number): ComponentEntry {
    const entry = this.#entry(this.#streams.componentOf(handle))
    invariant(entry !== undefined, `stream ${handle} has no component`)
    return entry
  }

  /** A number that two streams share exactly when they belong to one component. */
  componentRefOf(handle: number): number {
    return this.#streams.componentOf(handle)
  }

  kindOf(handle: number): StreamKind {
    return this.#streams.kindOf(handle)
  }

  /** Its place in VALUE_TYPES; 0: the stream has no type yet. Known after its deletion as well. */
  valueCodeOf(handle: number): number {
    return this.#streams.valueCodeOf(handle)
  }

  isDerived(handle: number): boolean {
    return this.#streams.isDerived(handle)
  }

  /** The frozen base cycle and zone of an interval stream, as packed by packGrid; else ''. */
  gridOf(handle: number): string {
    return this.#streams.gridOf(handle)
  }

  orderOf(handle: number): number {
    return this.#streams.orderOf(handle)
  }

  /** The order the next stream of a component gets: after all others. */
  nextOrderOf(component: ComponentEntry): number {
    refuseLost(this.#lost?.ofUid(component.uid))
    const last = this.#order.lastOf(component.ref)
    return last === 0 ? 0 : this.orderOf(last) + 1
  }

  hasDeleteProfile(handle: number): boolean {
    return this.#streams.hasDeleteProfile(handle)
  }

  /** To be called when a delete profile is changed or gone. */
  noteDeleteProfiles(): void {
    this.#retentionGeneration += 1
  }

  /** Every stream that has a delete profile. */
  handlesWithDeleteProfile(): Generator<StreamHandle> {
    return this.#streams.living((handle) => this.#streams.hasDeleteProfile(handle))
  }

  /** Every stream that is derived by an expression. */
  handlesDerived(): Generator<StreamHandle> {
    return this.#streams.living((handle) => this.#streams.isDerived(handle))
  }

  /** Every stream of an organization. */
  *handlesOf(orgUid: string): Generator<StreamHandle> {
    refuseLost(this.#lost?.ofOrganization(orgUid))
    for (let handle = 1; handle < this.#streams.end; handle++) {
      if (!this.#streams.has(handle)) continue
      const component = this.#streams.componentOf(handle)
      if (this.#components.orgUidOf(component) === orgUid) yield handle as StreamHandle
    }
  }

  /** Every stream whose values are of a type, by the type's code. */
  handlesOfValueCode(valueCode: number): Generator<StreamHandle> {
    return this.#streams.living((handle) => this.#streams.valueCodeOf(handle) === valueCode)
  }

  /** Says what a start could not read. */
  noteLost(lost: LostDocuments | undefined): void {
    this.#lost = lost
  }

  /** Makes room for what a start is about to load. */
  reserve(counts: { readonly components?: number; readonly streams?: number }): void {
    this.#components.reserve(counts.components ?? 0)
    this.#streams.reserve(counts)
  }

  /** Takes in a component or stream of a packed row that is not in the index yet; to be followed by settle(). */
  loadPacked(row: PackedIndexRow): void {
    this.#loader.load(row)
  }

  /** Ends a load. */
  settle(): void {
    this.#components.settle()
    this.#streams.settle()
    this.#loader.forget()
  }

  /** Takes in a component that is not in the index yet: the quick way for a start. */
  loadComponent(document: Omit<IndexedDocument, 'revision'>, entry: ComponentIndexEntry): void {
    this.#components.add(document.orgUid, document.uid, entry)
  }

  putComponent(document: IndexedDocument, entry: ComponentIndexEntry): void {
    const ref = this.#components.uids.find(document.uid)
    if (ref === 0) {
      const added = this.#components.add(document.orgUid, document.uid, entry)
      this.#components.noteRevision(added, document.revision)
    } else if (this.#components.noteRevision(ref, document.revision)) {
      const zoneBefore = this.#components.timeZoneOf(ref)
      if (this.#components.update(ref, entry)) this.#generation += 1
      if (this.#components.timeZoneOf(ref) !== zoneBefore) this.#retentionGeneration += 1
    }
  }

  /** As putComponent, for one that was just made; its number, with which its streams are put. */
  putHead(place: ComponentPlace, compId: string): number {
    const { uids } = this.#components
    // Who looked for it after a conflict may have taken it in, as it is or as it was edited since.
    const known = uids.isBeyond(place.words) ? 0 : uids.findWords(place.words)
    if (known !== 0) return known
    const added = this.#components.addWords(place, compId)
    this.#components.noteRevision(added, FIRST_REVISION)
    return added
  }

  /** As putStream, for one that was just made and has a UID that is counted from its component's. */
  putMember(
    place: { readonly handle: number; readonly component: number; readonly ordinal: number },
    entry: StreamIndexEntry,
  ): void {
    const { handle, component, ordinal } = place
    if (this.#streams.has(handle)) return
    this.#streams.addMember(place, entry)
    this.#components.noteOrdinal(component, ordinal)
    this.#streams.noteRevision(handle, FIRST_REVISION)
  }

  /** Takes in a stream that is not in the index yet, unless its component is not either. */
  loadStream(
    document: { readonly uid: string; readonly parentUid: string },
    handle: number,
    entry: StreamIndexEntry,
  ): void {
    const component = this.#components.uids.find(document.parentUid, this.#lastParent)
    this.#lastParent = component
    if (component === 0) return
    this.#streams.add(handle, component, document.uid, entry)
    this.#components.noteOrdinal(component, this.#streams.uids.ordinalOf(handle))
  }

  /** Takes a stream in; one whose component is not known is left out. */
  putStream(
    document: IndexedDocument & { readonly parentUid: string; readonly handle: number },
    entry: StreamIndexEntry,
  ): void {
    const { handle, revision } = document
    if (!this.#streams.has(handle)) {
      this.loadStream(document, handle, entry)
      if (this.#streams.has(handle)) this.#streams.noteRevision(handle, revision)
      return
    }
    if (!this.#streams.noteRevision(handle, revision)) return
    // One profile may have taken the place of another: the index does not know which it is.
    if (this.hasDeleteProfile(handle) || entry.hasDeleteProfile) this.#retentionGeneration += 1
    if (this.#streams.update(handle, entry)) this.#generation += 1
  }

  /** Forgets a component and its streams; tells their handles. */
  deleteComponent(uid: string): StreamHandle[] {
    const ref = this.#components.uids.find(uid)
    if (ref === 0) return []
    const handles = this.#streams.deleteAll(ref) as StreamHandle[]
    this.#components.delete(ref)
    this.#generation += 1
    return handles
  }

  /** Forgets a stream; tells its handle, 0 when it was not known. */
  deleteStream(uid: string): StreamHandle | 0 {
    const handle = this.#streams.uids.find(uid)
    if (handle === 0) return 0
    this.#streams.delete(handle)
    this.#generation += 1
    return handle as StreamHandle
  }

  #entry(ref: number): ComponentEntry | undefined {
    return ref === 0
      ? undefined
      : new EntryView(this.#components, this.#order, { ref, lost: this.#lost })
  }
}

class EntryView implements ComponentEntry {
  readonly ref: number
  readonly #components: ComponentColumns
  readonly #order: DefinitionOrder
  readonly #lost: LostDocuments | undefined

  constructor(
    components: ComponentColumns,
    order: DefinitionOrder,
    { ref, lost }: { readonly ref: number; readonly lost: LostDocuments | undefined },
  ) {
    this.#components = components
    this.#order = order
    this.ref = ref
    this.#lost = lost
  }

  get uid(): string {
    return this.#components.uids.textOf(this.ref)
  }

  get compId(): string {
    return this.#components.compIdOf(this.ref)
  }

  get orgUid(): string {
    return this.#components.orgUidOf(this.ref)
  }

  get timeZone(): string {
    return this.#components.timeZoneOf(this.ref)
  }

  get streams(): readonly StreamHandle[] {
    refuseLost(this.#lost?.ofUid(this.uid))
    return this.#order.handlesOf(this.ref) as StreamHandle[]
  }

  get streamCount(): number {
    refuseLost(this.#lost?.ofUid(this.uid))
    return this.#order.countOf(this.ref)
  }

  get lastOrdinal(): number {
    refuseLost(this.#lost?.ofUid(this.uid))
    return this.#components.lastOrdinalOf(this.ref)
  }
}

/** Fails when what was looked for may be lost. */
function refuseLost(what: string | undefined): void {
  if (what !== undefined) throw new CatalogDamaged(what)
}
