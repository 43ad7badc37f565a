import { randomInt } from 'node:crypto'
import { growColumn } from '../../base/index.ts'

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
 * Short texts by ref, a byte a character behind a byte that tells how many there are: a quarter of what strings
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

  /** Makes room for so many at once. */
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

  /** As set, with the characters of a text of ASCII only. */
  setBytes(ref: number, bytes: Buffer, from: number, until: number): void {
    const length = until - from
    if (length === 0 || length > LENGTH_MAX) {
      this.set(ref, bytes.toString('latin1', from, until))
      return
    }
    this.delete(ref)
    const at = this.#take(ref, length)
    const chunk = this.#chunks[at >>> CHUNK_SHIFT]
    let to = (at & CHUNK_MASK) * UNIT_BYTES
    chunk[to++] = length
    for (let index = from; index < until; index++) chunk[to++] = bytes[index]
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

  /** As has, for the characters of a text of ASCII only. */
  hasBytes(ref: number, bytes: Buffer, from: number, until: number): boolean {
    const at = this.#places[ref] ?? 0
    if (at === 0) return this.has(ref, bytes.toString('latin1', from, until))
    const chunk = this.#chunks[at >>> CHUNK_SHIFT]
    const own = (at & CHUNK_MASK) * UNIT_BYTES
    if (chunk[own] !== until - from) return false
    for (let index = 0; index < until - from; index++) {
      if (chunk[own + 1 + index] !== bytes[from + index]) return false
    }
    return true
  }

  /** A place with room for so many characters. */
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

/** The hash of a text, begun with a number that may tell apart whose it is. */
export function hashOfText(start: number, text: string): number {
  let hash = SEED ^ start
  for (let index = 0; index < text.length; index++) hash = mixed(hash, text.charCodeAt(index))
  return finished(hash)
}

/** The same hash, of the characters of a text of ASCII only. */
export function hashOfBytes(start: number, bytes: Uint8Array, from: number, until: number): number {
  let hash = SEED ^ start
  for (let index = from; index < until; index++) hash = mixed(hash, bytes[index])
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
