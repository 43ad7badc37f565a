import { growColumn } from '../../base/index.ts'
import type { StreamDefinition, StreamHandle } from '../../store/index.ts'
import type { StreamKind } from '../shape/stream-kind.ts'
import { ComponentChains } from './component-chains.ts'
import { Interned } from './text-columns.ts'
import { StreamUids, type UidColumn } from './uids.ts'

/** Of no stream that lives. */
const NO_KIND = 255
const DERIVED = 1
const DELETE_PROFILE = 2

/** What streams that are alike have in common. */
export type IndexedDefinition = Omit<StreamDefinition, 'more'>

/** Where a stream is that has a UID counted from that of its component. */
export interface StreamPlace {
  readonly handle: number
  readonly component: number
  readonly ordinal: number
}

/** Streams by handle. No object per stream: a million of them are some 40 MB of columns. */
export class StreamColumns {
  readonly uids: StreamUids
  readonly chains: ComponentChains
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

  /** `components` are the UIDs of components. */
  constructor(components: UidColumn) {
    this.uids = new StreamUids(components, (handle) => this.componentOf(handle))
    this.chains = new ComponentChains(this)
  }

  /** Grows the columns once, before many entries are added. */
  reserve(counts: { readonly components: number; readonly streams: number }): void {
    this.uids.reserve(counts)
    this.chains.reserve(counts)
    this.#widen(counts.streams + 1)
  }

  /** Adds the fields of a stream. The caller adds its UID and ID. */
  addFields(
    place: Pick<StreamPlace, 'handle' | 'component'>,
    order: number,
    definition: IndexedDefinition,
  ): void {
    const { handle, component } = place
    this.#widen(handle + 1)
    this.#components[handle] = component
    this.#revisions[handle] = 0
    this.#gridOf[handle] = this.#grids.take(definition.grid)
    this.#setFields(handle, order, definition)
    this.count += 1
    if (handle > this.lastHandle) this.lastHandle = handle
  }

  /** Takes over an edit; true when the ID changed. */
  update(
    handle: number,
    { id, order }: { readonly id: string; readonly order: number },
    definition: IndexedDefinition,
  ): boolean {
    const component = this.#components[handle]
    this.#grids.release(this.#gridOf[handle])
    this.#gridOf[handle] = this.#grids.take(definition.grid)
    if (order !== this.#orders[handle]) this.chains.touch(component)
    this.#setFields(handle, order, definition)
    if (this.chains.hasId(handle, id)) return false
    this.chains.changeId(component, handle, id)
    return true
  }

  delete(handle: number): void {
    const component = this.#components[handle]
    this.chains.delete(component, handle)
    this.#drop(handle, component)
  }

  /** Deletes all streams of a component; their handles. */
  deleteAll(component: number): readonly number[] {
    const handles = this.chains.deleteAll(component)
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
    return (this.#flags[handle] & DERIVED) !== 0
  }

  hasDeleteProfile(handle: number): boolean {
    return (this.#flags[handle] & DELETE_PROFILE) !== 0
  }

  /** Orders two streams of a component. */
  compare(a: number, b: number): number {
    return this.#orders[a] - this.#orders[b] || this.uids.compare(a, b)
  }

  /** Every living stream that a condition holds for, by handle. */
  *living(holds: (handle: number) => boolean, from = 1): Generator<StreamHandle> {
    for (let handle = from; handle < this.#components.length; handle++) {
      if (this.has(handle) && holds(handle)) yield handle as StreamHandle
    }
  }

  /** Notes the revision of an edit; false when a later one is known, and nothing is noted. */
  noteRevision(handle: number, revision: number): boolean {
    if (revision < this.#revisions[handle]) return false
    this.#revisions[handle] = revision
    return true
  }

  #setFields(handle: number, order: number, definition: IndexedDefinition): void {
    const { streamKind, valueCode, isDerived, hasDeleteProfile } = definition
    this.#orders[handle] = order
    this.#kinds[handle] = streamKind
    this.#valueCodes[handle] = valueCode
    this.#flags[handle] = (isDerived ? DERIVED : 0) | (hasDeleteProfile ? DELETE_PROFILE : 0)
  }

  #drop(handle: number, component: number): void {
    this.uids.delete(handle, component)
    this.#grids.release(this.#gridOf[handle])
    this.#gridOf[handle] = 0
    this.#components[handle] = 0
    // Anyone who treats streams by their kind, as every put does, meets the deletion there.
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
