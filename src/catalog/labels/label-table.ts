/**
 * The labels of all series of an organization. A label is a number for its name and text together, and a series is a
 * list of such numbers: about 8 bytes, and 8 more for each label. Labels lead to their series by an inverted index,
 * which is rebuilt when many series were added.
 */
import { growColumn, type Pacer } from '../../base/index.ts'
import type { Labels } from '../../store/index.ts'

/** A name with the numbers of its labels by their texts. */
interface LabelName {
  readonly name: string
  readonly pairs: Map<string, number>
  /** The length of the longest text. */
  lengthMax: number
}

/** Which of the first series have a label: those of label p are series[offsets[p]] up to series[offsets[p + 1]]. */
export interface Postings {
  readonly seriesCount: number
  readonly offsets: Uint32Array
  readonly series: Uint32Array
}

/** Series that are looked at one by one before the inverted index is rebuilt, at least. */
const TAIL_MIN = 2_000
/** The same, as a share of all series. */
const TAIL_SHARE = 1 / 20
/** A string, its entry in a Map, and its columns, besides its characters. */
const PAIR_BYTES = 90

const ABSENT = -1
/** Entries that are written before other calls may run. */
const PER_STEP = 8_192
/** Spreads handles over slots; odd. */
const SPREAD = 0x9e3779b1
const NO_SERIES = new Uint32Array(0)

/** The series of an organization by their labels; series are numbered as they are added. */
export class LabelTable {
  readonly #names: LabelName[] = []
  readonly #nameNumbers = new Map<string, number>()
  readonly #texts: string[] = []
  #nameOfPair = new Uint32Array(64)
  #textBytes = 0
  #count = 0
  /** 0 for a series that was replaced or removed. */
  #handles = new Int32Array(64)
  #starts = new Uint32Array(65)
  #pairs = new Uint32Array(256)
  /** The numbers of living series plus 1, hashed by their handles. */
  #slots = new Int32Array(128)
  #deadCount = 0
  #postings: Postings = { seriesCount: 0, offsets: new Uint32Array(1), series: new Uint32Array(0) }

  /** How many series were added, with those that were replaced or removed. */
  get count(): number {
    return this.#count
  }

  /** Series that were replaced or removed: memory that only a new table gives back. */
  get deadCount(): number {
    return this.#deadCount
  }

