/**
 * The keys of all bodies that samples still name, eight bytes each: the first 52 bits of a key. Two
 * keys that share them count as one, so an orphan may be spared but a living body never goes.
 */
export class LiveKeys {
  #prefixes = new Float64Array(1024)
  #count = 0
  #isSorted = true

  add(key: string): void {
    if (this.#count === this.#prefixes.length) {
      const grown = new Float64Array(this.#count * 2)
      grown.set(this.#prefixes)
      this.#prefixes = grown
    }
    this.#prefixes[this.#count] = prefixOf(key)
    this.#count += 1
    this.#isSorted = false
  }

  has(key: string): boolean {
    if (!this.#isSorted) this.#prefixes.subarray(0, this.#count).sort()
    this.#isSorted = true
    const wanted = prefixOf(key)
    let from = 0
    let until = this.#count
    while (from < until) {
      const middle = (from + until) >>> 1
      if (this.#prefixes[middle] < wanted) from = middle + 1
      else until = middle
    }
    return from < this.#count && this.#prefixes[from] === wanted
  }
}

function prefixOf(key: string): number {
  return Number.parseInt(key.slice(0, 13), 16)
}
