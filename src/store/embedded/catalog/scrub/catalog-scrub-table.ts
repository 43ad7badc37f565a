/** The statements that read all of catalog.db back, row by row, and verify the checksums. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import { CHANGE_COLUMNS, changesOf } from '../catalog-changes.ts'
import { checkOfClaim, checkOfLease, checkOfTally, readChecked } from '../catalog-checks.ts'
import { DOCUMENT_COLUMNS, documentOf } from '../catalog-document.ts'
import { CatalogScopes } from '../catalog-scopes.ts'
import { ComponentReader } from '../component/component-reader.ts'
import {
  COMPONENT_COLUMNS,
  type ComponentRow,
  componentOfRow,
  numberedName,
} from '../component/component-row.ts'
import { SELECTED_STREAM, type StoredStreamRow, streamOfRow } from '../component/stream-row.ts'
import { checkOfText, TextTable } from '../component/text-table.ts'

const NO_OWNER = { orgUid: '', uid: '' }

type Row = Readonly<Record<string, SQLInputValue>>

/** A stretch of a table that was read. */
interface ScrubPage {
  /** The key of the last row, to go on after; undefined at the end. */
  readonly next: readonly SQLInputValue[] | undefined
  readonly count: number
  /** How many bytes the rows have, counted when asked for. */
  bytes(): number
  /** What does not check. */
  readonly damages: readonly string[]
}

/** One table: its rows after a key in the key's order, and what holds a row against its checksum. */
interface ScrubbedTable {
  readonly page: StatementSync
  readonly key: readonly string[]
  readonly start: readonly SQLInputValue[]
  /** Throws CatalogDamaged when the row does not check. */
  check(row: Row): void
}

/** Reads catalog.db back in pages, over a connection that is given. */
export class CatalogScrubTable {
  readonly #scopes: CatalogScopes
  readonly #texts: TextTable
  readonly #components: ComponentReader
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #tables: Readonly<Record<string, ScrubbedTable>>
  /** The component whose streams were read last, and the last handle that was given. */
  #ownerRef = 0
  #lastHandle = 0

  constructor(db: DatabaseSync) {
    this.#scopes = new CatalogScopes(db)
    this.#texts = new TextTable(db)
    this.#components = new ComponentReader(db, this.#scopes, this.#texts)
    this.#statements = prepareAll(db)
    this.#tables = this.#makeTables()
  }

