/**
 * The log of changes in catalog.db. A row holds changes of one organization, up to a limit, as a JSON array of kind,
 * UID, parent's UID, and a code for each change. The code is 0 for put and 1 for deleted. For a created component it is
 * negative: -1 minus the number of its streams.
 *
 * Components that were created together and have the same number of streams share one entry. Its kind is CREATED, and
 * its UID has the bytes of all their UIDs in base64. The cursor of a row is that of its last change; the others count
 * back from there.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type CatalogChange, CatalogDamaged } from '../../ports/catalog-port.ts'
import type { CreateComponents } from '../../ports/component-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import { checkOfChanges } from './catalog-checks.ts'
import type { CatalogScopes } from './catalog-scopes.ts'
import { UidBytes, uidOfBytes } from './component/uid-bytes.ts'

/** A row of some tens of kilobytes: what a reader has to take apart at once. */
const QUADS_PER_ROW_MAX = 500
const CHANGES_PER_ROW_MAX = 5_000
const FIELDS = 4
/** In the place of a kind: components that were made at once. */
const CREATED = 'created'
const UID_BYTES = 16
/** Caches further behind than this reload; the log stays a few megabytes. */
const CHANGES_KEPT = 100_000

/** The row of `meta` with the cursor of the last change before an upgrade, which emptied the log. */
export const CHANGES_BEFORE = 'changes_before'

/** The cursor of the last change ever made: the log keeps at least that one. */
export const LAST_CHANGE = `SELECT max(
  coalesce((SELECT max(cursor) FROM change), 0),
  coalesce((SELECT value FROM meta WHERE name = '${CHANGES_BEFORE}'), 0)) AS value`

/** The columns that changesOf() reads. */
export const CHANGE_COLUMNS = 'cursor, scope, changes, crc'

/** Changes of one organization that are not written yet. */
interface Run {
  readonly scope: number
  readonly orgUid: string
  readonly fields: (string | number)[]
  count: number
}

type CreatedComponents = Pick<CreateComponents, 'orgUid' | 'uids' | 'streamCounts'>

/** The write side: what a transaction changed is gathered, and written with few rows at its end. */
export class ChangeLog {
  readonly #insert: StatementSync
  readonly #selectLast: StatementSync
  readonly #trim: StatementSync
  #run: Run | undefined
  #last: number | undefined

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare(`INSERT INTO change (${CHANGE_COLUMNS}) VALUES (?, ?, ?, ?)`)
    this.#selectLast = db.prepare(LAST_CHANGE)
    this.#trim = db.prepare('DELETE FROM change WHERE cursor <= ?')
  }

  /** The cursor of the last change ever made, also of one that is forgotten. */
  get last(): number {
    this.#last ??= Number(this.#selectLast.get()?.value)
    return this.#last
  }

  add(scope: number, key: DocumentKey, of: { parentUid: string; isDeleted: boolean }): void {
    // As SQLite stores the same texts in a document.
    const [kind, uid] = [key.kind.toWellFormed(), key.uid.toWellFormed()]
    const run = this.#runOf(scope, key.orgUid)
    run.fields.push(kind, uid, of.parentUid.toWellFormed(), of.isDeleted ? 1 : 0)
    run.count += 1
  }

  /** Adds the changes of components that were made with their streams. */
  addCreated(scope: number, { orgUid, uids, streamCounts }: CreatedComponents): void {
    for (let from = 0; from < uids.length; ) {
      const run = this.#runOf(scope, orgUid)
      const streams = streamCounts[from]
      const room = Math.min(uids.length, from + CHANGES_PER_ROW_MAX - run.count)
      let until = from + 1
      while (until < room && streamCounts[until] === streams) until += 1
      const code = -1 - streams
      if (until === from + 1) run.fields.push('component', uids[from], '', code)
      else run.fields.push(CREATED, packUids(uids.slice(from, until)), '', code)
      run.count += until - from
      from = until
    }
  }

  #runOf(scope: number, orgUid: string): Run {
    if (this.#run !== undefined && (this.#run.scope !== scope || isFull(this.#run))) this.write()
    this.#run ??= { scope, orgUid: orgUid.toWellFormed(), fields: [], count: 0 }
    return this.#run
  }

  /** Writes what was gathered; to be called before the transaction ends. */
  write(): void {
    if (this.#run === undefined) return
    const { scope, orgUid, fields, count } = this.#run
    const cursor = this.last + count
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
  const before = cursor - countOf(fields)
  const changes: CatalogChange[] = []
  const add = (change: Omit<CatalogChange, 'cursor' | 'orgUid'>): void => {
    changes.push({ cursor: before + changes.length + 1, orgUid, ...change })
  }
  for (let at = 0; at < fields.length; at += FIELDS) {
    const [kind, uid, parentUid] = fields.slice(at, at + FIELDS) as string[]
    const code = fields[at + FIELDS - 1] as number
    if (code >= 0) {
      add({ kind, uid, parentUid, isDeleted: code === 1 })
      continue
    }
    for (const made of kind === CREATED ? unpackUids(uid) : [uid]) {
      add({ kind: 'component', uid: made, parentUid: '', streamCount: -1 - code, isDeleted: false })
    }
  }
  return changes
}

function countOf(fields: readonly (string | number)[]): number {
  let count = 0
  for (let at = 0; at < fields.length; at += FIELDS) {
    count += fields[at] === CREATED ? unpackUids(fields[at + 1] as string).length : 1
  }
  return count
}

function isFull(run: Run): boolean {
  return run.fields.length >= QUADS_PER_ROW_MAX * FIELDS || run.count >= CHANGES_PER_ROW_MAX
}

function packUids(uids: readonly string[]): string {
  return new UidBytes(uids).toBase64()
}

function unpackUids(packed: string): string[] {
  const bytes = Buffer.from(packed, 'base64')
  return Array.from({ length: bytes.length / UID_BYTES }, (_, at) =>
    uidOfBytes(bytes.subarray(at * UID_BYTES, (at + 1) * UID_BYTES)),
  )
}
