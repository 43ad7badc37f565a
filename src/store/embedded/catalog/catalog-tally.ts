/** The counts of one kind in one organization, as the writer and the readers of catalog.db ask for them. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { bytesOfComponent, bytesOfStream } from '../../fields/counted-bytes.ts'
import { CatalogDamaged } from '../../ports/catalog-port.ts'
import type { CatalogScopes } from './catalog-scopes.ts'
import { COMPONENT_COLUMNS, type ComponentRow, componentOfRow } from './component/component-row.ts'
import { SELECTED_STREAM, type StoredStreamRow, streamOfRow } from './component/stream-row.ts'
import type { TextTable } from './component/text-table.ts'

/** How many there are, and their bytes. */
export interface Tally {
  readonly documents: number
  readonly bytes: number
}

/** What there is of a kind of which there is nothing. */
export const NOTHING: Tally = { documents: 0, bytes: 0 }

/** Both together. */
export function addTallies(a: Tally, b: Tally): Tally {
  return { documents: a.documents + b.documents, bytes: a.bytes + b.bytes }
}

/** What is kept of the counts, by scope and kind. */
export const TALLY = `SELECT documents, bytes, crc FROM tally WHERE scope = ? AND kind = ?`

/** The counts in a row of TALLY; nothing where there is none. */
export function tallyOf(row: Readonly<Record<string, unknown>> | undefined): Tally {
  if (row === undefined) return NOTHING
  const { documents, bytes } = row as unknown as Tally
  return { documents, bytes }
}

/** What a document counts as in `bytes`. */
export function tallyBytes(listKey: string, body: string): number {
  return Buffer.byteLength(listKey) + Buffer.byteLength(body)
}

/** Counts what is there: slow, for when what is kept does not check. */
export class TallyCounter {
  readonly #documents: StatementSync
  readonly #components: StatementSync
  readonly #streams: StatementSync
  readonly #scopes: CatalogScopes
  readonly #texts: TextTable

  constructor(db: DatabaseSync, scopes: CatalogScopes, texts: TextTable) {
    this.#documents = db.prepare(`SELECT count(*) AS documents,
      coalesce(sum(octet_length(body) + octet_length(list_key)), 0) AS bytes
      FROM document WHERE scope = ? AND kind = ?`)
    this.#components = db.prepare(`SELECT ${COMPONENT_COLUMNS.join(', ')} FROM component
      WHERE scope = ?`)
    this.#streams = db.prepare(`SELECT ${SELECTED_STREAM} FROM stream
      WHERE component IN (SELECT ref FROM component WHERE scope = ?)`)
    this.#scopes = scopes
    this.#texts = texts
  }

  count(scope: number, kind: string): Tally {
    if (kind === 'component') {
      const orgUid = this.#scopes.orgUidOf(scope)
      return sumOf(this.#components.iterate(scope), (row) =>
        bytesOfComponent(componentOfRow(row as unknown as ComponentRow, orgUid, this.#texts)),
      )
    }
    if (kind === 'stream') {
      // Whose they are does not count.
      const owner = { orgUid: '', uid: '' }
      return sumOf(this.#streams.iterate(scope), (row) =>
        bytesOfStream(streamOfRow(row as unknown as StoredStreamRow, owner, this.#texts)),
      )
    }
    return tallyOf(this.#documents.get(scope, kind))
  }
}

/** Rows that do not check count, as they did when they were made, though nobody knows for how many bytes. */
function sumOf(
  rows: Iterable<Readonly<Record<string, unknown>>>,
  bytesOf: (row: Readonly<Record<string, unknown>>) => number,
): Tally {
  let [documents, bytes] = [0, 0]
  for (const row of rows) {
    documents += 1
    try {
      bytes += bytesOf(row)
    } catch (error) {
      if (!(error instanceof CatalogDamaged)) throw error
    }
  }
  return { documents, bytes }
}
