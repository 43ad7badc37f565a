/** The texts of rows as bytes: a fleet that signs on writes so many that strings put together would be most of its time. */
import { addToCrc } from './crc-bytes.ts'

/** Most rows; longer ones make it longer. */
const FIRST_BYTES = 4_096
const DIGIT_0 = 48
const LETTER_A = 97
/** Longer whole numbers are not exact. */
const DIGITS_MAX = 16
/** Of long numbers the last digits are written by themselves: whole numbers of 32 bits are divided faster. */
const HIGH_DIGITS = 8
const HIGH = 10 ** HIGH_DIGITS

/** A text that is written again and again. */
export interface RowPiece {
  readonly bytes: Uint8Array
  readonly isAscii: boolean
}

/** The piece of a text. */
export function pieceOf(text: string): RowPiece {
  const bytes = Buffer.from(text)
  return { bytes, isAscii: bytes.length === text.length }
}

/** Gathers the UTF-8 of texts in memory that is used for one row after the other. */
export class RowBytes {
  #bytes = Buffer.alloc(FIRST_BYTES)
  #at = 0
  #isAscii = true

  /** Where the next byte goes. */
  get at(): number {
    return this.#at
  }

  /** Begins anew. */
  clear(): void {
    this.#at = 0
    this.#isAscii = true
  }

  addPiece({ bytes, isAscii }: RowPiece): void {
    this.addAscii(bytes, 0, bytes.length)
    if (!isAscii) this.#isAscii = false
  }

  /** Adds a stretch of other bytes, each a character. */
  addAscii(from: Uint8Array, start: number, end: number): void {
    this.#makeRoom(end - start)
    const bytes = this.#bytes
    let at = this.#at
    for (let next = start; next < end; next++) bytes[at++] = from[next]
    this.#at = at
  }

  addText(text: string): void {
    this.#makeRoom(text.length * 3)
    const written = this.#bytes.write(text, this.#at)
    if (written !== text.length) this.#isAscii = false
    this.#at += written
  }

  /** Adds one character by its code. */
  addCode(code: number): void {
    this.#makeRoom(1)
    this.#bytes[this.#at++] = code
  }

  /** Adds the digits of a whole number that is not below zero. */
  addNumber(number: number): void {
    this.#makeRoom(DIGITS_MAX)
    const high = Math.floor(number / HIGH)
    if (high > 0) this.#addDigits(high, digitsOf(high))
    const low = number - high * HIGH
    this.#addDigits(low, high > 0 ? HIGH_DIGITS : digitsOf(low))
  }

  /** Adds so many digits of a number that has no more. */
  #addDigits(number: number, count: number): void {
    const bytes = this.#bytes
    let left = number | 0
    for (let at = this.#at + count - 1; at >= this.#at; at--) {
      const shorter = (left / 10) | 0
      bytes[at] = DIGIT_0 + left - shorter * 10
      left = shorter
    }
    this.#at += count
  }

  /** Leaves room for bytes that are set later. */
  skip(count: number): void {
    this.#makeRoom(count)
    this.#at += count
  }

  /** Sets the eight hex digits of a number at a place that was skipped. */
  setHex(at: number, number: number): void {
    const bytes = this.#bytes
    for (let digit = 0; digit < 8; digit++) {
      const value = (number >>> (28 - digit * 4)) & 15
      bytes[at + digit] = value < 10 ? DIGIT_0 + value : LETTER_A + value - 10
    }
  }

  /** The state of a checksum after a stretch more. */
  addToCrc(state: number, from: number, until: number): number {
    return addToCrc(state, this.#bytes, from, until)
  }

  /** The bytes of a stretch, to be kept. */
  copy(from: number, until: number): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, from, until)
  }

  text(from: number, until: number): string {
    return this.#bytes.toString(this.#isAscii ? 'latin1' : 'utf8', from, until)
  }

  #makeRoom(count: number): void {
    if (this.#at + count <= this.#bytes.length) return
    const longer = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#at + count))
    this.#bytes.copy(longer, 0, 0, this.#at)
    this.#bytes = longer
  }
}

function digitsOf(number: number): number {
  let count = 1
  for (let end = 10; number >= end; end *= 10) count += 1
  return count
}
