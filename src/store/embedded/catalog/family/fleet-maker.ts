/** Writes fleets: many families at once that nobody has, without a draft of each. */
import { familyHeadOf, memberUidOf, TAIL_DIGITS } from '../../../../base/index.ts'
import { CatalogConflict, type DocumentKey } from '../../../catalog-port.ts'
import type { ChangeLog } from '../catalog-changes.ts'
import type { CatalogClaims } from '../catalog-claims-table.ts'
import type { Fleet } from '../catalog-protocol.ts'
import type { CatalogTallies } from '../catalog-tally-table.ts'
import type { NumberedShape } from './family-page.ts'
import { newPage } from './family-page.ts'
import type { FamilyWriteTable } from './family-write-table.ts'
import type { RowValue } from './insert-together.ts'
import { localClaimsOf, type OpenText } from './shape.ts'
import type { StreamHandles } from './stream-handles-table.ts'

/** IDs that are the same between quotes in JSON, and as long in bytes. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

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
  const isPlain = PLAIN.test(fleet.ids)
  const documents = fleet.patterns.map((pattern) => new PatternWriter(families, pattern, isPlain))
  const rows = new FleetRows(tables, scope, fleet)
  const walk = new FleetWalk(fleet)
  const firstHandle = handles.next
  let streams = 0
  const { orgUid } = fleet
  const [head] = documents
  for (let number = 0; walk.nextFamily(); number++) {
    const { ref, tail, headUid } = rows.placeOf(number)
    rows.claim(head.claims, walk.id, { orgUid, kind: 'component', uid: headUid, ref: -ref })
    const listKey = head.listKeyOf(walk.id)
    let json = `["${tail}",1,1,${head.write(walk.id)}`
    const ids = walk.count > 1 ? new Set<string>() : undefined
    for (let member = 1; walk.nextStream(); member++) {
      const handle = member === 1 ? firstHandle + streams : 1
      json += `,2,${handle},${documents[walk.pattern].write(walk.id)}`
      if (ids !== undefined) requireOnce(ids, walk.id, { orgUid, headUid, member })
    }
    streams += walk.count
    rows.add(ref, listKey, newPage({ orgUid, ref, page: 0, listKey }, `${json}]`))
    changes.addFamily(scope, orgUid, { headUid, count: walk.count })
  }
  rows.write()
  handles.note(firstHandle + streams - 1)
  for (const [at, { count, bytes }] of documents.entries()) {
    const kind = at === 0 ? 'component' : 'stream'
    tallies.add(scope, kind, { documents: count, entries: count, bytes })
  }
  return firstHandle
}

/** Rows that are gathered to be written: some kilobytes. */
const ROWS_GATHERED = 64

/** The rows and claims of a fleet, written many at a time. */
class FleetRows {
  readonly #tables: FleetTables
  readonly #scope: number
  readonly #fleet: Fleet
  #claims: RowValue[] = []
  #claimed: string[] = []
  #families: RowValue[] = []
  #gathered = 0
  #lastRef = 0

  constructor(tables: FleetTables, scope: number, fleet: Fleet) {
    this.#tables = tables
    this.#scope = scope
    this.#fleet = fleet
  }

  /** The number, random digits and UID of a component by its place in the fleet. */
  placeOf(number: number): {
    readonly ref: number
    readonly tail: string
    readonly headUid: string
  } {
    const { firstNumber, tails } = this.#fleet
    const ref = firstNumber + number
    const tail = tails.slice(number * TAIL_DIGITS, (number + 1) * TAIL_DIGITS)
    return { ref, tail, headUid: familyHeadOf(ref, tail) }
  }

  claim(
    claims: readonly OpenText[],
    id: string,
    holder: DocumentKey & { readonly ref: number },
  ): void {
    for (const { isOpen, text } of claims) {
      const claim = isOpen ? text + id : text
      for (const value of this.#tables.claims.rowOf(this.#scope, claim, holder)) {
        this.#claims.push(value)
      }
      this.#claimed.push(claim)
    }
  }

