/** The tables of the catalog; docs/format/cassandra.md tells what is in them and how long partitions get. */

/** They are written as entries of `change_log` say, with times that are counted and not read from clocks. */
export const catalogTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS change_log (bucket bigint, seq bigint, id text, first_cursor bigint,
    changes int, last_handle bigint, parts int, payload blob, PRIMARY KEY ((bucket), seq))`,
  `CREATE TABLE IF NOT EXISTS change_part (id text, part int, payload blob, PRIMARY KEY ((id, part)))`,
  `CREATE TABLE IF NOT EXISTS document (org text, kind text, uid text, parent text, revision bigint,
    list_key text, expires_at bigint, handle bigint, index_text text, claims frozen<list<text>>,
    shard int, bytes bigint, body text, PRIMARY KEY ((org, kind, uid)))`,
  `CREATE TABLE IF NOT EXISTS claim (org text, claim text, kind text, uid text,
    PRIMARY KEY ((org, claim)))`,
  `CREATE TABLE IF NOT EXISTS listing (org text, kind text, shard int, list_key text, uid text,
    parent text, expires_at bigint, handle bigint, index_text text,
    PRIMARY KEY ((org, kind, shard), list_key, uid))`,
  `CREATE TABLE IF NOT EXISTS child (org text, kind text, parent text, list_key text, uid text,
    expires_at bigint, PRIMARY KEY ((org, kind, parent), list_key, uid))`,
  `CREATE TABLE IF NOT EXISTS usage (scope text, kind text, documents bigint, indexed bigint,
    bytes bigint, shards int, PRIMARY KEY ((scope), kind))`,
  `CREATE TABLE IF NOT EXISTS expiry (bucket bigint, expires_at bigint, org text, kind text, uid text,
    PRIMARY KEY ((bucket), expires_at, org, kind, uid))`,
]
