import { familyNumberOf, isFamilyForm } from '../../../../base/index.ts'
import type { LostDocuments } from '../../../catalog-port.ts'
import { storedClaim } from '../../../stored-claim.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import type { FamilyNames } from './family-names-table.ts'
import type { LostRow } from './family-walk-table.ts'

/** Families that are kept apart; when more are damaged, whatever is missing may be in one of them. */
const LOST_MAX = 10_000

/** The rows of families that a start found not to check, and what may have been in them. */
export class LostFamilies implements LostDocuments {
  readonly #byRef = new Map<number, LostRow>()
  /** Components by organization number and stored claim. */
  readonly #byClaim = new Map<string, string>()
  /** By organization number, a component of which no claim tells the ID. */
  readonly #unnamed = new Map<number, string>()
  readonly #scopes: CatalogScopes
  /** Why anything may be lost. */
  #all: string | undefined

  constructor(scopes: CatalogScopes) {
    this.#scopes = scopes
  }

  get isEmpty(): boolean {
    return this.#byRef.size === 0 && this.#all === undefined
  }

  /** Takes in rows that do not check. */
  add(rows: readonly LostRow[]): void {
    for (const row of rows) {
      if (this.#byRef.size >= LOST_MAX) {
        this.addAll(row.what)
        return
      }
      // A damaged first row says more than a later one.
      const known = this.#byRef.get(row.ref)
      if (known === undefined || row.page === 0) this.#byRef.set(row.ref, row)
    }
  }

  /** Takes in that rows could not be read at all. */
  addAll(what: string): void {
    this.#all ??= what
  }

  /** Learns from claims which components the rows had; to be called after all rows were added. */
  learnNames(names: FamilyNames): void {
    // Of a head in the roll, the row itself does not tell.
    const rows = [...this.#byRef.values()].filter(({ page }) => page === 0)
    if (rows.length === 0) return
    const claims = names.claimsOf(rows.map(({ ref }) => ref))
    if (claims === undefined) {
      this.addAll(rows[0].what)
      return
    }
    const heads = rows.filter(({ hasHead }) => hasHead)
    const nameless = new Map(heads.map((row) => [row.ref, row]))
    for (const { ref, scope, stored } of claims) {
      nameless.delete(ref)
      this.#byClaim.set(`${scope} ${stored}`, this.#byRef.get(ref)?.what ?? '')
    }
    for (const { scope, what } of nameless.values()) {
      if (this.#scopes.has(scope)) this.#unnamed.set(scope, what)
      else this.addAll(what)
    }
  }

  ofClaim(orgUid: string, claim: string): string | undefined {
    const scope = this.#scopes.find(orgUid)
    if (scope === undefined) return this.#all
    return (
      this.#byClaim.get(`${scope} ${storedClaim(claim)}`) ?? this.#unnamed.get(scope) ?? this.#all
    )
  }

  ofUid(uid: string): string | undefined {
    const ref = isFamilyForm(uid) ? familyNumberOf(uid) : undefined
    return (ref === undefined ? undefined : this.#byRef.get(ref)?.what) ?? this.#all
  }

  ofOrganization(orgUid: string): string | undefined {
    const scope = this.#scopes.find(orgUid)
    for (const row of this.#byRef.values()) if (row.scope === scope) return row.what
    return this.#all
  }
}
