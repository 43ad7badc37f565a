/** Writes fleets: many families at once that nobody has, without a draft of each. */
import { memberUidOf, TAIL_DIGITS } from '../../../../base/plain.ts'
import { CatalogConflict } from '../../../catalog-port.ts'
import { storedClaim } from '../../../stored-claim.ts'
import type { ChangeLog } from '../catalog-changes.ts'
import { checkOfClaim } from '../catalog-checks.ts'
import type { CatalogClaims } from '../catalog-claims-table.ts'
import type { Fleet } from '../catalog-protocol.ts'
import type { Tally } from '../catalog-tally.ts'
import type { CatalogTallies } from '../catalog-tally-table.ts'
import { ROLLED_MIN, type RollStarts } from '../roll/roll-page.ts'
import { addToCrc, CRC_START, crcOf } from './crc-bytes.ts'
import { CHECK_DIGITS, type NumberedShape } from './family-page.ts'
import type { FamilyWriteTable } from './family-write-table.ts'
import { compIdsOf, FleetWalk, fleetHeadOf } from './fleet-walk.ts'
import type { RowValue } from './insert-together.ts'
import { pieceOf, RowBytes, type RowPiece } from './row-bytes.ts'
import { localClaimsOf, type OpenText } from './shape.ts'
import type { StreamHandles } from './stream-handles-table.ts'

const NEW_LINE = 10

/** What a fleet is written with. */
interface FleetTables {
  readonly families: FamilyWriteTable
  readonly claims: CatalogClaims
  readonly changes: ChangeLog
  readonly tallies: CatalogTallies
  readonly handles: StreamHandles
}

/** Makes all components and streams of a fleet; the handle of its first stream. Throws CatalogConflict when one is there. */
export function makeFleet(tables: FleetTables, scope: number, fleet: Fleet): number {
  const { families, changes, tallies, handles } = tables
  const walk = new FleetWalk(fleet)
  const documents = fleet.patterns.map((pattern) => new PatternWriter(families, pattern))
  const [head] = documents
  const rows = new FleetRows(tables, scope, { fleet, head })
  rows.enterRoll()
  const firstHandle = handles.next
  const streams = new FleetStreams(fleet, documents)
  const { orgUid } = fleet
  for (let number = 0; walk.nextFamily(); number++) {
    rows.begin(number, walk)
    head.write(walk, row)
    streams.write(number, walk, { row, handle: firstHandle + streams.count })
    rows.end()
  }
  rows.write()
  for (const alike of alikeIn(fleet)) changes.addFleet(scope, orgUid, alike)
  handles.note(firstHandle + streams.count - 1)
  tallies.add(scope, 'component', tallyOf(head))
  tallies.add(scope, 'stream', tallyOf(streams))
  return firstHandle
}

function tallyOf({ count, bytes }: { readonly count: number; readonly bytes: number }): Tally {
  return { documents: count, entries: count, bytes }
}

/** Components that follow one another with as many streams each. */
function* alikeIn({ layout, firstNumber, tails }: Fleet) {
  let from = 0
  let number = 0
  let streams = layout[1]
  const upTo = (until: number) => ({
    ...{ firstNumber: firstNumber + from, streams },
    tails: tails.slice(from * TAIL_DIGITS, until * TAIL_DIGITS),
  })
  for (let at = 0; at < layout.length; at += 2 + layout[at + 1] * 2, number++) {
    if (layout[at + 1] === streams) continue
    yield upTo(number)
    from = number
    streams = layout[at + 1]
  }
  if (number > from) yield upTo(number)
}

/** The row that is being put together: one at a time. */
const row = new RowBytes()
const FIRST_PAGE = pieceOf('\n0\n')
const ROW_START = pieceOf('["')
/** It has a head, of the first revision. */
const AFTER_TAIL = pieceOf('",1,1,')
const ROW_END = pieceOf(']')

const UNLISTED = pieceOf('null\n')

/** Rows that are gathered to be written: some kilobytes. */
const ROWS_GATHERED = 64

