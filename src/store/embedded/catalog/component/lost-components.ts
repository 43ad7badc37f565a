/** Components and streams that a start found not to check, and what may have been in their rows. */
import type { DatabaseSync } from 'node:sqlite'
import { componentUidOf, isCountedForm } from '../../../../base/plain.ts'
import type { LostComponents } from '../../../ports/component-port.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import { uidOfBytes } from './uid-bytes.ts'

/** Rows that are kept apart; when more are damaged, whatever is missing may be in one of them. */
const LOST_MAX = 10_000

/** The damaged rows. Indexes, which have their own checks, still have their keys. */
export class LostRows implements LostComponents {
  readonly #scopes: CatalogScopes
  /** What is wrong, by the numbers that components which do not check may have. */
  readonly #components = new Map<number, string>()
  #componentCount = 0
  /** And by those of components of which only streams do not check. */
  readonly #streams = new Map<number, string>()
  readonly #byId = new Map<string, string>()
  readonly #byUid = new Map<string, string>()
  /** By organization number. */
  readonly #byScope = new Map<number, string>()
  /** Why anything may be lost. */
  #all: string | undefined

  constructor(scopes: CatalogScopes) {
    this.#scopes = scopes
  }

  get isEmpty(): boolean {
    return this.#componentCount + this.#streams.size === 0 && this.#all === undefined
  }

  /** Records `count` components with failed checksums and the numbers they may have; returns a message. */
  addComponents(count: number, refs: readonly number[]): string {
    const what =
      count === 1 && refs.length === 1
        ? `component number ${refs[0]} does not check`
        : `${count} components with numbers from ${refs[0]} to ${refs.at(-1)} do not check`
    this.#componentCount += count
    for (const ref of refs) this.#components.set(ref, what)
    if (this.#components.size > LOST_MAX) this.addAll(what)
    return what
  }

  /** Takes in that streams of components do not check; says it in words. */
  addStreams(components: readonly number[]): string {
    const what = `streams of component number ${components.join(' or ')} do not check`
    for (const component of components) this.#streams.set(component, what)
    if (this.#streams.size > LOST_MAX) this.addAll(what)
    return what
  }

  /** Takes in that rows could not be read at all, or are missing. */
  addAll(what: string): void {
    this.#all ??= what
  }

  /** Learns from the indexes which components they were; to be called when all rows are known. */
  learnNames(db: DatabaseSync): void {
    if (this.#all !== undefined) return
    const lost = JSON.stringify([...this.#components.keys()])
    const touched = JSON.stringify([...this.#components.keys(), ...this.#streams.keys()])
    const whatOf = (ref: unknown): string =>
      this.#components.get(ref as number) ?? this.#streams.get(ref as number) ?? ''
    try {
      const inThese = 'ref IN (SELECT value FROM json_each(?))'
      const ids = db.prepare(`SELECT scope, id, ref FROM component INDEXED BY component_id
        WHERE id IS NOT NULL AND ${inThese}`)
      for (const row of ids.iterate(lost)) {
        this.#byId.set(`${row.scope} ${row.id}`, whatOf(row.ref))
      }
      const uids = db.prepare(`SELECT uid, ref FROM component INDEXED BY component_uid
        WHERE ${inThese}`)
      let known = 0
      for (const row of uids.iterate(touched)) {
        known += this.#components.has(row.ref as number) ? 1 : 0
        this.#byUid.set(uidOfBytes(row.uid as Uint8Array), whatOf(row.ref))
      }
      const lists = db.prepare(`SELECT scope, ref FROM component INDEXED BY component_list
        WHERE ${inThese}`)
      for (const row of lists.iterate(touched)) {
        this.#byScope.set(row.scope as number, whatOf(row.ref))
      }
      const streams = db.prepare(`SELECT uid, component FROM stream INDEXED BY stream_uid
        WHERE uid IS NOT NULL AND component IN (SELECT value FROM json_each(?))`)
      for (const row of streams.iterate(touched)) {
        this.#byUid.set(uidOfBytes(row.uid as Uint8Array), whatOf(row.component))
      }
      if (known < this.#componentCount) this.addAll('an index does not name all components')
    } catch (error) {
      this.addAll(`an index of components cannot be read: ${(error as Error).message}`)
    }
  }

  ofComponentId(orgUid: string, id: string): string | undefined {
    const scope = this.#scopes.find(orgUid)
    return this.#byId.get(`${scope} ${id.toWellFormed()}`) ?? this.#all
  }

  ofUid(uid: string): string | undefined {
    const counted = isCountedForm(uid) ? componentUidOf(uid) : uid
    return this.#byUid.get(uid) ?? this.#byUid.get(counted) ?? this.#all
  }

  ofOrganization(orgUid: string): string | undefined {
    const scope = this.#scopes.find(orgUid)
    return (scope === undefined ? undefined : this.#byScope.get(scope)) ?? this.#all
  }
}
