/** The sums of each stream's rows, packed by 256 streams; docs/format/samples-db.md. */
import { crc32 } from 'node:zlib'
import { damagedIndex } from '../damage/folder-damaged.ts'
import { wrapRowSum } from './row-sum.ts'

/** Streams whose sums share a row: few enough to write often, many enough to cost little each. */
export const STREAMS_PER_BUCKET = 256
const SUM_BYTES = 8
const CRC_BYTES = 4

/** The bucket that holds the sum of a stream. */
export function bucketOf(stream: number): number {
  return Math.floor(stream / STREAMS_PER_BUCKET)
}

/** Packs the sums of a bucket; zeros at the end are left out. */
export function packSums(bucket: number, sums: Float64Array): Uint8Array {
  let length = sums.length
  while (length > 0 && sums[length - 1] === 0) length -= 1
  const packed = new Uint8Array(length * SUM_BYTES + CRC_BYTES)
  const view = new DataView(packed.buffer)
  for (let at = 0; at < length; at += 1) view.setFloat64(at * SUM_BYTES, sums[at], true)
  const end = length * SUM_BYTES
  view.setUint32(end, checksum(bucket, packed.subarray(0, end)), true)
  return packed
}

/** The sums of a bucket, undefined when the bytes do not check. */
export function unpackSums(bucket: number, packed: unknown): Float64Array | undefined {
  if (!(packed instanceof Uint8Array)) return undefined
  const end = packed.length - CRC_BYTES
  if (end < 0 || end > STREAMS_PER_BUCKET * SUM_BYTES || end % SUM_BYTES !== 0) return undefined
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  if (view.getUint32(end, true) !== checksum(bucket, packed.subarray(0, end))) return undefined
  const sums = new Float64Array(STREAMS_PER_BUCKET)
  for (let at = 0; at * SUM_BYTES < end; at += 1) sums[at] = view.getFloat64(at * SUM_BYTES, true)
  return sums
}

function checksum(bucket: number, bytes: Uint8Array): number {
  return crc32(bytes, crc32(`sums ${bucket}`))
}

/** Where buckets are kept. */
interface BucketTable {
  selectBucket(bucket: number): unknown
  writeBucket(bucket: number, packed: Uint8Array): void
  /** Whether the index knows rows of streams of a bucket. */
  hasRows(bucket: number): boolean
}

/** The sums as the sealer changes them: in memory, written before each commit. */
export class StreamSums {
  readonly #table: BucketTable
  readonly #buckets = new Map<number, Float64Array>()
  readonly #changed = new Set<number>()

  constructor(table: BucketTable) {
    this.#table = table
  }

  /** What the rows of a stream add up to. Throws as a damaged file does where that is not known. */
  get(stream: number): number {
    return this.#sumsOf(bucketOf(stream))[stream % STREAMS_PER_BUCKET]
  }

  /** Adds what a row brings, or with a negative sum takes it out. */
  add(stream: number, sum: number): void {
    const sums = this.#change(stream)
    const at = stream % STREAMS_PER_BUCKET
    sums[at] = wrapRowSum(sums[at] + sum)
  }

  /** Writes what changed. */
  flush(): void {
    for (const bucket of this.#changed) {
      const sums = this.#buckets.get(bucket)
      if (sums !== undefined) this.#table.writeBucket(bucket, packSums(bucket, sums))
    }
    this.#changed.clear()
  }

  /** Goes back to what the table holds, after a rollback. */
  clearCache(): void {
    this.#buckets.clear()
    this.#changed.clear()
  }

  #change(stream: number): Float64Array {
    const sums = this.#sumsOf(bucketOf(stream))
    this.#changed.add(bucketOf(stream))
    return sums
  }

  #sumsOf(bucket: number): Float64Array {
    const known = this.#buckets.get(bucket)
    if (known !== undefined) return known
    const packed = this.#table.selectBucket(bucket)
    const isFresh = packed === undefined && !this.#table.hasRows(bucket)
    const sums = isFresh ? new Float64Array(STREAMS_PER_BUCKET) : unpackSums(bucket, packed)
    if (sums === undefined) throw damagedIndex('Sums of the rows of streams do not check')
    this.#buckets.set(bucket, sums)
    return sums
  }
}
