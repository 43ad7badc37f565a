/** The tables of file bodies; docs/format/cassandra.md describes them. */
export const blobTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS blob (key text PRIMARY KEY, state text, touched_at bigint, bytes bigint,
    sha256 text)`,
  `CREATE TABLE IF NOT EXISTS blob_part (key text, section int, part int, data blob, crc int,
    PRIMARY KEY ((key, section), part))`,
]
