/** What readers of the catalog ask of the roll. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CatalogDamaged } from '../../../catalog-port.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import { isRollId, openRollPage, type RollPage, type RollRow } from './roll-page.ts'
import { type FoundPage, type Roll, RollRows } from './roll-rows-table.ts'

/** Sorts after every ID that a roll can hold. */
export const ID_END = '\u{10FFFF}'

/** Pages that are read at a time where nobody waits. */
const PAGES_PER_STEP = 100

/** A page with its bounds: IDs from its first one on, up to that of the next. */
export interface RollBlock extends FoundPage {
  readonly count: number
}

/** An entry as the roll claims and lists it. */
export interface RolledHead {
  readonly scope: number
  readonly ref: number
  readonly id: string
  readonly claim: string
  readonly listKey: string
}

/** The reading side of the roll over one connection; what it answers has been checked. */
export class RollReader {
  readonly #rows: RollRows
  readonly #before: StatementSync
  readonly #lastBefore: StatementSync
  readonly #up: StatementSync
  readonly #down: StatementSync
  readonly #all: StatementSync
  /** What was read while the file does not change. */
  #kept: { readonly pages: Map<number, RollPage>; readonly rolls: Map<number, Roll> } | undefined

  constructor(db: DatabaseSync, scopes: CatalogScopes) {
    this.#rows = new RollRows(db, scopes)
    this.#before = db.prepare(`SELECT coalesce(sum(count), 0) AS entries FROM roll
      WHERE scope = ? AND first < ?`)
    this.#lastBefore = db.prepare(`SELECT number, first FROM roll WHERE scope = ? AND first < ?
      ORDER BY first DESC LIMIT 1`)
    this.#up = db.prepare(`SELECT number, first, count FROM roll WHERE scope = ? AND first >= ?
      ORDER BY first LIMIT ?`)
    this.#down = db.prepare(`SELECT number, first, count FROM roll WHERE scope = ? AND first < ?
      ORDER BY first DESC LIMIT ?`)
    this.#all = db.prepare(`SELECT number, scope, starts, first, count, packed FROM roll
      WHERE number > ? ORDER BY number LIMIT ?`)
  }

  /** Begins to keep what is read, for a step during which the file does not change; forgets that of the step before. */
  keepPages(): void {
    this.#kept = { pages: new Map(), rolls: new Map() }
  }

  /** The roll of an organization, undefined when it has none. */
  rollOf(scope: number): Roll | undefined {
    const known = this.#kept?.rolls.get(scope)
    if (known !== undefined) return known
    const roll = this.#rows.rollOf(scope)
    if (roll !== undefined) this.#kept?.rolls.set(scope, roll)
    return roll
  }

  /** The roll of an organization for its lists, also where none of its pages checks. */
  listedRollOf(scope: number): Roll | undefined {
    return this.#kept?.rolls.get(scope) ?? this.#rows.listedRollOf(scope)
  }

  /** The number of the family whose component holds a claim, undefined when none in the roll does. */
  findClaim(scope: number, claim: string): number | undefined {
    const roll = this.rollOf(scope)
    if (roll === undefined || !claim.startsWith(roll.starts.claim)) return undefined
    const id = claim.slice(roll.starts.claim.length)
    const found = isRollId(id) ? this.#rows.pageOf(scope, id) : undefined
    const page = found && this.read(roll, found)
    const entry = page?.find(id) ?? -1
    return page === undefined || entry < 0 ? undefined : page.ref(entry)
  }

  /** A page of a roll. */
  read(roll: Roll, found: FoundPage): RollPage {
    const known = this.#kept?.pages.get(found.number)
    if (known !== undefined) return known
    const page = this.#rows.read(roll, found)
    this.#kept?.pages.set(found.number, page)
    return page
  }

  /** How many entries come before an ID. */
  rank(scope: number, roll: Roll, id: string): number {
    const { entries } = this.#before.get(scope, id) as { entries: number }
    const found = this.#lastBefore.get(scope, id) as FoundPage | undefined
    if (found === undefined) return 0
    const page = this.readIfWhole(roll, found)
    // Of one that does not check all entries have places in lists.
    return page === undefined ? entries : entries - page.count + page.seek(id)
  }

  /** A page of a roll; one that does not check is told to `onDamage`. */
  readIfWhole(
    roll: Roll,
    found: FoundPage,
    onDamage?: (what: string) => void,
  ): RollPage | undefined {
    try {
      return this.read(roll, found)
    } catch (error) {
      if (!(error instanceof CatalogDamaged)) throw error
      onDamage?.(error.what)
      return undefined
    }
  }

  /** Pages from the one that has an ID, or would have it, in order. */
  blocksFrom(scope: number, id: string, limit: number): RollBlock[] {
    const from = this.#rows.pageOf(scope, id)?.first ?? id
    return this.#up.all(scope, from, limit) as unknown as RollBlock[]
  }

  /** Pages that begin before an ID, the last one first. */
  blocksBefore(scope: number, id: string, limit: number): RollBlock[] {
    return this.#down.all(scope, id, limit) as unknown as RollBlock[]
  }

  /** The heads of all rolls, for what is damaged; throws CatalogDamaged at a page that does not check. */
  *heads(): Generator<RolledHead> {
    for (let after = 0; ; ) {
      const rows = this.#all.all(after, PAGES_PER_STEP)
      for (const row of rows) yield* this.headsOf(row)
      if (rows.length < PAGES_PER_STEP) return
      after = rows[rows.length - 1].number as number
    }
  }

  /** The heads of a row with all columns. */
  headsOf(row: RollRow & { readonly scope?: unknown; readonly starts?: unknown }): RolledHead[] {
    const scope = row.scope as number
    const check = this.#rows.checkOf(scope, row.starts)
    const page = openRollPage(check, row)
    const roll = this.rollOf(scope)
    if (roll === undefined || roll.text !== row.starts) {
      throw new CatalogDamaged('a list of components is of others than its organization has')
    }
    const { starts } = roll
    const { ids, refs } = page.entries()
    return ids.map((id, at) => ({
      ...{ scope, id, ref: refs[at], claim: starts.claim + id, listKey: starts.listKey + id },
    }))
  }
}
