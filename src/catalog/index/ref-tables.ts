import { RefTable } from './ref-table.ts'

const PARTS = 64
const PART_SHIFT = 26
const PART_PAIRS_MIN = 1 << 5

/**
 * A table of refs in parts, by the high bits of their hashes: each grows by itself, so that no call waits for
 * millions of refs to be placed anew.
 */
export class RefTables {
  readonly #parts = Array.from({ length: PARTS }, () => new RefTable(PART_PAIRS_MIN))

  /** The part in which a ref with this hash is looked for. */
  of(hash: number): RefTable {
    return this.#parts[hash >>> PART_SHIFT]
  }

  /** Makes room for so many more at once. */
  reserve(count: number): void {
    for (const part of this.#parts) part.reserve(Math.ceil(count / PARTS))
  }

  add(ref: number, hash: number): void {
    this.of(hash).add(ref, hash)
  }

  /** Takes out a ref that was added with this hash; one that is not there is no error. */
  delete(ref: number, hash: number): void {
    this.of(hash).delete(ref, hash)
  }
}