  /** About the memory that it takes. */
  get bytes(): number {
    const { offsets, series } = this.#postings
    const ofSeries = [this.#handles, this.#starts, this.#pairs, this.#slots]
    const columns = [...ofSeries, this.#nameOfPair, offsets, series]
    const columnBytes = columns.reduce((sum, column) => sum + column.byteLength, 0)
    return columnBytes + this.#textBytes + PAIR_BYTES * this.#texts.length
  }

  /** Adds a series, or gives it other labels. */
  put(handle: number, labels: Labels): void {
    const names = Object.keys(labels).sort()
    const pairs = names.map((name) => this.#pairOf(name, labels[name]))
    const slot = this.#slotOf(handle)
    const before = this.#slots[slot] - 1
    if (before >= 0 && this.#hasPairs(before, pairs)) return
    if (before >= 0) this.#kill(before)
    const number = this.#count
    this.#handles = growColumn(this.#handles, number + 1)
    this.#starts = growColumn(this.#starts, number + 2)
    const start = this.#starts[number]
    this.#pairs = growColumn(this.#pairs, start + pairs.length)
    this.#pairs.set(pairs, start)
    this.#handles[number] = handle
    this.#starts[number + 1] = start + pairs.length
    this.#slots[slot] = number + 1
    this.#count += 1
    if (2 * this.#count > this.#slots.length) this.#growSlots()
  }

  /** Removes a series, if it is there. */
  remove(handle: number): void {
    const number = this.#slots[this.#slotOf(handle)] - 1
    if (number >= 0) this.#kill(number)
  }

  #kill(number: number): void {
    this.#handles[number] = 0
    this.#deadCount += 1
  }

  /** The slot of a living series, or the one where it belongs. */
  #slotOf(handle: number): number {
    const mask = this.#slots.length - 1
    for (let slot = Math.imul(handle, SPREAD) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] - 1
      if (number < 0 || this.#handles[number] === handle) return slot
    }
  }

  #growSlots(): void {
    this.#slots = new Int32Array(2 * this.#slots.length)
    for (let number = 0; number < this.#count; number++) {
      const handle = this.#handles[number]
      if (handle > 0) this.#slots[this.#slotOf(handle)] = number + 1
    }
  }

  #hasPairs(number: number, pairs: readonly number[]): boolean {
    const start = this.#starts[number]
    if (this.#starts[number + 1] - start !== pairs.length) return false
    return pairs.every((pair, at) => this.#pairs[start + at] === pair)
  }

  #pairOf(name: string, text: string): number {
    let numberOfName = this.#nameNumbers.get(name)
    if (numberOfName === undefined) {
      numberOfName = this.#names.length
      this.#nameNumbers.set(name, numberOfName)
      this.#names.push({ name, pairs: new Map(), lengthMax: 0 })
    }
    const known = this.#names[numberOfName]
    const found = known.pairs.get(text)
    if (found !== undefined) return found
    const pair = this.#texts.length
    known.pairs.set(text, pair)
    known.lengthMax = Math.max(known.lengthMax, text.length)
    this.#texts.push(text)
    this.#textBytes += 2 * text.length
    this.#nameOfPair = growColumn(this.#nameOfPair, pair + 1)
    this.#nameOfPair[pair] = numberOfName
    return pair
  }

  /** Rebuilds the inverted index if many series were added since. */
  async settle(pacer: Pacer): Promise<void> {
    const tail = this.#count - this.#postings.seriesCount
    if (tail <= Math.max(TAIL_MIN, this.#count * TAIL_SHARE)) return
    const count = this.#count
    const pairCount = this.#texts.length
    const end = this.#starts[count]
    const offsets = new Uint32Array(pairCount + 1)
    for (let at = 0; at < end; at++) {
      offsets[this.#pairs[at] + 1] += 1
      if (at % PER_STEP === PER_STEP - 1) await pacer.spend(PER_STEP / 4)
    }
    for (let pair = 0; pair < pairCount; pair++) offsets[pair + 1] += offsets[pair]
    const places = offsets.slice()
    const postings = new Uint32Array(end)
    for (let number = 0; number < count; number++) {
      for (let at = this.#starts[number]; at < this.#starts[number + 1]; at++) {
        postings[places[this.#pairs[at]]++] = number
      }
      if (number % PER_STEP === PER_STEP - 1) await pacer.spend(PER_STEP)
    }
    this.#postings = { seriesCount: count, offsets, series: postings }
  }

  /** The inverted index as it is at present; it never changes, but a later one may take its place. */
  get postings(): Postings {
    return this.#postings
  }

  /** The texts of a name with their numbers; undefined where no series has the name. */
  textsOf(name: string): ReadonlyMap<string, number> | undefined {
    const number = this.#nameNumbers.get(name)
    return number === undefined ? undefined : this.#names[number].pairs
  }

  /** The length of the longest text of a name. */
  lengthMaxOf(name: string): number {
    const number = this.#nameNumbers.get(name)
    return number === undefined ? 0 : this.#names[number].lengthMax
  }

  nameNumberOf(name: string): number {
    return this.#nameNumbers.get(name) ?? ABSENT
  }

  get pairCount(): number {
    return this.#texts.length
  }

  /** All names, with those that only removed series have. */
  get names(): readonly string[] {
    return this.#names.map(({ name }) => name)
  }

  /** The label of a series under a name, -1 for none. */
  pairIn(series: number, nameNumber: number): number {
    for (let at = this.#starts[series]; at < this.#starts[series + 1]; at++) {
      const pair = this.#pairs[at]
      if (this.#nameOfPair[pair] === nameNumber) return pair
    }
    return ABSENT
  }

  /** The stream of a series; 0 for a series that was replaced or removed. */
  handleOf(series: number): number {
    return this.#handles[series]
  }

  /** Names and texts in turn, in the order of the names. */
  labelsOf(series: number): string[] {
    const labels: string[] = []
    for (let at = this.#starts[series]; at < this.#starts[series + 1]; at++) {
      const pair = this.#pairs[at]
      labels.push(this.#names[this.#nameOfPair[pair]].name, this.#texts[pair])
    }
    return labels
  }

  /** A text that two series share exactly when they have the same labels. */
  keyOf(series: number): string {
    let key = ''
    for (let at = this.#starts[series]; at < this.#starts[series + 1]; at++) {
      const pair = this.#pairs[at]
      key += String.fromCharCode(pair & 0xffff, pair >>> 16)
    }
    return key
  }

  /** Calls back with the number of each label of a series. */
  eachPair(series: number, take: (pair: number) => void): void {
    for (let at = this.#starts[series]; at < this.#starts[series + 1]; at++) take(this.#pairs[at])
  }

  nameOf(pair: number): string {
    return this.#names[this.#nameOfPair[pair]].name
  }

  textOf(pair: number): string {
    return this.#texts[pair]
  }
}

/** The indexed series of a label. */
export function postingsOf({ offsets, series }: Postings, pair: number): Uint32Array {
  return pair + 1 < offsets.length ? series.subarray(offsets[pair], offsets[pair + 1]) : NO_SERIES
}
