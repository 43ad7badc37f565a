import type { PackedId } from '../../../catalog-port.ts'

const QUOTE = 34
const COMMA = 44
const MINUS = 45
const DIGIT_0 = 48
const BACKSLASH = 92
const ASCII_END = 128

/** A text among the values of a row: as bytes where these are its characters. */
class ValueText implements PackedId {
  text: string | undefined
  bytes: Buffer = Buffer.alloc(0)
  from = 0
  until = 0
}

/**
 * Reads the values of a packed row from the bytes of its JSON, a flat array of whole numbers and texts, one after the
 * other and without an object for any. Only for bytes that have been checked.
 */
export class PackedValues {
  /** The text that readText() has read. */
  readonly found = new ValueText()
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0

  /** Begins with the values of the array that a stretch of bytes is. */
  open(bytes: Buffer, from: number, until: number): void {
    this.#bytes = bytes
    this.found.bytes = bytes
    // Behind every value stands one more byte: a comma or the bracket at the end.
    this.#at = from + 1
    this.#end = until - 1
  }

  get hasMore(): boolean {
    return this.#at < this.#end
  }

  number(): number {
    const bytes = this.#bytes
    let at = this.#at
    const isNegative = bytes[at] === MINUS
    if (isNegative) at += 1
    let number = 0
    for (; at < this.#end && bytes[at] !== COMMA; at++) number = number * 10 + bytes[at] - DIGIT_0
    this.#at = at + 1
    return isNegative ? -number : number
  }

  /** Passes over a number. */
  skip(): void {
    const bytes = this.#bytes
    let at = this.#at
    while (at < this.#end && bytes[at] !== COMMA) at += 1
    this.#at = at + 1
  }

  /** Reads a text into `found`. */
  readText(): void {
    const { found } = this
    const bytes = this.#bytes
    const from = this.#at + 1
    let isPlain = true
    let at = from
    for (; at < this.#end && bytes[at] !== QUOTE; at++) {
      if (bytes[at] === BACKSLASH) {
        isPlain = false
        at += 1
      } else if (bytes[at] >= ASCII_END) {
        isPlain = false
      }
    }
    this.#at = at + 2
    found.from = from
    found.until = at
    found.text = isPlain ? undefined : JSON.parse(bytes.toString('utf8', from - 1, at + 1))
  }

  /** Reads a text as one. */
  text(): string {
    this.readText()
    const { text, from, until } = this.found
    return text ?? this.#bytes.toString('latin1', from, until)
  }

  /** Reads a text of ten hex digits as two numbers, of the first eight and of the last two. */
  readTail(tail: { first: number; last: number }): void {
    const from = this.#at + 1
    tail.first = hexIn(this.#bytes, from, from + 8)
    tail.last = hexIn(this.#bytes, from + 8, from + 10)
    this.readText()
  }
}

/** Up to eight lower-case hex digits as a number. */
export function hexIn(bytes: Uint8Array, from: number, until: number): number {
  let number = 0
  for (let at = from; at < until; at++) {
    // Letters have bit 6; a branch here would be taken as often as not.
    number = (number << 4) | ((bytes[at] & 15) + 9 * (bytes[at] >>> 6))
  }
  return number >>> 0
}
