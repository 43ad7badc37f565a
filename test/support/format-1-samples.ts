import { renameSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { decodeChunk } from '../../src/store/embedded/chunk/index.ts'

const SCHEMA = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE chunk (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    stream INTEGER NOT NULL,
    level INTEGER NOT NULL,
    start INTEGER NOT NULL,
    last INTEGER NOT NULL,
    count INTEGER NOT NULL,
    last_value ANY,
    summary BLOB,
    data BLOB NOT NULL
  );
  CREATE INDEX chunk_by_start ON chunk (stream, level, start, last, count);
  CREATE TABLE floor (stream INTEGER PRIMARY KEY, floor INTEGER NOT NULL);
  CREATE TABLE watched (stream INTEGER PRIMARY KEY);
  CREATE TABLE touched (
    cursor INTEGER NOT NULL,
    stream INTEGER NOT NULL,
    start INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (cursor, stream)
  ) WITHOUT ROWID;
  CREATE INDEX touched_by_stream ON touched (stream, cursor);
`

interface Row {
  readonly id: number
  readonly stream: number
  readonly level: number
  readonly start: number
  readonly last: number
  readonly count: number
  readonly summary: Uint8Array | null
  readonly data: Uint8Array
}

/** Writes a closed samples.db again as format 1 would have written it, texts turned to numbers too. */
export function writeAsFormat1(file: string): void {
  const older = `${file}.older`
  {
    using from = new DatabaseSync(file)
    using to = new DatabaseSync(older)
    to.exec('PRAGMA page_size = 32768')
    to.exec('PRAGMA journal_mode = WAL')
    to.exec(SCHEMA)
    to.exec('PRAGMA user_version = 1')
    copy(
      from,
      to,
      'meta',
      ['name', 'value'],
      `WHERE name IN ('mark', 'sealed_segment', 'sealed_sequence')`,
    )
    copy(from, to, 'watched', ['stream'])
    copy(from, to, 'touched', ['cursor', 'stream', 'start', 'until'])
    const insert = to.prepare('INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    for (const row of from.prepare('SELECT * FROM chunk').all() as unknown as Row[]) {
      const { id, stream, level, start, last, count, summary, data } = row
      const place = [id, stream, level, start, last, count]
      const olderSummary = summary === null ? null : summaryOf1(summary)
      insert.run(...place, lastValueOf1(data), olderSummary, chunkOf1(data))
    }
    from.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    to.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }
  renameSync(older, file)
}

function copy(
  from: DatabaseSync,
  to: DatabaseSync,
  ...[table, columns, where = '']: [string, readonly string[], string?]
): void {
  const rows = from.prepare(`SELECT ${columns} FROM ${table} ${where}`).all()
  const insert = to.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?')})`)
  for (const row of rows) insert.run(...columns.map((column) => row[column]))
}

function lastValueOf1(data: Uint8Array): Uint8Array | string | null {
  const { count, numbers, texts } = decodeChunk(data)
  const text = texts?.[count - 1]
  if (text === undefined) return new Uint8Array(Float64Array.of(numbers[count - 1]).buffer)
  return text.length <= 256 ? text : null
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
