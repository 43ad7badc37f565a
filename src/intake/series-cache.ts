import { growColumn } from '../base/index.ts'
import type { StreamHandle } from '../store/index.ts'
import { mix, SEED } from './id-hash.ts'

/** Returns which streams still have the series by which they were found. */
interface SeriesStreams {
  /** Moves whenever a living stream may have lost its series. */
  readonly seriesGeneration: number
  /** Whether a stream lives. */
  has(handle: number): boolean
}

/** A head: the bytes that all fields of a line share. */
const HEAD_HASH = 0
const HEAD_RECORD = 1
const HEAD_BYTES = 2
const HEAD_ORG = 3
/** The field that began the line before. */
const HEAD_FIRST = 4
/** The head that followed it last. */
const HEAD_NEXT = 5
const HEAD_WIDTH = 6

/** A field of a head: one stream. */
const FIELD_HASH = 0
const FIELD_RECORD = 1
const FIELD_BYTES = 2
const FIELD_HEAD = 3
const FIELD_HANDLE = 4
/** The field that followed it last. */
const FIELD_NEXT = 5
/** The line and sample that used it last. */
const FIELD_LINE = 6
const FIELD_SAMPLE = 7
/** The last time, in milliseconds modulo 2^32, and what was cut of it. */
const FIELD_TIME = 8
const FIELD_REST = 9
/** 1 for a field that its reader has marked. */
const FIELD_MARK = 10
const FIELD_WIDTH = 11

const NONE = -1
/** In the place of what was cut of a time, where there was no time yet. */
const NO_REST = 2_000_000

/** Together 60 MB when full: half a million series. */
const ENTRIES_MAX = 1 << 19
const ARENA_WORDS_MAX = 8 << 20
/** Longer names get no entry. */
const NAME_BYTES_MAX = 16 * 1024

const NO_BYTES: DataView = new DataView(new ArrayBuffer(0))

/** Finds entries by hash: open addressing over entry numbers. */
class Slots {
  #slots = new Int32Array(1 << 10).fill(NONE)

