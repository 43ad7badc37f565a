import { isSampleTime } from '../../base/index.ts'
import { MINUS, ZERO } from './line-bytes.ts'

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

/** Digits below a millisecond. */
const CUT_DIGITS: Readonly<Record<Precision, number>> = {
  auto: 6,
  ns: 6,
  us: 3,
  ms: 0,
  s: 0,
  m: 0,
  h: 0,
}

const FACTORS: Readonly<Record<Precision, number>> = {
  auto: 1,
  ns: 1,
  us: 1,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

/** Of 64 bits. */
const DIGITS_MAX = 19
const INT_MAX = 2n ** 63n - 1n

/** Reads the times of lines, one at a time. */
export class LineTime {
  /** Epoch milliseconds; finer digits are cut. */
  time = 0
  /** What was cut. */
  rest = 0
  problem = ''
  readonly #precision: Precision

  constructor(precision: Precision) {
    this.#precision = precision
  }

  /** Reads the digits at a place and tells where they end, or -1. */
  read(bytes: Buffer, from: number, limit: number): number {
    const isNegative = bytes[from] === MINUS
    let begin = isNegative ? from + 1 : from
    let end = begin
    while (end < limit && bytes[end] - ZERO >= 0 && bytes[end] - ZERO <= 9) end += 1
    if (end === begin) return this.#fail('The time is no whole number')
    while (begin < end - 1 && bytes[begin] === ZERO) begin += 1
    if (end - begin > DIGITS_MAX) return this.#fail('The time is beyond 64 bits')
    if (end - begin === DIGITS_MAX && bytes[begin] === ZERO + 9) {
      const value = BigInt(bytes.toString('latin1', begin, end))
      if (value > INT_MAX + (isNegative ? 1n : 0n)) return this.#fail('The time is beyond 64 bits')
    }
    const precision = this.#precisionOf(bytes, begin, end)
    const middle = Math.max(begin, end - CUT_DIGITS[precision])
    const whole = numberAt(bytes, begin, middle) * FACTORS[precision]
    const rest = numberAt(bytes, middle, end)
    const isBelow = isNegative && rest > 0
    this.time = (isNegative ? -whole : whole) - (isBelow ? 1 : 0) + 0
    this.rest = isNegative ? -rest : rest
    if (isSampleTime(this.time)) return end
    return this.#fail('The time must lie from 1900 to 2261: check the precision')
  }

  #precisionOf(bytes: Buffer, begin: number, end: number): Precision {
    if (this.#precision !== 'auto') return this.#precision
    const size = numberAt(bytes, begin, end)
    if (size < 5e9) return 's'
    if (size < 5e12) return 'ms'
    return size < 5e15 ? 'us' : 'ns'
  }

  #fail(problem: string): number {
    this.problem = problem
    return -1
  }
}

function numberAt(bytes: Buffer, from: number, until: number): number {
  let value = 0
  for (let at = from; at < until; at++) value = value * 10 + (bytes[at] - ZERO)
  return value
}