  add(ref: number, listKey: string, packed: string): void {
    this.#families.push(ref, this.#scope, listKey, packed)
    this.#lastRef = ref
    this.#gathered += 1
    if (this.#gathered === ROWS_GATHERED) this.write()
  }

  /** Writes what was gathered; throws CatalogConflict when something of it is there. */
  write(): void {
    const taken = this.#tables.claims.insertRows(this.#claims)
    if (taken !== undefined) this.#refuse(-taken.ref, this.#claimed[taken.at])
    const there = this.#tables.families.insertNew(this.#families, this.#lastRef)
    if (there !== undefined) this.#refuse(there, undefined)
    this.#claims = []
    this.#claimed = []
    this.#families = []
    this.#gathered = 0
  }

  #refuse(ref: number, claim: string | undefined): never {
    const { orgUid, firstNumber } = this.#fleet
    const { headUid: uid } = this.placeOf(ref - firstNumber)
    throw new CatalogConflict({ orgUid, kind: 'component', uid }, claim)
  }
}

/** Streams of a component claim their IDs in it: all of them are at hand. */
function requireOnce(
  ids: Set<string>,
  id: string,
  { orgUid, headUid, member }: { orgUid: string; headUid: string; member: number },
): void {
  ids.add(id)
  if (ids.size === member) return
  const key = { orgUid, kind: 'stream', uid: memberUidOf(headUid, member) }
  throw new CatalogConflict(key, localClaimsOf(headUid) + id)
}

/** Writes documents of one pattern into rows, and counts them. */
class PatternWriter {
  readonly #families: FamilyWriteTable
  readonly #pattern: Fleet['patterns'][number]
  readonly #isPlain: boolean
  #shape: NumberedShape
  #start = ''
  #end = ''
  #fixedBytes = 0
  count = 0
  bytes = 0

  constructor(families: FamilyWriteTable, pattern: Fleet['patterns'][number], isPlain: boolean) {
    this.#families = families
    this.#pattern = pattern
    this.#isPlain = isPlain
    this.#shape = this.#take()
  }

  /** The claims beyond the family. */
  get claims() {
    return this.#shape.shape.claims.filter(({ isLocal }) => !isLocal)
  }

  listKeyOf(id: string): string {
    return this.#shape.shape.listKeyOf(id)
  }

  /** The values of a document as a row holds them. */
  write(id: string): string {
    // Until enough documents have had it, the shape stands in the rows themselves.
    if (this.count > 0 && this.#shape.number === 0) this.#shape = this.#take()
    const { shape } = this.#shape
    this.count += 1
    if (this.#isPlain) {
      this.bytes += this.#fixedBytes + id.length * (shape.listKey.isOpen ? 2 : 1)
      return `${this.#start}"${id}"${this.#end}`
    }
    this.bytes += shape.bytesOf(id, this.#pattern.numbers)
    return this.#start + JSON.stringify(id) + this.#end
  }

  #take(): NumberedShape {
    const taken = this.#families.shapes.take(this.#pattern.shape)
    const { numbers } = this.#pattern
    const named = taken.number === 0 ? `0,${JSON.stringify(taken.shape.text)}` : `${taken.number}`
    this.#start = `${named},`
    this.#end = numbers.map((number) => `,${number}`).join('')
    this.#fixedBytes = taken.shape.bytesOf('', numbers)
    return taken
  }
}

/** Goes through the families and streams of a fleet. */
class FleetWalk {
  readonly #ids: string
  readonly #layout: readonly number[]
  #at = 0
  #place = 0
  #left = 0
  id = ''
  /** Of streams in the family. */
  count = 0
  pattern = 0

  constructor({ ids, layout }: Pick<Fleet, 'ids' | 'layout'>) {
    this.#ids = ids
    this.#layout = layout
  }

  nextFamily(): boolean {
    if (this.#at >= this.#layout.length) return false
    this.#takeId(this.#layout[this.#at])
    this.count = this.#layout[this.#at + 1]
    this.#left = this.count
    this.#at += 2
    return true
  }

  nextStream(): boolean {
    if (this.#left === 0) return false
    this.#left -= 1
    this.#takeId(this.#layout[this.#at])
    this.pattern = this.#layout[this.#at + 1]
    this.#at += 2
    return true
  }

  #takeId(length: number): void {
    this.id = this.#ids.slice(this.#place, this.#place + length)
    this.#place += length
  }
}

/** How many documents a fleet makes. */
export function documentsOfFleet({ layout }: Pick<Fleet, 'layout'>): number {
  return layout.length / 2
}