/** The rows and claims of a fleet, written many at a time. */
class FleetRows {
  readonly #tables: FleetTables
  readonly #scope: number
  readonly #fleet: Fleet
  readonly #claimTexts: readonly OpenPiece[]
  readonly #listKey: OpenPiece
  readonly #shape: NumberedShape['shape']
  /** Checksums after what all rows, and all claims, begin with. */
  readonly #rowCrc: number
  readonly #claimCrc: number
  /** The random digits of UIDs, a byte each. */
  readonly #tails: Uint8Array
  #ref = 0
  #isListed = true
  #listKeyAt = 0
  #packedAt = 0
  /** Those of which claim and list entry are in the roll. */
  #isRolled: Uint8Array | undefined
  #claims: RowValue[] = []
  #claimed: string[] = []
  #families: RowValue[] = []
  #gathered = 0

  constructor(tables: FleetTables, scope: number, of: { fleet: Fleet; head: PatternWriter }) {
    this.#tables = tables
    this.#scope = scope
    this.#fleet = of.fleet
    this.#shape = of.head.shape
    const { claims, listKey } = of.head.shape
    this.#claimTexts = claims.filter(({ isLocal }) => !isLocal).map(openPieceOf)
    this.#listKey = openPieceOf(listKey)
    this.#tails = Buffer.from(of.fleet.tails, 'latin1')
    this.#rowCrc = crcAfter(`${of.fleet.orgUid}\n`)
    this.#claimCrc = crcAfter(`${of.fleet.orgUid}\ncomponent\n`)
  }

  /** Enters components into the roll; throws CatalogConflict when one is there. */
  enterRoll(): void {
    const starts = rollStartsOf(this.#shape)
    const ids = starts && compIdsOf(this.#fleet)
    if (starts === undefined || ids === undefined || ids.length < ROLLED_MIN) return
    const { firstNumber } = this.#fleet
    const entered = this.#tables.claims.roll.enter(this.#scope, {
      ...{ ids, starts, firstRef: firstNumber },
    })
    const { taken } = entered
    if (taken !== undefined) this.#refuse(firstNumber + taken, starts.claim + ids[taken])
    this.#isRolled = entered.isIn
  }

