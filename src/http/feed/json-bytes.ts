import { showNumber } from '../../feed/index.ts'

const BYTES_MIN = 1024
/** The longest a number is in JSON: "-1.2345678901234567e-308" and some room. */
const NUMBER_BYTES_MAX = 32
const ZERO = 0x30
const MINUS = 0x2d
const DOT = 0x2e

/** Below it a whole number has at most 15 digits, so that decimals scale to it exactly. */
const EXACT_BELOW = 1e15

const SCALES = [1, 10, 100, 1000] as const
const PART = 1e8
const PART_DIGITS = 8
/** Up to here a loop copies faster than the built-in. */
const SHORT_BYTES = 48

const TENS = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + Math.floor(pair / 10))
const ONES = Uint8Array.from({ length: 100 }, (_, pair) => ZERO + (pair % 10))

function digitCount(value: number): number {
  let count = 1
  for (let limit = 10; limit <= value; limit *= 10) count += 1
  return count
}

/** A size times 10 to the power of `places`. Returns -1 when that is no exact whole number. */
function scaledDecimal(size: number, places: number): number {
  const scaled = Math.round(size * SCALES[places])
  return scaled < EXACT_BELOW && scaled / SCALES[places] === size ? scaled : -1
}

/** The fewest places that show a size exactly; 0 when no few do. */
function placesOf(size: number): number {
  for (let places = 0; places < SCALES.length; places++) {
    if (scaledDecimal(size, places) >= 0) return places
  }
  return 0
}

/** JSON written into one growing buffer, without a string or an object per value. */
export class JsonBytes {
  #bytes: Buffer
  /** Number of bytes written. A caller that has reserved room may write there and move it. */
  length = 0
  #places = 0

  constructor(capacityBytes = BYTES_MIN) {
    this.#bytes = Buffer.allocUnsafe(Math.max(BYTES_MIN, capacityBytes))
  }

  /** What was written; valid until the next write. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }

  /** Adds bytes that are JSON already. */
  raw(bytes: Uint8Array): void {
    const { length } = bytes
    this.reserve(length)
    // A call of set() costs more than copying the few bytes of a key.
    if (length > SHORT_BYTES) this.#bytes.set(bytes, this.length)
    else for (let at = 0; at < length; at++) this.#bytes[this.length + at] = bytes[at]
    this.length += length
  }

  /** Adds one ASCII character. */
  byte(code: number): void {
    this.reserve(1)
    this.#bytes[this.length++] = code
  }

  /** Adds a text as a JSON string. */
  text(value: string): void {
    const json = JSON.stringify(value)
    const most = json.length * 3
    this.reserve(this.length + most <= this.#bytes.length ? most : Buffer.byteLength(json))
    this.length += this.#bytes.write(json, this.length)
  }

  /**
   * Adds a number with the fewest digits that read back as the same double. Decimals of up to three
   * places and 15 digits in all are written digit by digit: two decimals that short never share a
   * double, so theirs is the shortest form.
   */
  number(value: number): void {
    this.reserve(NUMBER_BYTES_MAX)
    const size = Math.abs(value)
    if (size < EXACT_BELOW && size >= 1e-3) {
      // Neighbours mostly have as many decimals as the last one.
      let scaled = scaledDecimal(size, this.#places)
      if (scaled < 0) {
        this.#places = placesOf(size)
        scaled = scaledDecimal(size, this.#places)
      }
      if (scaled >= 0) {
        if (value < 0) this.#bytes[this.length++] = MINUS
        this.#decimal(scaled, this.#places)
        return
      }
    }
    this.length += this.#bytes.write(showNumber(value), this.length, 'latin1')
  }

  /** Adds a whole number below 10¹⁵ in size, such as a time. */
  whole(value: number): void {
    this.reserve(NUMBER_BYTES_MAX)
    if (value < 0) this.#bytes[this.length++] = MINUS
    this.#decimal(Math.abs(value), 0)
  }

  /** Writes a whole number below 10¹⁵ with its last digits behind a dot, without zeros at the end. */
  #decimal(scaled: number, places: number): void {
    let whole = scaled
    let fraction = 0
    if (places > 0) {
      whole = Math.floor(scaled / SCALES[places])
      fraction = scaled - whole * SCALES[places]
    }
    // In two parts that fit the machine's integers, which are divided many times faster.
    const high = Math.floor(whole / PART)
    if (high > 0) {
      this.#digits(high, digitCount(high))
      this.#digits(whole - high * PART, PART_DIGITS)
    } else {
      this.#digits(whole, digitCount(whole))
    }
    if (fraction === 0) return
    let left = places
    while (fraction % 10 === 0) {
      fraction = (fraction / 10) | 0
      left -= 1
    }
    this.#bytes[this.length++] = DOT
    this.#digits(fraction, left)
  }

  #digits(value: number, count: number): void {
    const bytes = this.#bytes
    const start = this.length
    let rest = value | 0
    let at = start + count - 1
    // Two digits a division.
    for (; at > start; at -= 2) {
      const next = (rest / 100) | 0
      const pair = rest - next * 100
      bytes[at] = ONES[pair]
      bytes[at - 1] = TENS[pair]
      rest = next
    }
    if (at === start) bytes[at] = ZERO + (rest % 10)
    this.length = start + count
  }

  /** Makes room for `bytes` more bytes. Returns the whole buffer, valid until the next write. */
  reserve(bytes: number): Buffer {
    if (this.length + bytes <= this.#bytes.length) return this.#bytes
    const wider = Buffer.allocUnsafe((this.#bytes.length + bytes) * 2)
    this.#bytes.copy(wider, 0, 0, this.length)
    this.#bytes = wider
    return wider
  }
}
