/** Tells stale markers from other values by their bits. */
export class StaleTest {
  readonly #words: Uint32Array

  constructor(values: Float64Array) {
    this.#words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
  }

  /** Whether the value at an index is a stale marker. The value must be known to be NaN, which is cheaper to see. */
  isStale(index: number): boolean {
    return this.#words[index * 2] === 2 && this.#words[index * 2 + 1] === 0x7ff00000
  }
}
