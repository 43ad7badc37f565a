/** The statements with which the writer changes the table of claims. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DocumentKey } from '../../catalog-port.ts'
import { storedClaim } from '../../stored-claim.ts'
import { checkOfClaim } from './catalog-checks.ts'
import { InsertTogether, type RowValue } from './family/insert-together.ts'
import type { RollWriter } from './roll/roll-write-table.ts'

const CLAIM_COLUMNS = ['scope', 'claim', 'ref', 'crc']

/**
 * Claims by organization; a holder is the number of a document, or less than zero that of a family. What stands in the
 * roll is claimed too.
 */
export class CatalogClaims {
  readonly #insert: StatementSync
  readonly #together: InsertTogether
  readonly #select: StatementSync
  readonly #delete: StatementSync
  readonly #deleteOfDocument: StatementSync
  readonly roll: RollWriter

  constructor(db: DatabaseSync, roll: RollWriter) {
    this.roll = roll
    this.#insert = db.prepare(`INSERT INTO claim (scope, claim, ref, crc) VALUES (?, ?, ?, ?)
      ON CONFLICT DO NOTHING`)
    this.#together = new InsertTogether(db, 'claim', CLAIM_COLUMNS)
    this.#select = db.prepare('SELECT ref FROM claim WHERE scope = ? AND claim = ?')
    this.#delete = db.prepare(`DELETE FROM claim
      WHERE scope = ? AND claim = ? AND ref = ? AND crc = ?`)
    this.#deleteOfDocument = db.prepare('DELETE FROM claim WHERE ref = ? AND ref > 0')
  }

  /** Makes the claims of rows given value by value; tells the first that another has, by its place and would-be holder, undefined when all are made. */
  insertRows(rows: readonly RowValue[]): { readonly at: number; readonly ref: number } | undefined {
    const areMade = this.#together.insert(rows)
    for (let at = 0; at < rows.length; at += CLAIM_COLUMNS.length) {
      const [scope, stored, ref] = rows.slice(at, at + CLAIM_COLUMNS.length)
      const isMade = areMade || this.#select.get(scope, stored)?.ref === ref
      if (isMade && !this.roll.isHeld(scope as number, stored as string)) continue
      return { at: at / CLAIM_COLUMNS.length, ref: ref as number }
    }
    return undefined
  }

  /** Whether the claim could be made: false when another holds it. */
  insert(scope: number, claim: string, holder: DocumentKey & { readonly ref: number }): boolean {
    const stored = storedClaim(claim)
    if (this.roll.isHeld(scope, stored)) return false
    const crc = checkOfClaim(stored, holder)
    return this.#insert.run(scope, stored, holder.ref, crc).changes === 1
  }

  isTaken(scope: number, claim: string): boolean {
    const stored = storedClaim(claim)
    return this.#select.get(scope, stored) !== undefined || this.roll.isHeld(scope, stored)
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
