/**
 * The log of changes in catalog.db: a row holds the changes that a commit made in one organization, up to
 * a bound, as a JSON array of kind, UID, parent's UID and 1 for deleted, one after the other. Its cursor is
 * that of its last change; those before it count back from there.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CatalogChange, CatalogDamaged, type DocumentKey } from '../../catalog-port.ts'
import { checkOfChanges } from './catalog-checks.ts'
import type { CatalogScopes } from './catalog-scopes.ts'

/** A row of some tens of kilobytes: what a reader has to take apart at once. */
const CHANGES_PER_ROW_MAX = 500
const FIELDS = 4
/** Caches further behind than this reload; the log stays a few megabytes. */
const CHANGES_KEPT = 100_000

/** The columns that changesOf() reads. */
export const CHANGE_COLUMNS = 'cursor, scope, changes, crc'

/** Changes of one organization that are not written yet. */
interface Run {
  readonly scope: number
  readonly orgUid: string
  readonly fields: (string | number)[]
}

/** The write side: what a step changed is gathered, and written with few rows at its end. */
export class ChangeLog {
  readonly #insert: StatementSync
  readonly #selectLast: StatementSync
  readonly #trim: StatementSync
  #run: Run | undefined
  #last: number | undefined

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(`INSERT INTO change (${CHANGE_COLUMNS}) VALUES (?, ?, ?, ?)`)
    this.#selectLast = db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'change'`)
    this.#trim = db.prepare('DELETE FROM change WHERE cursor <= ?')
  }

  /** The cursor of the last change ever made, also of one that is forgotten. */
  get last(): number {
    this.#last ??= (this.#selectLast.get()?.seq as number | undefined) ?? 0
    return this.#last
  }

  add(scope: number, key: DocumentKey, of: { parentUid: string; isDeleted: boolean }): void {
    const isOther = this.#run !== undefined && this.#run.scope !== scope
    if (isOther || (this.#run?.fields.length ?? 0) >= CHANGES_PER_ROW_MAX * FIELDS) this.write()
    this.#run ??= { scope, orgUid: key.orgUid.toWellFormed(), fields: [] }
    const { parentUid, isDeleted } = of
    // As SQLite stores the same texts in a document.
    const texts = [key.kind, key.uid, parentUid].map((text) => text.toWellFormed())
    this.#run.fields.push(...texts, isDeleted ? 1 : 0)
  }

  /** Writes what was gathered; to be called before the step ends. */
  write(): void {
    if (this.#run === undefined) return
    const { scope, orgUid, fields } = this.#run
    const cursor = this.last + fields.length / FIELDS
    const json = JSON.stringify(fields)
    this.#insert.run(cursor, scope, json, checkOfChanges(cursor, orgUid, json))
    this.#last = cursor
    this.#run = undefined
  }

  /** Drops what a step gathered that came to nothing. */
  forget(): void {
    this.#run = undefined
    this.#last = undefined
  }

  /** Forgets the oldest changes beyond what caches may be behind. */
  trim(): void {
    this.#trim.run(this.last - CHANGES_KEPT)
  }
}

/** The changes of a row, in order; throws CatalogDamaged unless the row checks. */
export function changesOf(row: Record<string, unknown>, scopes: CatalogScopes): CatalogChange[] {
  const cursor = row.cursor as number
  const json = String(row.changes)
  const orgUid = scopes.orgUidOf(row.scope as number)
  if (checkOfChanges(cursor, orgUid, json) !== row.crc) {
    throw new CatalogDamaged(`change ${cursor} does not check`)
  }
  const fields = JSON.parse(json) as (string | number)[]
  const changes: CatalogChange[] = []
  const before = cursor - fields.length / FIELDS
  for (let at = 0; at < fields.length; at += FIELDS) {
    const [kind, uid, parentUid] = fields.slice(at, at + FIELDS) as string[]
    const isDeleted = fields[at + 3] === 1
    changes.push({ cursor: before + at / FIELDS + 1, orgUid, kind, uid, parentUid, isDeleted })
  }
  return changes
}
