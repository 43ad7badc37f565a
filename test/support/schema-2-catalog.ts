/** The tables of schema 2, as Weir made them before rows carried checksums, with a few rows. */
export const SCHEMA_2 = `
CREATE TABLE scope (scope INTEGER PRIMARY KEY, org_uid TEXT NOT NULL UNIQUE);
CREATE TABLE document (ref INTEGER PRIMARY KEY, scope INTEGER NOT NULL REFERENCES scope,
  kind TEXT NOT NULL, uid TEXT NOT NULL, parent_uid TEXT NOT NULL, revision INTEGER NOT NULL,
  list_key TEXT NOT NULL, expires_at_ms INTEGER, handle INTEGER, body TEXT NOT NULL);
CREATE UNIQUE INDEX document_key ON document (scope, kind, uid);
CREATE INDEX document_list ON document (scope, kind, list_key, uid);
CREATE INDEX document_parent ON document (scope, kind, parent_uid, list_key, uid)
  WHERE parent_uid <> '';
CREATE INDEX document_expiry ON document (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
CREATE TABLE entry (kind TEXT NOT NULL, ref INTEGER NOT NULL, scope INTEGER NOT NULL,
  uid TEXT NOT NULL, parent_uid TEXT NOT NULL, handle INTEGER, packed TEXT NOT NULL,
  PRIMARY KEY (kind, ref)) WITHOUT ROWID;
CREATE TABLE claim (scope INTEGER NOT NULL, claim TEXT NOT NULL, ref INTEGER NOT NULL,
  PRIMARY KEY (scope, claim)) WITHOUT ROWID;
CREATE INDEX claim_holder ON claim (ref);
CREATE TABLE tally (scope INTEGER NOT NULL, kind TEXT NOT NULL, documents INTEGER NOT NULL,
  PRIMARY KEY (scope, kind)) WITHOUT ROWID;
CREATE TABLE stream_handle (handle INTEGER PRIMARY KEY AUTOINCREMENT, ref INTEGER NOT NULL);
CREATE TABLE change (cursor INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL,
  kind TEXT NOT NULL, uid TEXT NOT NULL, parent_uid TEXT NOT NULL, is_deleted INTEGER NOT NULL);
CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, fence INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO scope VALUES (1, ''), (2, 'org');
INSERT INTO document VALUES
  (1, 1, 'session', 'hash', '', 3, 'ann', 1900000000000, NULL, '{"userUid":"ann"}'),
  (2, 2, 'component', 'c', '', 1, '/boiler', NULL, NULL, '{"id":"boiler"}'),
  (3, 2, 'stream', 's', 'c', 2, '', NULL, 7, '{"id":"témp \u{1F600}"}');
INSERT INTO entry VALUES ('component', 2, 2, 'c', '', NULL, 'UTC boiler'),
  ('stream', 3, 2, 's', 'c', 7, 'packed');
INSERT INTO claim VALUES (2, 'component_id:boiler', 2), (2, 'orphan', 99);
INSERT INTO tally VALUES (1, 'session', 1), (2, 'component', 1), (2, 'stream', 1);
INSERT INTO stream_handle VALUES (7, 3);
UPDATE sqlite_sequence SET seq = 9 WHERE name = 'stream_handle';
INSERT INTO change (scope, kind, uid, parent_uid, is_deleted) VALUES (2, 'stream', 's', 'c', 0),
  (2, 'unit', 'u', '', 1);
INSERT INTO lease VALUES ('sweep', '', 4, 0);
INSERT INTO meta VALUES ('mark', 12345);
PRAGMA user_version = 2;
`
