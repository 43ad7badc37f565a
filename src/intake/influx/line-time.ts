import { isSampleTime, TIME_END } from '../../base/index.ts'
import { MINUS, NINE, ZERO } from './line-bytes.ts'

/** The unit of the times of a body. */
export type Precision = 'auto' | 'ns' | 'us' | 'ms' | 's' | 'm' | 'h'

/** What each name of a precision means; each version of the API takes some of them. */
const NAMES: Readonly<Record<string, Precision>> = {
  auto: 'auto',
  n: 'ns',
  ns: 'ns',
  nanosecond: 'ns',
  u: 'us',
  us: 'us',
  µ: 'us',
  μ: 'us',
  microsecond: 'us',
  ms: 'ms',
  millisecond: 'ms',
  s: 's',
  second: 's',
  m: 'm',
  h: 'h',
}

const V1_NAMES = ['n', 'ns', 'u', 'us', 'µ', 'μ', 'ms', 's', 'm', 'h']
const V2_NAMES = ['ns', 'us', 'ms', 's']
const V3_NAMES = ['auto', 'nanosecond', 'microsecond', 'millisecond', 'second', ...V2_NAMES]

/** The names that each version of the API takes. */
export const PRECISION_NAMES = { v1: V1_NAMES, v2: V2_NAMES, v3: V3_NAMES } as const

/** The precision that a version of the API calls by a name; undefined for another name. */
export function readPrecision(
  version: keyof typeof PRECISION_NAMES,
  name: string,
): Precision | undefined {
  return PRECISION_NAMES[version].includes(name) ? NAMES[name] : undefined
}

/** Digits below a millisecond, and milliseconds of a whole unit. */
const UNITS = {
  ns: { cutDigits: 6, factor: 1 },
  us: { cutDigits: 3, factor: 1 },
  ms: { cutDigits: 0, factor: 1 },
  s: { cutDigits: 0, factor: 1_000 },
  m: { cutDigits: 0, factor: 60_000 },
  h: { cutDigits: 0, factor: 3_600_000 },
} as const

/** Of 64 bits. */
const DIGITS_MAX = 19
/** Of milliseconds from 2001 to 2286. */
const MS_DIGITS = 13
const USUAL_MIN = 1e12
const INT_MAX = 2n ** 63n - 1n

/** Reads the times of lines, one at a time. */
export class LineTime {
  /** Epoch milliseconds; finer digits are cut. */
  time = 0
  /** What was cut. */
  rest = 0
  problem = ''
  readonly #precision: Precision
  /** Digits of a time since 2001, where these reach to the milliseconds; else 0. */
  readonly #usualDigits: number
  #cutDigits = 0
  #factor = 1

  constructor(precision: Precision) {
    this.#precision = precision
    if (precision !== 'auto') this.#use(precision)
    const isFine = precision === 'ms' || precision === 'us' || precision === 'ns'
    this.#usualDigits = isFine ? MS_DIGITS + this.#cutDigits : 0
  }

  /** Reads the digits at a place and tells where they end, or -1. */
  read(view: DataView, from: number, limit: number): number {
    const end = from + this.#usualDigits
    if (end > from && end + 4 <= limit && this.#readUsual(view, from, end)) return end
    return this.#readAny(view, from, limit)
  }

  /** Reads a time since 2001 in milliseconds or finer: 13 digits, and those that are cut. */
  #readUsual(view: DataView, from: number, end: number): boolean {
    const high = usualDigits(view.getInt32(from, true))
    const middle = usualDigits(view.getInt32(from + 4, true))
    const low = usualDigits(view.getInt32(from + 8, true))
    const last = view.getUint8(from + 12) - ZERO
    if ((high | middle | low | last) < 0 || last > 9 || isDigit(view.getUint8(end))) return false
    const time = (high * 10_000 + middle) * 100_000 + (low * 10 + last)
    if (time < USUAL_MIN || time >= TIME_END) return false
    let rest = 0
    for (let at = from + MS_DIGITS; at < end; at += 3) {
      // With the digit before it.
      const three = usualDigits((view.getInt32(at - 1, true) & ~0xff) | ZERO)
      if (three < 0) return false
      rest = rest * 1_000 + three
    }
    this.time = time
    this.rest = rest
    return true
  }

  #readAny(view: DataView, from: number, limit: number): number {
    const isNegative = view.getUint8(from) === MINUS
    let begin = isNegative ? from + 1 : from
    const end = endOfDigits(view, begin, limit)
    if (end === begin) return this.#fail('The time is no whole number')
    while (begin < end - 1 && view.getUint8(begin) === ZERO) begin += 1
    if (end - begin >= DIGITS_MAX && !isShort(view, { begin, end, isNegative })) {
      return this.#fail('The time is beyond 64 bits')
    }
    if (this.#precision === 'auto') this.#use(unitOf(numberAt(view, begin, end)))
    const middle = Math.max(begin, end - this.#cutDigits)
    const whole = numberAt(view, begin, middle) * this.#factor
    const rest = middle === end ? 0 : numberAt(view, middle, end)
    const isBelow = isNegative && rest > 0
    this.time = (isNegative ? -whole : whole) - (isBelow ? 1 : 0) + 0
    this.rest = isNegative ? -rest : rest
    if (isSampleTime(this.time)) return end
    return this.#fail('The time must lie from 1900 to 2261: check the precision')
  }

  #use(unit: keyof typeof UNITS): void {
    this.#cutDigits = UNITS[unit].cutDigits
    this.#factor = UNITS[unit].factor
  }

  #fail(problem: string): number {
    this.problem = problem
    return -1
  }
}

function unitOf(size: number): keyof typeof UNITS {
  if (size < 5e9) return 's'
  if (size < 5e12) return 'ms'
  return size < 5e15 ? 'us' : 'ns'
}

/** Whether a number of 19 or more digits, the first not 0, fits into 64 bits. */
function isShort(
  view: DataView,
  { begin, end, isNegative }: { begin: number; end: number; isNegative: boolean },
): boolean {
  if (end - begin > DIGITS_MAX) return false
  if (view.getUint8(begin) !== NINE) return true
  const digits = Array.from({ length: end - begin }, (_, at) => view.getUint8(begin + at) - ZERO)
  return BigInt(digits.join('')) <= INT_MAX + (isNegative ? 1n : 0n)
}

function endOfDigits(view: DataView, from: number, limit: number): number {
  let at = from
  while (at + 4 <= limit && areDigits(view.getInt32(at, true))) at += 4
  while (at < limit && isDigit(view.getUint8(at))) at += 1
  return at
}

/** The number that the digits at from ≤ index < until are. */
function numberAt(view: DataView, from: number, until: number): number {
  let value = 0
  let at = from
  for (; at + 4 <= until; at += 4) value = value * 10_000 + fourDigits(view.getInt32(at, true))
  for (; at < until; at++) value = value * 10 + (view.getUint8(at) - ZERO)
  return value
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE
}

/** Whether each of four bytes is a digit: from there, 6 more do not reach the next half byte. */
function areDigits(word: number): boolean {
  const digits = word ^ 0x30303030
  return ((digits | (digits + 0x06060606)) & 0xf0f0f0f0) === 0
}

/** The number that four digits are, -1 where one is none. */
function usualDigits(word: number): number {
  return areDigits(word) ? fourDigits(word) : -1
}

/** The number that four digits are, the first in the lowest byte: pairs first, then both. */
function fourDigits(word: number): number {
  const digits = word & 0x0f0f0f0f
  const pairs = (digits * 10 + (digits >>> 8)) & 0x00ff00ff
  return (pairs & 0xff) * 100 + (pairs >>> 16)
}
