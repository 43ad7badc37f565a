import type { DatabaseSync } from 'node:sqlite'
import { rowSum, wrapRowSum } from './row-sum.ts'
import { bucketOf, STREAMS_PER_BUCKET } from './stream-sums.ts'

const SAFE = Number.MAX_SAFE_INTEGER

/** A number that JavaScript cannot hold would leave the statement open, and its lock held. */
const FIELDS = ['stream', 'id', 'level', 'start', 'last', 'count'].map(
  (name) => `CASE WHEN ${name} BETWEEN -${SAFE} AND ${SAFE} THEN ${name} END`,
)

type Fields = readonly [
  stream: number,
  id: number | null,
  level: number | null,
  start: number | null,
  last: number | null,
  count: number | null,
]

/** Above every handle. */
export const STREAM_END = 2 ** 31

/** The sums of 256 streams. */
interface BucketSums {
  readonly bucket: number
  readonly sums: Float64Array
}

/**
 * What the rows of the streams from ≤ stream < until add up to as the index names them, by bucket. Buckets without rows
 * are left out, and so are rows with a field that Weir never wrote.
 */
export function* sumIndexedRows(
  db: DatabaseSync,
  from: number,
  until: number,
): Generator<BucketSums> {
  const rows = db.prepare(`SELECT ${FIELDS.join(', ')} FROM chunk INDEXED BY chunk_by_start
    WHERE stream >= ? AND stream < ? ORDER BY stream`)
  rows.setReturnArrays(true)
  let found: BucketSums | undefined
  for (const row of rows.iterate(from, until) as unknown as Iterable<Fields>) {
    const [stream, id, level, start, last, count] = row
    if (id === null || level === null || start === null || last === null || count === null) continue
    const bucket = bucketOf(stream)
    if (bucket !== found?.bucket) {
      if (found !== undefined) yield found
      found = { bucket, sums: new Float64Array(STREAMS_PER_BUCKET) }
    }
    const at = stream % STREAMS_PER_BUCKET
    found.sums[at] = wrapRowSum(found.sums[at] + rowSum({ id, level, start, last, count }))
  }
  if (found !== undefined) yield found
}
