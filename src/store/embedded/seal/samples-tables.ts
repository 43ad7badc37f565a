/** The tables of samples.db and their formats; docs/format/samples-db.md. */
import { DatabaseSync } from 'node:sqlite'
import { FolderDamaged, isDamagedFile } from '../damage/folder-damaged.ts'
import { formatOf, requireKnownFormat, requireUpgradable } from '../damage/known-format.ts'
import { inTransaction } from '../disk/in-transaction.ts'
import { STREAM_END, sumIndexedRows } from '../rows/indexed-sums-table.ts'
import { readSealed, sealedStateLost } from '../rows/sealed-state.ts'
import { packSums } from '../rows/stream-sums.ts'
import { upgradeSums } from './upgrade-sums-table.ts'

/** The format that this Weir writes, and the one before it, which it upgrades. */
const FORMAT = 3
const UPGRADED_FORMAT = 2

// AUTOINCREMENT: an id never comes back, so a reader that finds it finds the same samples. The index
// alone knows which rows a read needs. SQLite leaves what is declared BLOB as it is.
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

/** Makes the tables of a new samples.db, or upgrades those of format 2: whole or not at all. Refuses other formats. */
export function makeSamplesTables(db: DatabaseSync): void {
  requireFormat(db)
  if (formatOf(db) === 0) changeFormat(db, () => db.exec(SCHEMA))
  if (formatOf(db) !== FORMAT) upgrade(db)
  checkTables(db)
}

function upgrade(db: DatabaseSync): void {
  try {
    changeFormat(db, () => upgradeSums(db))
  } catch (error) {
    if (!isDamagedFile(error)) throw error
    // Pages that cannot be read cost no start: no sum of format 2 checks, so rows are read and sums written again.
    changeFormat(db, () => {})
  }
}

function changeFormat(db: DatabaseSync, change: () => void): void {
  inTransaction(db, () => {
    change()
    db.exec(`PRAGMA user_version = ${FORMAT}`)
  })
}

/** Whether samples.db has an older format, which makeSamplesTables() would change. */
export function isOlderSamples(db: DatabaseSync): boolean {
  return formatOf(db) < FORMAT
}

function requireFormat(db: DatabaseSync): void {
  requireKnownFormat('samples.db', formatOf(db), FORMAT)
  requireUpgradable('samples.db', formatOf(db), UPGRADED_FORMAT)
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
  for (const { bucket, sums } of sumIndexedRows(db, 0, STREAM_END)) {
    insert.run(bucket, packSums(bucket, sums))
  }
}
