import { growColumn, UID_WORDS } from '../../base/index.ts'
import type { ScannedComponents } from '../../store/index.ts'
import { ContactColumns } from './contact-columns.ts'
import { RefTables } from './ref-tables.ts'
import { hashOfText, Interned, TextColumn } from './text-columns.ts'
import { UidColumn } from './uids.ts'

/** Where a component stands, beside its ID. */
export interface ComponentPlace {
  readonly orgUid: string
  readonly uid: string
  readonly timeZone: string
}

/** Components by ref, a small number from 1 on that is used again after a delete. */
export class ComponentColumns {
  readonly uids = new UidColumn()
  readonly contacts = new ContactColumns()
  readonly #compIds = new TextColumn()
  readonly #orgs = new Interned()
  readonly #zones = new Interned()
  /** Blank IDs are not in it. */
  readonly #byCompId = new RefTables()
  #orgOf = new Uint32Array(1024)
  #zoneOf = new Uint16Array(1024)
  #revisions = new Uint32Array(1024)
  #lastOrdinals = new Uint32Array(1024)
  readonly #free: number[] = []
  #end = 1
  count = 0

  /** The component with an ID in an organization, 0 when there is none. */
  find(orgUid: string, compId: string): number {
    const org = this.#orgs.find(orgUid)
    if (org === 0 || compId === '') return 0
    const hash = hashOfText(org, compId)
    const table = this.#byCompId.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] !== hash) continue
      const ref = cells[at]
      if (this.#orgOf[ref] === org && this.#compIds.has(ref, compId)) return ref
    }
    return 0
  }

  /** All refs are below this. */
  get end(): number {
    return this.#end
  }

  /** Whether a ref is that of a living component. */
  has(ref: number): boolean {
    return this.#orgOf[ref] !== 0
  }

  /** Whether a component belongs to an organization. */
  isOf(ref: number, orgUid: string): boolean {
    return this.#orgOf[ref] !== 0 && this.#orgs.find(orgUid) === this.#orgOf[ref]
  }

  /** All components of an organization. */
  refsOf(orgUid: string): number[] {
    const org = this.#orgs.find(orgUid)
    const refs: number[] = []
    if (org === 0) return refs
    for (let ref = 1; ref < this.#end; ref++) if (this.#orgOf[ref] === org) refs.push(ref)
    return refs
  }

  /** Grows the columns once, before many entries are added. */
  reserve(count: number): void {
    this.uids.reserve(count)
    this.#compIds.reserve(count)
    this.#byCompId.reserve(count)
    this.#widen(count + 1)
  }

  add({ orgUid, uid, timeZone }: ComponentPlace, compId: string): number {
    const ref = this.#addPlace(orgUid, timeZone)
    this.uids.set(ref, uid)
    this.#setCompId(ref, compId)
    return ref
  }

  /** As add, for one of millions, which a start loads; to be followed by settle(). */
  load({ orgUids, uidWords, ids, timeZones }: ScannedComponents, at: number): number {
    const ref = this.#addPlace(orgUids[at], timeZones[at])
    const compId = ids[at]
    this.uids.load(ref, uidWords, at * UID_WORDS)
    this.#compIds.set(ref, compId)
    if (compId !== '') this.#byCompId.addLater(ref, hashOfText(this.#orgOf[ref], compId))
    return ref
  }

  /** Ends a load. */
  settle(): void {
    this.uids.settle()
    this.#byCompId.settle()
  }

  /** Takes over an edit; true when the ID changed. */
  update(ref: number, timeZone: string, compId: string): boolean {
    this.#zones.release(this.#zoneOf[ref])
    this.#zoneOf[ref] = this.#zones.take(timeZone)
    if (this.#compIds.has(ref, compId)) return false
    this.#clearCompId(ref)
    this.#setCompId(ref, compId)
    return true
  }

  delete(ref: number): void {
    this.#clearCompId(ref)
    this.#compIds.delete(ref)
    this.uids.delete(ref)
    this.#zones.release(this.#zoneOf[ref])
    this.#orgs.release(this.#orgOf[ref])
    this.#orgOf[ref] = 0
    this.#free.push(ref)
    this.count -= 1
  }

  compIdOf(ref: number): string {
    return this.#compIds.textOf(ref)
  }

  orgUidOf(ref: number): string {
    return this.#orgs.textOf(this.#orgOf[ref])
  }

  timeZoneOf(ref: number): string {
    return this.#zones.textOf(this.#zoneOf[ref])
  }

  lastOrdinalOf(ref: number): number {
    return this.#lastOrdinals[ref]
  }

  /** Notes that a stream has an ordinal; the greatest is kept. */
  noteOrdinal(ref: number, ordinal: number): void {
    if (ordinal > this.#lastOrdinals[ref]) this.#lastOrdinals[ref] = ordinal
  }

  /** Notes the revision of an edit; false when a later one is known, and nothing is noted. */
  noteRevision(ref: number, revision: number): boolean {
    if (revision < this.#revisions[ref]) return false
    this.#revisions[ref] = revision
    return true
  }

  /** All columns have one length. */
  #widen(length: number): void {
    if (length <= this.#orgOf.length) return
    this.#orgOf = growColumn(this.#orgOf, length)
    this.#zoneOf = growColumn(this.#zoneOf, length)
    this.#revisions = growColumn(this.#revisions, length)
    this.#lastOrdinals = growColumn(this.#lastOrdinals, length)
    this.contacts.widen(length)
  }

  #addPlace(orgUid: string, timeZone: string): number {
    const ref = this.#free.pop() ?? this.#end++
    this.#widen(ref + 1)
    this.#orgOf[ref] = this.#orgs.take(orgUid)
    this.#zoneOf[ref] = this.#zones.take(timeZone)
    this.#revisions[ref] = 0
    this.#lastOrdinals[ref] = 0
    this.contacts.reset(ref)
    this.count += 1
    return ref
  }

  #setCompId(ref: number, compId: string): void {
    this.#compIds.set(ref, compId)
    if (compId !== '') this.#byCompId.add(ref, hashOfText(this.#orgOf[ref], compId))
  }

  #clearCompId(ref: number): void {
    const compId = this.#compIds.textOf(ref)
    if (compId !== '') this.#byCompId.delete(ref, hashOfText(this.#orgOf[ref], compId))
  }
}
