/** Which components rows may have belonged to that do not check: rows that do are on both sides of them. */
import { checkOfStreamKey, type StreamKey } from './stream-row.ts'

/** Rows, and numbers of components in their place, that are looked at one by one. */
const LOOKED_AT_MAX = 1_000
/** Numbers that are tried for a row: some milliseconds. */
const TRIED_MAX = 100_000

/** Rows of components that do not check, one after the other. */
export class ComponentGap {
  /** The number of the row before them. */
  after = 0
  #count = 0

  get count(): number {
    return this.#count
  }

  add(): void {
    this.#count += 1
  }

  /** The numbers that they may have, given that of the row behind them; undefined for too many. */
  close(before: number): number[] | undefined {
    const [count, first] = [this.#count, this.after + 1]
    this.#count = 0
    return count === 0 ? [] : numbersBetween(first, before - 1)
  }
}

/** What can be read of the row of a stream. */
type StoredStreamRow = Pick<StreamKey, 'component'> | StreamKey

/** Rows of streams that do not check, one after the other. */
export class StreamGap {
  /** The row before them. */
  after: Pick<StreamKey, 'component' | 'ordinal'> = { component: 0, ordinal: 0 }
  #rows: { readonly row: StoredStreamRow; readonly check: number | undefined }[] = []
  #hasMore = false

  get isOpen(): boolean {
    return this.#rows.length > 0
  }

  /** Adds a row, with its checksum unless that is right. */
  add(row: StoredStreamRow, check?: number): void {
    if (this.#rows.length < LOOKED_AT_MAX) this.#rows.push({ row, check })
    else this.#hasMore = true
  }

  /** The components that they are of, given that of the row behind them; undefined when that is not known. */
  close(until: number, lastRef: number): number[] | undefined {
    const [rows, hasMore] = [this.#rows, this.#hasMore]
    this.#rows = []
    this.#hasMore = false
    if (hasMore) return undefined
    const owners = new Set<number>()
    for (const { row, check } of rows) {
      const isBetween = this.after.component <= row.component && row.component <= until
      const isOf = (component: number): boolean =>
        'handle' in row && checkOfStreamKey({ ...row, component }) === check
      // The number of the component may be what is wrong with a row: then it checks with another.
      const owner =
        findNumber(this.after.component, until, isOf) ??
        (isBetween ? row.component : findNumber(1, lastRef, isOf))
      if (owner === undefined) return undefined
      owners.add(owner)
    }
    return [...owners]
  }
}

/** The first of some numbers that fits, if there are not too many of them. */
function findNumber(
  first: number,
  last: number,
  fits: (number: number) => boolean,
): number | undefined {
  if (last - first > TRIED_MAX) return undefined
  for (let number = first; number <= last; number++) if (fits(number)) return number
  return undefined
}

function numbersBetween(first: number, last: number): number[] | undefined {
  const count = Math.max(0, last - first + 1)
  if (count > LOOKED_AT_MAX) return undefined
  return Array.from({ length: count }, (_, at) => first + at)
}
