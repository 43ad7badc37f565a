/**
 * The schema of catalog.db, step by step. `PRAGMA user_version` counts the steps done; a step that
 * has shipped never changes, a later one is added.
 */
import type { DatabaseSync } from 'node:sqlite'
import { storedClaim } from '../../stored-claim.ts'
import { formatOf, requireKnownFormat } from '../damage/known-format.ts'
import { inTransaction } from '../disk/in-transaction.ts'
import {
  checkOfChange,
  checkOfChanges,
  checkOfClaim,
  checkOfEntry,
  checkOfLease,
  checkOfScope,
  checkOfTally,
  sealBody,
} from './catalog-checks.ts'

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

/**
 * Every row carries a checksum of what it says: documents inside their encoding, other tables in a
 * column. The tally counts index rows too, so that a lost one shows, and meta repeats the last handle.
 */
const WITH_CHECKS = `
ALTER TABLE scope ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE claim ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tally ADD COLUMN entries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tally ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE change ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lease ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
UPDATE scope SET crc = check_scope(scope, org_uid);
UPDATE document SET body = seal_body((SELECT org_uid FROM scope s WHERE s.scope = document.scope),
  kind, uid, parent_uid, revision, list_key, expires_at_ms, handle, body);
UPDATE entry SET crc = check_entry((SELECT org_uid FROM scope s WHERE s.scope = entry.scope),
  kind, uid, ref, parent_uid, handle, packed);
DELETE FROM claim WHERE ref NOT IN (SELECT ref FROM document);
UPDATE claim SET crc = (SELECT check_claim(claim.claim, s.org_uid, d.kind, d.uid)
  FROM document d JOIN scope s USING (scope) WHERE d.ref = claim.ref);
UPDATE tally SET entries = (SELECT count(*) FROM entry e
  WHERE e.kind = tally.kind AND e.scope = tally.scope);
UPDATE tally SET crc = check_tally(scope, kind, documents, entries);
UPDATE change SET crc = check_change((SELECT org_uid FROM scope s WHERE s.scope = change.scope),
  kind, uid, parent_uid, is_deleted);
UPDATE lease SET crc = check_lease(name, holder, fence, expires_at_ms);
INSERT OR REPLACE INTO meta (name, value) VALUES ('last_handle',
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'stream_handle'), 0));
`

/**
 * The tally counts bytes too, as quotas ask for them with every commit. Counts that did not check go
 * on not checking, so that what they would tell of is still seen.
 */
const WITH_BYTES = `
ALTER TABLE tally ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE tally SET bytes = (SELECT coalesce(sum(octet_length(d.body) + octet_length(d.list_key)), 0)
  FROM document d WHERE d.scope = tally.scope AND d.kind = tally.kind);
UPDATE tally SET crc = check_bytes_tally(scope, kind, documents, entries, bytes)
  WHERE crc = check_tally(scope, kind, documents, entries);
`

/** Long claims become their hash. One that did not check, or has no holder, keeps a wrong checksum. */
const WITH_SHORT_CLAIMS = `
UPDATE claim SET claim = stored_claim(claim.claim), crc = coalesce((
  SELECT check_claim(stored_claim(claim.claim), s.org_uid, d.kind, d.uid)
  FROM document d JOIN scope s USING (scope)
  WHERE d.ref = claim.ref AND claim.crc = check_claim(claim.claim, s.org_uid, d.kind, d.uid)
), crc) WHERE stored_claim(claim.claim) <> claim.claim;
`

/**
 * A row of the log holds what a commit changed, where it was a row a change, and streams, which are
 * listed by their component, leave the index of lists: a fleet that signs on writes that much less.
 * Documents of this schema may leave defaults out, which a Weir of before must not read. A change that
 * did not check goes on not checking.
 */
const WITH_FEWER_ROWS = `
CREATE TABLE change_run (
  cursor INTEGER PRIMARY KEY AUTOINCREMENT,
  scope INTEGER NOT NULL,
  changes TEXT NOT NULL,
  crc INTEGER NOT NULL
);
INSERT INTO change_run SELECT cursor, c.scope, json_array(kind, uid, parent_uid, is_deleted),
  CASE WHEN c.crc = check_change(org_uid, kind, uid, parent_uid, is_deleted)
    THEN check_changes(cursor, org_uid, json_array(kind, uid, parent_uid, is_deleted)) ELSE -1 END
  FROM change c LEFT JOIN scope s USING (scope) ORDER BY cursor;
DELETE FROM sqlite_sequence WHERE name = 'change_run';
INSERT INTO sqlite_sequence (name, seq)
  SELECT 'change_run', seq FROM sqlite_sequence WHERE name = 'change';
DROP TABLE change;
ALTER TABLE change_run RENAME TO change;
DROP INDEX document_list;
CREATE INDEX document_list ON document (scope, kind, list_key, uid) WHERE kind <> 'stream';
`

/**
 * A component and its streams share a row, with a list key for the index of lists; what rows have in common
 * stands in `shape`, twice. Documents of before, whose UIDs tell no family, stay where they are.
 */
