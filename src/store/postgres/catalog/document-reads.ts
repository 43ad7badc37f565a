/** Reads documents: by key or claim, in lists, and in walks. */
import { RecordBytes } from '../../../base/index.ts'
import { endOfPrefix } from '../../fields/end-of-prefix.ts'
import { storedClaim } from '../../fields/stored-claim.ts'
import type { CatalogDocument, KindUsage, ListQuery, WalkQuery } from '../../ports/catalog-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import type { Database } from '../connection/database.ts'
import { fromStored, toStored } from '../connection/stored-text.ts'
import { INDEXED_LENGTH, LISTED_KEY } from '../schema/tables.ts'
import { DOCUMENT_FIELDS, readDocument } from './catalog-rows.ts'
import { SqlConditions } from './sql-conditions.ts'

export class DocumentReads {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async get({ orgUid, kind, uid }: DocumentKey): Promise<CatalogDocument | undefined> {
    const sql = `SELECT ${DOCUMENT_FIELDS} FROM document d WHERE org = $1 AND kind = $2 AND uid = $3`
    const [row] = await this.#database.read(sql, [orgUid, kind, uid].map(toStored))
    return row === undefined ? undefined : readDocument(row)
  }

  async findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined> {
    const sql = `SELECT ${DOCUMENT_FIELDS} FROM claim c JOIN document d
      ON d.org = c.org AND d.kind = c.kind AND d.uid = c.uid WHERE c.org = $1 AND c.claim = $2`
    const [row] = await this.#database.read(sql, [toStored(orgUid), toStored(storedClaim(claim))])
    return row === undefined ? undefined : readDocument(row)
  }

  async list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
    const { start, limit, descending = false } = query
    const where = conditionsOf(query)
    const order = descending ? 'DESC' : 'ASC'
    const [{ rows }, counted] = await this.#database.withClient((client) =>
      Promise.all([
        client.run(
          `SELECT ${DOCUMENT_FIELDS} FROM document d WHERE ${where.text}
            ORDER BY ${LISTED_KEY} ${order}, list_key ${order}, uid ${order}
            OFFSET ${where.param(start, 'bigint')} LIMIT ${where.param(limit, 'bigint')}`,
          where.params,
        ),
        this.#isOverAll(query)
          ? client.run('SELECT documents FROM tally WHERE org = $1 AND kind = $2', [
              toStored(query.orgUid),
              toStored(query.kind),
            ])
          : client.run(
              `SELECT count(*) FROM document d WHERE ${where.text}`,
              where.params.slice(0, -2),
            ),
      ]),
    )
    const count =
      query.bytesMax === undefined ? undefined : new RecordBytes(query.kind, query.bytesMax)
    // The body is the last column.
    for (const row of rows) count?.add(row.at(-1) as string)
    const totalCount = Number(counted.rows[0]?.[0] ?? 0)
    return { documents: rows.map(readDocument), totalCount }
  }

  async walk(query: WalkQuery): Promise<{ documents: CatalogDocument[]; next?: string }> {
    const { orgUid, kind, after, limit, down } = query
    const where = new SqlConditions()
    where.add(
      `d.org = ${where.param(toStored(orgUid))} AND d.kind = ${where.param(toStored(kind))}`,
    )
    if (down !== undefined) {
      addFrom(where, '>=', down.from)
      addFrom(where, '<', down.until)
    }
    if (after !== undefined) {
      const [listKey, uid] = JSON.parse(after) as [string, string]
      const [sign, edge] = down === undefined ? ['>', '>='] : ['<', '<=']
      where.add(`${LISTED_KEY} ${edge} left(${where.param(listKey)}, ${INDEXED_LENGTH})`)
      where.add(`(d.list_key, d.uid) ${sign} (${where.param(listKey)}, ${where.param(uid)})`)
    }
    const order = down === undefined ? 'ASC' : 'DESC'
    const rows = await this.#database.read(
      `SELECT ${DOCUMENT_FIELDS} FROM document d WHERE ${where.text}
        ORDER BY ${LISTED_KEY} ${order}, list_key ${order}, uid ${order}
        LIMIT ${where.param(limit, 'bigint')}`,
      where.params,
    )
    const documents = rows.map(readDocument)
    const last = documents.at(-1)
    if (rows.length < limit || last === undefined) return { documents }
    return { documents, next: JSON.stringify([toStored(last.listKey), toStored(last.uid)]) }
  }

  async usage(orgUid: string): Promise<KindUsage[]> {
    const sql = 'SELECT kind, documents, bytes FROM tally WHERE org = $1 ORDER BY kind'
    const rows = await this.#database.read(sql, [toStored(orgUid)])
    return (rows as readonly [string, number, number][]).map(([kind, documents, bytes]) => {
      return { kind: fromStored(kind), documents, bytes }
    })
  }

  #isOverAll(query: ListQuery): boolean {
    const { parentUid, listKeyPrefix = '', aliveAtMs, exceptUids = [] } = query
    const isWhole = parentUid === undefined && listKeyPrefix === '' && aliveAtMs === undefined
    return isWhole && exceptUids.length === 0
  }
}

function conditionsOf(query: ListQuery): SqlConditions {
  const { orgUid, kind, parentUid, listKeyPrefix = '', aliveAtMs, exceptUids = [] } = query
  const where = new SqlConditions()
  where.add(`d.org = ${where.param(toStored(orgUid))} AND d.kind = ${where.param(toStored(kind))}`)
  if (parentUid !== undefined) where.add(`d.parent = ${where.param(toStored(parentUid))}`)
  if (listKeyPrefix !== '') {
    const end = endOfPrefix(listKeyPrefix)
    addFrom(where, '>=', listKeyPrefix)
    if (end !== undefined) addFrom(where, '<', end)
  }
  if (aliveAtMs !== undefined) {
    where.add(`(d.expires_at_ms IS NULL OR d.expires_at_ms > ${where.param(aliveAtMs, 'bigint')})`)
  }
  if (exceptUids.length > 0) {
    where.add(`d.uid <> ALL (${where.param(exceptUids.map(toStored), 'text[]')})`)
  }
  return where
}

/** Compares list keys with a text: by their beginnings, which the index has, and as a whole. */
function addFrom(where: SqlConditions, sign: '>=' | '<', text: string): void {
  const stored = toStored(text)
  const edge = sign === '<' ? '<=' : sign
  where.add(`${LISTED_KEY} ${edge} left(${where.param(stored)}, ${INDEXED_LENGTH})`)
  where.add(`d.list_key ${sign} ${where.param(stored)}`)
}