  /** Begins the row of a component with its place and claims. */
  begin(number: number, walk: FleetWalk): void {
    this.#ref = this.#fleet.firstNumber + number
    row.clear()
    this.#isListed = this.#isRolled?.[number] !== 1
    if (this.#isListed) {
      const headUid = fleetHeadOf(this.#fleet, number)
      for (const claim of this.#claimTexts) this.#claim(claim, walk, headUid)
      row.clear()
    }
    row.addNumber(this.#ref)
    row.addPiece(FIRST_PAGE)
    this.#listKeyAt = row.at
    if (this.#isListed) {
      addOpen(this.#listKey, walk)
      row.addCode(NEW_LINE)
    } else {
      row.addPiece(UNLISTED)
    }
    this.#packedAt = row.at
    row.skip(CHECK_DIGITS)
    row.addPiece(ROW_START)
    row.addAscii(this.#tails, number * TAIL_DIGITS, (number + 1) * TAIL_DIGITS)
    row.addPiece(AFTER_TAIL)
  }

  /** Ends the row with its checksum. */
  end(): void {
    row.addPiece(ROW_END)
    const packedAt = this.#packedAt
    const crc = row.addToCrc(this.#rowCrc, 0, packedAt)
    row.setHex(packedAt, crcOf(row.addToCrc(crc, packedAt + CHECK_DIGITS, row.at)))
    const listKey = this.#isListed ? row.text(this.#listKeyAt, packedAt - 1) : null
    this.#families.push(this.#ref, this.#scope, listKey, row.text(packedAt, row.at))
    this.#gathered += 1
    if (this.#gathered === ROWS_GATHERED) this.write()
  }

  /** Writes what was gathered; throws CatalogConflict when something of it is there. */
  write(): void {
    const taken = this.#tables.claims.insertRows(this.#claims)
    if (taken !== undefined) this.#refuse(-taken.ref, this.#claimed[taken.at])
    const there = this.#tables.families.insertNew(this.#families, this.#ref)
    if (there !== undefined) this.#refuse(there, undefined)
    this.#claims = []
    this.#claimed = []
    this.#families = []
    this.#gathered = 0
  }

  #claim(text: OpenPiece, walk: FleetWalk, uid: string): void {
    const from = row.at
    row.addText(uid)
    row.addCode(NEW_LINE)
    const at = row.at
    addOpen(text, walk)
    const claim = row.text(at, row.at)
    const stored = storedClaim(claim)
    const { orgUid } = this.#fleet
    const crc =
      stored === claim
        ? crcOf(row.addToCrc(this.#claimCrc, from, row.at))
        : checkOfClaim(stored, { orgUid, kind: 'component', uid })
    this.#claims.push(this.#scope, stored, -this.#ref, crc)
    this.#claimed.push(claim)
  }

  #refuse(ref: number, claim: string | undefined): never {
    const { orgUid, firstNumber } = this.#fleet
    const uid = fleetHeadOf(this.#fleet, ref - firstNumber)
    throw new CatalogConflict({ orgUid, kind: 'component', uid }, claim)
  }
}

/** What claims and list keys of the roll begin with; undefined where it cannot tell them by the ID alone. */
function rollStartsOf({ claims, listKey }: NumberedShape['shape']): RollStarts | undefined {
  const [claim] = claims
  if (claims.length !== 1 || !claim.isOpen || claim.isLocal || !listKey.isOpen) return undefined
  return { claim: claim.text, listKey: listKey.text }
}

/** A text that the ID follows if it is open. */
interface OpenPiece {
  readonly piece: RowPiece
  readonly isOpen: boolean
}

function openPieceOf({ text, isOpen }: OpenText): OpenPiece {
  return { piece: pieceOf(text), isOpen }
}

function addOpen({ piece, isOpen }: OpenPiece, walk: FleetWalk): void {
  row.addPiece(piece)
  if (isOpen) walk.addId(row)
}

/** The state of a checksum after a text. */
function crcAfter(text: string): number {
  const bytes = Buffer.from(text)
  return addToCrc(CRC_START, bytes, 0, bytes.length)
}

/** A step of one ordinal, of the first revision. */
const NEXT_MEMBER = pieceOf(',2,')
const COMMA = pieceOf(',')
const NO_BYTES = new Uint8Array(0)

/** Writes the streams of each component into its row, and counts them. Most components have those of the one before. */
class FleetStreams {
  readonly #fleet: Fleet
  readonly #patterns: readonly PatternWriter[]
  /** What the last row has of its streams behind the first handle, and what they count as; empty unless it can be repeated. */
  #last: Uint8Array = NO_BYTES
  #lastBytes = 0
  #count = 0
  /** Of streams that repeat those of the component before them. */
  #repeatedBytes = 0

  /** The patterns with the head's first. */
  constructor(fleet: Fleet, patterns: readonly PatternWriter[]) {
    this.#fleet = fleet
    this.#patterns = patterns
  }

  /** How many were written. */
  get count(): number {
    return this.#count
  }

  /** What all of them count as. */
  get bytes(): number {
    return this.#writtenBytes() + this.#repeatedBytes
  }

  /** Adds the streams of the component that a walk has come to, with handles from one on. */
  write(number: number, walk: FleetWalk, { row, handle }: { row: RowBytes; handle: number }): void {
    row.addPiece(NEXT_MEMBER)
    row.addNumber(handle)
    this.#count += walk.count
    if (this.#last.length > 0 && walk.passStreamsOfLast()) {
      row.addAscii(this.#last, 0, this.#last.length)
      this.#repeatedBytes += this.#lastBytes
      return
    }
    const from = row.at
    const bytesBefore = this.#writtenBytes()
    const isRepeatable = this.#writeEach(number, walk, row) && walk.isPlain
    this.#last = isRepeatable ? row.copy(from, row.at) : NO_BYTES
    this.#lastBytes = this.#writtenBytes() - bytesBefore
  }

  /** Whether the next ones would be written as these are. */
  #writeEach(number: number, walk: FleetWalk, row: RowBytes): boolean {
    const ids = walk.count > 1 ? new Set<string>() : undefined
    let areNumbered = true
    for (let member = 1; walk.nextStream(); member++) {
      if (member > 1) {
        row.addPiece(NEXT_MEMBER)
        row.addNumber(1)
      }
      row.addPiece(COMMA)
      const pattern = this.#patterns[walk.pattern]
      // Asked before and after: a shape may get its number between two rows.
      areNumbered &&= pattern.isNumbered
      pattern.write(walk, row)
      if (ids !== undefined) this.#requireOnce(ids, walk.id, { number, member })
    }
    return areNumbered
  }

  /** Streams of a component claim their IDs in it: all of them are at hand. */
  #requireOnce(ids: Set<string>, id: string, at: { number: number; member: number }): void {
    ids.add(id)
    if (ids.size === at.member) return
    const headUid = fleetHeadOf(this.#fleet, at.number)
    const { orgUid } = this.#fleet
    const key = { orgUid, kind: 'stream', uid: memberUidOf(headUid, at.member) }
    throw new CatalogConflict(key, localClaimsOf(headUid) + id)
  }

  #writtenBytes(): number {
    let bytes = 0
    for (let at = 1; at < this.#patterns.length; at++) bytes += this.#patterns[at].bytes
    return bytes
  }
}

/** Writes documents of one pattern into rows, and counts them. */
class PatternWriter {
  readonly #families: FamilyWriteTable
  readonly #pattern: Fleet['patterns'][number]
  #shape: NumberedShape
  #words: PatternWords
  count = 0
  bytes = 0

  constructor(families: FamilyWriteTable, pattern: Fleet['patterns'][number]) {
    this.#families = families
    this.#pattern = pattern
    this.#shape = families.shapes.take(pattern.shape)
    this.#words = wordsOf(this.#shape, pattern.numbers)
  }

  get shape(): NumberedShape['shape'] {
    return this.#shape.shape
  }

  /** Whether rows name the shape by its number, from now on. */
  get isNumbered(): boolean {
    return this.#shape.number !== 0
  }

  /** Adds the values of a document to a row as it holds them. */
  write(walk: FleetWalk, row: RowBytes): void {
    // Until enough documents have had it, the shape stands in the rows themselves.
    if (this.count > 0 && this.#shape.number === 0) this.#take()
    const { shape } = this.#shape
    this.count += 1
    row.addPiece(this.#words.start)
    walk.addQuoted(row)
    row.addPiece(this.#words.end)
    this.bytes += walk.isPlain
      ? this.#words.fixedBytes + walk.idLength * (shape.listKey.isOpen ? 2 : 1)
      : shape.bytesOf(walk.id, this.#pattern.numbers)
  }

  #take(): void {
    const { shape, numbers } = this.#pattern
    this.#shape = this.#families.shapes.take(shape)
    this.#words = wordsOf(this.#shape, numbers)
  }
}

/** What stands in a row before and after the ID of a document, and what that counts as without it. */
interface PatternWords {
  readonly start: RowPiece
  readonly end: RowPiece
  readonly fixedBytes: number
}

/** Those of shapes without numbers of their own, which come again with every call. */
const knownWords = new WeakMap<NumberedShape, PatternWords>()

function wordsOf(taken: NumberedShape, numbers: readonly number[]): PatternWords {
  const known = numbers.length === 0 ? knownWords.get(taken) : undefined
  if (known !== undefined) return known
  const named = taken.number === 0 ? `0,${JSON.stringify(taken.shape.text)}` : `${taken.number}`
  const words = {
    start: pieceOf(`${named},`),
    end: pieceOf(numbers.map((number) => `,${number}`).join('')),
    fixedBytes: taken.shape.bytesOf('', numbers),
  }
  if (numbers.length === 0) knownWords.set(taken, words)
  return words
}
