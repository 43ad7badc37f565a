/** Sums of rows as format 2 of samples.db had them, weighed instead of mixed; docs/format/samples-db.md. */
import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { STREAM_END, sumIndexedRows } from '../rows/indexed-sums-table.ts'
import { wrapRowSum } from '../rows/row-sum.ts'
import { packSums, STREAMS_PER_BUCKET } from '../rows/stream-sums.ts'

const SUM_BYTES = 4
const CRC_BYTES = 4

/** Weighed sums of the streams of a bucket. */
const WEIGHED_SUMS = `
  SELECT stream, sum((id * 7 + level * 13 + start * 3 + last * 5 + count * 11) % 4294967291) % 4294967296 AS sum
  FROM chunk INDEXED BY chunk_by_start WHERE stream >= ? AND stream < ? GROUP BY stream`

/**
 * Writes the sums of format 3. Rows that did not match their sum still do not match, so that damage is reported as
 * before. Sums that do not check are left: in format 3 they do not check either.
 */
export function upgradeSums(db: DatabaseSync): void {
  const buckets = db.prepare('SELECT bucket FROM stream_sum').all()
  const withoutRows = new Set(buckets.map(({ bucket }) => Number(bucket)))
  for (const { bucket, sums } of sumIndexedRows(db, 0, STREAM_END)) {
    withoutRows.delete(bucket)
    upgradeBucket(db, bucket, sums)
  }
  for (const bucket of withoutRows) {
    upgradeBucket(db, bucket, new Float64Array(STREAMS_PER_BUCKET))
  }
}

function upgradeBucket(db: DatabaseSync, bucket: number, sums: Float64Array): void {
  const query = 'SELECT sums FROM stream_sum WHERE bucket = ?'
  const kept = unpackWeighed(bucket, db.prepare(query).get(bucket)?.sums)
  if (kept === undefined) return
  const found = weigh(db, bucket)
  for (const [at, sum] of kept.entries()) {
    if (sum !== found[at]) sums[at] = wrapRowSum(sums[at] + 1)
  }
  const write = db.prepare('UPDATE stream_sum SET sums = ? WHERE bucket = ?')
  write.run(packSums(bucket, sums), bucket)
}

function weigh(db: DatabaseSync, bucket: number): Uint32Array {
  const first = bucket * STREAMS_PER_BUCKET
  const sums = new Uint32Array(STREAMS_PER_BUCKET)
  const rows = db.prepare(WEIGHED_SUMS).all(first, first + STREAMS_PER_BUCKET)
  for (const { stream, sum } of rows) sums[Number(stream) - first] = Number(sum)
  return sums
}

/** The sums of a bucket, undefined when the bytes do not check. */
function unpackWeighed(bucket: number, packed: unknown): Uint32Array | undefined {
  if (!(packed instanceof Uint8Array)) return undefined
  const end = packed.length - CRC_BYTES
  if (end < 0 || end > STREAMS_PER_BUCKET * SUM_BYTES || end % SUM_BYTES !== 0) return undefined
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const check = crc32(packed.subarray(0, end), crc32(`bucket ${bucket}`))
  if (view.getUint32(end, true) !== check) return undefined
  const sums = new Uint32Array(STREAMS_PER_BUCKET)
  for (let at = 0; at * SUM_BYTES < end; at += 1) sums[at] = view.getUint32(at * SUM_BYTES, true)
  return sums
}
