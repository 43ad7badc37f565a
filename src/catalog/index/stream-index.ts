/**
 * Which streams there are, in memory: the look-ups of every put and get. Typed columns instead of
 * objects keep a million streams small and out of the garbage collector's way.
 */
import { growColumn, invariant } from '../../base/index.ts'
import {
  CatalogDamaged,
  type IndexReceiver,
  type LostComponents,
  type ScannedComponents,
  type ScannedStreams,
  type StoredComponent,
  type StoredStream,
  type StreamHandle,
  type StreamPlaces,
} from '../../store/index.ts'
import type { StreamKind } from '../shape/stream-kind.ts'
import { VALUE_CODE } from '../shape/value-type.ts'
import { ComponentColumns, type ComponentPlace } from './component-columns.ts'
import { Contacts } from './contacts.ts'
import { RecentMoves } from './recent-moves.ts'
import { type IndexedDefinition, StreamColumns, type StreamPlace } from './stream-columns.ts'

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

/** The revision of what was just created. */
const FIRST_REVISION = 1

/** IDs of streams that a load remembers, by their place in the component: devices have streams of the same IDs. */
const REMEMBERED_IDS = 64

type IndexedComponent = Pick<StoredComponent, 'orgUid' | 'uid' | 'revision' | 'id' | 'timeZone'>
type IndexedStream = IndexedDefinition &
  Pick<StoredStream, 'uid' | 'componentUid' | 'handle' | 'revision' | 'id' | 'order' | 'series'>

/**
 * The index of all components and streams; changed only by the catalog. What it does not find and may be lost is
 * reported as CatalogDamaged, except by resolve(), which others ask first that create what is missing.
 */
