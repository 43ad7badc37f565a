/** The statements with which all of catalog.db is read back, row by row, and held against checksums. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { CatalogDamaged, type CatalogDocument } from '../../../catalog-port.ts'
import { CHANGE_COLUMNS, changesOf } from '../catalog-changes.ts'
import {
  checkOfClaim,
  checkOfEntry,
  checkOfLease,
  checkOfTally,
  documentNameOf,
  readChecked,
} from '../catalog-checks.ts'
import { DOCUMENT_COLUMNS, documentOf } from '../catalog-document.ts'
import { CatalogScopes } from '../catalog-scopes.ts'
import { FamilyReadTable } from '../family/family-read-table.ts'
import { checkOfShape, SHAPE_TABLES } from '../family/shape-table.ts'
import { FamilyClaims } from './family-claims.ts'

type Row = Readonly<Record<string, SQLInputValue>>

/** Each is held against up to 64 families. */
const ROLL_PAGES_PER_STEP = 8

/** A stretch of a table that was read. */
interface ScrubPage {
  /** The key of the last row, to go on after; undefined at the end. */
  readonly next: readonly SQLInputValue[] | undefined
  readonly count: number
  readonly bytes: number
  /** What does not check. */
  readonly damages: readonly string[]
}

/** One table: its rows after a key in the key's order, and what holds a row against its checksum. */
interface ScrubbedTable {
  readonly page: StatementSync
  readonly key: readonly string[]
  readonly start: readonly SQLInputValue[]
  /** Rows of which each takes as long as many others. */
  readonly limitMax?: number
  /** Throws CatalogDamaged when the row does not check. */
  check(row: Row): void
}

/** Reads catalog.db back in pages, over a connection that is given. */
export class CatalogScrubTable {
  readonly #scopes: CatalogScopes
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #families: FamilyReadTable
  readonly #claims: FamilyClaims
  readonly #tables: Readonly<Record<string, ScrubbedTable>>

  constructor(db: DatabaseSync) {
    this.#scopes = new CatalogScopes(db)
    this.#statements = prepareAll(db)
    this.#families = new FamilyReadTable(db, this.#scopes)
    this.#claims = new FamilyClaims((ref) => this.#families.pagesOf(ref))
    this.#tables = this.#makeTables()
  }

  /** The tables that can be read back. */
  get names(): readonly string[] {
    return Object.keys(this.#tables)
  }

  /** Reads at most `limit` rows of a table, from its beginning or after a key. */
  checkPage(name: string, after: readonly SQLInputValue[] | undefined, most: number): ScrubPage {
    const { page, key, start, check, limitMax = most } = this.#tables[name]
    const limit = Math.min(most, limitMax)
    const rows = page.all(...(after ?? start), limit) as Row[]
    this.#claims.beginStep()
    this.#families.roll.keepPages()
    const damages = rows.flatMap((row) => damageIn(() => check(row)) ?? [])
    const last = rows.length < limit ? undefined : rows[rows.length - 1]
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0)
    return { next: last && key.map((column) => last[column]), count: rows.length, bytes, damages }
  }

  /** The documents of a kind that check, after a ref; `after` of the answer is 0 at the end. */
  selectDocuments(
    { kind, after, limit }: { kind: string; after: number; limit: number },
    onDocument: (document: CatalogDocument) => void,
  ): { after: number; damages: string[] } {
    const rows = this.#statements.documents.all(after, limit) as Row[]
    const damages = rows.flatMap(
      (row) =>
        damageIn(() => {
          const document = documentOf(row, this.#scopes)
          if (document.kind === kind) onDocument(document)
        }) ?? [],
    )
    return { damages, after: rows.length < limit ? 0 : (rows[rows.length - 1].ref as number) }
  }

  #makeTables(): Record<string, ScrubbedTable> {
    const { documents, entries, claims, changes, tallies, leases } = this.#statements
    const { families, familyPages, rolls } = this.#statements
    return {
      ...this.#makeShapeTables(),
      family: {
        ...{ page: families, key: ['ref'], start: [Number.MIN_SAFE_INTEGER] },
        check: (row) => this.#families.checkFirst(row),
      },
      roll: {
        ...{ page: rolls, key: ['number'], start: [0], limitMax: ROLL_PAGES_PER_STEP },
        check: (row) => {
          for (const head of this.#families.roll.headsOf(row)) this.#families.checkRolled(head)
        },
      },
      family_page: {
        ...{ page: familyPages, key: ['ref', 'page'], start: [Number.MIN_SAFE_INTEGER, 0] },
        check: (row) => this.#families.checkLater(row),
      },
      document: {
        ...{ page: documents, key: ['ref'], start: [0] },
        check: (row) => this.#checkDocument(row),
      },
      entry: {
        ...{ page: entries, key: ['kind', 'ref'], start: ['', 0] },
        check: (row) => this.#checkEntry(row),
      },
      claim: {
        ...{ page: claims, key: ['scope', 'claim'], start: [0, ''] },
        check: (row) => this.#checkClaim(row),
      },
      change: {
        ...{ page: changes, key: ['cursor'], start: [0] },
        check: (row) => changesOf(row, this.#scopes),
      },
      tally: {
        ...{ page: tallies, key: ['scope', 'kind'], start: [0, ''] },
        check: (row) => this.#checkTally(row),
      },
      lease: { page: leases, key: ['name'], start: [''], check: checkLease },
    }
  }

  #makeShapeTables(): Record<string, ScrubbedTable> {
    const { shapes } = this.#statements
    const tables = SHAPE_TABLES.map((name, at): [string, ScrubbedTable] => [
      name,
      { page: shapes[at], key: ['number'], start: [0], check: checkShape },
    ])
    return Object.fromEntries(tables)
  }

  #checkDocument(row: Row): void {
    const document = documentOf(row, this.#scopes)
    const { handle } = document
    if (handle === undefined) return
    const given = this.#statements.handle.get(handle)?.ref
    expect(given === row.ref, `handle ${handle} is not given to ${documentNameOf(document)}`)
  }

  #checkEntry(row: Row): void {
    const key = this.#keyOf(row)
    const entry = {
      ref: row.ref,
      parentUid: row.parent_uid,
      handle: row.handle,
      packed: row.packed,
    }
    const isWhole = checkOfEntry(key, entry as Parameters<typeof checkOfEntry>[1]) === row.crc
    expect(isWhole, `the index row ${row.ref} of kind ${row.kind} does not check`)
  }