  /** The tables that can be read back. */
  get names(): readonly string[] {
    return Object.keys(this.#tables)
  }

  /** Reads at most `limit` rows of a table, from its beginning or after a key. */
  checkPage(name: string, after: readonly SQLInputValue[] | undefined, limit: number): ScrubPage {
    const { page, key, start, check } = this.#tables[name]
    // What was kept of a step before may have been written since.
    this.#ownerRef = 0
    this.#lastHandle = Number(this.#statements.lastHandle.get()?.value ?? 0)
    const rows = page.all(...(after ?? start), limit) as Row[]
    const damages = rows.flatMap((row) => damageIn(() => check(row)) ?? [])
    const last = rows.length < limit ? undefined : rows[rows.length - 1]
    return {
      next: last && key.map((column) => last[column]),
      count: rows.length,
      bytes: () => rows.reduce((sum, row) => sum + bytesOf(row), 0),
      damages,
    }
  }

  #makeTables(): Record<string, ScrubbedTable> {
    const of = this.#statements
    return {
      text: { page: of.texts, key: ['number'], start: [0], check: checkText },
      component: {
        page: of.components,
        key: ['ref'],
        start: [0],
        check: (row) => {
          const orgUid = this.#scopes.orgUidOf(row.scope as number)
          componentOfRow(row as unknown as ComponentRow, orgUid, this.#texts)
        },
      },
      stream: {
        page: of.streams,
        key: ['component', 'ordinal'],
        start: [0, 0],
        check: (row) => this.#checkStream(row as unknown as StoredStreamRow),
      },
      document: {
        page: of.documents,
        key: ['ref'],
        start: [0],
        check: (row) => documentOf(row, this.#scopes),
      },
      claim: {
        page: of.claims,
        key: ['scope', 'claim'],
        start: [0, ''],
        check: (row) => this.#checkClaim(row),
      },
      change: {
        page: of.changes,
        key: ['cursor'],
        start: [0],
        check: (row) => changesOf(row, this.#scopes),
      },
      tally: { page: of.tallies, key: ['scope', 'kind'], start: [0, ''], check: checkTally },
      lease: { page: of.leases, key: ['name'], start: [''], check: checkLease },
    }
  }

  #checkStream(row: StoredStreamRow): void {
    if (this.#ownerRef !== row.component) {
      const isThere = this.#statements.owner.get(row.component) !== undefined
      expect(isThere, `streams of component number ${row.component} are without it`)
      this.#ownerRef = row.component
    }
    // The component is checked by itself.
    if (damageIn(() => void streamOfRow(row, NO_OWNER, this.#texts)) !== undefined) {
      throw new CatalogDamaged(this.#nameOfStream(row))
    }
    const isGiven = row.handle <= this.#lastHandle
    expect(isGiven, `stream number ${row.handle} has a number that was not given yet`)
  }

  #nameOfStream({ component, handle }: StoredStreamRow): string {
    const owner = this.#statements.owner.get(component) as { id: unknown; scope: number }
    const of = `component ${numberedName(owner.id, component)}`
    const orgUid = this.#scopes.orgUidOf(owner.scope)
    return `stream number ${handle} of ${of}, of organization ${orgUid} does not check`
  }

  #checkClaim(row: Row): void {
    const orgUid = this.#scopes.orgUidOf(row.scope as number)
    const ref = row.ref as number
    // The text may hold an e-mail address; only its number among the holder's is reported.
    const what = `a claim of document ${ref} of organization ${orgUid}`
    const holder =
      ref < 0
        ? this.#components.findRef(-ref)?.component
        : (this.#statements.holder.get(ref) as { kind: string; uid: string } | undefined)
    if (holder === undefined) throw new CatalogDamaged(`${what} has no holder`)
    const { kind, uid } = holder
    const isWhole = checkOfClaim(row.claim as string, { orgUid, kind, uid }) === row.crc
    expect(isWhole, `${what} does not check`)
  }
}

function checkText({ number, text, crc }: Row): void {
  const isWhole = typeof text === 'string' && checkOfText(number as number, text) === crc
  expect(isWhole, `text number ${number} does not check`)
}

function checkTally(row: Row): void {
  const tally = row as unknown as Parameters<typeof checkOfTally>[0]
  const what = `the count of ${row.kind} in organization number ${row.scope}`
  expect(checkOfTally(tally) === row.crc, `${what} does not check`)
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
    texts: prepare('SELECT number, text, crc FROM text WHERE number > ? ORDER BY number LIMIT ?'),
    components: prepare(`SELECT ${COMPONENT_COLUMNS.join(', ')} FROM component
      WHERE ref > ? ORDER BY ref LIMIT ?`),
    streams: prepare(`SELECT ${SELECTED_STREAM} FROM stream
      WHERE (component, ordinal) > (?, ?) ORDER BY component, ordinal LIMIT ?`),
    owner: prepare('SELECT id, scope FROM component WHERE ref = ?'),
    lastHandle: prepare(`SELECT value FROM meta WHERE name = 'last_handle'`),
    documents: prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.ref > ? ORDER BY d.ref LIMIT ?`),
    holder: prepare('SELECT kind, uid FROM document WHERE ref = ?'),
    claims: prepare(`SELECT scope, claim, ref, crc FROM claim
      WHERE (scope, claim) > (?, ?) ORDER BY scope, claim LIMIT ?`),
    changes: prepare(`SELECT ${CHANGE_COLUMNS} FROM change
      WHERE cursor > ? ORDER BY cursor LIMIT ?`),
    tallies: prepare(`SELECT scope, kind, documents, bytes, crc FROM tally
      WHERE (scope, kind) > (?, ?) ORDER BY scope, kind LIMIT ?`),
    leases: prepare(`SELECT name, holder, fence, expires_at_ms, crc FROM lease
      WHERE name > ? ORDER BY name LIMIT ?`),
  }
}
