/** The statements with which the writer changes the table of claims. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DocumentKey } from '../../catalog-port.ts'
import { checkOfClaim } from './catalog-checks.ts'
import { storedClaim } from './stored-claim.ts'

/** Claims by organization; a holder is the number of a document, or less than zero that of a family. */
export class CatalogClaims {
  readonly #insert: StatementSync
  readonly #select: StatementSync
  readonly #delete: StatementSync
  readonly #deleteOfDocument: StatementSync

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(`INSERT INTO claim (scope, claim, ref, crc) VALUES (?, ?, ?, ?)
      ON CONFLICT DO NOTHING`)
    this.#select = db.prepare('SELECT ref FROM claim WHERE scope = ? AND claim = ?')
    this.#delete = db.prepare(`DELETE FROM claim
      WHERE scope = ? AND claim = ? AND ref = ? AND crc = ?`)
    this.#deleteOfDocument = db.prepare('DELETE FROM claim WHERE ref = ? AND ref > 0')
  }

  /** Whether the claim could be made: false when another holds it. */
  insert(scope: number, claim: string, holder: DocumentKey & { readonly ref: number }): boolean {
    const stored = storedClaim(claim)
    const crc = checkOfClaim(stored, holder)
    return this.#insert.run(scope, stored, holder.ref, crc).changes === 1
  }

  isTaken(scope: number, claim: string): boolean {
    return this.#select.get(scope, storedClaim(claim)) !== undefined
  }

  /** Lets go of a claim if it is this holder's: others of its family have the same number. */
  delete(scope: number, claim: string, holder: DocumentKey & { readonly ref: number }): void {
    const stored = storedClaim(claim)
    this.#delete.run(scope, stored, holder.ref, checkOfClaim(stored, holder))
  }

  /** Lets go of all that a document with a row of its own holds. */
  deleteOfDocument(ref: number): void {
    this.#deleteOfDocument.run(ref)
  }
}
