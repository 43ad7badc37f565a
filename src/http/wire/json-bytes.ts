import { showNumber } from '../../feed/index.ts'

const BYTES_MIN = 1024
/** The longest a number is in JSON: "-1.2345678901234567e-308" and some room. */
const NUMBER_BYTES_MAX = 32
const ZERO = 0x30
const MINUS = 0x2d
const DOT = 0x2e

/** Below it a whole number has at most 15 digits, so that decimals scale to it exactly. */
const EXACT_BELOW = 1e15

/** JSON written into one growing buffer, without a string or an object per value. */
export class JsonBytes {
  #bytes: Buffer
  #length = 0

  constructor(capacityBytes = BYTES_MIN) {
    this.#bytes = Buffer.allocUnsafe(Math.max(BYTES_MIN, capacityBytes))
  }

  /** What was written; valid until the next write. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Adds bytes that are JSON already. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Adds one ASCII character. */
  byte(code: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = code
  }

  /** Adds a text as a JSON string. */
  text(value: string): void {
    const json = JSON.stringify(value)
    this.#reserve(json.length * 3)
    this.#length += this.#bytes.write(json, this.#length)
  }

  /**
   * Adds a number with the fewest digits that read back as the same double. Decimals of up to three
   * places and 15 digits in all are written digit by digit: two decimals that short never share a
   * double, so theirs is the shortest form.
   */
  number(value: number): void {
    this.#reserve(NUMBER_BYTES_MAX)
    const size = Math.abs(value)
    if (size < EXACT_BELOW && size >= 1e-3) {
      for (let places = 0, scale = 1; places <= 3; places++, scale *= 10) {
        const scaled = Math.round(size * scale)
        if (scaled >= EXACT_BELOW) break
        if (scaled / scale === size) {
          this.#decimal(scaled, places, value < 0)
          return
        }
      }
    }
    this.#length += this.#bytes.write(showNumber(value), this.#length, 'latin1')
  }

  #decimal(scaled: number, places: number, isNegative: boolean): void {
    const bytes = this.#bytes
    if (isNegative) bytes[this.#length++] = MINUS
    let digits = 1
    for (let limit = 10; limit <= scaled; limit *= 10) digits += 1
    if (digits <= places) digits = places + 1
    const end = this.#length + digits + (places > 0 ? 1 : 0)
    let at = end
    let high = Math.floor(scaled / 1e7)
    let low = scaled - high * 1e7
    for (let index = 0; index < digits; index++) {
      if (index === 7) {
        low = high % 1e7
        high = Math.floor(high / 1e7)
      }
      if (index === 14) low = high
      if (places > 0 && index === places) bytes[--at] = DOT
      const rest = (low / 10) | 0
      bytes[--at] = ZERO + (low - rest * 10)
      low = rest
    }
    this.#length = end
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const wider = Buffer.allocUnsafe((this.#bytes.length + bytes) * 2)
    this.#bytes.copy(wider, 0, 0, this.#length)
    this.#bytes = wider
  }
}