export class StreamIndex {
  readonly #components = new ComponentColumns()
  readonly #streams = new StreamColumns(this.#components.uids)
  /** When components were last in contact. */
  readonly contacts = new Contacts(this.#components, this.#streams)
  #generation = 0
  readonly #moves = new RecentMoves()
  #retentionGeneration = 0
  #seriesGeneration = 0
  #lost: LostComponents | undefined

  /** Moves whenever an ID may mean another stream or component than before. */
  get generation(): number {
    return this.#generation
  }

  /** Moves whenever a living stream may keep its samples longer or shorter than before. */
  get retentionGeneration(): number {
    return this.#retentionGeneration
  }

  /** Moves whenever a living stream may have lost the series by which a door finds it. */
  get seriesGeneration(): number {
    return this.#seriesGeneration
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
      refuseLost(this.#lost?.ofComponentId(orgUid, compId))
    }
    return found
  }

  /** The stream with an ID in a component, 0 when there is none; a blank ID names none. */
  resolveStream(component: ComponentEntry, streamId: string): StreamHandle | 0 {
    const handle = this.#streams.chains.find(component.ref, streamId) as StreamHandle | 0
    if (handle === 0 && streamId !== '') refuseLost(this.#lost?.ofUid(component.uid))
    return handle
  }

  /** Both look-ups in one, without anything allocated. */
  resolve(orgUid: string, compId: string, streamId: string): StreamHandle | 0 {
    const component = this.#components.find(orgUid, compId)
    return component === 0
      ? 0
      : (this.#streams.chains.find(component, streamId) as StreamHandle | 0)
  }

  /** The component of a UID, if it belongs to the organization. */
  componentByUid(orgUid: string, uid: string): ComponentEntry | undefined {
    const ref = this.#components.uids.find(uid)
    if (ref === 0) refuseLost(this.#lost?.ofUid(uid))
    if (ref === 0 || this.#components.orgUidOf(ref) !== orgUid) return undefined
    return this.#entry(ref)
  }

  /** The number of a component in the index, 0 unless it belongs to the organization. */
  componentRef(orgUid: string, uid: string): number {
    const ref = this.#components.uids.find(uid)
    return ref !== 0 && this.#components.orgUidOf(ref) === orgUid ? ref : 0
  }

  /** The ID of a component by its number in the index. */
  componentIdOf(ref: number): string {
    return this.#components.compIdOf(ref)
  }

  /** How many streams a component has, by its number in the index. */
  streamCountOf(ref: number): number {
    return this.#streams.chains.countOf(ref)
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

  /** Whether a stream with a UID is known; one that is lost is not, and that is not reported here. */
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
    return this.#streams.chains.idOf(handle)
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

  /** Whether more digits count in a stream, 0 for an unknown one, than a double has. */
  keepsDigits(handle: number): boolean {
    return handle === 0 || this.#streams.valueCodeOf(handle) !== VALUE_CODE.DOUBLE
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
    const last = this.#streams.chains.lastOf(component.ref)
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

  /** Every stream of an organization, by handle. */
  *handlesOf(orgUid: string, from = 1): Generator<StreamHandle> {
    refuseLost(this.#lost?.ofOrganization(orgUid))
    const isOf = (handle: number) =>
      this.#components.orgUidOf(this.#streams.componentOf(handle)) === orgUid
    yield* this.#streams.living(isOf, from)
  }

  /** Every stream whose values are of a type, by the type's code. */
  handlesOfValueCode(valueCode: number): Generator<StreamHandle> {
    return this.#streams.living((handle) => this.#streams.valueCodeOf(handle) === valueCode)
  }

  /** Says what a start could not read. */
  noteLost(lost: LostComponents | undefined): void {
    this.#lost = lost
  }

  /**
   * Takes in components and streams that are not in the index, as a scan reads them; settle() ends it. Adds the
   * derived streams to `derived`.
   */
  receiver(derived?: StreamHandle[]): IndexReceiver {
    const load = new IndexLoad(this.#components, this.#streams, derived)
    return {
      onCount: (counts) => {
        this.#components.reserve(counts.components)
        this.#streams.reserve(counts)
      },
      onComponents: (components) => load.addComponents(components),
      onStreams: (streams) => load.addStreams(streams),
    }
  }

  /** Ends a load. */
  settle(): void {
    this.#components.settle()
  }

  /** Takes a component in, or what was changed of one. */
  putComponent({ orgUid, uid, revision, id, timeZone }: IndexedComponent): void {
    const ref = this.#components.uids.find(uid)
    if (ref === 0) {
      const added = this.#components.add({ orgUid, uid, timeZone }, id)
      this.#components.noteRevision(added, revision)
    } else if (this.#components.noteRevision(ref, revision)) {
      const zoneBefore = this.#components.timeZoneOf(ref)
      if (this.#components.update(ref, timeZone, id)) this.#noteMove({ stream: 0, component: ref })
      if (timeZone !== zoneBefore) this.#retentionGeneration += 1
    }
  }

  /** Takes a stream in, or what was changed of one; a stream whose component is not known is left out. */
  putStream(stream: IndexedStream): void {
    const { handle, revision } = stream
    if (!this.#streams.has(handle)) {
      this.#addAny(stream)
      return
    }
    if (!this.#streams.noteRevision(handle, revision)) return
    // The index does not know whether it had one: few streams without a series are edited.
    if (stream.series === undefined) this.#seriesGeneration += 1
    // One profile may have taken the place of another: the index does not know which it is.
    if (this.hasDeleteProfile(handle) || stream.hasDeleteProfile) this.#retentionGeneration += 1
    if (this.#streams.update(handle, stream, stream))
      this.#noteMove({ stream: handle, component: 0 })
  }

  #noteMove(moved: { readonly stream: number; readonly component: number }): void {
    this.#generation += 1
    this.#moves.note({ generation: this.#generation, ...moved })
  }

  /** Whether the IDs of a stream, or where it has its place, may be others than they were at a generation. */
  movedSince(generation: number): (handle: number) => boolean {
    const moved = this.#moves.since(generation)
    if (moved === undefined) return () => true
    const { streams, components } = moved
    if (streams.size + components.size === 0) return () => false
    return (handle) => streams.has(handle) || components.has(this.componentRefOf(handle))
  }

  #addAny(stream: IndexedStream): void {
    const { handle, uid, componentUid, id, order, revision } = stream
    const component = this.#components.uids.find(componentUid)
    if (component === 0) return
    this.#streams.addFields({ handle, component }, order, stream)
    this.#streams.uids.set(handle, component, uid)
    this.#streams.chains.add(component, handle, id)
    this.#components.noteOrdinal(component, this.#streams.uids.ordinalOf(handle))
    this.#streams.noteRevision(handle, revision)
  }

  /** As putComponent, for one that was just created; its number, with which its streams are added. */
  addComponent(place: ComponentPlace, compId: string): number {
    // A lookup after a conflict may have added the component already, possibly in a later revision.
    const known = this.#components.uids.findUnlessNew(place.uid)
    if (known !== 0) return known
    const added = this.#components.add(place, compId)
    this.#components.noteRevision(added, FIRST_REVISION)
    return added
  }

  /** As putStream, for one that was just created with its component. */
  addStream(place: StreamPlace, streamId: string, definition: IndexedDefinition): void {
    const { handle, component, ordinal } = place
    if (this.#streams.has(handle)) return
    this.#streams.addFields(place, ordinal - 1, definition)
    this.#streams.uids.setOrdinal(handle, component, ordinal)
    this.#streams.chains.add(component, handle, streamId)
    this.#components.noteOrdinal(component, ordinal)
    this.#streams.noteRevision(handle, FIRST_REVISION)
  }

  /** Forgets a component and its streams; returns their handles. */
  deleteComponent(uid: string): StreamHandle[] {
    const ref = this.#components.uids.find(uid)
    if (ref === 0) return []
    const handles = this.#streams.deleteAll(ref) as StreamHandle[]
    this.#components.delete(ref)
    this.#generation += 1
    return handles
  }

  /** Forgets the components and streams of an organization; returns their handles. */
  deleteOrganization(orgUid: string): StreamHandle[] {
    const refs = this.#components.refsOf(orgUid)
    const handles = refs.flatMap((ref) => this.#streams.deleteAll(ref) as StreamHandle[])
    for (const ref of refs) this.#components.delete(ref)
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
      : new EntryView(this.#components, this.#streams, { ref, lost: this.#lost })
  }
}

/** The load of an index at a start: no object is made for a component or stream. */
class IndexLoad {
  readonly #components: ComponentColumns
  readonly #streams: StreamColumns
  /** Refs of the index by those of the scan. */
  #refs = new Uint32Array(1024)
  readonly #lastIds: string[] = new Array(REMEMBERED_IDS).fill('')
  readonly #lastNumbers = new Uint32Array(REMEMBERED_IDS)
  readonly #derived: StreamHandle[] | undefined

  constructor(components: ComponentColumns, streams: StreamColumns, derived?: StreamHandle[]) {
    this.#components = components
    this.#streams = streams
    this.#derived = derived
  }

  addComponents(components: ScannedComponents): void {
    const { refs } = components
    for (let at = 0; at < refs.length; at++) {
      const ref = refs[at]
      if (ref >= this.#refs.length) this.#refs = growColumn(this.#refs, ref + 1)
      this.#refs[ref] = this.#components.load(components, at)
    }
  }

  addStreams(scanned: ScannedStreams): void {
    const { componentRefs, ordinals, handles, ids, orders, definitions } = scanned
    const { uids, chains } = this.#streams
    for (let at = 0; at < handles.length; at++) {
      const component = this.#refs[componentRefs[at]] ?? 0
      if (component === 0) continue
      const [handle, ordinal] = [handles[at], ordinals[at]]
      this.#streams.addFields({ handle, component }, orders[at], definitions[at])
      if (ordinal > 0) {
        uids.setOrdinal(handle, component, ordinal)
        this.#components.noteOrdinal(component, ordinal)
      } else {
        uids.set(handle, component, scanned.uids.get(at) ?? '')
      }
      chains.load(component, handle, this.#numberOf(ids[at], orders[at]))
      if (definitions[at].isDerived) this.#derived?.push(handle as StreamHandle)
    }
  }

  #numberOf(streamId: string, order: number): number {
    const { chains } = this.#streams
    const slot = order % REMEMBERED_IDS
    if (this.#lastIds[slot] === streamId) return chains.numberAgain(this.#lastNumbers[slot])
    const number = chains.numberOf(streamId)
    this.#lastIds[slot] = streamId
    this.#lastNumbers[slot] = number
    return number
  }
}

class EntryView implements ComponentEntry {
  readonly ref: number
  readonly #components: ComponentColumns
  readonly #streams: StreamColumns
  readonly #lost: LostComponents | undefined

  constructor(
    components: ComponentColumns,
    streams: StreamColumns,
    { ref, lost }: { readonly ref: number; readonly lost: LostComponents | undefined },
  ) {
    this.#components = components
    this.#streams = streams
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
    return this.#streams.chains.handlesOf(this.ref) as StreamHandle[]
  }

  get streamCount(): number {
    refuseLost(this.#lost?.ofUid(this.uid))
    return this.#streams.chains.countOf(this.ref)
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

/** The way from the handles of living streams to their names and back. */
export function streamPlaces(index: StreamIndex): StreamPlaces {
  return {
    placeOf: (handle) => {
      if (!index.has(handle)) return undefined
      const { orgUid, uid: componentUid, compId: componentId } = index.componentOf(handle)
      const [uid, id] = [index.streamUid(handle), index.streamIdOf(handle)]
      return { orgUid, uid, id, componentUid, componentId }
    },
    handleOf: ({ orgUid, uid }) => index.streamByUid(orgUid, uid) || undefined,
  }
}
