/** The tables of samples.db and their formats; docs/format/samples-db.md. */
import { DatabaseSync } from 'node:sqlite'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { formatOf, requireKnownFormat } from '../damage/known-format.ts'
import { inTransaction } from '../disk/in-transaction.ts'
import { SEALED_CHECK, TOUCHED_SUM } from '../rows/meta-names.ts'
import { ROW_SUM_SQL, sealedSum, TOUCHED_TOTAL_SQL, wrapSum } from '../rows/row-sum.ts'
import { readSealed, sealedStateLost } from '../rows/sealed-state.ts'
import { bucketOf, packSums, STREAMS_PER_BUCKET } from '../rows/stream-sums.ts'

const FORMAT_VERSION = 2

// AUTOINCREMENT: an id never comes back, so a reader that finds it finds the same samples. The index
// alone tells which rows a read needs. SQLite leaves what is declared BLOB as it is.
const SCHEMA = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE chunk (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    stream INTEGER NOT NULL,
    level INTEGER NOT NULL,
    start INTEGER NOT NULL,
    last INTEGER NOT NULL,
    count INTEGER NOT NULL,
    last_value BLOB,
    summary BLOB,
    data BLOB NOT NULL
  );
  CREATE INDEX chunk_by_start ON chunk (stream, level, start, last, count);
  CREATE TABLE stream_sum (bucket INTEGER PRIMARY KEY, sums BLOB NOT NULL);
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

const ANY_TYPE = 'last_value ANY'
const BLOB_TYPE = 'last_value BLOB'

const TABLES_SQL = `SELECT type, name, tbl_name, sql FROM sqlite_schema
  WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name`

/** Refuses a samples.db that cannot be migrated or opened; changes nothing. */
export function checkSamplesFile(db: DatabaseSync, file: string): void {
  requireKnownFormat('samples.db', formatOf(db), FORMAT_VERSION)
  checkTables(db)
  if (readSealed(db) === undefined) throw sealedStateLost(file)
}

/** Whether samples.db has an older format, which migrateSamples() would change. */
export function isOlderSamples(db: DatabaseSync): boolean {
  return formatOf(db) < FORMAT_VERSION
}

/** Brings samples.db to the format of this Weir, whole or not at all; refuses one that a later Weir wrote. */
export function migrateSamples(db: DatabaseSync): void {
  const format = formatOf(db)
  requireKnownFormat('samples.db', format, FORMAT_VERSION)
  if (format === FORMAT_VERSION) {
    checkTables(db)
    return
  }
  inTransaction(db, () => {
    if (format === 0) db.exec(SCHEMA)
    if (format === 1) migrateFrom1(db)
    db.exec(`PRAGMA user_version = ${FORMAT_VERSION}`)
    checkTables(db)
  })
}

/** A letter changed in the description of the tables would give columns other names, or an index other columns. */
function checkTables(db: DatabaseSync): void {
  using fresh = new DatabaseSync(':memory:')
  fresh.exec(SCHEMA)
  const isFormat1 = formatOf(db) === 1
  if (isFormat1) fresh.exec('DROP TABLE stream_sum')
  const expected = JSON.stringify(fresh.prepare(TABLES_SQL).all())
  const rows = db.prepare(TABLES_SQL).all() as Array<{ name: string; sql: string }>
  const found = isFormat1 ? rows.filter(({ name }) => name !== 'floor').map(asFormat2) : rows
  if (expected === JSON.stringify(found)) return
  throw new FolderDamaged(
    'samples.db does not describe its tables as Weir does: restore the data folder from a backup',
  )
}

/** The description of a table of format 1, as the migration leaves it. */
function asFormat2<T extends { readonly sql: string }>(row: T): T {
  return { ...row, sql: row.sql.replace(ANY_TYPE, BLOB_TYPE) }
}

/** Adds the sums that format 1 had not; reads the index and the small tables, no samples. */
function migrateFrom1(db: DatabaseSync): void {
  const sealed = readSealed(db)
  if (sealed === undefined) throw sealedStateLost('samples.db')
  giveLastValueItsType(db)
  // What is below a floor is hidden no more: a delete profile that still says so removes it.
  db.exec('DROP TABLE floor')
  db.exec('CREATE TABLE stream_sum (bucket INTEGER PRIMARY KEY, sums BLOB NOT NULL)')
  const meta = db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)')
  const number = (query: string): number =>
    (db.prepare(query).get() as { value: number | null } | undefined)?.value ?? 0
  // Segments count from 1. Before the first seal there is nothing to check.
  if (sealed.segment > 0) meta.run(SEALED_CHECK, sealedSum(sealed.segment, sealed.sequence))
  meta.run(TOUCHED_SUM, wrapSum(number(TOUCHED_TOTAL_SQL)))
  sumStreams(db)
}

/** Writes the sums of all streams, as the rows give them, to a table that has none. */
export function sumStreams(db: DatabaseSync): void {
  const insert = db.prepare('INSERT INTO stream_sum (bucket, sums) VALUES (?, ?)')
  const rows = db.prepare(`SELECT stream, sum(${ROW_SUM_SQL}) AS sum FROM chunk GROUP BY stream`)
  let bucket = 0
  let sums = new Uint32Array(STREAMS_PER_BUCKET)
  for (const { stream, sum } of rows.iterate() as Iterable<{ stream: number; sum: number }>) {
    if (bucketOf(stream) !== bucket) {
      insert.run(bucket, packSums(bucket, sums))
      bucket = bucketOf(stream)
      sums = new Uint32Array(STREAMS_PER_BUCKET)
    }
    sums[stream % STREAMS_PER_BUCKET] = wrapSum(sum)
  }
  insert.run(bucket, packSums(bucket, sums))
}

/**
 * Format 1 declared `last_value ANY`, by which SQLite turned texts that look like numbers into numbers.
 * The declared type is all that changes: no row is rewritten, however many there are. What format 1
 * kept in the column is not trusted any more: readers take the last value from the samples.
 */
function giveLastValueItsType(db: DatabaseSync): void {
  const { schema_version } = db.prepare('PRAGMA schema_version').get() as { schema_version: number }
  db.enableDefensive(false)
  db.exec('PRAGMA writable_schema = ON')
  db.exec(
    `UPDATE sqlite_schema SET sql = replace(sql, '${ANY_TYPE}', '${BLOB_TYPE}')
     WHERE type = 'table' AND name = 'chunk'`,
  )
  db.exec(`PRAGMA schema_version = ${schema_version + 1}`)
  db.exec('PRAGMA writable_schema = OFF')
  db.enableDefensive(true)
}
