/** Every statement with which the main thread reads catalog.db; it never writes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type {
  CatalogChange,
  CatalogDocument,
  DocumentKey,
  IndexRow,
  JsonObject,
  ListQuery,
} from '../catalog-port.ts'
import type { StreamHandle } from '../sample-port.ts'

const COLUMNS = `s.org_uid, d.kind, d.uid, d.parent_uid, d.revision, d.list_key, d.expires_at_ms,
  d.handle, d.body`

interface DocumentRow {
  org_uid: string
  kind: string
  uid: string
  parent_uid: string
  revision: number
  list_key: string
  expires_at_ms: number | null
  handle: number | null
  body: string
}

/** Scope, UID, parent's UID, handle, packed fields and ref of an entry. */
type EntryRow = [number, string, string, number | null, string, number]

/** Sorts after every text that begins with the prefix it is added to. */
const PREFIX_END = '\u{10FFFF}'

/** The read side of catalog.db over one connection of its own. */
export class CatalogReadTable {
  readonly #db: DatabaseSync
  readonly #selectByKey: StatementSync
  readonly #selectByClaim: StatementSync
  readonly #selectChanges: StatementSync
  readonly #selectCursor: StatementSync
  readonly #selectTally: StatementSync
  readonly #selectKindTally: StatementSync
  readonly #selectScopes: StatementSync
  readonly #selectEntries: StatementSync
  readonly #lists = new Map<string, { page: StatementSync; count: StatementSync }>()

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#selectByKey = db.prepare(`SELECT ${COLUMNS} FROM scope s JOIN document d USING (scope)
      WHERE s.org_uid = ? AND d.kind = ? AND d.uid = ?`)
    this.#selectByClaim = db.prepare(`SELECT ${COLUMNS} FROM scope s JOIN claim c USING (scope)
      JOIN document d ON d.ref = c.ref WHERE s.org_uid = ? AND c.claim = ?`)
    this.#selectChanges = db.prepare(`SELECT c.cursor, s.org_uid, c.kind, c.uid, c.parent_uid,
      c.is_deleted FROM change c JOIN scope s USING (scope)
      WHERE c.cursor > ? ORDER BY c.cursor LIMIT ?`)
    this.#selectCursor = db.prepare('SELECT coalesce(max(cursor), 0) AS cursor FROM change')
    this.#selectTally = db.prepare(`SELECT t.documents FROM scope s JOIN tally t USING (scope)
      WHERE s.org_uid = ? AND t.kind = ?`)
    this.#selectKindTally = db.prepare(
      'SELECT coalesce(sum(documents), 0) AS documents FROM tally WHERE kind = ?',
    )
    this.#selectScopes = db.prepare('SELECT scope, org_uid FROM scope')
    // Organizations are looked up here: a join would make one text of them per row.
    this.#selectEntries = db.prepare(`SELECT scope, uid, parent_uid, handle, packed, ref FROM entry
      WHERE kind = ? AND ref > ? ORDER BY ref LIMIT ?`)
    this.#selectEntries.setReturnArrays(true)
  }

  selectByKey(key: DocumentKey): CatalogDocument | undefined {
    return documentOf(this.#selectByKey.get(key.orgUid, key.kind, key.uid))
  }

  selectByClaim(orgUid: string, claim: string): CatalogDocument | undefined {
    return documentOf(this.#selectByClaim.get(orgUid, claim))
  }

  selectPage(query: ListQuery): { documents: CatalogDocument[]; totalCount: number } {
    const statements = this.#listOf(query)
    const filter: string[] = [query.orgUid, query.kind]
    if (query.parentUid !== undefined) filter.push(query.parentUid)
    const prefix = query.listKeyPrefix ?? ''
    if (prefix !== '') filter.push(prefix, prefix + PREFIX_END)
    const rows = statements.page.all(...filter, query.limit, query.start)
    const documents = rows.map((row) => toDocument(row as unknown as DocumentRow))
    const isWhole = query.parentUid === undefined && prefix === ''
    const count = isWhole
      ? this.#selectTally.get(query.orgUid, query.kind)
      : statements.count.get(...filter)
    return { documents, totalCount: (count?.documents as number | undefined) ?? 0 }
  }

  selectChanges(cursor: number, limit: number): CatalogChange[] {
    return this.#selectChanges.all(cursor, limit).map((row) => ({
      cursor: row.cursor as number,
      orgUid: row.org_uid as string,
      kind: row.kind as string,
      uid: row.uid as string,
      parentUid: row.parent_uid as string,
      isDeleted: row.is_deleted === 1,
    }))
  }

  selectCursor(): number {
    return this.#selectCursor.get()?.cursor as number
  }

  /** How many documents of a kind all organizations have. */
  selectCount(kind: string): number {
    return this.#selectKindTally.get(kind)?.documents as number
  }

  /** The entries of a kind with ref > after, at most `limit`; tells the last ref, 0 at the end. */
  scanEntries(kind: string, after: number, limit: number, onRow: (row: IndexRow) => void): number {
    const orgUids = this.#selectOrgUids()
    const rows = this.#selectEntries.all(kind, after, limit) as unknown as EntryRow[]
    // Taking the rows apart by index spares two million iterators on a big start.
    for (const row of rows) {
      const orgUid = orgUids.get(row[0]) ?? ''
      const handle = (row[3] ?? undefined) as StreamHandle | undefined
      onRow({ orgUid, uid: row[1], parentUid: row[2], handle, index: row[4] })
    }
    return rows.length < limit ? 0 : rows[rows.length - 1][5]
  }

  #selectOrgUids(): Map<number, string> {
    const rows = this.#selectScopes.all()
    return new Map(rows.map((row) => [row.scope as number, row.org_uid as string]))
  }

  /** One pair of statements per shape of query, prepared when first asked for. */
  #listOf(query: ListQuery): { page: StatementSync; count: StatementSync } {
    const parentShape =
      query.parentUid === undefined ? 'any' : query.parentUid === '' ? 'none' : 'one'
    const hasPrefix = (query.listKeyPrefix ?? '') !== ''
    const isDescending = query.descending === true
    const shape = `${parentShape} ${hasPrefix} ${isDescending}`
    const known = this.#lists.get(shape)
    if (known !== undefined) return known
    // The partial index serves only what names a parent, so the planner must see the condition.
    const parent = {
      any: '',
      none: 'AND i.parent_uid = ?',
      one: "AND i.parent_uid = ? AND i.parent_uid <> ''",
    }[parentShape]
    const where = `i.scope = (SELECT scope FROM scope WHERE org_uid = ?) AND i.kind = ? ${parent}
      ${hasPrefix ? 'AND i.list_key >= ? AND i.list_key < ?' : ''}`
    const order = isDescending ? 'list_key DESC, uid DESC' : 'list_key, uid'
    // Refs first: skipping `start` rows then walks the index only and reads no bodies.
    const page = this.#db.prepare(`SELECT ${COLUMNS} FROM (SELECT i.ref FROM document i
      WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?) p
      JOIN document d ON d.ref = p.ref JOIN scope s USING (scope) ORDER BY ${order}`)
    const count = this.#db.prepare(`SELECT count(*) AS documents FROM document i WHERE ${where}`)
    const statements = { page, count }
    this.#lists.set(shape, statements)
    return statements
  }
}

function documentOf(row: unknown): CatalogDocument | undefined {
  return row === undefined ? undefined : toDocument(row as DocumentRow)
}

function toDocument(row: DocumentRow): CatalogDocument {
  return {
    orgUid: row.org_uid,
    kind: row.kind,
    uid: row.uid,
    parentUid: row.parent_uid,
    revision: row.revision,
    listKey: row.list_key,
    expiresAtMs: row.expires_at_ms ?? undefined,
    handle: (row.handle ?? undefined) as StreamHandle | undefined,
    body: JSON.parse(row.body) as JsonObject,
  }
}
