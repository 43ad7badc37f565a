import { ExactSums } from '../../base/plain.ts'

/**
 * The exact sum of the values that are in a window at present. Values can leave it, so that overlapping windows cost no
 * more than their samples. Not-a-numbers and infinities are counted apart.
 */
export class RunningSum {
  #sums = new ExactSums(new Float64Array(1), new Float64Array(1))
  #notNumbers = 0
  #positive = 0
  #negative = 0

  add(value: number): void {
    if (Number.isFinite(value)) this.#sums.add(0, value)
    else this.#count(value, 1)
  }

  remove(value: number): void {
    if (Number.isFinite(value)) this.#sums.add(0, -value)
    else this.#count(value, -1)
  }

  clear(): void {
    this.#sums = new ExactSums(new Float64Array(1), new Float64Array(1))
    this.#notNumbers = 0
    this.#positive = 0
    this.#negative = 0
  }

  #count(value: number, by: number): void {
    if (Number.isNaN(value)) this.#notNumbers += by
    else if (value > 0) this.#positive += by
    else this.#negative += by
  }

  /** The sum where it is not finite because a value is not; undefined for finite values. */
  #special(): number | undefined {
    if (this.#notNumbers > 0 || (this.#positive > 0 && this.#negative > 0)) return Number.NaN
    if (this.#positive > 0) return Number.POSITIVE_INFINITY
    return this.#negative > 0 ? Number.NEGATIVE_INFINITY : undefined
  }

  sum(): number {
    return this.#special() ?? this.#sums.value(0)
  }

  mean(count: number): number {
    return this.#special() ?? this.#sums.quotient(0, count)
  }
}
