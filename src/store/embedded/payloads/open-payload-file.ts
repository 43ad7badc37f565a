import { DatabaseSync } from 'node:sqlite'
import { formatOf, requireKnownFormat, requireUpgradable } from '../damage/known-format.ts'
import { inTransaction } from '../disk/in-transaction.ts'
import { makeLogDurable } from '../disk/make-log-durable.ts'

/** The name of the file in the data folder. */
export const PAYLOAD_FILE = 'payloads.db'

const SCHEMA_VERSION = 2
const BUSY_MS = 5_000
const WAL_BYTES_KEPT = 32 * 1024 * 1024
/** Of pages: a busy sink writes some thousand a second, most of them again and again. */
const CHECKPOINT_PAGES = 4_000

/**
 * Rows are added at the end of each table: numbers only rise. The index has the list of a connector, and
 * how much of it, without a look at any payload. Bodies stand last, so that lists do not read them. `assigned` has
 * which times samples were given, `earlier_run` the runs of which the payload has run again.
 */
const SCHEMA = `
CREATE TABLE connector (
  ref INTEGER PRIMARY KEY,
  org_uid TEXT NOT NULL,
  uid TEXT NOT NULL UNIQUE,
  check_sum INTEGER NOT NULL
);
CREATE TABLE payload (
  number INTEGER PRIMARY KEY,
  connector INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  method TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  check_sum INTEGER NOT NULL,
  query TEXT NOT NULL,
  body TEXT
);
CREATE INDEX payload_of ON payload (connector, number, bytes);
CREATE TABLE outcome (
  number INTEGER PRIMARY KEY,
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  status TEXT NOT NULL,
  rows_fetched INTEGER NOT NULL,
  rows_ingested INTEGER NOT NULL,
  rows_skipped INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  message TEXT NOT NULL,
  check_sum INTEGER NOT NULL
);
CREATE TABLE assigned (
  number INTEGER PRIMARY KEY,
  spans TEXT NOT NULL,
  check_sum INTEGER NOT NULL
);
CREATE TABLE earlier_run (
  id INTEGER PRIMARY KEY,
  connector INTEGER NOT NULL,
  number INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  status TEXT NOT NULL,
  rows_fetched INTEGER NOT NULL,
  rows_ingested INTEGER NOT NULL,
  rows_skipped INTEGER NOT NULL,
  samples INTEGER NOT NULL,
  message TEXT NOT NULL,
  check_sum INTEGER NOT NULL
);
CREATE INDEX earlier_run_of ON earlier_run (connector, number);
`

/** Opens payloads.db for its one writer, and makes it when it is missing; what it shows is durable. */
export function openPayloadFile(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: BUSY_MS })
  try {
    db.exec('PRAGMA page_size = 4096')
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = FULL')
    db.exec('PRAGMA cache_size = -8000')
    db.exec(`PRAGMA journal_size_limit = ${WAL_BYTES_KEPT}`)
    db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
    makeTables(db)
    makeLogDurable(db, file)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens payloads.db for reading beside its writer. */
export function openPayloadView(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
  db.exec('PRAGMA cache_size = -1000')
  return db
}

/** Refuses a payloads.db of another format; changes nothing. */
export function requireKnownPayloads(db: DatabaseSync): void {
  requireKnownFormat(PAYLOAD_FILE, formatOf(db), SCHEMA_VERSION)
  requireUpgradable(PAYLOAD_FILE, formatOf(db), SCHEMA_VERSION)
}

function makeTables(db: DatabaseSync): void {
  requireKnownPayloads(db)
  if (formatOf(db) === SCHEMA_VERSION) return
  inTransaction(db, () => {
    db.exec(SCHEMA)
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
  })
}
