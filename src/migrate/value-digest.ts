import { createHash } from 'node:crypto'

/** What a stream holds. */
export type Value = string | number | boolean

/** A count and a checksum of samples with different times, added in any order. */
export class ValueDigest {
  count = 0
  first = Number.POSITIVE_INFINITY
  last = Number.NEGATIVE_INFINITY
  #high = 0
  #low = 0

  add(ms: number, value: Value): void {
    // A sum, not a chain: the two sides are read in opposite orders.
    const hash = createHash('sha256')
      .update(`${ms} ${JSON.stringify(value)}`)
      .digest()
    this.#high = (this.#high + hash.readUIntBE(0, 6)) % 2 ** 48
    this.#low = (this.#low + hash.readUIntBE(6, 6)) % 2 ** 48
    this.count += 1
    this.first = Math.min(this.first, ms)
    this.last = Math.max(this.last, ms)
  }

  /** Equal for equal samples only. */
  get checksum(): string {
    return `${this.#high.toString(16)}-${this.#low.toString(16)}`
  }
}

/** A digest of a field as a stream keeps it: the last point of each millisecond, or only changes of the value. */
export class FieldDigest {
  readonly digest = new ValueDigest()
  /** Points that another one of the same millisecond has replaced. */
  sharedCount = 0
  readonly isOnChange: boolean
  #held: { readonly ms: number; readonly value: Value } | undefined
  #kept: Value | undefined

  constructor(isOnChange: boolean) {
    this.isOnChange = isOnChange
  }

  /** Adds a point; points come by time. */
  add(ms: number, value: Value): void {
    if (this.#held?.ms === ms) this.sharedCount += 1
    else this.end()
    this.#held = { ms, value }
  }

  /** Adds what is held back. */
  end(): void {
    const held = this.#held
    if (held === undefined) return
    this.#held = undefined
    if (this.isOnChange && held.value === this.#kept) return
    this.#kept = held.value
    this.digest.add(held.ms, held.value)
  }
}
