/** The tables of samples.db and their formats; docs/format/samples-db.md. */
import { DatabaseSync } from 'node:sqlite'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { formatOf, requireKnownFormat, requireUpgradable } from '../damage/known-format.ts'
import { inTransaction } from '../disk/in-transaction.ts'
import { ROW_SUM_SQL, wrapSum } from '../rows/row-sum.ts'
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

const TABLES_SQL = `SELECT type, name, tbl_name, sql FROM sqlite_schema
  WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name`

/** Refuses a samples.db that cannot be opened; changes nothing. */
export function checkSamplesFile(db: DatabaseSync, file: string): void {
  requireFormat(db)
  checkTables(db)
  if (readSealed(db) === undefined) throw sealedStateLost(file)
}

/** Makes the tables of a new samples.db, whole or not at all; refuses one of another format. */
export function makeSamplesTables(db: DatabaseSync): void {
  requireFormat(db)
  if (formatOf(db) === 0) {
    inTransaction(db, () => {
      db.exec(SCHEMA)
      db.exec(`PRAGMA user_version = ${FORMAT_VERSION}`)
    })
  }
  checkTables(db)
}

function requireFormat(db: DatabaseSync): void {
  requireKnownFormat('samples.db', formatOf(db), FORMAT_VERSION)
  requireUpgradable('samples.db', formatOf(db), FORMAT_VERSION)
}

/** A letter changed in the description of the tables would give columns other names, or an index other columns. */
function checkTables(db: DatabaseSync): void {
  using fresh = new DatabaseSync(':memory:')
  fresh.exec(SCHEMA)
  const [expected, found] = [fresh, db].map((one) => JSON.stringify(one.prepare(TABLES_SQL).all()))
  if (expected === found) return
  throw new FolderDamaged(
    'samples.db does not describe its tables as Weir does: restore the data folder from a backup',
  )
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
