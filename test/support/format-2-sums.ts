import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'

const STREAMS_PER_BUCKET = 256
const ROWS = `SELECT stream, sum((id * 7 + level * 13 + start * 3 + last * 5 + count * 11) % 4294967291) AS sum
  FROM chunk GROUP BY stream`

/** Gives a samples.db that is not in use the format 2: sums of 32 bits, weighed. */
export function writeSumsOfFormat2(file: string): void {
  using db = new DatabaseSync(file)
  const buckets = new Map<number, Buffer>()
  for (const { stream, sum } of db.prepare(ROWS).all() as Array<{ stream: number; sum: number }>) {
    const bucket = Math.floor(stream / STREAMS_PER_BUCKET)
    const bytes = buckets.get(bucket) ?? Buffer.alloc(4 * STREAMS_PER_BUCKET)
    bytes.writeUInt32LE(sum % 2 ** 32, 4 * (stream % STREAMS_PER_BUCKET))
    buckets.set(bucket, bytes)
  }
  db.exec('DELETE FROM stream_sum')
  const insert = db.prepare('INSERT INTO stream_sum (bucket, sums) VALUES (?, ?)')
  for (const [bucket, sums] of buckets) insert.run(bucket, packed(bucket, sums))
  db.exec('PRAGMA user_version = 2')
}

function packed(bucket: number, sums: Buffer): Uint8Array {
  let end = sums.length
  while (end > 0 && sums.readUInt32LE(end - 4) === 0) end -= 4
  const check = Buffer.alloc(4)
  check.writeUInt32LE(
    crc32(Buffer.concat([Buffer.from(`bucket ${bucket}`), sums.subarray(0, end)])),
  )
  return Buffer.concat([sums.subarray(0, end), check])
}
