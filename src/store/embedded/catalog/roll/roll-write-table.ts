/** The statements with which the writer changes the roll. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { storedClaim } from '../../../stored-claim.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import { localPlaceOf } from '../family/family-place.ts'
import {
  isRollId,
  ROLLED_MIN,
  RollPacker,
  RollPage,
  type RollStarts,
  startsText,
} from './roll-page.ts'
import { type FoundPage, type Roll, RollRows } from './roll-rows-table.ts'

/** Components that are to be entered: their IDs, and the number of the first one's family. */
interface Newcomers {
  readonly ids: readonly string[]
  readonly firstRef: number
  readonly starts: RollStarts
}

/** Fleets of so many enter the roll wholly. */
const LONG_FLEET = 32

/** The page that was written last, and where the next one begins. */
interface LastPage extends FoundPage {
  readonly scope: number
  readonly page: RollPage
  /** Undefined when none follows. */
  readonly end: string | undefined
}

/** Where some of them come to: into a page, or before there is any, and where the next one begins. */
interface Landing {
  readonly number: number | undefined
  readonly page: RollPage
  readonly end: string | undefined
  /** Their places, by ID. */
  readonly landing: readonly number[]
}

/** What became of them: those that are in the roll, or one whose ID another has. */
type Entered =
  | { readonly isIn: Uint8Array; readonly taken: undefined }
  | { readonly isIn: undefined; readonly taken: number }

/** The pages of the roll while a step changes them. */
export class RollWriter {
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #rows: RollRows
  readonly #packer = new RollPacker()
  /** By organization; undefined for those that have none. */
  readonly #rolls = new Map<number, Roll | undefined>()
  /** Fleets go on where the one before has ended: the page written last is not read again. */
  #last: LastPage | undefined

  constructor(db: DatabaseSync, scopes: CatalogScopes) {
    this.#statements = prepareAll(db)
    this.#rows = new RollRows(db, scopes)
  }

  /** Whether a component of the roll holds a claim. */
  isHeld(scope: number, claim: string): boolean {
    const roll = this.#rollOf(scope)
    if (roll === undefined || !claim.startsWith(roll.starts.claim)) return false
    return this.#find(scope, roll, claim.slice(roll.starts.claim.length)) !== undefined
  }

  /** Takes a component out. */
  remove(scope: number, id: string): void {
    const roll = this.#rollOf(scope)
    const found = roll && this.#find(scope, roll, id)
    if (roll === undefined || found === undefined) return
    const { number, page, entry } = found
    this.#packer.clear()
    this.#packer.addFrom(page, 0, entry)
    this.#packer.addFrom(page, entry + 1, page.count)
    this.#write(scope, roll, { number, end: this.#endOf(scope, found) })
    if (page.count > 1) return
    this.#statements.delete.run(number)
    this.forget()
  }

  /** Enters components that a roll can hold, unless it is one of other claims and list keys than theirs. */
  enter(scope: number, newcomers: Newcomers): Entered {
    const { ids, starts } = newcomers
    const isIn = new Uint8Array(ids.length)
    const known = this.#rollOf(scope)
    const text = startsText(starts)
    if (known !== undefined && known.text !== text) return { isIn, taken: undefined }
    const roll = known ?? { text, starts, check: this.#rows.checkOf(scope, text) }
    const order = orderOf(newcomers)
    for (let from = 0, until = 0; from < order.length; from = until) {
      const found = known === undefined ? undefined : this.#pageOf(scope, ids[order[from]])
      const end = found && this.#endOf(scope, found)
      until = from + 1
      while (until < order.length && (end === undefined || ids[order[until]] < end)) until += 1
      const landing = order.slice(from, until)
      if (landing.length < ROLLED_MIN && ids.length < LONG_FLEET) continue
      const at = { number: found?.number, end, page: found ? this.#read(roll, found) : NO_PAGE }
      const taken = this.#land(scope, { newcomers, roll }, { ...at, landing })
      if (taken !== undefined) return { isIn: undefined, taken }
      for (const newcomer of landing) isIn[newcomer] = 1
    }
    if (isIn.includes(1)) this.#rolls.set(scope, roll)
    return { isIn, taken: undefined }
  }

  /** Drops what is known of a step that came to nothing. */
  forget(): void {
    this.#rolls.clear()
    this.#last = undefined
  }

  /** Adds to one page, which may become several; tells one whose ID another has. */
  #land(
    scope: number,
    { newcomers, roll }: { readonly newcomers: Newcomers; readonly roll: Roll },
    at: Landing,
  ): number | undefined {
    const { ids, firstRef } = newcomers
    const { page, landing } = at
    const claimed = this.#firstClaimed(scope, newcomers, landing)
    if (claimed !== undefined) return claimed
    this.#packer.clear()
    let next = 0
    let last = ''
    for (const newcomer of landing) {
      const id = ids[newcomer]
      const place = page.seekOn(id, next)
      if (id === last || page.isOf(place, id)) return newcomer
      this.#packer.addFrom(page, next, place)
      this.#packer.add(id, firstRef + newcomer)
      next = place
      last = id
    }
    this.#packer.addFrom(page, next, page.count)
    this.#write(scope, roll, at)
    return undefined
  }

  /** The first of those that come into a page whose claim is held outside of the roll. */
  #firstClaimed(
    scope: number,
    { ids, starts }: Newcomers,
    landing: readonly number[],
  ): number | undefined {
    const claimOf = (newcomer: number) => starts.claim + ids[newcomer]
    const { claimBetween, claim } = this.#statements
    const [from, until] = [claimOf(landing[0]), claimOf(landing[landing.length - 1])]
    if (claimBetween.get(scope, from, until) === undefined) return undefined
    return landing.find((newcomer) => claim.get(scope, claimOf(newcomer)) !== undefined)
  }

