/** The statements by which pages of the roll are found and read, for the writer and for readers. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CatalogDamaged } from '../../../catalog-port.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import {
  openRollPage,
  type RollPage,
  type RollRow,
  type RollStarts,
  rollCheck,
  startsOf,
} from './roll-page.ts'

/** Pages that are looked at for one that checks and tells what the roll is of. */
const PAGES_ASKED = 8

/** What is known of the roll of an organization. */
export interface Roll {
  readonly text: string
  readonly starts: RollStarts
  readonly check: number
}

/** A page as the index leads to it. */
export interface FoundPage {
  readonly number: number
  readonly first: string
}

/** Reads pages of the roll; what it answers has been checked. */
export class RollRows {
  readonly #scopes: CatalogScopes
  readonly #some: StatementSync
  readonly #select: StatementSync
  readonly #pageOf: StatementSync

  constructor(db: DatabaseSync, scopes: CatalogScopes) {
    this.#scopes = scopes
    this.#some = db.prepare(`SELECT starts, first, count, packed FROM roll
      WHERE scope = ? LIMIT ${PAGES_ASKED}`)
    this.#select = db.prepare('SELECT starts, count, packed FROM roll WHERE number = ?')
    this.#pageOf = db.prepare(`SELECT number, first FROM roll WHERE scope = ? AND first <= ?
      ORDER BY first DESC LIMIT 1`)
  }

  /** The roll of an organization, undefined when it has none. */
  rollOf(scope: number): Roll | undefined {
    let isAny = false
    for (const row of this.#some.iterate(scope)) {
      isAny = true
      const check = this.checkOf(scope, row.starts)
      if (!isWhole(check, row)) continue
      const text = String(row.starts)
      return { text, check, starts: startsOf(text) }
    }
    if (!isAny) return undefined
    throw new CatalogDamaged(`the lists of components of organization number ${scope} do not check`)
  }

  /**
   * The roll for lists. Where no page checks, as of an organization that has one, it is what the first says of itself: no
   * page of it is read then, and each stands in its place as what is damaged. Nothing is found or made by it.
   */
  listedRollOf(scope: number): Roll | undefined {
    try {
      return this.rollOf(scope)
    } catch (error) {
      if (!(error instanceof CatalogDamaged)) throw error
      const text = String(this.#some.get(scope)?.starts)
      const starts = startsIfReadable(text)
      if (starts === undefined) throw error
      return { text, check: this.checkOf(scope, text), starts }
    }
  }

  /** Where the checksums of a roll begin. */
  checkOf(scope: number, starts: unknown): number {
    return rollCheck(this.#scopes.orgUidOf(scope), starts)
  }

  /** The page that has an ID if any does. */
  pageOf(scope: number, id: string): FoundPage | undefined {
    return this.#pageOf.get(scope, id) as FoundPage | undefined
  }

  /** A page; throws CatalogDamaged unless it checks and is the one that the index tells of. */
  read(roll: Roll, { number, first }: FoundPage): RollPage {
    const row = this.#select.get(number)
    if (row !== undefined && row.starts === roll.text) {
      return openRollPage(roll.check, { ...row, first })
    }
    throw new CatalogDamaged(`list ${number} of components is not where the index says`)
  }
}

function startsIfReadable(text: string): RollStarts | undefined {
  try {
    const starts = startsOf(text)
    const isText = typeof starts.claim === 'string' && typeof starts.listKey === 'string'
    return isText ? starts : undefined
  } catch {
    return undefined
  }
}

function isWhole(check: number, row: RollRow): boolean {
  try {
    openRollPage(check, row)
    return true
  } catch (error) {
    if (error instanceof CatalogDamaged) return false
    throw error
  }
}
