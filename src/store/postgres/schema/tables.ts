/**
 * The tables of a database; docs/format/postgres.md describes them. Texts compare by their bytes, whatever the
 * language of the database. PostgreSQL refuses index entries above 2,704 bytes, so indexes have only the beginnings of
 * texts that may be longer.
 */

/** How much of a folder's path, or of a document's list key, an index has: at most 2,000 bytes. */
export const INDEXED_LENGTH = 500

/** The place of a component in lists: see ComponentFields.folder. */
export const LISTED_FOLDER = `left(folder || '/', ${INDEXED_LENGTH})`
export const LISTED_NAME_START = 'left(name, 100)'
/** The place of a document in lists, as far as the index has it. */
export const LISTED_KEY = `left(list_key, ${INDEXED_LENGTH})`

const catalogTables = [
  `CREATE TABLE meta (name text PRIMARY KEY, value text NOT NULL)`,
  `INSERT INTO meta VALUES ('identity', gen_random_uuid()::text)`,
  // One row. Every writer of the catalog locks it first.
  `CREATE TABLE head (last_change bigint NOT NULL, last_component bigint NOT NULL)`,
  `INSERT INTO head VALUES (0, 0)`,
  `CREATE TABLE component (
    number bigint PRIMARY KEY,
    org text COLLATE "C" NOT NULL,
    uid uuid NOT NULL UNIQUE,
    revision integer NOT NULL,
    id text COLLATE "C",
    name text COLLATE "C" NOT NULL,
    folder text COLLATE "C" NOT NULL,
    time_zone text NOT NULL,
    created_at_ms bigint NOT NULL,
    owner text,
    last_ordinal integer NOT NULL,
    addressed_as text,
    more text,
    bytes integer NOT NULL)`,
  `CREATE UNIQUE INDEX component_id ON component (org, id)`,
  `CREATE INDEX component_list ON component (org, (${LISTED_FOLDER}), (${LISTED_NAME_START}), number)`,
  `CREATE TABLE stream (
    handle bigint PRIMARY KEY,
    component bigint NOT NULL,
    uid uuid NOT NULL UNIQUE,
    ordinal integer NOT NULL,
    revision integer NOT NULL,
    id text COLLATE "C",
    name text COLLATE "C",
    place integer NOT NULL,
    type integer NOT NULL,
    grid text,
    labels text,
    series text,
    more text,
    bytes integer NOT NULL)`,
  `CREATE UNIQUE INDEX stream_id ON stream (component, id)`,
  `CREATE INDEX stream_place ON stream (component, place, uid)`,
  `CREATE TABLE document (
    org text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    uid text COLLATE "C" NOT NULL,
    parent text COLLATE "C" NOT NULL,
    revision integer NOT NULL,
    list_key text COLLATE "C" NOT NULL,
    expires_at_ms bigint,
    claims text,
    body text NOT NULL,
    bytes integer NOT NULL,
    PRIMARY KEY (org, kind, uid))`,
  `CREATE INDEX document_list ON document (org, kind, (${LISTED_KEY}))`,
  `CREATE INDEX document_parent ON document (org, kind, parent, (${LISTED_KEY})) WHERE parent <> ''`,
  `CREATE INDEX document_expiry ON document (expires_at_ms) WHERE expires_at_ms IS NOT NULL`,
  `CREATE TABLE claim (
    org text COLLATE "C" NOT NULL,
    claim text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    uid text NOT NULL,
    PRIMARY KEY (org, claim))`,
  `CREATE TABLE tally (
    org text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    documents bigint NOT NULL,
    bytes bigint NOT NULL,
    PRIMARY KEY (org, kind))`,
  // Changes of one commit, or some of them: the last has the cursor, and those before it count back from there.
  `CREATE TABLE change (
    cursor bigint PRIMARY KEY,
    changes integer NOT NULL,
    commit_key uuid NOT NULL,
    body text NOT NULL)`,
  `CREATE TABLE commit_key (key uuid PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE INDEX commit_key_age ON commit_key (made_at)`,
  `CREATE TABLE lease (
    name text PRIMARY KEY,
    holder text NOT NULL,
    fence bigint NOT NULL,
    expires_at_ms bigint NOT NULL)`,
]

const payloadTables = [
  `CREATE TABLE payload (
    connector text COLLATE "C" NOT NULL,
    uid text COLLATE "C" NOT NULL,
    org text COLLATE "C" NOT NULL,
    received_at_ms bigint NOT NULL,
    method text NOT NULL,
    query bytea NOT NULL,
    body bytea,
    assigned text NOT NULL DEFAULT '',
    counted_bytes bigint NOT NULL,
    outcome text,
    started_at_ms bigint NOT NULL,
    writer text NOT NULL,
    is_left boolean NOT NULL DEFAULT false,
    PRIMARY KEY (connector, uid))`,
  `CREATE INDEX payload_unsettled ON payload (writer, uid) WHERE outcome IS NULL`,
  // The runs before the last one of payloads.
  `CREATE TABLE payload_run (
    connector text COLLATE "C" NOT NULL,
    uid text COLLATE "C" NOT NULL,
    payload text COLLATE "C" NOT NULL,
    received_at_ms bigint NOT NULL,
    started_at_ms bigint NOT NULL,
    outcome text NOT NULL,
    PRIMARY KEY (connector, uid))`,
  `CREATE INDEX payload_run_payload ON payload_run (connector, payload)`,
  `CREATE TABLE payload_writer (writer text PRIMARY KEY, expires_at_ms bigint NOT NULL)`,
]

/** Who writes samples, and in which order: src/store/ports/sample-order.ts. */
const sampleOrderTables = [
  // One row. Each update leaves a dead one behind, for which the page has room.
  `CREATE TABLE stamp (value bigint NOT NULL) WITH (fillfactor = 10)`,
  `INSERT INTO stamp VALUES (0)`,
  `CREATE TABLE sample_writer (writer integer PRIMARY KEY, low bigint NOT NULL, seen_at timestamptz NOT NULL)
    WITH (fillfactor = 50)`,
]

/** What makes each version of the schema of the one before it; a step never changes once it was released. */
export const postgresSteps: readonly (readonly string[])[] = [
  [...catalogTables, ...payloadTables],
  sampleOrderTables,
]
