import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CatalogDamaged } from '../../ports/catalog-port.ts'
import { checkOfScope } from './catalog-checks.ts'

interface ScopeRow {
  scope: number
  org_uid: string
  crc: number
}

/**
 * The numbers of organizations, read from the table and kept: no index of the file is asked, so that
 * a damaged one cannot make an organization seem empty.
 */
export class CatalogScopes {
  readonly #selectAll: StatementSync
  readonly #numbers = new Map<string, number>()
  readonly #orgUids = new Map<number, string>()
  #last = 0

  constructor(db: DatabaseSync) {
    this.#selectAll = db.prepare('SELECT scope, org_uid, crc FROM scope WHERE scope > ?')
    this.#readMore()
  }

  /** The number of an organization, undefined when the catalog has nothing of it. */
  find(orgUid: string): number | undefined {
    const stored = orgUid.toWellFormed()
    const known = this.#numbers.get(stored)
    if (known !== undefined) return known
    this.#readMore()
    return this.#numbers.get(stored)
  }

  /** The organization of a number; a row with a number that is nobody's is damaged. */
  orgUidOf(scope: number): string {
    const known = this.#orgUids.get(scope)
    if (known !== undefined) return known
    this.#readMore()
    const orgUid = this.#orgUids.get(scope)
    if (orgUid === undefined) throw new CatalogDamaged(`there is no organization number ${scope}`)
    return orgUid
  }

  /** Whether a number is that of an organization. */
  has(scope: number): boolean {
    return this.#orgUids.has(scope)
  }

  /** Drops what a rolled back transaction may have numbered. */
  clear(): void {
    this.#numbers.clear()
    this.#orgUids.clear()
    this.#last = 0
  }

  /** Numbers rise with every organization, so only those after the last are of interest. */
  #readMore(): void {
    for (const row of this.#selectAll.all(this.#last) as unknown as ScopeRow[]) {
      if (checkOfScope(row.scope, row.org_uid) !== row.crc) {
        throw new CatalogDamaged(`organization number ${row.scope} does not check`)
      }
      this.#last = Math.max(this.#last, row.scope)
      this.#numbers.set(row.org_uid, row.scope)
      this.#orgUids.set(row.scope, row.org_uid)
    }
  }
}