  /** The slot where a search for a hash begins. */
  first(hash: number): number {
    return hash & (this.#slots.length - 1)
  }

  next(slot: number): number {
    return (slot + 1) & (this.#slots.length - 1)
  }

  at(slot: number): number {
    return this.#slots[slot]
  }

  /** Adds an entry, whose number is `count`, after making room; `hashOf` returns the hashes of the others. */
  add(hash: number, count: number, hashOf: (entry: number) => number): void {
    if ((count + 1) * 2 > this.#slots.length) this.#widen(count, hashOf)
    this.#put(hash, count)
  }

  clear(): void {
    this.#slots.fill(NONE)
  }

  #widen(count: number, hashOf: (entry: number) => number): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(NONE)
    for (let entry = 0; entry < count; entry++) this.#put(hashOf(entry), entry)
  }

  #put(hash: number, entry: number): void {
    let slot = this.first(hash)
    while (this.#slots[slot] !== NONE) slot = this.next(slot)
    this.#slots[slot] = entry
  }
}

/**
 * Knows the streams of series by the bytes that a door received: those that the points of a line share,
 * and those of each field. A known point costs no string, and the order of fields is expected to be that
 * of the line before. Series of streams that were deleted are not found any more.
 */
export class SeriesCache {
  readonly #streams: SeriesStreams
  readonly #orgs = new Map<string, number>()
  #org = 0
  #bytes: Buffer | undefined
  #view: DataView = NO_BYTES
  #limit = 0
  #seenGeneration = NONE
  #isFull = false
  #heads = new Int32Array(64 * HEAD_WIDTH)
  #headCount = 0
  readonly #headSlots = new Slots()
  #fields = new Int32Array(256 * FIELD_WIDTH)
  #fieldCount = 0
  readonly #fieldSlots = new Slots()
  #arena = new Int32Array(4096)
  #arenaUsed = 0
  #line = 0
  /** Moves whenever numbers of entries are not valid any more. */
  generation = 0

  constructor(streams: SeriesStreams) {
    this.#streams = streams
  }

  /** Says in which bytes series are looked for, until the next lookInto() or lookAway(). */
  lookInto(bytes: Buffer, view?: DataView): void {
    if (bytes === this.#bytes) return
    this.#bytes = bytes
    this.#view = view ?? new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#limit = bytes.length
  }

  /** Lets go of the bytes of a body, which may be long. */
  lookAway(): void {
    this.#bytes = undefined
    this.#view = NO_BYTES
    this.#limit = 0
  }

  /** Says whose series are looked for until the next begin(); call it once for each slice of a body. */
  begin(orgUid: string): void {
    const { seriesGeneration } = this.#streams
    if (seriesGeneration !== this.#seenGeneration || this.#isFull) this.clear()
    this.#seenGeneration = seriesGeneration
    let org = this.#orgs.get(orgUid)
    if (org === undefined) {
      org = this.#orgs.size + 1
      this.#orgs.set(orgUid, org)
    }
    this.#org = org
  }

  /** Forgets all. */
  clear(): void {
    this.#headCount = 0
    this.#fieldCount = 0
    this.#arenaUsed = 0
    this.#headSlots.clear()
    this.#fieldSlots.clear()
    this.#isFull = false
    this.generation += 1
  }

  /** Begins a line, in which take() looks for repeated fields. */
  nextLine(): void {
    this.#line = (this.#line + 1) | 0
  }

  /**
   * The head that followed `previous` (-1 for none) the last time, if it lies at `from` and is followed by `mark`;
   * else -1.
   */
  expectHead(from: number, mark: number, previous: number): number {
    if (previous === NONE) return NONE
    const head = this.#heads[previous * HEAD_WIDTH + HEAD_NEXT]
    if (head === NONE) return NONE
    const at = head * HEAD_WIDTH
    const until = from + this.#heads[at + HEAD_BYTES]
    return this.#isAt(from, until, mark, this.#heads[at + HEAD_RECORD]) ? head : NONE
  }

  /** Notes the order of heads, for expectHead(). */
  followHead(head: number, previous: number): void {
    if (previous !== NONE) this.#heads[previous * HEAD_WIDTH + HEAD_NEXT] = head
  }

  /** How long a head is. */
  bytesOfHead(head: number): number {
    return this.#heads[head * HEAD_WIDTH + HEAD_BYTES]
  }

  /** The head whose bytes lie at from ≤ index < until and have a hash, -1 for an unknown one. */
  findHead(from: number, until: number, hashOfHead = hashOfBytes(this.#view, from, until)): number {
    const heads = this.#heads
    const hash = finishHash(hashOfHead, this.#org)
    const slots = this.#headSlots
    for (let slot = slots.first(hash); ; slot = slots.next(slot)) {
      const head = slots.at(slot)
      if (head === NONE) return NONE
      const at = head * HEAD_WIDTH
      if (heads[at + HEAD_HASH] !== hash || heads[at + HEAD_BYTES] !== until - from) continue
      if (heads[at + HEAD_ORG] !== this.#org) continue
      if (areWords(this.#view, from, until, this.#arena, heads[at + HEAD_RECORD])) return head
    }
  }

  /** Keeps a head that was not found; -1 when there is no room for it. */
  addHead(from: number, until: number): number {
    const record = this.#keep(from, until)
    if (record === NONE) return NONE
    const head = this.#headCount
    const at = head * HEAD_WIDTH
    this.#heads = growColumn(this.#heads, at + HEAD_WIDTH)
    const heads = this.#heads
    const hash = finishHash(hashOfBytes(this.#view, from, until), this.#org)
    heads[at + HEAD_HASH] = hash
    heads[at + HEAD_RECORD] = record
    heads[at + HEAD_BYTES] = until - from
    heads[at + HEAD_ORG] = this.#org
    heads[at + HEAD_FIRST] = NONE
    heads[at + HEAD_NEXT] = NONE
    this.#headSlots.add(hash, head, (other) => this.#heads[other * HEAD_WIDTH + HEAD_HASH])
    this.#headCount += 1
    return head
  }

  /**
   * The field of a head that is expected after `previous` (-1 for the first), as in the line before. Returns -1 unless
   * its key begins at `from` and is followed by `mark`.
   */
  expect(from: number, mark: number, head: number, previous: number): number {
    const field =
      previous === NONE
        ? this.#heads[head * HEAD_WIDTH + HEAD_FIRST]
        : this.#fields[previous * FIELD_WIDTH + FIELD_NEXT]
    if (field === NONE) return NONE
    const at = field * FIELD_WIDTH
    const until = from + this.#fields[at + FIELD_BYTES]
    return this.#isAt(from, until, mark, this.#fields[at + FIELD_RECORD]) ? field : NONE
  }

  /** The field of a head whose key lies at from ≤ index < until, -1 for an unknown one. */
  findField(from: number, until: number, head: number): number {
    if (head === NONE) return NONE
    const fields = this.#fields
    const hash = finishHash(hashOfBytes(this.#view, from, until), head)
    const slots = this.#fieldSlots
    for (let slot = slots.first(hash); ; slot = slots.next(slot)) {
      const field = slots.at(slot)
      if (field === NONE) return NONE
      const at = field * FIELD_WIDTH
      if (fields[at + FIELD_HASH] !== hash || fields[at + FIELD_HEAD] !== head) continue
      if (fields[at + FIELD_BYTES] !== until - from) continue
      if (areWords(this.#view, from, until, this.#arena, fields[at + FIELD_RECORD])) return field
    }
  }

  /** Keeps a field of a head that was not found, without a stream yet; -1 when there is no room. */
  addField(from: number, until: number, head: number): number {
    const record = head === NONE ? NONE : this.#keep(from, until)
    if (record === NONE) return NONE
    const field = this.#fieldCount
    const at = field * FIELD_WIDTH
    this.#fields = growColumn(this.#fields, at + FIELD_WIDTH)
    const fields = this.#fields
    const hash = finishHash(hashOfBytes(this.#view, from, until), head)
    fields[at + FIELD_HASH] = hash
    fields[at + FIELD_RECORD] = record
    fields[at + FIELD_BYTES] = until - from
    fields[at + FIELD_HEAD] = head
    fields[at + FIELD_HANDLE] = 0
    fields[at + FIELD_NEXT] = NONE
    fields[at + FIELD_LINE] = this.#line - 1
    fields[at + FIELD_TIME] = 0
    fields[at + FIELD_REST] = NO_REST
    fields[at + FIELD_MARK] = 0
    this.#fieldSlots.add(hash, field, (other) => this.#fields[other * FIELD_WIDTH + FIELD_HASH])
    this.#fieldCount += 1
    return field
  }

  /** Notes the order of the fields of a head, for expect(). */
  follow(field: number, head: number, previous: number): void {
    if (previous !== NONE) this.#fields[previous * FIELD_WIDTH + FIELD_NEXT] = field
    else if (head !== NONE) this.#heads[head * HEAD_WIDTH + HEAD_FIRST] = field
  }

  /** The stream of a field, 0 where it is not known or does not live any more. */
  handleOf(field: number): StreamHandle | 0 {
    const handle = this.#fields[field * FIELD_WIDTH + FIELD_HANDLE] as StreamHandle | 0
    return handle !== 0 && this.#streams.has(handle) ? handle : 0
  }

  /** Notes the stream of a field. */
  learn(field: number, handle: StreamHandle): void {
    this.#fields[field * FIELD_WIDTH + FIELD_HANDLE] = handle
  }

  /** How long the key of a field is. */
  keyBytesOf(field: number): number {
    return this.#fields[field * FIELD_WIDTH + FIELD_BYTES]
  }

  /** Marks a field, for whatever its reader has to remember. */
  mark(field: number): void {
    this.#fields[field * FIELD_WIDTH + FIELD_MARK] = 1
  }

  isMarked(field: number): boolean {
    return this.#fields[field * FIELD_WIDTH + FIELD_MARK] === 1
  }

  /** The sample that has the field in this line, -1 where there is none; notes the one that has it from here on. */
  take(field: number, sample: number): number {
    const at = field * FIELD_WIDTH
    const fields = this.#fields
    const before = fields[at + FIELD_LINE] === this.#line ? fields[at + FIELD_SAMPLE] : NONE
    fields[at + FIELD_LINE] = this.#line
    fields[at + FIELD_SAMPLE] = sample
    return before
  }

  /**
   * Notes the time of a field's point, in milliseconds and what was cut of it; true where the point before
   * was in the same millisecond at another time.
   */
  sharesMillisecond(field: number, time: number, rest: number): boolean {
    const at = field * FIELD_WIDTH
    const fields = this.#fields
    const low = time | 0
    const before = fields[at + FIELD_REST]
    const isShared = fields[at + FIELD_TIME] === low && before !== rest && before !== NO_REST
    fields[at + FIELD_TIME] = low
    fields[at + FIELD_REST] = rest
    return isShared
  }

  /** Whether a record lies at from ≤ index < until, with a byte behind it. */
  #isAt(from: number, until: number, mark: number, record: number): boolean {
    const view = this.#view
    if (until >= this.#limit || view.getUint8(until) !== mark) return false
    return areWords(view, from, until, this.#arena, record)
  }

  #keep(from: number, until: number): number {
    const words = (until - from + 3) >> 2
    if (until - from > NAME_BYTES_MAX) return NONE
    const isFull = this.#arenaUsed + words > ARENA_WORDS_MAX
    if (isFull || this.#fieldCount >= ENTRIES_MAX || this.#headCount >= ENTRIES_MAX) {
      this.#isFull = true
      return NONE
    }
    this.#arena = growColumn(this.#arena, this.#arenaUsed + words)
    const record = this.#arenaUsed
    for (let at = from, word = record; at < until; at += 4, word++) {
      this.#arena[word] = wordAt(this.#view, at, until)
    }
    this.#arenaUsed += words
    return record
  }
}

/** The hash of the bytes at from ≤ index < until: of their words, the last filled up with zeros, and their length. */
export function hashOfBytes(view: DataView, from: number, until: number): number {
  let hash = SEED
  for (let at = from; at < until; at += 4) hash = mix(hash, wordAt(view, at, until))
  return mix(hash, until - from)
}

function finishHash(hash: number, salt: number): number {
  const finished = mix(hash, salt)
  return finished ^ (finished >>> 15)
}

/** Whether the bytes at from ≤ index < until are the words at a place, the last filled up with zeros. */
function areWords(
  view: DataView,
  from: number,
  until: number,
  words: Int32Array,
  place: number,
): boolean {
  let kept = place
  let at = from
  for (; at + 4 <= until; at += 4, kept++) {
    if (words[kept] !== view.getInt32(at, true)) return false
  }
  return at === until || words[kept] === wordAt(view, at, until)
}

/** Four bytes as a little-endian word, zeros in place of those at `until` and behind. */
function wordAt(view: DataView, at: number, until: number): number {
  if (at + 4 <= until) return view.getInt32(at, true)
  let word = 0
  for (let byte = at; byte < until; byte++) word |= view.getUint8(byte) << (8 * (byte - at))
  return word
}
