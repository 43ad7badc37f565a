import type { DatabaseSync } from 'node:sqlite'
import { isDamagedFile } from '../damage/folder-damaged.ts'
import { rowSum, wrapSum } from '../rows/row-sum.ts'
import { bucketOf, STREAMS_PER_BUCKET, unpackSums } from '../rows/stream-sums.ts'

/** Rows between two looks whether to go on. */
const ROWS_PER_LOOK = 256

interface SummedRow {
  readonly id: number
  readonly stream: number
  readonly level: number
  readonly start: number
  readonly last: number
  readonly count: number
}

/**
 * Reads every row without the index and holds them against the sums that are kept. Gives the sums that do
 * not check, as the rows have them; undefined where rows cannot be read, or are not all that the sums
 * tell of: then the index may know more than the rows.
 */
export function sumsToWrite(
  db: DatabaseSync,
  onRows: () => void,
): Map<number, Uint32Array> | undefined {
  try {
    const found = sumRows(db, onRows)
    if (found === undefined) return undefined
    const kept = db.prepare('SELECT bucket, sums FROM stream_sum')
    for (const { bucket, sums } of kept.iterate() as Iterable<{ bucket: number; sums: unknown }>) {
      const told = unpackSums(bucket, sums)
      // Sums that do not check cannot contradict.
      if (told === undefined) continue
      if (!areSame(told, found.get(bucket))) return undefined
      found.delete(bucket)
    }
    return found
  } catch (error) {
    if (!isDamagedFile(error)) throw error
    return undefined
  }
}

/** The sums of all rows by bucket; undefined where they are not in the order of ids. */
function sumRows(db: DatabaseSync, onRows: () => void): Map<number, Uint32Array> | undefined {
  const buckets = new Map<number, Uint32Array>()
  // With the samples, so that pages which only they reach are read too.
  const rows = db.prepare(
    'SELECT id, stream, level, start, last, count, data FROM chunk NOT INDEXED',
  )
  let before = 0
  let looked = 0
  for (const row of rows.iterate() as unknown as Iterable<SummedRow>) {
    if (row.id <= before) return undefined
    before = row.id
    const sums = buckets.get(bucketOf(row.stream)) ?? new Uint32Array(STREAMS_PER_BUCKET)
    const at = row.stream % STREAMS_PER_BUCKET
    sums[at] = wrapSum(sums[at] + rowSum(row))
    buckets.set(bucketOf(row.stream), sums)
    looked += 1
    if (looked % ROWS_PER_LOOK === 0) onRows()
  }
  const query = `SELECT seq AS value FROM sqlite_sequence WHERE name = 'chunk'`
  const last = db.prepare(query).get() as { value: number } | undefined
  return before <= (last?.value ?? 0) ? buckets : undefined
}

function areSame(told: Uint32Array, found: Uint32Array | undefined): boolean {
  return told.every((sum, at) => sum === (found?.[at] ?? 0))
}
