/** The statements with which everything in catalog.db is read, to be moved elsewhere. */
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { nextIteration } from '../../../base/index.ts'
import { CatalogDamaged } from '../../ports/catalog-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import type { MovableCatalog, WholeRecord } from '../../ports/move-port.ts'
import { documentNameOf, readChecked } from './catalog-checks.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import { CatalogScopes } from './catalog-scopes.ts'
import { ComponentReader } from './component/component-reader.ts'
import { COMPONENT_COLUMNS, type ComponentRow, componentOfRow } from './component/component-row.ts'
import { StreamReader } from './component/stream-reader.ts'
import { SELECTED_STREAM, type StoredStreamRow, streamOfRow } from './component/stream-row.ts'
import { TextTable } from './component/text-table.ts'

/** Rows read at a time. */
const ROWS_PER_STEP = 200

type Row = Readonly<Record<string, unknown>>

/** Reads a catalog by a connection of its own, beside the store that has it open. */
export class WholeDocuments implements MovableCatalog {
  readonly #db: DatabaseSync
  readonly #scopes: CatalogScopes
  readonly #texts: TextTable
  readonly #components: ComponentReader
  readonly #streams: StreamReader
  readonly #statements: ReturnType<typeof prepareAll>

  constructor(folder: string) {
    this.#db = new DatabaseSync(join(folder, 'catalog.db'), { readOnly: true, timeout: 5_000 })
    this.#scopes = new CatalogScopes(this.#db)
    this.#texts = new TextTable(this.#db)
    this.#components = new ComponentReader(this.#db, this.#scopes, this.#texts)
    this.#streams = new StreamReader(this.#db, {
      components: this.#components,
      scopes: this.#scopes,
      texts: this.#texts,
    })
    this.#statements = prepareAll(this.#db)
  }

  async *everything(): AsyncGenerator<WholeRecord[]> {
    const { documents, components, streams } = this.#statements
    yield* this.#walk(documents, ['ref'], (row) => this.#ofDocument(row))
    yield* this.#walk(components, ['ref'], (row) => {
      const orgUid = this.#scopes.orgUidOf(row.scope as number)
      return componentOfRow(row as unknown as ComponentRow, orgUid, this.#texts)
    })
    yield* this.#walk(streams, ['component', 'ordinal'], (row) => {
      const owner = this.#components.findRef(row.component as number)?.component
      const what = `streams of component number ${row.component} are without it`
      if (owner === undefined) throw new CatalogDamaged(what)
      return streamOfRow(row as unknown as StoredStreamRow, owner, this.#texts)
    })
  }

  async wholeOf(keys: readonly DocumentKey[]): Promise<(WholeRecord | undefined)[]> {
    return keys.map((key) => readChecked(documentNameOf(key), () => this.#find(key)))
  }

  close(): void {
    this.#db.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  async *#walk(
    page: StatementSync,
    key: readonly string[],
    read: (row: Row) => WholeRecord,
  ): AsyncGenerator<WholeRecord[]> {
    let after = key.map(() => 0)
    for (;;) {
      const rows = readChecked('a table', () => page.all(...after, ROWS_PER_STEP))
      if (rows.length > 0) yield rows.map(read)
      if (rows.length < ROWS_PER_STEP) return
      const last = rows[rows.length - 1]
      after = key.map((column) => last[column] as number)
      await nextIteration()
    }
  }

  #find(key: DocumentKey): WholeRecord | undefined {
    const scope = this.#scopes.find(key.orgUid)
    if (scope === undefined) return undefined
    if (key.kind === 'component') return this.#components.find(scope, key.uid)?.component
    if (key.kind === 'stream') return this.#streams.find(scope, key.uid)?.stream
    const row = this.#statements.byKey.get(scope, key.kind, key.uid)
    return row && this.#ofDocument(row)
  }

  #ofDocument(row: Row): WholeRecord {
    const claims = this.#statements.claims.all(row.ref as number)
    return { ...documentOf(row, this.#scopes), claims: claims.map(({ claim }) => claim as string) }
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    documents: prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.ref > ? ORDER BY d.ref LIMIT ?`),
    components: prepare(`SELECT ${COMPONENT_COLUMNS.join(', ')} FROM component
      WHERE ref > ? ORDER BY ref LIMIT ?`),
    streams: prepare(`SELECT ${SELECTED_STREAM} FROM stream
      WHERE (component, ordinal) > (?, ?) ORDER BY component, ordinal LIMIT ?`),
    byKey: prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.scope = ? AND d.kind = ? AND d.uid = ?`),
    claims: prepare('SELECT claim FROM claim WHERE ref = ?'),
  }
}