const WITH_FAMILIES = `
CREATE TABLE family (
  ref INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  list_key TEXT,
  packed TEXT NOT NULL
);
CREATE INDEX family_list ON family (scope, list_key) WHERE list_key IS NOT NULL;
CREATE TABLE family_page (
  ref INTEGER NOT NULL,
  page INTEGER NOT NULL,
  scope INTEGER NOT NULL,
  packed TEXT NOT NULL,
  PRIMARY KEY (ref, page)
) WITHOUT ROWID;
CREATE TABLE shape (number INTEGER PRIMARY KEY, text TEXT NOT NULL, crc INTEGER NOT NULL);
CREATE TABLE shape_again (number INTEGER PRIMARY KEY, text TEXT NOT NULL, crc INTEGER NOT NULL);
DROP INDEX claim_holder;
CREATE INDEX claim_holder ON claim (ref) WHERE ref > 0;
`

/**
 * Components of a fleet have their claims and list entries together, many a row in the order of their IDs: an entry each
 * in two indexes was half of what a fleet cost. Rows of before keep theirs.
 */
const WITH_ROLL = `
CREATE TABLE roll (
  number INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  starts TEXT NOT NULL,
  first TEXT NOT NULL,
  count INTEGER NOT NULL,
  packed BLOB NOT NULL
);
CREATE INDEX roll_first ON roll (scope, first, count);
`

/** Rows of the log of changes that tell of a fleet together, which a Weir of before cannot read; its own stay. */
const WITH_FLEET_CHANGES = ''

const steps: readonly string[] = [
  ...[FIRST, WITH_META, WITH_CHECKS, WITH_BYTES, WITH_SHORT_CLAIMS, WITH_FEWER_ROWS, WITH_FAMILIES],
  ...[WITH_ROLL, WITH_FLEET_CHANGES],
]

/** The format of a catalog.db whose rows have checksums. */
export const CHECKED_FORMAT = 3

/** Refuses a catalog.db that a later Weir wrote; changes nothing. */
export function requireKnownCatalog(db: DatabaseSync): void {
  requireKnownFormat('catalog.db', formatOf(db), steps.length)
}

/** Whether catalog.db has an older format, which migrateCatalog() would change. */
export function isOlderCatalog(db: DatabaseSync): boolean {
  return formatOf(db) < steps.length
}

/** Brings a database to a format, the newest unless told, whole or not at all; refuses one of a later Weir. */
export function migrateCatalog(db: DatabaseSync, format = steps.length): void {
  requireKnownCatalog(db)
  const before = formatOf(db)
  if (before >= format) return
  addCheckFunctions(db)
  inTransaction(db, () => {
    for (const step of steps.slice(before, format)) db.exec(step)
    db.exec(`PRAGMA user_version = ${format}`)
  })
}

type Text = string
type UserFunction = Parameters<DatabaseSync['function']>[1]
type Whole = number

/** What the steps call; the parameters are in the order of the columns there. */
function addCheckFunctions(db: DatabaseSync): void {
  const add = <P extends unknown[]>(name: string, check: (...given: P) => number | string): void =>
    db.function(name, { varargs: true, deterministic: true }, check as unknown as UserFunction)
  add('check_scope', (scope: Whole, orgUid: Text) => checkOfScope(scope, orgUid))
  add('seal_body', (...row: [Text, Text, Text, Text, Whole, Text, Whole, Whole, Text]) => {
    const [orgUid, kind, uid, parentUid, revision, listKey, expiresAtMs, handle, json] = row
    const fields = { orgUid, kind, uid, parentUid, revision, listKey, expiresAtMs, handle }
    return sealBody(fields, json)
  })
  add('check_entry', (...row: [Text, Text, Text, Whole, Text, Whole, Text]) => {
    const [orgUid, kind, uid, ref, parentUid, handle, packed] = row
    return checkOfEntry({ orgUid, kind, uid }, { ref, parentUid, handle, packed })
  })
  add('check_claim', (claim: Text, orgUid: Text, kind: Text, uid: Text) =>
    checkOfClaim(claim, { orgUid, kind, uid }),
  )
  add('stored_claim', (claim: Text) => storedClaim(claim))
  add('check_tally', (scope: Whole, kind: Text, documents: Whole, entries: Whole) =>
    checkOfTally({ scope, kind, documents, entries }),
  )
  add('check_bytes_tally', (...row: [Whole, Text, Whole, Whole, Whole]) => {
    const [scope, kind, documents, entries, bytes] = row
    return checkOfTally({ scope, kind, documents, entries, bytes })
  })
  add('check_change', (...row: [Text, Text, Text, Text, Whole]) => {
    const [orgUid, kind, uid, parentUid, isDeleted] = row
    return checkOfChange({ orgUid, kind, uid }, parentUid, isDeleted)
  })
  add('check_changes', (cursor: Whole, orgUid: Text, json: Text) =>
    checkOfChanges(cursor, orgUid, json),
  )
  add('check_lease', (name: Text, holder: Text, fence: Whole, expiresAtMs: Whole) =>
    checkOfLease({ name, holder, fence }, expiresAtMs),
  )
}
