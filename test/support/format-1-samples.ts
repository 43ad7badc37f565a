import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { decodeChunk } from '../../src/store/embedded/chunk/index.ts'

interface Row {
  readonly id: number
  readonly summary: Uint8Array | null
  readonly data: Uint8Array
}

/** Writes the rows of a closed samples.db again as format 1 had them: the upgrade from it left them as they were. */
export function writeRowsOfFormat1(file: string): void {
  using db = new DatabaseSync(file)
  const update = db.prepare('UPDATE chunk SET last_value = ?, summary = ?, data = ? WHERE id = ?')
  for (const row of db.prepare('SELECT id, summary, data FROM chunk').all() as unknown as Row[]) {
    const summary = row.summary === null ? null : summaryOf1(row.summary)
    update.run(lastValueOf1(row.data), summary, chunkOf1(row.data), row.id)
  }
}

/** Texts that look like numbers became numbers. */
function lastValueOf1(data: Uint8Array): Uint8Array | string | number | bigint | null {
  const { count, numbers, texts } = decodeChunk(data)
  const text = texts?.[count - 1]
  if (text === undefined) return new Uint8Array(Float64Array.of(numbers[count - 1]).buffer)
  if (text.length > 256) return null
  if (!/^\s*[+-]?(\d+\.?\d*|\.\d+)(e\d+)?$/.test(text)) return text
  const number = Number(text)
  return Number.isSafeInteger(number) ? BigInt(number) : number
}

/** Without the stream and the mark of a run. */
function chunkOf1(data: Uint8Array): Uint8Array {
  let end = 2
  while (data[end] >= 0x80) end += 1
  return withCrc(Buffer.concat([Uint8Array.of(1, data[1] & 3), data.subarray(end + 1)]))
}

function summaryOf1(summary: Uint8Array): Uint8Array {
  return withCrc(Buffer.concat([Uint8Array.of(1), summary.subarray(1)]))
}

function withCrc(bytes: Buffer): Uint8Array {
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4)
  return bytes
}