  #checkClaim(row: Row): void {
    const orgUid = this.#scopes.orgUidOf(row.scope as number)
    // The text may hold an e-mail address; its number among the holder's is all that is told.
    const what = `a claim of document ${row.ref} of organization ${orgUid}`
    const ref = row.ref as number
    if (ref < 0) {
      const claim = { stored: row.claim as string, crc: row.crc }
      expect(this.#claims.isHeld(-ref, claim), `${what} does not check`)
      return
    }
    const holder = this.#statements.holder.get(ref) as Row | undefined
    if (holder === undefined) throw new CatalogDamaged(`${what} has no holder`)
    const key = { ...this.#keyOf(holder), orgUid }
    expect(checkOfClaim(row.claim as string, key) === row.crc, `${what} does not check`)
  }

  #checkTally(row: Row): void {
    const tally = row as unknown as Parameters<typeof checkOfTally>[0]
    const what = `the count of ${row.kind} in organization number ${row.scope}`
    expect(checkOfTally(tally) === row.crc, `${what} does not check`)
  }

  #keyOf(row: Row) {
    const orgUid = this.#scopes.orgUidOf(row.scope as number)
    return { orgUid, kind: row.kind as string, uid: row.uid as string }
  }
}

function checkShape(row: Row): void {
  const isWhole = checkOfShape(row.number as number, String(row.text)) === row.crc
  expect(isWhole, `shape ${row.number} of components and streams does not check`)
}

function checkLease(row: Row): void {
  const lease = {
    name: row.name as string,
    holder: row.holder as string,
    fence: row.fence as number,
  }
  const isWhole = checkOfLease(lease, row.expires_at_ms as number) === row.crc
  expect(isWhole, `lease ${row.name} does not check`)
}

function expect(isWhole: boolean, what: string): void {
  if (!isWhole) throw new CatalogDamaged(what)
}

/** What is wrong when a read finds damage; other failures are thrown on. */
function damageIn(read: () => void): string | undefined {
  try {
    readChecked('a row', read)
    return undefined
  } catch (error) {
    if (error instanceof CatalogDamaged) return error.what
    throw error
  }
}

function bytesOf(row: Row): number {
  let bytes = 0
  for (const value of Object.values(row)) bytes += typeof value === 'string' ? value.length : 8
  return bytes
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    documents: prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.ref > ? ORDER BY d.ref LIMIT ?`),
    families: prepare(`SELECT ref, scope, list_key, packed FROM family
      WHERE ref > ? ORDER BY ref LIMIT ?`),
    rolls: prepare(`SELECT number, scope, starts, first, count, packed FROM roll
      WHERE number > ? ORDER BY number LIMIT ?`),
    familyPages: prepare(`SELECT ref, page, scope, packed FROM family_page
      WHERE (ref, page) > (?, ?) ORDER BY ref, page LIMIT ?`),
    shapes: SHAPE_TABLES.map((table) =>
      prepare(`SELECT number, text, crc FROM ${table} WHERE number > ? ORDER BY number LIMIT ?`),
    ),
    handle: prepare('SELECT ref FROM stream_handle WHERE handle = ?'),
    holder: prepare('SELECT scope, kind, uid FROM document WHERE ref = ?'),
    entries: prepare(`SELECT kind, ref, scope, uid, parent_uid, handle, packed, crc FROM entry
      WHERE (kind, ref) > (?, ?) ORDER BY kind, ref LIMIT ?`),
    claims: prepare(`SELECT scope, claim, ref, crc FROM claim
      WHERE (scope, claim) > (?, ?) ORDER BY scope, claim LIMIT ?`),
    changes: prepare(`SELECT ${CHANGE_COLUMNS} FROM change
      WHERE cursor > ? ORDER BY cursor LIMIT ?`),
    tallies: prepare(`SELECT scope, kind, documents, entries, bytes, crc FROM tally
      WHERE (scope, kind) > (?, ?) ORDER BY scope, kind LIMIT ?`),
    leases: prepare(`SELECT name, holder, fence, expires_at_ms, crc FROM lease
      WHERE name > ? ORDER BY name LIMIT ?`),
  }
}
