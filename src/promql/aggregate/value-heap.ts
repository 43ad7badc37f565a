/**
 * The k best values with their series, as a binary heap with the worst on top. It moves elements exactly as
 * `container/heap` of Go does, because that decides which of several equal values stay.
 */
export class ValueHeap {
  readonly #max: number
  /** Whether one value is worse than another; a NaN is worse than everything. */
  readonly #isWorse: (a: number, b: number) => boolean
  readonly #values: number[] = []
  readonly #series: number[] = []

  constructor(max: number, isTop: boolean) {
    this.#max = max
    this.#isWorse = isTop ? (a, b) => Number.isNaN(a) || a < b : (a, b) => Number.isNaN(a) || a > b
  }

  /** Takes a value if there is room, or if it is better than the worst. */
  offer(value: number, series: number): void {
    const size = this.#values.length
    if (size < this.#max) {
      this.#values.push(value)
      this.#series.push(series)
      this.#up(size)
      return
    }
    const worst = this.#values[0]
    const isBetter = Number.isNaN(worst) ? !Number.isNaN(value) : this.#isBetter(value, worst)
    if (!isBetter) return
    this.#values[0] = value
    this.#series[0] = series
    if (size > 1) this.#down()
  }

  #isBetter(value: number, worst: number): boolean {
    return !Number.isNaN(value) && this.#isWorse(worst, value)
  }

  /** The series of the values that stayed, best first, and empties the heap. */
  take(): number[] {
    const indexes = [...this.#values.keys()]
    // An insertion sort, as Go's sort is for few elements: `Less` of the reversed order moves an element forward.
    for (let end = 1; end < indexes.length; end++) {
      for (let at = end; at > 0 && this.#comesFirst(indexes[at], indexes[at - 1]); at--) {
        const moved = indexes[at]
        indexes[at] = indexes[at - 1]
        indexes[at - 1] = moved
      }
    }
    const series = indexes.map((index) => this.#series[index])
    this.#values.length = 0
    this.#series.length = 0
    return series
  }

  #comesFirst(a: number, b: number): boolean {
    return this.#isWorse(this.#values[b], this.#values[a])
  }

  #swap(a: number, b: number): void {
    const value = this.#values[a]
    this.#values[a] = this.#values[b]
    this.#values[b] = value
    const series = this.#series[a]
    this.#series[a] = this.#series[b]
    this.#series[b] = series
  }

  #up(from: number): void {
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#isWorse(this.#values[at], this.#values[parent])) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #down(): void {
    const size = this.#values.length
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= size) return
      const right = left + 1
      const isRight = right < size && this.#isWorse(this.#values[right], this.#values[left])
      const child = isRight ? right : left
      if (!this.#isWorse(this.#values[child], this.#values[at])) return
      this.#swap(at, child)
      at = child
    }
  }
}
