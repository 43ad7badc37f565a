/**
 * The schema of catalog.db, step by step. `PRAGMA user_version` counts the steps done; a step that
 * has shipped never changes, a later one is added.
 */
import type { DatabaseSync } from 'node:sqlite'

/**
 * Organizations are interned, so that a UID of 36 bytes is not repeated in every row and index.
 * `entry` repeats the few fields a start needs, so that loading a million of them reads no bodies;
 * it is clustered by kind. Handles come from AUTOINCREMENT: one is never given twice.
 */
const FIRST = `
CREATE TABLE scope (
  scope INTEGER PRIMARY KEY,
  org_uid TEXT NOT NULL UNIQUE
);
CREATE TABLE document (
  ref INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL REFERENCES scope,
  kind TEXT NOT NULL,
  uid TEXT NOT NULL,
  parent_uid TEXT NOT NULL,
  revision INTEGER NOT NULL,
  list_key TEXT NOT NULL,
  expires_at_ms INTEGER,
  handle INTEGER,
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX document_key ON document (scope, kind, uid);
CREATE INDEX document_list ON document (scope, kind, list_key, uid);
CREATE INDEX document_parent ON document (scope, kind, parent_uid, list_key, uid)
  WHERE parent_uid <> '';
CREATE INDEX document_expiry ON document (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
CREATE TABLE entry (
  kind TEXT NOT NULL,
  ref INTEGER NOT NULL,
  scope INTEGER NOT NULL,
  uid TEXT NOT NULL,
  parent_uid TEXT NOT NULL,
  handle INTEGER,
  packed TEXT NOT NULL,
  PRIMARY KEY (kind, ref)
) WITHOUT ROWID;
CREATE TABLE claim (
  scope INTEGER NOT NULL,
  claim TEXT NOT NULL,
  ref INTEGER NOT NULL,
  PRIMARY KEY (scope, claim)
) WITHOUT ROWID;
CREATE INDEX claim_holder ON claim (ref);
CREATE TABLE tally (
  scope INTEGER NOT NULL,
  kind TEXT NOT NULL,
  documents INTEGER NOT NULL,
  PRIMARY KEY (scope, kind)
) WITHOUT ROWID;
CREATE TABLE stream_handle (
  handle INTEGER PRIMARY KEY AUTOINCREMENT,
  ref INTEGER NOT NULL
);
CREATE TABLE change (
  cursor INTEGER PRIMARY KEY AUTOINCREMENT,
  scope INTEGER NOT NULL,
  kind TEXT NOT NULL,
  uid TEXT NOT NULL,
  parent_uid TEXT NOT NULL,
  is_deleted INTEGER NOT NULL
);
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  fence INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
`

/** Single values by name, as in samples.db: the folder's mark (docs/format/folder.md). */
const WITH_META = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
`

const steps: readonly string[] = [FIRST, WITH_META]

/** Brings a database to the newest schema; throws, changing nothing, when it comes from a later Weir. */
export function migrateCatalog(db: DatabaseSync): void {
  const row = db.prepare('PRAGMA user_version').get() as { user_version: number }
  if (row.user_version > steps.length) {
    throw new Error(
      `Cannot open catalog.db: its schema is version ${row.user_version}, this Weir knows ${steps.length}`,
    )
  }
  for (let version = row.user_version; version < steps.length; version++) {
    db.exec('BEGIN IMMEDIATE')
    db.exec(steps[version])
    db.exec(`PRAGMA user_version = ${version + 1}`)
    db.exec('COMMIT')
  }
}
