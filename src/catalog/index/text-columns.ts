import { randomInt } from 'node:crypto'
import { growColumn } from '../../base/index.ts'
import { RefTables } from './ref-tables.ts'

/** Texts begin at multiples of it. */
const UNIT_BYTES = 4
const CHUNK_UNITS = 1 << 16
const CHUNK_SHIFT = 16
const CHUNK_MASK = CHUNK_UNITS - 1
const LENGTH_MAX = 255
const LATIN_END = 256

/** Another in every process, so that nobody can choose texts that all fall into one slot. */
const SEED = randomInt(2 ** 31)

/**
 * Short texts by ref, a byte a character behind a byte with their count: a quarter of what strings
 * take, and nothing for the garbage collector to look at. Texts that are long or not of Latin letters are kept as
 * they are. Room that texts leave is taken by others of that size.
 */
export class TextColumn {
  /** Where the text of a ref begins, in units; 0: it is blank, or among the others. */
  #places = new Uint32Array(1024)
  readonly #chunks: Buffer[] = []
  readonly #others = new Map<number, string>()
  /** Places that are free, by their units. */
  readonly #free: (number[] | undefined)[] = []
  /** The first unit that no text has had; 0 stands for none. */
  #end = 1

  /** Grows the columns once, before many entries are added. */
  reserve(count: number): void {
    this.#places = growColumn(this.#places, count + 1)
  }

  /** Gives a ref its text. */
  set(ref: number, text: string): void {
    this.delete(ref)
    if (text === '') return
    if (!isShortLatin(text)) {
      this.#others.set(ref, text)
      return
    }
    const at = this.#take(ref, text.length)
    const chunk = this.#chunks[at >>> CHUNK_SHIFT]
    const from = (at & CHUNK_MASK) * UNIT_BYTES
    chunk[from] = text.length
    for (let index = 0; index < text.length; index++)
      chunk[from + 1 + index] = text.charCodeAt(index)
  }

  /** Makes the text of a ref blank. */
  delete(ref: number): void {
    const at = this.#places[ref] ?? 0
    if (at === 0) {
      this.#others.delete(ref)
      return
    }
    const length = this.#chunks[at >>> CHUNK_SHIFT][(at & CHUNK_MASK) * UNIT_BYTES]
    const units = unitsOf(length)
    this.#free[units] ??= []
    this.#free[units].push(at)
    this.#places[ref] = 0
  }

  textOf(ref: number): string {
    const at = this.#places[ref] ?? 0
    if (at === 0) return this.#others.get(ref) ?? ''
    const chunk = this.#chunks[at >>> CHUNK_SHIFT]
    const from = (at & CHUNK_MASK) * UNIT_BYTES
    return chunk.toString('latin1', from + 1, from + 1 + chunk[from])
  }

  /** Whether a ref has a text; builds none. */
  has(ref: number, text: string): boolean {
    const at = this.#places[ref] ?? 0
    if (at === 0) return (this.#others.get(ref) ?? '') === text
    const chunk = this.#chunks[at >>> CHUNK_SHIFT]
    const from = (at & CHUNK_MASK) * UNIT_BYTES
    if (chunk[from] !== text.length) return false
    for (let index = 0; index < text.length; index++) {
      if (chunk[from + 1 + index] !== text.charCodeAt(index)) return false
    }
    return true
  }

  /** Returns a place with room for `length` characters. */
  #take(ref: number, length: number): number {
    if (ref >= this.#places.length) this.#places = growColumn(this.#places, ref + 1)
    const units = unitsOf(length)
    const at = this.#free[units]?.pop() ?? this.#append(units)
    this.#places[ref] = at
    return at
  }

  #append(units: number): number {
    // A text lies in one chunk.
    if ((this.#end & CHUNK_MASK) + units > CHUNK_UNITS) {
      this.#end = (this.#end | CHUNK_MASK) + 1
    }
    const at = this.#end
    this.#end += units
    if (at >>> CHUNK_SHIFT === this.#chunks.length) {
      this.#chunks.push(Buffer.allocUnsafeSlow(CHUNK_UNITS * UNIT_BYTES))
    }
    return at
  }
}

function unitsOf(length: number): number {
  return Math.ceil((length + 1) / UNIT_BYTES)
}

function isShortLatin(text: string): boolean {
  if (text.length > LENGTH_MAX) return false
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) >= LATIN_END) return false
  }
  return true
}

