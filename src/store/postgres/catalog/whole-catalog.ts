/** Reads everything in a catalog, to be moved elsewhere. */
import { isUid } from '../../../base/index.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import type { MovableCatalog, WholeRecord } from '../../ports/move-port.ts'
import type { Database, SqlRow } from '../connection/database.ts'
import { toStored } from '../connection/stored-text.ts'
import {
  COMPONENT_FIELDS,
  componentOf,
  DOCUMENT_FIELDS,
  readDocument,
  STREAM_FIELDS,
  streamOf,
} from './catalog-rows.ts'
import { keyName } from './map-keys.ts'

/** Rows read at a time. */
const ROWS_PER_STEP = 500

const DOCUMENTS = `SELECT ${DOCUMENT_FIELDS}, d.claims FROM document d`
const COMPONENTS = `SELECT ${COMPONENT_FIELDS}, c.number FROM component c`
const STREAMS = `SELECT ${STREAM_FIELDS}, s.component, s.place, s.uid
  FROM stream s JOIN component c ON c.number = s.component`

const NO_UID = '00000000-0000-0000-0000-000000000000'

export class WholeCatalog implements MovableCatalog {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async *everything(): AsyncGenerator<WholeRecord[]> {
    yield* this.#walk(
      `${DOCUMENTS} WHERE (d.org, d.kind, d.uid) > ($1, $2, $3) ORDER BY d.org, d.kind, d.uid`,
      ['', '', ''],
      (rows) => ({ records: rows.map(wholeDocumentOf), last: rows.at(-1)?.slice(0, 3) }),
    )
    yield* this.#walk(`${COMPONENTS} WHERE c.number > $1 ORDER BY c.number`, [0], (rows) => {
      return { records: rows.map(componentOf), last: rows.at(-1)?.slice(-1) }
    })
    yield* this.#walk(
      `${STREAMS} WHERE (s.component, s.place, s.uid) > ($1::bigint, $2::integer, $3::uuid)
        ORDER BY s.component, s.place, s.uid`,
      [0, 0, NO_UID],
      (rows) => ({ records: rows.map(streamOf), last: rows.at(-1)?.slice(-3) }),
    )
  }

  async wholeOf(keys: readonly DocumentKey[]): Promise<(WholeRecord | undefined)[]> {
    const ofKind = (kind: string) => keys.filter((key) => key.kind === kind && isUid(key.uid))
    const uidsOf = (kind: string) => ofKind(kind).map(({ uid }) => uid)
    const others = keys.filter(({ kind }) => kind !== 'component' && kind !== 'stream')
    const [documents, components, streams] = await Promise.all([
      this.#database.read(
        `${DOCUMENTS} JOIN unnest($1::text[], $2::text[], $3::text[]) AS k (org, kind, uid)
          ON d.org = k.org AND d.kind = k.kind AND d.uid = k.uid`,
        [
          others.map(({ orgUid }) => toStored(orgUid)),
          others.map(({ kind }) => toStored(kind)),
          others.map(({ uid }) => toStored(uid)),
        ],
      ),
      this.#database.read(`${COMPONENTS} WHERE c.uid = ANY ($1::uuid[])`, [uidsOf('component')]),
      this.#database.read(`${STREAMS} WHERE s.uid = ANY ($1::uuid[])`, [uidsOf('stream')]),
    ])
    const found: WholeRecord[] = [
      ...documents.map(wholeDocumentOf),
      ...components.map(componentOf),
      ...streams.map(streamOf),
    ]
    const byKey = new Map(found.map((record) => [keyName(record), record]))
    return keys.map((key) => byKey.get(keyName(key)))
  }

  async *#walk(
    select: string,
    first: readonly unknown[],
    read: (rows: readonly SqlRow[]) => {
      records: WholeRecord[]
      last: readonly unknown[] | undefined
    },
  ): AsyncGenerator<WholeRecord[]> {
    let after = first
    for (;;) {
      const rows = await this.#database.read(`${select} LIMIT ${ROWS_PER_STEP}`, after)
      const { records, last } = read(rows)
      if (records.length > 0) yield records
      if (rows.length < ROWS_PER_STEP || last === undefined) return
      after = last
    }
  }
}

/** The claims are the last column. */
function wholeDocumentOf(row: SqlRow): WholeRecord {
  const claims = row.at(-1) as string | null
  return { ...readDocument(row), claims: claims === null ? [] : (JSON.parse(claims) as string[]) }
}
