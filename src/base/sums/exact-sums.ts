import { exponentAbove, powerOf2 } from './double-bits.ts'
import { productError, roundedQuotient } from './error-free.ts'
import { WideSum } from './wide-sum.ts'

/** Most values that two accumulators can add before one of them could round. */
const BLOCK_VALUES_MAX = 4_096
/** Outside these exponents the constants of the accumulators would overflow or underflow; the slow path is used. */
const BLOCK_EXPONENT_MAX = 1_000
const BLOCK_EXPONENT_MIN = -900
/** A pair whose head stays below this cannot overflow by one more value. */
const PAIR_MAX = 2 ** 1_000
/** Factors and divisors are whole numbers below 2⁵³, so products of these neither overflow nor vanish. */
const PRODUCT_MAX = 2 ** 900
const PRODUCT_MIN = 2 ** -900

/**
 * A column of exact sums. A statistic must have the same bits live, sealed, after a restart, and for any division of
 * its samples into chunks. Compensated sums do not guarantee that; only sums that round once at the end do.
 *
 * 106 bits nearly always hold the exact sum; a year of two-decimal sensors needs about 76. So a sum is a pair of
 * doubles kept by error-free addition. When the error of an addition would not fit, the sum continues in a fixed-point
 * sum over the whole range of doubles. Zero is always +0.
 */
export class ExactSums {
  readonly #head: Float64Array
  readonly #tail: Float64Array
  /** Only for the few sums that a pair cannot hold. */
  #wide: Map<number, WideSum> | undefined

  /** Two columns of the same length, filled with zeros, for the pairs. */
  constructor(head: Float64Array, tail: Float64Array) {
    this.#head = head
    this.#tail = tail
  }

  /** Sets the first sums to zero. */
  clear(length: number): void {
    this.#head.fill(0, 0, length)
    this.#tail.fill(0, 0, length)
    this.#wide = undefined
  }

  /** Adds one value exactly. */
  add(index: number, value: number): void {
    const head = this.#head[index]
    const tail = this.#tail[index]
    const sum = head + value
    const sumBack = sum - head
    const error = head - (sum - sumBack) + (value - sumBack)
    const rest = tail + error
    const restBack = rest - tail
    const lost = tail - (rest - restBack) + (error - restBack)
    if (lost !== 0 || !(Math.abs(sum) < PAIR_MAX)) {
      this.#wideOf(index).add(value)
      return
    }
    const newHead = sum + rest
    const back = newHead - sum
    this.#head[index] = newHead
    this.#tail[index] = sum - (newHead - back) + (rest - back)
  }

  /** Adds numbers[start ≤ i < end] exactly; magnitudeMax is the largest of their magnitudes. */
  addRange(
    index: number,
    numbers: Float64Array,
    range: { readonly start: number; readonly end: number; readonly magnitudeMax: number },
  ): void {
    if (range.magnitudeMax === 0) return
    const exponent = exponentAbove(range.magnitudeMax)
    if (exponent > BLOCK_EXPONENT_MAX || exponent < BLOCK_EXPONENT_MIN) {
      for (let at = range.start; at < range.end; at++) this.add(index, numbers[at])
      return
    }
    for (let start = range.start; start < range.end; start += BLOCK_VALUES_MAX) {
      this.#addBlock(index, numbers, {
        start,
        end: Math.min(start + BLOCK_VALUES_MAX, range.end),
        exponent,
      })
    }
  }

  /**
   * Each value is cut into a multiple of 2^(exponent - 40) and a rest that is a multiple of
   * 2^(exponent - 80); 4,096 of either add up without rounding. Adding and subtracting 1.5 · 2^52
   * units rounds to that unit. What is left below, of values 2²⁸ times smaller than the largest, is
   * added one by one.
   */
  #addBlock(
    index: number,
    numbers: Float64Array,
    block: { readonly start: number; readonly end: number; readonly exponent: number },
  ): void {
    const cutHigh = 1.5 * powerOf2(block.exponent - 40 + 52)
    const cutLow = 1.5 * powerOf2(block.exponent - 80 + 52)
    let highSum = 0
    let lowSum = 0
    for (let at = block.start; at < block.end; at++) {
      const value = numbers[at]
      const high = value + cutHigh - cutHigh
      const rest = value - high
      const low = rest + cutLow - cutLow
      const below = rest - low
      highSum += high
      lowSum += low
      if (below !== 0) this.add(index, below)
    }
    this.add(index, highSum)
    this.add(index, lowSum)
  }

  /** Adds value · factor exactly; the factor is a whole number from 0 to 2⁵³. */
  addProduct(index: number, value: number, factor: number): void {
    const magnitude = Math.abs(value)
    if (magnitude < PRODUCT_MAX && magnitude > PRODUCT_MIN) {
      const product = value * factor
      this.add(index, product)
      this.add(index, productError(value, factor, product))
    } else if (value !== 0) {
      this.#wideOf(index).addProduct(value, factor)
    }
  }

  /** Adds the sum at an index of another column exactly. */
  addSum(index: number, other: ExactSums, otherIndex: number): void {
    this.add(index, other.#head[otherIndex])
    this.add(index, other.#tail[otherIndex])
    const wide = other.#wide?.get(otherIndex)
    if (wide !== undefined) this.#wideOf(index).addSum(wide)
  }

  /** The exact sum rounded once; infinite when it is beyond the doubles. */
  value(index: number): number {
    if (this.#wide?.has(index) !== true) return this.#head[index] + this.#tail[index]
    return this.#total(index).round()
  }

  /**
   * The exact sum over a whole number from 1 to 2⁵³, rounded once: a mean never leaves the range of
   * its values, and has a value where the sum is beyond the doubles.
   */
  quotient(index: number, divisor: number): number {
    const head = this.#head[index]
    if (this.#wide?.has(index) !== true) {
      if (divisor === 1 || head === 0) return head
      const magnitude = Math.abs(head)
      if (magnitude < PRODUCT_MAX && magnitude > PRODUCT_MIN) {
        const quotient = roundedQuotient(head, this.#tail[index], divisor)
        if (quotient !== undefined) return quotient
      }
    }
    return this.#total(index).quotient(divisor)
  }

  /** Doubles whose exact sum this is, largest first; undefined when it is beyond the doubles. */
  parts(index: number): number[] | undefined {
    if (this.#wide?.has(index) !== true) return [this.#head[index], this.#tail[index]]
    return this.#total(index).parts()
  }

  #total(index: number): WideSum {
    const total = new WideSum()
    total.add(this.#head[index])
    total.add(this.#tail[index])
    const wide = this.#wide?.get(index)
    if (wide !== undefined) total.addSum(wide)
    return total
  }

  #wideOf(index: number): WideSum {
    this.#wide ??= new Map()
    let wide = this.#wide.get(index)
    if (wide === undefined) {
      wide = new WideSum()
      this.#wide.set(index, wide)
    }
    return wide
  }
}
