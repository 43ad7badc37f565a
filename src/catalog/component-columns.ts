import type { ComponentIndexEntry } from './index-entry.ts'
import { Interned } from './interned.ts'
import { UidColumn } from './uid-column.ts'
import { widened } from './widened.ts'

/** Components by ref, a small number from 1 on that is used again after a delete. */
export class ComponentColumns {
  readonly uids = new UidColumn()
  readonly #compIds: string[] = ['']
  readonly #orgs = new Interned()
  readonly #zones = new Interned()
  /** By the organization's number: from compId to ref. Blank IDs are not in it. */
  readonly #byCompId = new Map<number, Map<string, number>>()
  #orgOf = new Uint32Array(1024)
  #zoneOf = new Uint16Array(1024)
  #revisions = new Uint32Array(1024)
  readonly #free: number[] = []
  count = 0

  /** The component with an ID in an organization, 0 when there is none. */
  find(orgUid: string, compId: string): number {
    return this.#byCompId.get(this.#orgs.find(orgUid))?.get(compId) ?? 0
  }

  add(orgUid: string, uid: string, entry: ComponentIndexEntry): number {
    const ref = this.#free.pop() ?? this.#compIds.length
    this.#orgOf = widened(this.#orgOf, ref + 1)
    this.#zoneOf = widened(this.#zoneOf, ref + 1)
    this.#revisions = widened(this.#revisions, ref + 1)
    this.#orgOf[ref] = this.#orgs.take(orgUid)
    this.#zoneOf[ref] = this.#zones.take(entry.timeZone)
    this.#revisions[ref] = 0
    this.uids.set(ref, uid)
    this.#setCompId(ref, entry.compId)
    this.count += 1
    return ref
  }

  /** Takes over an edit; true when the ID changed. */
  update(ref: number, entry: ComponentIndexEntry): boolean {
    this.#zones.release(this.#zoneOf[ref])
    this.#zoneOf[ref] = this.#zones.take(entry.timeZone)
    if (this.#compIds[ref] === entry.compId) return false
    this.#clearCompId(ref)
    this.#setCompId(ref, entry.compId)
    return true
  }

  delete(ref: number): void {
    this.#clearCompId(ref)
    this.uids.delete(ref)
    this.#zones.release(this.#zoneOf[ref])
    this.#orgs.release(this.#orgOf[ref])
    this.#orgOf[ref] = 0
    this.#compIds[ref] = ''
    this.#free.push(ref)
    this.count -= 1
  }

  compIdOf(ref: number): string {
    return this.#compIds[ref]
  }

  orgUidOf(ref: number): string {
    return this.#orgs.textOf(this.#orgOf[ref])
  }

  timeZoneOf(ref: number): string {
    return this.#zones.textOf(this.#zoneOf[ref])
  }

  /** Notes the revision an edit has, and tells whether it is not older than what is known. */
  isCurrent(ref: number, revision: number): boolean {
    if (revision < this.#revisions[ref]) return false
    this.#revisions[ref] = revision
    return true
  }

  #setCompId(ref: number, compId: string): void {
    this.#compIds[ref] = compId
    if (compId === '') return
    const org = this.#orgOf[ref]
    const known = this.#byCompId.get(org)
    if (known === undefined) this.#byCompId.set(org, new Map([[compId, ref]]))
    else known.set(compId, ref)
  }

  #clearCompId(ref: number): void {
    const ids = this.#byCompId.get(this.#orgOf[ref])
    const compId = this.#compIds[ref]
    // Another component may have taken the ID over in the same commit.
    if (ids?.get(compId) === ref) ids.delete(compId)
    if (ids?.size === 0) this.#byCompId.delete(this.#orgOf[ref])
  }
}
