import { randomInt } from 'node:crypto'
import { growColumn } from '../../base/index.ts'
import type { ComponentIndexEntry } from './index-entry.ts'
import { Interned } from './interned.ts'
import { RefTables } from './ref-tables.ts'
import { UidColumn } from './uid-column.ts'

/** Components by ref, a small number from 1 on that is used again after a delete. */
export class ComponentColumns {
  readonly uids = new UidColumn()
  readonly #compIds: string[] = ['']
  readonly #orgs = new Interned()
  readonly #zones = new Interned()
  /** Blank IDs are not in it. Texts in a map would cost a start with a million of them a second. */
  readonly #byCompId = new RefTables()
  #orgOf = new Uint32Array(1024)
  #zoneOf = new Uint16Array(1024)
  #revisions = new Uint32Array(1024)
  #lastOrdinals = new Uint32Array(1024)
  readonly #free: number[] = []
  count = 0

  /** The component with an ID in an organization, 0 when there is none. */
  find(orgUid: string, compId: string): number {
    const org = this.#orgs.find(orgUid)
    if (org === 0 || compId === '') return 0
    const hash = hashOf(org, compId)
    const table = this.#byCompId.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] !== hash) continue
      const ref = cells[at]
      if (this.#orgOf[ref] === org && this.#compIds[ref] === compId) return ref
    }
    return 0
  }

  /** Makes room for so many at once. */
  reserve(count: number): void {
    this.uids.reserve(count)
    this.#byCompId.reserve(count)
    this.#widen(count + 1)
  }

  add(orgUid: string, uid: string, entry: ComponentIndexEntry): number {
    const ref = this.#free.pop() ?? this.#compIds.length
    this.#widen(ref + 1)
    this.#orgOf[ref] = this.#orgs.take(orgUid)
    this.#zoneOf[ref] = this.#zones.take(entry.timeZone)
    this.#revisions[ref] = 0
    this.#lastOrdinals[ref] = 0
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

  #widen(length: number): void {
    this.#orgOf = growColumn(this.#orgOf, length)
    this.#zoneOf = growColumn(this.#zoneOf, length)
    this.#revisions = growColumn(this.#revisions, length)
    this.#lastOrdinals = growColumn(this.#lastOrdinals, length)
  }

  #setCompId(ref: number, compId: string): void {
    this.#compIds[ref] = compId
    if (compId !== '') this.#byCompId.add(ref, hashOf(this.#orgOf[ref], compId))
  }

  #clearCompId(ref: number): void {
    const compId = this.#compIds[ref]
    if (compId !== '') this.#byCompId.delete(ref, hashOf(this.#orgOf[ref], compId))
  }
}

/** Another in every process, so that nobody can choose IDs that all fall into one slot. */
const SEED = randomInt(2 ** 31)

function hashOf(org: number, compId: string): number {
  let hash = SEED ^ org
  for (let at = 0; at < compId.length; at++) {
    hash = Math.imul(hash ^ compId.charCodeAt(at), 0x85ebca6b)
    hash ^= hash >>> 15
  }
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
