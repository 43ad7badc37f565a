/** The tables of samples.db and their formats; docs/format/samples-db.md. */
import type { DatabaseSync } from 'node:sqlite'

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

/** Brings samples.db to the format of this Weir, and refuses one that a later Weir wrote. */
export function migrateSamples(db: DatabaseSync): void {
  const { user_version } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  if (user_version > FORMAT_VERSION) {
    throw new Error(`samples.db has format ${user_version}: this Weir knows ${FORMAT_VERSION}`)
  }
  if (user_version === FORMAT_VERSION) return
  db.exec('BEGIN IMMEDIATE')
  try {
    if (user_version === 0) db.exec(SCHEMA)
    if (user_version === 1) {
      // What is below a floor is hidden no more: a delete profile that still says so removes it.
      db.exec('DROP TABLE floor')
      giveLastValueItsType(db)
    }
    db.exec(`PRAGMA user_version = ${FORMAT_VERSION}`)
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
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
    `UPDATE sqlite_schema SET sql = replace(sql, 'last_value ANY', 'last_value BLOB')
     WHERE type = 'table' AND name = 'chunk'`,
  )
  db.exec(`PRAGMA schema_version = ${schema_version + 1}`)
  db.exec('PRAGMA writable_schema = OFF')
  db.enableDefensive(true)
}
