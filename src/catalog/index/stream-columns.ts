import { growColumn } from '../../base/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { StreamKind } from '../shape/stream-kind.ts'
import type { DefinitionOrder } from './definition-order.ts'
import type { StreamIndexEntry } from './index-entry.ts'
import { Interned } from './interned.ts'
import { MemberUids } from './member-uids.ts'
import { StreamIds } from './stream-ids.ts'
import type { UidColumn } from './uid-column.ts'

/** Of no stream that lives. */
const NO_KIND = 255

/** Streams by handle. No object per stream: a million of them are some 40 MB of columns. */
export class StreamColumns {
  readonly uids: MemberUids
  readonly ids: StreamIds
  readonly #order: DefinitionOrder
  readonly #grids = new Interned()
  #components = new Uint32Array(1024)
  #gridOf = new Uint32Array(1024)
  #orders = new Uint32Array(1024)
  #revisions = new Uint32Array(1024)
  #kinds = new Uint8Array(1024)
  #valueCodes = new Uint8Array(1024)
  #flags = new Uint8Array(1024)
  count = 0
  /** The greatest handle that was taken in. */
  lastHandle = 0

  /** `heads` are the UIDs of components; `order` gets their streams. */
  constructor(heads: UidColumn, order: DefinitionOrder) {
    const componentOf = (handle: number): number => this.componentOf(handle)
    this.uids = new MemberUids(heads, componentOf)
    this.ids = new StreamIds(order, componentOf)
    this.#order = order
  }

  /** Makes room for so many at once; components are told before streams. */
  reserve(counts: { readonly components?: number; readonly streams?: number }): void {
    this.uids.reserve(counts)
    this.ids.reserve(counts)
    this.#order.reserve(counts)
    this.#widen((counts.streams ?? 0) + 1)
  }

  add(handle: number, component: number, uid: string, entry: StreamIndexEntry): void {
    this.#addPlace(handle, component, entry)
    this.uids.set(handle, component, uid)
    this.#order.add(component, handle)
    this.ids.add(handle, component, entry.streamId)
  }

  /** As add, with the ordinal of the UID. */
  addMember(
    place: { readonly handle: number; readonly component: number; readonly ordinal: number },
    entry: StreamIndexEntry,
  ): void {
    const { handle, component, ordinal } = place
    this.#addPlace(handle, component, entry)
    this.uids.setOrdinal(handle, component, ordinal)
    this.#order.add(component, handle)
    this.ids.add(handle, component, entry.streamId)
  }

  /** As add, with the number of the ID, for one of millions, which a start loads; to be followed by settle(). */
  load(
    place: { readonly handle: number; readonly component: number; readonly ordinal: number },
    id: number,
    entry: StreamIndexEntry,
  ): void {
    const { handle, component, ordinal } = place
    this.#addPlace(handle, component, entry)
    this.uids.setOrdinal(handle, component, ordinal)
    this.#order.add(component, handle)
    this.ids.load(handle, component, id)
  }

  /** Ends a load. */
  settle(): void {
    this.ids.settle()
  }

  /** Every living stream of which something holds. */
  *living(holds: (handle: number) => boolean): Generator<StreamHandle> {
    for (let handle = 1; handle < this.end; handle++) {
      if (this.has(handle) && holds(handle)) yield handle as StreamHandle
    }
  }

  /** Takes over an edit; true when the ID changed. */
  update(handle: number, entry: StreamIndexEntry): boolean {
    const component = this.#components[handle]
    this.#grids.release(this.#gridOf[handle])
    this.#gridOf[handle] = this.#grids.take(entry.grid)
    if (entry.order !== this.#orders[handle]) this.#order.touch(component)
    this.#setFields(handle, entry)
    if (this.ids.has(handle, entry.streamId)) return false
    this.ids.change(handle, component, entry.streamId)
    return true
  }

  delete(handle: number): void {
    const component = this.#components[handle]
    this.ids.delete(handle, component)
    this.#order.delete(component, handle)
    this.#drop(handle, component)
  }

  /** Deletes all streams of a component; tells their handles. */
  deleteAll(component: number): readonly number[] {
    const handles = this.#order.handlesOf(component)
    this.ids.deleteAll(component)
    this.#order.clear(component)
    for (const handle of handles) this.#drop(handle, component)
    this.uids.forget(component)
    return handles
  }

  has(handle: number): boolean {
    return handle < this.#components.length && this.#components[handle] !== 0
  }

  componentOf(handle: number): number {
    return this.#components[handle] ?? 0
  }

  gridOf(handle: number): string {
    return this.#grids.textOf(this.#gridOf[handle])
  }

  orderOf(handle: number): number {
    return this.#orders[handle]
  }

  kindOf(handle: number): StreamKind {
    return this.#kinds[handle] as StreamKind
  }

  valueCodeOf(handle: number): number {
    return this.#valueCodes[handle]
  }

  isDerived(handle: number): boolean {
    return (this.#flags[handle] & 1) !== 0
  }

  hasDeleteProfile(handle: number): boolean {
    return (this.#flags[handle] & 2) !== 0
  }

  /** One more than the greatest handle there may be. */
  get end(): number {
    return this.#components.length
  }

  /** Notes the revision of an edit; false when a later one is known, and nothing is noted. */
  noteRevision(handle: number, revision: number): boolean {
    if (revision < this.#revisions[handle]) return false
    this.#revisions[handle] = revision
    return true
  }

  #addPlace(handle: number, component: number, entry: StreamIndexEntry): void {
    this.#widen(handle + 1)
    this.#components[handle] = component
    this.#revisions[handle] = 0
    this.#gridOf[handle] = this.#grids.take(entry.grid)
    this.#setFields(handle, entry)
    this.count += 1
    if (handle > this.lastHandle) this.lastHandle = handle
  }

  #setFields(handle: number, entry: StreamIndexEntry): void {
    this.#orders[handle] = entry.order
    this.#kinds[handle] = entry.kind
    this.#valueCodes[handle] = entry.valueCode
    this.#flags[handle] = (entry.isDerived ? 1 : 0) | (entry.hasDeleteProfile ? 2 : 0)
  }

  #drop(handle: number, component: number): void {
    this.uids.delete(handle, component)
    this.#grids.release(this.#gridOf[handle])
    this.#gridOf[handle] = 0
    this.#components[handle] = 0
    // Whoever treats streams by their kind, as every put does, meets the deletion there.
    this.#kinds[handle] = NO_KIND
    this.count -= 1
  }

  #widen(length: number): void {
    if (length <= this.#kinds.length) return
    this.#components = growColumn(this.#components, length)
    this.#gridOf = growColumn(this.#gridOf, length)
    this.#orders = growColumn(this.#orders, length)
    this.#revisions = growColumn(this.#revisions, length)
    this.#kinds = growColumn(this.#kinds, length)
    this.#valueCodes = growColumn(this.#valueCodes, length)
    this.#flags = growColumn(this.#flags, length)
  }
}
