import { isUtf8 } from 'node:buffer'
import { TEXT_LENGTH_MAX } from '../../base/index.ts'
import { VALUE_FALSE, VALUE_NUMBER, VALUE_TEXT, VALUE_TRUE } from '../../feed/index.ts'
import { nearestDouble } from '../json/nearest-double.ts'
import { parseGoFloat, parseGoInteger } from './go-number.ts'
import { BACKSLASH, BYTE_SETS, DOT, ENDS_VALUE, MINUS, NINE, QUOTE, ZERO } from './line-bytes.ts'

/** Digits of one 32-bit integer. */
const SHORT_DIGITS = 9
/** Two of them hold what a double needs. */
const LONG_DIGITS = 18
/** Whole numbers up to this many digits are exact as doubles. */
const EXACT_DIGITS = 15

const POWERS_OF_TEN = Float64Array.from(
  { length: SHORT_DIGITS + 1 },
  (_, exponent) => 10 ** exponent,
)

/** In the place of a digit, behind the end. */
const NONE = -1

const LETTER_I = 0x69
const LETTER_U = 0x75

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['t', 'T', 'true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['f', 'F', 'false', 'False', 'FALSE'].map((word) => [word, false] as const),
])

/** What stands for another byte after a backslash in a quoted text. */
const TEXT_ESCAPES: Readonly<Record<number, number>> = {
  [BACKSLASH]: BACKSLASH,
  [QUOTE]: QUOTE,
  110: 0x0a,
  114: 0x0d,
  116: 0x09,
}

/** A UTF-16 unit takes at most three bytes. */
const TEXT_BYTES_MAX = 3 * TEXT_LENGTH_MAX

/** Reads the values of fields, one at a time. */
export class FieldValue {
  kind = VALUE_NUMBER
  number = 0
  text: string | undefined
  /** Whether the value is a whole number that no double is. */
  losesDigits = false
  /** Why the value could not be read. */
  problem = ''
  /** Where reading has stopped at a problem. */
  stoppedAt = 0

  /** Reads the value at a place and returns its end, or -1. */
  read(bytes: Buffer, from: number, limit: number): number {
    const first = bytes[from]
    if (first === QUOTE) return this.#readText(bytes, from + 1, limit)
    const isNumber = (first >= ZERO && first <= NINE) || first === MINUS || first === DOT
    return isNumber ? this.#readNumber(bytes, from, limit) : this.#readBoolean(bytes, from, limit)
  }

