/** Streams of a cluster that are read at once: the servers need milliseconds for each. Pages of numbers take up to 8 MB. */
const AT_ONCE = 64

/** How streams are read before their turn. */
export interface Ahead<Row, T> {
  /** Whether the store is shared. A store in this process answers at once. */
  readonly isShared: boolean
  /** Whether a row may be read before its turn. */
  readonly isSmall: (row: Row) => boolean
  readonly read: (row: Row) => Promise<T>
}

/** Reads something of each row, of some rows at once, and hands it on in the order of the rows. */
export async function* readAhead<Row, T>(
  rows: readonly Row[],
  { isShared, isSmall, read }: Ahead<Row, T>,
): AsyncGenerator<readonly [Row, T]> {
  const begun = new Map<number, Promise<T>>()
  let next = 0
  for (const [at, row] of rows.entries()) {
    const end = isShared ? Math.min(at + AT_ONCE, rows.length) : 0
    for (next = Math.max(next, at); next < end; next += 1) {
      if (!isSmall(rows[next])) continue
      const reading = read(rows[next])
      // A reader that stops waits for none of them.
      reading.catch(() => {})
      begun.set(next, reading)
    }
    const reading = begun.get(at) ?? read(row)
    begun.delete(at)
    yield [row, await reading]
  }
}
