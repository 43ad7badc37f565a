import type { DatabaseSync } from 'node:sqlite'
import { isDamagedFile } from '../damage/folder-damaged.ts'
import type { FoundRow } from '../rows/chunk-row.ts'
import { CHECKED_COLUMNS, correctedRow } from '../rows/corrected-row.ts'
import { rowSum, wrapRowSum } from '../rows/row-sum.ts'
import { bucketOf, STREAMS_PER_BUCKET, unpackSums } from '../rows/stream-sums.ts'

/** Rows between two looks whether to go on. */
const ROWS_PER_LOOK = 256

/** Rows whose columns are corrected in one pass; more are some other damage. */
const CORRECTED_MAX = 100_000

interface SummedRow extends FoundRow {
  readonly data: unknown
}

/** The contents of the rows, read without the index. */
interface RowsRead {
  /** Sums that do not check, as the rows have them. */
  readonly sums: ReadonlyMap<number, Float64Array>
  /** Rows with wrong columns, corrected by their samples; those that the sum of their stream confirms. */
  readonly corrected: readonly FoundRow[]
  /** Whether the rows, corrected, match the sums; where not, the index may know more than the rows. */
  readonly isWhole: boolean
}

/** Reads every row without the index and holds them against the sums that are kept; undefined where rows cannot be read. */
export function readAllRows(db: DatabaseSync, onRows: () => void): RowsRead | undefined {
  try {
    const found = sumRows(db, onRows)
    if (found === undefined) return undefined
    const { buckets, corrected } = found
    const wrong = new Set<number>()
    const kept = db.prepare('SELECT bucket, sums FROM stream_sum')
    for (const { bucket, sums } of kept.iterate() as Iterable<{ bucket: number; sums: unknown }>) {
      const stored = unpackSums(bucket, sums)
      // Sums that do not check cannot contradict.
      if (stored === undefined) continue
      for (const [at, sum] of stored.entries()) {
        if (sum !== (buckets.get(bucket)?.[at] ?? 0)) wrong.add(bucket * STREAMS_PER_BUCKET + at)
      }
      buckets.delete(bucket)
    }
    return {
      sums: buckets,
      corrected: corrected.filter(({ stream }) => !wrong.has(stream)),
      isWhole: wrong.size === 0,
    }
  } catch (error) {
    if (!isDamagedFile(error)) throw error
    return undefined
  }
}

/** The sums of all rows by bucket; undefined where they are not in the order of ids. */
function sumRows(
  db: DatabaseSync,
  onRows: () => void,
): { buckets: Map<number, Float64Array>; corrected: FoundRow[] } | undefined {
  const buckets = new Map<number, Float64Array>()
  const corrected: FoundRow[] = []
  // With the samples, so that pages which only they reach are read too.
  const rows = db.prepare(`SELECT id, ${CHECKED_COLUMNS}, data FROM chunk NOT INDEXED`)
  let before = 0
  let looked = 0
  for (const found of rows.iterate() as unknown as Iterable<SummedRow>) {
    if (found.id <= before) return undefined
    before = found.id
    const row = correctedRow(found)
    if (row !== found) {
      if (corrected.length === CORRECTED_MAX) return undefined
      const { id, stream, level, start, last, count } = row
      corrected.push({ id, stream, level, start, last, count })
    }
    const sums = buckets.get(bucketOf(row.stream)) ?? new Float64Array(STREAMS_PER_BUCKET)
    const at = row.stream % STREAMS_PER_BUCKET
    sums[at] = wrapRowSum(sums[at] + rowSum(row))
    buckets.set(bucketOf(row.stream), sums)
    looked += 1
    if (looked % ROWS_PER_LOOK === 0) onRows()
  }
  const query = `SELECT seq AS value FROM sqlite_sequence WHERE name = 'chunk'`
  const last = db.prepare(query).get() as { value: number } | undefined
  return before <= (last?.value ?? 0) ? { buckets, corrected } : undefined
}
