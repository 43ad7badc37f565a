import { growColumn } from '../../base/index.ts'
import type { StreamKind } from '../shape/stream-kind.ts'
import type { StreamIndexEntry } from './index-entry.ts'
import { Interned } from './interned.ts'
import { MemberUids } from './member-uids.ts'
import { RefTables } from './ref-tables.ts'
import type { UidColumn } from './uid-column.ts'

/** Of no stream that lives. */
const NO_KIND = 255

/** Streams by handle. No object per stream: a million of them are some 45 MB of columns. */
export class StreamColumns {
  readonly uids: MemberUids
  readonly #ids = new Interned()
  readonly #grids = new Interned()
  readonly #byId = new RefTables()
  #components = new Uint32Array(1024)
  #idOf = new Uint32Array(1024)
  #gridOf = new Uint32Array(1024)
  #orders = new Uint32Array(1024)
  #revisions = new Uint32Array(1024)
  #kinds = new Uint8Array(1024)
  #valueCodes = new Uint8Array(1024)
  #flags = new Uint8Array(1024)
  count = 0

  /** `heads` are the UIDs of components. */
  constructor(heads: UidColumn) {
    this.uids = new MemberUids(heads, (handle) => this.componentOf(handle))
  }

  /** The stream with an ID in a component, 0 when there is none. */
  find(component: number, streamId: string): number {
    const id = this.#ids.find(streamId)
    if (id === 0) return 0
    const hash = hashOf(component, id)
    const table = this.#byId.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] !== hash) continue
      const handle = cells[at]
      if (this.#components[handle] === component && this.#idOf[handle] === id) return handle
    }
    return 0
  }

  /** Makes room for so many at once. */
  reserve(counts: { readonly components?: number; readonly streams?: number }): void {
    this.uids.reserve(counts)
    this.#byId.reserve(counts.streams ?? 0)
    this.#widen((counts.streams ?? 0) + 1)
  }

  add(handle: number, component: number, uid: string, entry: StreamIndexEntry): void {
    this.#addPlace(handle, component, entry)
    this.uids.set(handle, component, uid)
    this.#setId(handle, entry.streamId)
  }

  /** As add, for one of millions, which a start loads; to be followed by settle(). */
  load(
    place: { readonly handle: number; readonly component: number; readonly ordinal: number },
    id: number,
    entry: StreamIndexEntry,
  ): void {
    const { handle, component, ordinal } = place
    this.#addPlace(handle, component, entry)
    this.uids.setOrdinal(handle, component, ordinal)
    this.#idOf[handle] = id
    if (id !== 0) this.#byId.addLater(handle, hashOf(component, id))
  }

  /** Ends a load. */
  settle(): void {
    this.#byId.settle()
  }

  /** The IDs by numbers, for a load. */
  get ids(): Interned {
    return this.#ids
  }

  /** Takes over an edit; true when the ID changed. */
  update(handle: number, entry: StreamIndexEntry): boolean {
    this.#grids.release(this.#gridOf[handle])
    this.#gridOf[handle] = this.#grids.take(entry.grid)
    this.#setFields(handle, entry)
    if (this.idOf(handle) === entry.streamId) return false
    this.#clearId(handle)
    this.#setId(handle, entry.streamId)
    return true
  }

  delete(handle: number): void {
    this.#clearId(handle)
    this.uids.delete(handle, this.#components[handle])
    this.#grids.release(this.#gridOf[handle])
    this.#gridOf[handle] = 0
    this.#components[handle] = 0
    // Whoever treats streams by their kind, as every put does, meets the deletion there.
    this.#kinds[handle] = NO_KIND
    this.count -= 1
  }

  has(handle: number): boolean {
    return handle < this.#components.length && this.#components[handle] !== 0
  }

  componentOf(handle: number): number {
    return this.#components[handle] ?? 0
  }

  idOf(handle: number): string {
    return this.#ids.textOf(this.#idOf[handle])
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
  }

  #setFields(handle: number, entry: StreamIndexEntry): void {
    this.#orders[handle] = entry.order
    this.#kinds[handle] = entry.kind
    this.#valueCodes[handle] = entry.valueCode
    this.#flags[handle] = (entry.isDerived ? 1 : 0) | (entry.hasDeleteProfile ? 2 : 0)
  }

  #setId(handle: number, streamId: string): void {
    this.#idOf[handle] = this.#ids.take(streamId)
    if (streamId !== '') this.#byId.add(handle, this.#hashOf(handle))
  }

  #clearId(handle: number): void {
    if (this.#idOf[handle] !== 0) this.#byId.delete(handle, this.#hashOf(handle))
    this.#ids.release(this.#idOf[handle])
    this.#idOf[handle] = 0
  }

  #hashOf(handle: number): number {
    return hashOf(this.#components[handle], this.#idOf[handle])
  }

  #widen(length: number): void {
    if (length <= this.#kinds.length) return
    this.#components = growColumn(this.#components, length)
    this.#idOf = growColumn(this.#idOf, length)
    this.#gridOf = growColumn(this.#gridOf, length)
    this.#orders = growColumn(this.#orders, length)
    this.#revisions = growColumn(this.#revisions, length)
    this.#kinds = growColumn(this.#kinds, length)
    this.#valueCodes = growColumn(this.#valueCodes, length)
    this.#flags = growColumn(this.#flags, length)
  }
}

function hashOf(component: number, id: number): number {
  const mixed = Math.imul(component, 0x9e3779b1) ^ Math.imul(id, 0x85ebca6b)
  const last = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35)
  return (last ^ (last >>> 16)) >>> 0
}