  #find(scope: number, roll: Roll, id: string) {
    const found = isRollId(id) ? this.#pageOf(scope, id) : undefined
    if (found === undefined) return undefined
    const page = this.#read(roll, found)
    const entry = page.find(id)
    return entry < 0 ? undefined : { ...found, page, entry }
  }

  /** The page that an ID belongs into; undefined when there is no page at all. */
  #pageOf(scope: number, id: string): FoundPage | undefined {
    const last = this.#last
    const isLast = last?.scope === scope && last.first <= id
    if (isLast && (last.end === undefined || id < last.end)) return last
    const page = this.#rows.pageOf(scope, id) ?? this.#statements.firstPage.get(scope)
    return page as FoundPage | undefined
  }

  /** Where the page after one begins, undefined when it is the last. */
  #endOf(scope: number, { number, first }: FoundPage): string | undefined {
    if (this.#last?.number === number) return this.#last.end
    return this.#statements.nextFirst.get(scope, first)?.first as string | undefined
  }

  #read(roll: Roll, found: FoundPage): RollPage {
    return this.#last?.number === found.number ? this.#last.page : this.#rows.read(roll, found)
  }

  /** Writes what was packed: into a row that is there, and what is too much for it into others. */
  #write(
    scope: number,
    { text, check }: Roll,
    { number, end }: Pick<Landing, 'number' | 'end'>,
  ): void {
    let row = number
    for (const packed of this.#packer.pages(check)) {
      const page = new RollPage(packed)
      const [first, { count }] = [page.id(0), page]
      if (row === undefined) {
        const made = this.#statements.insert.run(scope, text, first, count, packed)
        this.#last = { number: Number(made.lastInsertRowid), page, scope, first, end }
      } else {
        this.#statements.update.run(first, count, packed, row)
        this.#last = { number: row, page, scope, first, end }
      }
      row = undefined
    }
  }

  #rollOf(scope: number): Roll | undefined {
    if (this.#rolls.has(scope)) return this.#rolls.get(scope)
    const roll = this.#rows.rollOf(scope)
    this.#rolls.set(scope, roll)
    return roll
  }
}

const NO_PAGE = new RollPage(Buffer.alloc(0))

/** The places of those that a roll can hold, by ID. */
function orderOf({ ids, starts }: Newcomers): number[] {
  const order: number[] = []
  for (let at = 0; at < ids.length; at++) {
    const claim = starts.claim + ids[at]
    // Claims of streams within their component are looked for in the table of claims only.
    const isPlain = storedClaim(claim) === claim && localPlaceOf(claim) === undefined
    if (isPlain && isRollId(ids[at])) order.push(at)
  }
  return order.sort((a, b) => (ids[a] < ids[b] ? -1 : ids[a] > ids[b] ? 1 : a - b))
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    firstPage: prepare('SELECT number, first FROM roll WHERE scope = ? ORDER BY first LIMIT 1'),
    nextFirst: prepare(`SELECT first FROM roll WHERE scope = ? AND first > ?
      ORDER BY first LIMIT 1`),
    insert: prepare(`INSERT INTO roll (scope, starts, first, count, packed)
      VALUES (?, ?, ?, ?, ?)`),
    update: prepare('UPDATE roll SET first = ?, count = ?, packed = ? WHERE number = ?'),
    delete: prepare('DELETE FROM roll WHERE number = ?'),
    claim: prepare('SELECT 1 FROM claim WHERE scope = ? AND claim = ?'),
    claimBetween: prepare(`SELECT 1 FROM claim WHERE scope = ? AND claim BETWEEN ? AND ? LIMIT 1`),
  }
}
