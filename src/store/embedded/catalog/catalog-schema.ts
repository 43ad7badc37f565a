/** The tables of catalog.db. `PRAGMA user_version` has the format. docs/format/catalog-db.md. */
import type { DatabaseSync } from 'node:sqlite'
import { formatOf, requireKnownFormat, requireUpgradable } from '../damage/known-format.ts'
import { inTransaction } from '../disk/in-transaction.ts'
import { LISTED_NAME } from './component/component-row.ts'
import { upgradeFormat9 } from './upgrade/upgrade-format-9.ts'

/** Components, streams and what they share; null is what most of them have. */
const COMPONENT_TABLES = `
CREATE TABLE text (number INTEGER PRIMARY KEY, text TEXT NOT NULL, crc INTEGER NOT NULL);
CREATE UNIQUE INDEX text_text ON text (text);
CREATE TABLE component (
  ref INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  uid BLOB NOT NULL,
  id TEXT,
  zone INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  revision INTEGER,
  name TEXT,
  folder TEXT NOT NULL,
  owner INTEGER,
  created INTEGER NOT NULL,
  last_ordinal INTEGER,
  addresses TEXT,
  more TEXT,
  rest_crc INTEGER NOT NULL
);
CREATE UNIQUE INDEX component_uid ON component (uid);
CREATE UNIQUE INDEX component_id ON component (scope, id) WHERE id IS NOT NULL;
CREATE INDEX component_list ON component (scope, folder, ${LISTED_NAME});
CREATE TABLE stream (
  component INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  handle INTEGER NOT NULL,
  id TEXT,
  type INTEGER NOT NULL,
  place INTEGER,
  grid INTEGER,
  uid BLOB,
  crc INTEGER NOT NULL,
  revision INTEGER,
  name TEXT,
  labels TEXT,
  series TEXT,
  series_hash INTEGER,
  more TEXT,
  rest_crc INTEGER,
  PRIMARY KEY (component, ordinal)
) WITHOUT ROWID;
CREATE UNIQUE INDEX stream_uid ON stream (uid) WHERE uid IS NOT NULL;
CREATE INDEX stream_series ON stream (series_hash) WHERE series_hash IS NOT NULL;
`

/** All other records. A component that claims something is named by its number below zero. */
const DOCUMENT_TABLES = `
CREATE TABLE document (
  ref INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  kind TEXT NOT NULL,
  uid TEXT NOT NULL,
  parent_uid TEXT NOT NULL,
  revision INTEGER NOT NULL,
  list_key TEXT NOT NULL,
  expires_at_ms INTEGER,
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX document_key ON document (scope, kind, uid);
CREATE INDEX document_list ON document (scope, kind, list_key, uid);
CREATE INDEX document_parent ON document (scope, kind, parent_uid, list_key, uid)
  WHERE parent_uid <> '';
CREATE INDEX document_expiry ON document (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
CREATE TABLE claim (
  scope INTEGER NOT NULL,
  claim TEXT NOT NULL,
  ref INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  PRIMARY KEY (scope, claim)
) WITHOUT ROWID;
CREATE INDEX claim_holder ON claim (ref);
CREATE TABLE tally (
  scope INTEGER NOT NULL,
  kind TEXT NOT NULL,
  documents INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  PRIMARY KEY (scope, kind)
) WITHOUT ROWID;
`

const CHANGE_TABLE = `
CREATE TABLE change (
  cursor INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  changes TEXT NOT NULL,
  crc INTEGER NOT NULL
);
`

/** The tables that format 9 has too. Organizations are numbered, so that rows need not repeat their UIDs. */
const COMMON_TABLES = `
CREATE TABLE scope (
  scope INTEGER PRIMARY KEY,
  org_uid TEXT NOT NULL UNIQUE,
  crc INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  fence INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  crc INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`

/** The format that this Weir writes, and the oldest that it upgrades. */
const FORMAT = 11
const UPGRADED_FORMAT = 9

/** Refuses a catalog.db that a later Weir wrote, or one too old to be upgraded; changes nothing. */
export function requireKnownCatalog(db: DatabaseSync): void {
  requireKnownFormat('catalog.db', formatOf(db), FORMAT)
  requireUpgradable('catalog.db', formatOf(db), UPGRADED_FORMAT)
}

/** Whether catalog.db has an older format, which migrateCatalog() would change. */
export function isOlderCatalog(db: DatabaseSync): boolean {
  return formatOf(db) < FORMAT
}

/** Whether catalog.db has other tables than today. Those of format 10 are the same. */
export function hasOlderTables(db: DatabaseSync): boolean {
  return formatOf(db) === UPGRADED_FORMAT
}

/** Makes the tables of a new catalog.db, or upgrades those of formats 9 and 10: whole or not at all. */
export function migrateCatalog(db: DatabaseSync): void {
  requireKnownCatalog(db)
  const before = formatOf(db)
  if (before === FORMAT) return
  const change = () => {
    const tables = CHANGE_TABLE + DOCUMENT_TABLES + COMPONENT_TABLES
    if (before === 0) db.exec(COMMON_TABLES + tables)
    if (hasOlderTables(db)) upgradeFormat9(db, tables)
    // Rows of format 10 are rows of format 11: older versions cannot read the rows that this one writes.
    db.exec(`PRAGMA user_version = ${FORMAT}`)
  }
  try {
    inTransaction(db, change)
  } catch (error) {
    if (before !== 0 && isFull(error)) {
      const megabytes = Math.ceil((2 * sizeOf(db)) / 1e6)
      ;(error as Error).message +=
        `: the upgrade of catalog.db has changed nothing; free ${megabytes} MB, twice its size, and start again`
    }
    throw error
  }
}

const SQLITE_FULL = 13

function isFull(error: unknown): boolean {
  return ((error as { readonly errcode?: number }).errcode ?? 0) % 256 === SQLITE_FULL
}

function sizeOf(db: DatabaseSync): number {
  const of = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name])
  return of('page_count') * of('page_size')
}
