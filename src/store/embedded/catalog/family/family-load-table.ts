/** The statements by which a start reads all rows of families: many rows as one stretch of bytes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { freeBytes } from '../../../../base/index.ts'
import { CatalogDamaged } from '../../../catalog-port.ts'
import { readChecked } from '../catalog-checks.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import { addToCrc, CRC_START, crcOf } from './crc-bytes.ts'
import { CHECK_DIGITS, type NumberedShape } from './family-page.ts'
import {
  type FamilyWalk,
  type LostRow,
  WALK_START,
  type WalkedPage,
  type WalkPlace,
  type WalkStep,
} from './family-walk-table.ts'
import { hexIn } from './packed-values.ts'
import { type PageBytes, PageLoader, type PageReceiver } from './page-loader.ts'

/** Longer rows are read one by one: so a stretch of a thousand is some 70 MB at the most. */
const PACKED_BYTES_MAX = 65_536
const SPACE = 32
const MINUS = 45
const DIGIT_0 = 48
const DIGIT_9 = 57

/** A row whose values are of the types that were written (numbers are before texts, texts before blobs), and not long. */
const PLAIN = `scope < '' AND list_key < x'' AND packed < x''
  AND octet_length(packed) <= ${PACKED_BYTES_MAX}`
/** Rows in one text: numbers and lengths, what the checksum of the row covers, the packed text where it is plain. */
const STRETCH = `SELECT CAST(group_concat(iif(${PLAIN},
  concat(scope, ' ', octet_length(list_key), ' ', octet_length(packed), ' ',
    ref, char(10), page, char(10), list_key, char(10), packed),
  concat('0 0 0 ', ref, char(10), page, char(10), char(10))), '') AS BLOB)`

const NO_BYTES = Buffer.alloc(0)
const NOBODY: PageReceiver = { hasHeads: false, hasMembers: false, onRow: () => {} }

/** An organization, and the state of a checksum that begins with its UID. */
interface Scope {
  readonly number: number
  readonly orgUid: string
  readonly crc: number
}

/** Loads rows of families at a start; rows that do not check are told and left out. */
export class FamilyLoad {
  readonly #firsts: StatementSync
  readonly #laters: StatementSync
  readonly #walk: FamilyWalk
  readonly #scopes: CatalogScopes
  readonly #loader: PageLoader
  /** Rows that follow each other are mostly of one organization. */
  #scope: Scope | undefined
  #bytes: Buffer = NO_BYTES
  #at = 0

  constructor(
    db: DatabaseSync,
    walk: FamilyWalk,
    { scopes, shapeOf }: { scopes: CatalogScopes; shapeOf: (number: number) => NumberedShape },
  ) {
    this.#walk = walk
    this.#scopes = scopes
    this.#loader = new PageLoader(shapeOf)
    this.#firsts = db.prepare(`${STRETCH} FROM (
      SELECT ref, 0 AS page, scope, coalesce(list_key, 'null') AS list_key, packed
      FROM family WHERE ref > ? ORDER BY ref LIMIT ?)`)
    this.#laters = db.prepare(`${STRETCH} FROM (
      SELECT ref, page, scope, 'null' AS list_key, packed
      FROM family_page WHERE (ref, page) > (?, ?) ORDER BY ref, page LIMIT ?)`)
    this.#firsts.setReturnArrays(true)
    this.#laters.setReturnArrays(true)
  }

  /** Reads at most `limit` rows after a place. */
  step(after: WalkPlace, limit: number, receiver: PageReceiver): WalkStep {
    const found = this.#select(after, limit)
    const lost: LostRow[] = []
    let last = after
    let rows = 0
    this.#bytes = Buffer.from(found.buffer, found.byteOffset, found.length)
    for (this.#at = 0; this.#at < found.length; rows++) {
      last = this.#row(after.isLater, receiver, lost)
    }
    this.#bytes = NO_BYTES
    const bytes = found.length
    freeBytes(found)
    const next = rows < limit ? nextTable(after) : last
    return { next, rows, bytes, damages: lost.map(({ what }) => what), lost }
  }

  #select({ isLater, ref, page }: WalkPlace, limit: number): Uint8Array {
    const found = readChecked(`table ${isLater ? 'family_page' : 'family'}`, () =>
      isLater ? this.#laters.get(ref, page, limit) : this.#firsts.get(ref, limit),
    )
    const [bytes] = found as unknown as readonly [Uint8Array | null]
    return bytes ?? NO_BYTES
  }

  /** Reads the row that begins here; tells its place. */
  #row(isLater: boolean, receiver: PageReceiver, lost: LostRow[]): WalkPlace {
    const bytes = this.#bytes
    const scope = this.#number()
    const listKeyLength = this.#number()
    const packedLength = this.#number()
    const start = this.#at
    const ref = this.#number()
    const page = this.#number()
    const packed = this.#at + listKeyLength + 1
    const from = packed + CHECK_DIGITS
    const until = packed + packedLength
    this.#at = until
    const place = { isLater, ref, page }
    const known = packedLength < CHECK_DIGITS ? undefined : this.#scopeOf(scope)
    if (known !== undefined) {
      const crc = addToCrc(addToCrc(known.crc, bytes, start, packed), bytes, from, until)
      if (crcOf(crc) === hexIn(bytes, packed, from)) {
        const { orgUid } = known
        if (!this.#load({ orgUid, ref, bytes, from, until }, receiver)) {
          this.#readAgain(place, NOBODY, lost)
        }
        return place
      }
    }
    this.#readAgain(place, receiver, lost)
    return place
  }

  /** Loads a row that checks; false when a shape that it names does not. */
  #load(page: PageBytes, receiver: PageReceiver): boolean {
    try {
      this.#loader.loadBytes(page, receiver)
      return true
    } catch (error) {
      if (error instanceof CatalogDamaged) return false
      throw error
    }
  }

  /** Reads a row by itself: one that is long, or of which it is to be told what is wrong with it. */
  #readAgain({ isLater, ref, page }: WalkPlace, receiver: PageReceiver, lost: LostRow[]): void {
    const before = isLater ? { isLater, ref, page: page - 1 } : { isLater, ref: ref - 1, page }
    const onPage = (found: WalkedPage): void => this.#loader.loadPage(found, receiver)
    lost.push(...this.#walk.step(before, 1, onPage).lost)
  }

  #scopeOf(number: number): Scope | undefined {
    if (this.#scope?.number === number) return this.#scope
    if (!this.#scopes.has(number)) return undefined
    const orgUid = this.#scopes.orgUidOf(number)
    const start = Buffer.from(`${orgUid}\n`)
    const crc = addToCrc(CRC_START, start, 0, start.length)
    this.#scope = { number, orgUid, crc }
    return this.#scope
  }

  /** A number of a row and the character behind it; 0 where there is none. */
  #number(): number {
    const bytes = this.#bytes
    const isNegative = bytes[this.#at] === MINUS
    let at = isNegative ? this.#at + 1 : this.#at
    let number = 0
    for (; bytes[at] >= DIGIT_0 && bytes[at] <= DIGIT_9; at++) {
      number = number * 10 + bytes[at] - DIGIT_0
    }
    // Damage can make a whole number another: what stands behind its digits is passed over.
    while (bytes[at] > SPACE) at += 1
    this.#at = at + 1
    return isNegative ? -number : number
  }
}

/** Where a walk goes on after the end of a table. */
function nextTable({ isLater }: WalkPlace): WalkPlace | undefined {
  return isLater ? undefined : { ...WALK_START, isLater: true }
}