  /** Up to nine digits with a dot among them, which most values of sensors are. */
  #readNumber(bytes: Buffer, from: number, limit: number): number {
    const isNegative = bytes[from] === MINUS
    const begin = isNegative ? from + 1 : from
    const shortEnd = Math.min(limit - 1, begin + SHORT_DIGITS)
    let at = begin
    let mantissa = 0
    let digit = bytes[at] - ZERO
    while (digit >>> 0 <= 9 && at < shortEnd) {
      mantissa = (Math.imul(mantissa, 10) + digit) | 0
      at += 1
      digit = bytes[at] - ZERO
    }
    let decimals = 0
    if (digit === DOT - ZERO && at > begin && at < shortEnd) {
      at += 1
      const fraction = at
      digit = bytes[at] - ZERO
      while (digit >>> 0 <= 9 && at <= shortEnd) {
        mantissa = (Math.imul(mantissa, 10) + digit) | 0
        at += 1
        digit = bytes[at] - ZERO
      }
      decimals = at - fraction
    }
    const isEnd = at < limit && at > begin && (BYTE_SETS[bytes[at]] & ENDS_VALUE) !== 0
    if (!isEnd) return this.#readAnyNumber(bytes, from, limit)
    const value = decimals === 0 ? mantissa : mantissa / POWERS_OF_TEN[decimals]
    this.#setNumber(isNegative ? -value : value)
    return at
  }

  /** Up to 18 digits; others by their text. */
  #readAnyNumber(bytes: Buffer, from: number, limit: number): number {
    const isNegative = bytes[from] === MINUS
    let at = isNegative ? from + 1 : from
    const begin = at
    let high = 0
    let low = 0
    let digits = 0
    let digit = at < limit ? bytes[at] - ZERO : NONE
    while (digit >= 0 && digit <= 9) {
      if (digits < SHORT_DIGITS) high = (Math.imul(high, 10) + digit) | 0
      else low = (Math.imul(low, 10) + digit) | 0
      digits += 1
      at += 1
      if (digits > LONG_DIGITS) return this.#readLong(bytes, from, limit)
      digit = at < limit ? bytes[at] - ZERO : NONE
    }
    let decimals = 0
    if (at < limit && bytes[at] === DOT) {
      at += 1
      const fraction = at
      digit = at < limit ? bytes[at] - ZERO : NONE
      while (digit >= 0 && digit <= 9) {
        if (digits < SHORT_DIGITS) high = (Math.imul(high, 10) + digit) | 0
        else low = (Math.imul(low, 10) + digit) | 0
        digits += 1
        at += 1
        if (digits > LONG_DIGITS) return this.#readLong(bytes, from, limit)
        digit = at < limit ? bytes[at] - ZERO : NONE
      }
      decimals = at - fraction
    } else if (at < limit && bytes[at] === LETTER_I && digits > 0 && digits <= EXACT_DIGITS) {
      if (at + 1 === limit || (BYTE_SETS[bytes[at + 1]] & ENDS_VALUE) !== 0) {
        const lowDigits = Math.max(0, digits - SHORT_DIGITS)
        const value = nearestDouble(high, low, lowDigits, 0)
        this.#setNumber(isNegative && value !== 0 ? -value : value)
        return at + 1
      }
    }
    const isEnd = at === limit || (BYTE_SETS[bytes[at]] & ENDS_VALUE) !== 0
    if (!isEnd || digits === 0 || at === begin) return this.#readLong(bytes, from, limit)
    const value = nearestDouble(high, low, Math.max(0, digits - SHORT_DIGITS), -decimals)
    if (Number.isNaN(value)) return this.#readLong(bytes, from, limit)
    this.#setNumber(isNegative ? -value : value)
    return at
  }

  #setNumber(value: number): void {
    this.kind = VALUE_NUMBER
    this.number = value
    this.text = undefined
    this.losesDigits = false
  }

  #readLong(bytes: Buffer, from: number, limit: number): number {
    const end = endOfValue(bytes, from, limit)
    const last = bytes[end - 1]
    if (last === LETTER_I || last === LETTER_U) {
      const text = bytes.toString('latin1', from, end - 1)
      const whole = parseGoInteger(text, last === LETTER_U)
      if (whole === undefined) {
        return this.#fail(end, `${shownValue(bytes, from, end)} is no integer of 64 bits`)
      }
      this.#setNumber(Number(whole))
      this.losesDigits = BigInt(this.number) !== whole
      return end
    }
    const value = parseGoFloat(bytes.toString('latin1', from, end))
    if (Number.isNaN(value)) {
      return this.#fail(end, `${shownValue(bytes, from, end)} is no number that a double can hold`)
    }
    this.#setNumber(value)
    return end
  }

  #readBoolean(bytes: Buffer, from: number, limit: number): number {
    const end = endOfValue(bytes, from, limit)
    const value = end - from > 5 ? undefined : BOOLEANS.get(bytes.toString('latin1', from, end))
    if (value === undefined) {
      const what = `${shownValue(bytes, from, end)} is no value: write a number, true, false, or "text"`
      return this.#fail(end, what)
    }
    this.kind = value ? VALUE_TRUE : VALUE_FALSE
    this.number = 0
    this.text = undefined
    this.losesDigits = false
    return end
  }

  #readText(bytes: Buffer, from: number, limit: number): number {
    let end = from
    let escapes = 0
    while (end < limit && bytes[end] !== QUOTE) {
      const isEscape = bytes[end] === BACKSLASH && TEXT_ESCAPES[bytes[end + 1]] !== undefined
      if (isEscape && end + 1 < limit) {
        escapes += 1
        end += 2
      } else {
        end += 1
      }
    }
    if (end >= limit) return this.#fail(limit, 'A text in quotes does not end')
    if (end - from > TEXT_BYTES_MAX) {
      return this.#fail(end, `A text may have ${TEXT_LENGTH_MAX} characters`)
    }
    const raw = escapes === 0 ? bytes.subarray(from, end) : unescapedText(bytes, from, end)
    if (!isUtf8(raw)) return this.#fail(end, 'A text is not UTF-8')
    this.kind = VALUE_TEXT
    this.number = 0
    this.text = raw.toString('utf8')
    this.losesDigits = false
    return end + 1
  }

  #fail(at: number, problem: string): number {
    this.problem = problem
    this.stoppedAt = at
    return -1
  }
}

function endOfValue(bytes: Buffer, from: number, limit: number): number {
  let at = from
  while (at < limit && (BYTE_SETS[bytes[at]] & ENDS_VALUE) === 0) at += 1
  return at
}

function shownValue(bytes: Buffer, from: number, end: number): string {
  return JSON.stringify(bytes.toString('utf8', from, Math.min(end, from + 60)))
}

function unescapedText(bytes: Buffer, from: number, end: number): Buffer {
  const result = Buffer.alloc(end - from)
  let length = 0
  for (let at = from; at < end; at++) {
    const escaped = bytes[at] === BACKSLASH ? TEXT_ESCAPES[bytes[at + 1]] : undefined
    if (escaped !== undefined) at += 1
    result[length++] = escaped ?? bytes[at]
  }
  return result.subarray(0, length)
}
