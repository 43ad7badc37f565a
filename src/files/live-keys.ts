import { countBelow, growColumn } from '../base/index.ts'

/**
 * The keys of all bodies that samples still name, eight bytes each: the first 52 bits of a key. Two
 * keys that share them count as one, so an orphan may be spared but a living body never goes.
 */
export class LiveKeys {
  #prefixes = new Float64Array(1024)
  #count = 0
  #isSorted = true

  add(key: string): void {
    this.#prefixes = growColumn(this.#prefixes, this.#count + 1)
    this.#prefixes[this.#count] = prefixOf(key)
    this.#count += 1
    this.#isSorted = false
  }

  has(key: string): boolean {
    if (!this.#isSorted) this.#prefixes.subarray(0, this.#count).sort()
    this.#isSorted = true
    const wanted = prefixOf(key)
    const at = countBelow(this.#prefixes, wanted, this.#count)
    return at < this.#count && this.#prefixes[at] === wanted
  }
}

function prefixOf(key: string): number {
  return Number.parseInt(key.slice(0, 13), 16)
}