/** The hash of a text, begun with a number that may identify whose it is. */
export function hashOfText(start: number, text: string): number {
  let hash = SEED ^ start
  for (let index = 0; index < text.length; index++) hash = mixed(hash, text.charCodeAt(index))
  return finished(hash)
}

function mixed(hash: number, code: number): number {
  const next = Math.imul(hash ^ code, 0x85ebca6b)
  return next ^ (next >>> 15)
}

function finished(hash: number): number {
  const last = Math.imul(hash, 0xc2b2ae35)
  return (last ^ (last >>> 16)) >>> 0
}

/** As Interned, for millions of texts: each has a number from 1 on; 0 is ''. */
export class TextNumbers {
  readonly #texts = new TextColumn()
  readonly #numbers = new RefTables()
  #uses = new Uint32Array(64)
  readonly #free: number[] = []
  #end = 1

  /** The number of a text, counted as one more use of it. */
  take(text: string): number {
    if (text === '') return 0
    const hash = hashOfText(0, text)
    const known = this.#find(hash, text)
    if (known !== 0) return this.takeAgain(known)
    const number = this.#add(hash)
    this.#texts.set(number, text)
    return number
  }

  /** Counts one more use of a number that is in use, and returns it. */
  takeAgain(number: number): number {
    this.#uses[number] += 1
    return number
  }

  release(number: number): void {
    if (number === 0) return
    this.#uses[number] -= 1
    if (this.#uses[number] > 0) return
    this.#numbers.delete(number, hashOfText(0, this.#texts.textOf(number)))
    this.#texts.delete(number)
    this.#free.push(number)
  }

  /** The number of a text in use, 0 when there is none. */
  find(text: string): number {
    return text === '' ? 0 : this.#find(hashOfText(0, text), text)
  }

  /** Whether a number is that of a text; builds none. */
  has(number: number, text: string): boolean {
    return this.#texts.has(number, text)
  }

  textOf(number: number): string {
    return this.#texts.textOf(number)
  }

  #find(hash: number, text: string): number {
    const table = this.#numbers.of(hash)
    const { cells } = table
    for (let at = table.homeOf(hash); cells[at] !== 0; at = table.after(at)) {
      if (cells[at + 1] === hash && this.#texts.has(cells[at], text)) return cells[at]
    }
    return 0
  }

  #add(hash: number): number {
    const number = this.#free.pop() ?? this.#end++
    this.#uses = growColumn(this.#uses, number + 1)
    this.#uses[number] = 1
    this.#numbers.add(number, hash)
    return number
  }
}

/** Texts by small numbers from 1 on, each kept once for as long as someone uses it; 0 is ''. */
export class Interned {
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = ['']
  #uses = new Uint32Array(64)
  readonly #free: number[] = []
  /** Neighbours often share a text: it is then found without a look into the map. */
  #lastText = ''
  #lastNumber = 0

  /** The number of a text, counted as one more use of it. */
  take(text: string): number {
    if (text === '') return 0
    if (text === this.#lastText) {
      this.#uses[this.#lastNumber] += 1
      return this.#lastNumber
    }
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.#free.pop() ?? this.#texts.length
      this.#numbers.set(text, number)
      this.#texts[number] = text
      this.#uses = growColumn(this.#uses, number + 1)
    }
    this.#uses[number] += 1
    this.#lastText = text
    this.#lastNumber = number
    return number
  }

  release(number: number): void {
    if (number === 0) return
    this.#uses[number] -= 1
    if (this.#uses[number] > 0) return
    if (number === this.#lastNumber) {
      this.#lastText = ''
      this.#lastNumber = 0
    }
    this.#numbers.delete(this.#texts[number])
    this.#texts[number] = ''
    this.#free.push(number)
  }

  /** The number of a text in use, 0 when there is none. */
  find(text: string): number {
    return text === this.#lastText ? this.#lastNumber : (this.#numbers.get(text) ?? 0)
  }

  textOf(number: number): string {
    return this.#texts[number]
  }
}
