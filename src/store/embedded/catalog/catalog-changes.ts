/**
 * The log of changes in catalog.db: a row holds the changes that a commit made in one organization, up to
 * a bound, as a JSON array of kind, UID, parent's UID and 1 for deleted, one after the other. In the place
 * of the last, a number below zero tells how many streams were put right after their component, with UIDs
 * counted from its own. Components of a fleet with as many streams each are told together: by their number, in the
 * place of the UID, and the random digits of their UIDs one after the other, in that of the parent's. The row's cursor
 * is that of its last change; those before it count back from there.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { familyHeadOf, isHeadUid, memberUidOf, TAIL_DIGITS } from '../../../base/plain.ts'
import { type CatalogChange, CatalogDamaged, type DocumentKey } from '../../catalog-port.ts'
import { checkOfChanges } from './catalog-checks.ts'
import type { CatalogScopes } from './catalog-scopes.ts'

/** A row of some tens of kilobytes: what a reader has to take apart at once. */
const QUADS_PER_ROW_MAX = 500
const CHANGES_PER_ROW_MAX = 5_000
const FIELDS = 4
/** In the place of a kind: components of a fleet. */
const FLEET = 'fleet'
/** Caches further behind than this reload; the log stays a few megabytes. */
const CHANGES_KEPT = 100_000

/** The columns that changesOf() reads. */
export const CHANGE_COLUMNS = 'cursor, scope, changes, crc'

/** Changes of one organization that are not written yet. */
interface Run {
  readonly scope: number
  readonly orgUid: string
  readonly fields: (string | number)[]
  count: number
}

/** Components that were made at once, each with so many streams; their numbers follow one another. */
interface FleetChange {
  readonly firstNumber: number
  /** The random digits of their UIDs. */
  readonly tails: string
  readonly streams: number
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
    if (isOther || isFull(this.#run)) this.write()
    this.#run ??= { scope, orgUid: key.orgUid.toWellFormed(), fields: [], count: 0 }
    this.#run.count += 1
    const { parentUid, isDeleted } = of
    const { fields } = this.#run
    if (!isDeleted && isNextOfFamily(fields, key, parentUid)) {
      fields[fields.length - 1] = (fields[fields.length - 1] as number) - 1
      return
    }
    // As SQLite stores the same texts in a document.
    const [kind, uid] = [key.kind.toWellFormed(), key.uid.toWellFormed()]
    fields.push(kind, uid, parentUid.toWellFormed(), isDeleted ? 1 : 0)
  }

  /** Adds the changes of components, each with its first streams, none of which was there. */
  addFleet(scope: number, orgUid: string, { firstNumber, tails, streams }: FleetChange): void {
    const each = 1 + streams
    const end = tails.length / TAIL_DIGITS
    for (let from = 0; from < end; ) {
      if (this.#run !== undefined && (this.#run.scope !== scope || isFull(this.#run))) this.write()
      this.#run ??= { scope, orgUid: orgUid.toWellFormed(), fields: [], count: 0 }
      const room = Math.ceil((CHANGES_PER_ROW_MAX - this.#run.count) / each)
      const until = Math.min(end, from + room)
      const some = tails.slice(from * TAIL_DIGITS, until * TAIL_DIGITS)
      this.#run.count += (until - from) * each
      this.#run.fields.push(FLEET, firstNumber + from, some, -streams)
      from = until
    }
  }

  /** Writes what was gathered; to be called before the step ends. */
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
  const add = (kind: string, uid: string, of: { parentUid: string; isDeleted: boolean }): void => {
    changes.push({ cursor: before + changes.length + 1, orgUid, kind, uid, ...of })
  }
  const addFamily = (uid: string, streams: number): void => {
    add('component', uid, { parentUid: '', isDeleted: false })
    for (let ordinal = 1; ordinal <= streams; ordinal++) {
      add('stream', memberUidOf(uid, ordinal), { parentUid: uid, isDeleted: false })
    }
  }
  for (let at = 0; at < fields.length; at += FIELDS) {
    const [kind, uid, parentUid] = fields.slice(at, at + FIELDS) as string[]
    const code = fields[at + FIELDS - 1] as number
    if (kind === FLEET) for (const head of headsOf(fields, at)) addFamily(head, -code)
    else if (code < 0) addFamily(uid, -code)
    else add(kind, uid, { parentUid, isDeleted: code === 1 })
  }
  return changes
}

/** The UIDs of the components of a fleet. */
function* headsOf(fields: readonly (string | number)[], at: number): Generator<string> {
  const [firstNumber, tails] = [fields[at + 1] as number, fields[at + 2] as string]
  for (let from = 0, number = firstNumber; from < tails.length; from += TAIL_DIGITS, number++) {
    yield familyHeadOf(number, tails.slice(from, from + TAIL_DIGITS))
  }
}

function countOf(fields: readonly (string | number)[]): number {
  let count = 0
  for (let at = 0; at < fields.length; at += FIELDS) {
    const each = 1 + Math.max(0, -(fields[at + FIELDS - 1] as number))
    const isFleet = fields[at] === FLEET
    count += isFleet ? ((fields[at + 2] as string).length / TAIL_DIGITS) * each : each
  }
  return count
}

function isFull(run: Run | undefined): boolean {
  if (run === undefined) return false
  return run.fields.length >= QUADS_PER_ROW_MAX * FIELDS || run.count >= CHANGES_PER_ROW_MAX
}

/** Whether the change is that of a stream that its component's change, the last one, can tell too. */
function isNextOfFamily(
  fields: readonly (string | number)[],
  { kind, uid }: DocumentKey,
  parentUid: string,
): boolean {
  const last = fields.length - FIELDS
  if (last < 0 || kind !== 'stream' || fields[last + 1] !== parentUid) return false
  const code = fields[last + FIELDS - 1] as number
  if (code > 0 || fields[last] !== 'component' || !isHeadUid(parentUid)) return false
  return uid === memberUidOf(parentUid, 1 - code)
}
