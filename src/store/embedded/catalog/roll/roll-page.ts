/**
 * A page of the roll: IDs of components in their order, each with the number of its family, as bytes;
 * docs/format/catalog-db.md says what stands where.
 */
import { crc32 } from 'node:zlib'
import { CatalogDamaged } from '../../../catalog-port.ts'

/** Components of a short fleet that come to one page: for fewer, writing the page costs more than claims of their own. */
export const ROLLED_MIN = 4

/** Bytes before the first entry: the checksum. */
const HEADER = 4
/** Bytes of an entry before its ID: the ID's length, and the family's number as two words. */
const BEFORE_ID = 9
const WORD = 2 ** 32
/** Longer IDs, which are rare, are claimed by themselves. */
const ID_LENGTH_MAX = 48
/** Three pages with IDs of usual lengths share a page of SQLite. */
const ENTRIES_MAX = 64
/** IDs whose characters are bytes, ordered alike by JavaScript and SQLite. */
const PLAIN = /^[\x20-\x7e]+$/

/** What the claims, and the list keys, of all components in a roll have before the ID. */
export interface RollStarts {
  readonly claim: string
  readonly listKey: string
}

/** The entries of a page, taken apart. */
interface RollEntries {
  readonly ids: readonly string[]
  readonly refs: readonly number[]
}

/** Whether a roll can hold an ID. */
export function isRollId(id: string): boolean {
  return id.length <= ID_LENGTH_MAX && PLAIN.test(id)
}

/** As the table holds them. */
export function startsText({ claim, listKey }: RollStarts): string {
  return JSON.stringify([claim, listKey])
}

/** What startsText() wrote. */
export function startsOf(text: string): RollStarts {
  const [claim, listKey] = JSON.parse(text) as [string, string]
  return { claim, listKey }
}

/** Where the checksums of all pages of a roll begin. */
export function rollCheck(orgUid: string, starts: unknown): number {
  return crc32(`${orgUid}\n${starts}\n`)
}

/** A page that checks. */
export class RollPage {
  readonly #bytes: Buffer
  /** Where its entries begin, and where the last one ends. */
  readonly #places: number[] = []

  /** Of bytes that have been checked. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    let at = HEADER
    for (; at < bytes.length; at += BEFORE_ID + bytes[at]) this.#places.push(at)
    this.#places.push(at)
  }

  get count(): number {
    return this.#places.length - 1
  }

  /** The bytes of the entries from one to before another. */
  slice(from: number, until: number): Buffer {
    return this.#bytes.subarray(this.#places[from], this.#places[until])
  }

  ref(entry: number): number {
    const at = this.#places[entry] + 1
    return this.#bytes.readUInt32BE(at) * WORD + this.#bytes.readUInt32BE(at + 4)
  }

  id(entry: number): string {
    const [from, until] = [this.#places[entry] + BEFORE_ID, this.#places[entry + 1]]
    return this.#bytes.toString('latin1', from, until)
  }

  /** The first entry whose ID is not before another. */
  seek(id: string): number {
    return this.#seekIn(id, 0, this.count)
  }

  /** The first such entry from one on: newcomers in their order are close to one another. */
  seekOn(id: string, from: number): number {
    let low = from
    let high = from
    for (let step = 1; high < this.count && this.#compare(high, id) < 0; step *= 2) {
      low = high + 1
      high += step
    }
    return this.#seekIn(id, low, Math.min(high, this.count))
  }

  #seekIn(id: string, from: number, until: number): number {
    let low = from
    let high = until
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(middle, id) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Whether there is such an entry, and it is that of an ID. */
  isOf(entry: number, id: string): boolean {
    return entry < this.count && this.#compare(entry, id) === 0
  }

  /** The entry of an ID, -1 when there is none. */
  find(id: string): number {
    const entry = this.seek(id)
    return this.isOf(entry, id) ? entry : -1
  }

  entries(): RollEntries {
    const ids: string[] = []
    const refs: number[] = []
    for (let entry = 0; entry < this.count; entry++) {
      ids.push(this.id(entry))
      refs.push(this.ref(entry))
    }
    return { ids, refs }
  }

  /** Below zero when an entry's ID comes before another, 0 when it is the same. */
  #compare(entry: number, id: string): number {
    const bytes = this.#bytes
    const start = this.#places[entry]
    const length = bytes[start]
    const shorter = Math.min(length, id.length)
    for (let at = 0; at < shorter; at++) {
      const difference = bytes[start + BEFORE_ID + at] - id.charCodeAt(at)
      if (difference !== 0) return difference
    }
    return length - id.length
  }
}

/** A row of the table as far as its page is concerned. */
export interface RollRow {
  readonly first?: unknown
  readonly count?: unknown
  readonly packed?: unknown
}

/** The page of a row; throws CatalogDamaged unless it checks. */
export function openRollPage(check: number, { first, count, packed }: RollRow): RollPage {
  if (packed instanceof Uint8Array && packed.length > HEADER) {
    const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length)
    if (crc32(bytes.subarray(HEADER), check) === bytes.readUInt32BE(0)) {
      const page = new RollPage(bytes)
      if (page.count === count && page.id(0) === first) return page
    }
  }
  throw new CatalogDamaged('a list of components does not check')
}

/** Puts pages together in memory that is used again and again. */
export class RollPacker {
  #bytes = Buffer.alloc(65_536)
  /** Where entries begin. */
  #places: number[] = []
  #at = 0

  /** Begins anew. */
  clear(): void {
    this.#places = []
    this.#at = 0
  }

  /** Adds entries of a page. */
  addFrom(page: RollPage, from: number, until: number): void {
    if (from >= until) return
    const bytes = page.slice(from, until)
    this.#makeRoom(bytes.length)
    for (let at = 0; at < bytes.length; at += BEFORE_ID + bytes[at])
      this.#places.push(this.#at + at)
    bytes.copy(this.#bytes, this.#at)
    this.#at += bytes.length
  }

  add(id: string, ref: number): void {
    this.#makeRoom(BEFORE_ID + id.length)
    this.#places.push(this.#at)
    const bytes = this.#bytes
    bytes[this.#at] = id.length
    bytes.writeUInt32BE(Math.floor(ref / WORD), this.#at + 1)
    bytes.writeUInt32BE(ref % WORD, this.#at + 5)
    this.#at += BEFORE_ID
    for (let at = 0; at < id.length; at++) bytes[this.#at++] = id.charCodeAt(at)
  }

  /** The pages of what was added, of about the same length, so that there is room in each. */
  *pages(check: number): Generator<Buffer> {
    const count = this.#places.length
    const pages = Math.ceil(count / ENTRIES_MAX)
    for (let page = 0; page < pages; page++) {
      const from = this.#places[Math.floor((page * count) / pages)]
      const until = this.#places[Math.floor(((page + 1) * count) / pages)] ?? this.#at
      const bytes = Buffer.allocUnsafe(HEADER + until - from)
      this.#bytes.copy(bytes, HEADER, from, until)
      bytes.writeUInt32BE(crc32(bytes.subarray(HEADER), check), 0)
      yield bytes
    }
  }

  #makeRoom(count: number): void {
    if (this.#at + count <= this.#bytes.length) return
    const longer = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#at + count))
    this.#bytes.copy(longer, 0, 0, this.#at)
    this.#bytes = longer
  }
}
