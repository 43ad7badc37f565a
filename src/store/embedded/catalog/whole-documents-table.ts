/** The statements with which everything in catalog.db is read, to be moved elsewhere. */
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { nextTurn } from '../../../base/index.ts'
import { CatalogDamaged, type DocumentKey } from '../../catalog-port.ts'
import type { MovableCatalog, WholeDocument } from '../../move-port.ts'
import { documentNameOf, readChecked } from './catalog-checks.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import { CatalogScopes } from './catalog-scopes.ts'
import { FamilyReadTable, toDocument } from './family/family-read-table.ts'
import {
  documentsOf,
  WALK_START,
  type WalkedDocument,
  type WalkedPage,
  type WalkPlace,
} from './family/family-walk-table.ts'

/** Rows read at a time; those of families hold some documents each. */
const ROWS_PER_STEP = 200

/** Reads a catalog by a connection of its own, beside the store that has it open. */
export class WholeDocuments implements MovableCatalog {
  readonly #db: DatabaseSync
  readonly #scopes: CatalogScopes
  readonly #families: FamilyReadTable
  readonly #statements: ReturnType<typeof prepareAll>

  constructor(folder: string) {
    this.#db = new DatabaseSync(join(folder, 'catalog.db'), { readOnly: true, timeout: 5_000 })
    this.#scopes = new CatalogScopes(this.#db)
    this.#families = new FamilyReadTable(this.#db, this.#scopes)
    this.#statements = prepareAll(this.#db)
  }

  async *everything(): AsyncGenerator<WholeDocument[]> {
    for (let after = 0; ; ) {
      const rows = readChecked('table document', () =>
        this.#statements.rows.all(after, ROWS_PER_STEP),
      )
      if (rows.length > 0) yield rows.map((row) => this.#ofRow(row))
      if (rows.length < ROWS_PER_STEP) break
      after = rows[rows.length - 1].ref as number
      await nextTurn()
    }
    for (let at: WalkPlace | undefined = WALK_START; at !== undefined; ) {
      const found: WholeDocument[] = []
      const onPage = (page: WalkedPage): void => {
        for (const one of documentsOf(page)) found.push(ofMember(page.orgUid, one))
      }
      const step = this.#families.walk.step(at, ROWS_PER_STEP, onPage)
      if (step.damages.length > 0) throw new CatalogDamaged(step.damages[0])
      if (found.length > 0) yield found
      at = step.next
      await nextTurn()
    }
  }

  async wholeOf(keys: readonly DocumentKey[]): Promise<(WholeDocument | undefined)[]> {
    return keys.map((key) => readChecked(documentNameOf(key), () => this.#find(key)))
  }

  close(): void {
    this.#db.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #find(key: DocumentKey): WholeDocument | undefined {
    const scope = this.#scopes.find(key.orgUid)
    if (scope === undefined) return undefined
    const member = this.#families.findByKey(key)
    if (member !== undefined) return ofMember(key.orgUid.toWellFormed(), member)
    const row = this.#statements.byKey.get(scope, key.kind, key.uid)
    return row && this.#ofRow(row)
  }

  #ofRow(row: Readonly<Record<string, unknown>>): WholeDocument {
    const document = documentOf(row, this.#scopes)
    const ref = row.ref as number
    const entry = this.#statements.entry.get(document.kind, ref)
    const claims = this.#statements.claims.all(ref).map(({ claim }) => claim as string)
    return { ...document, index: entry?.packed as string | undefined, claims }
  }
}

function ofMember(orgUid: string, found: WalkedDocument): WholeDocument {
  const { shape, id } = found.document
  const headUid = found.kind === 'component' ? found.uid : found.parentUid
  return {
    ...toDocument(orgUid, found),
    index: shape.shape.indexOf(id),
    claims: shape.shape.claimsOf(id, headUid),
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    rows: prepare(
      `SELECT ${DOCUMENT_COLUMNS} FROM document d WHERE d.ref > ? ORDER BY d.ref LIMIT ?`,
    ),
    byKey: prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.scope = ? AND d.kind = ? AND d.uid = ?`),
    entry: prepare('SELECT packed FROM entry WHERE kind = ? AND ref = ?'),
    claims: prepare('SELECT claim FROM claim WHERE ref = ? AND ref > 0'),
  }
}
