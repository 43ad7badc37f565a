/**
 * The tables of payloads; docs/format/cassandra.md tells what is in them and how long partitions get. What
 * was dropped and comes back with a node that was away for long is older than what is kept, and is
 * dropped again: so a day is enough to remember what was deleted.
 */
export const payloadTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS payload_page (connector text, page text, org text static,
    opened_at bigint, is_closed boolean, PRIMARY KEY ((connector), page))
    WITH gc_grace_seconds = 86400`,
  `CREATE TABLE IF NOT EXISTS payload (connector text, page text, uid text, run_of text, time bigint,
    method text, is_whole boolean, query_bytes int, body_bytes int, content blob, content_crc bigint,
    assigned_bytes int, assigned blob, assigned_crc bigint, assigned_in text, outcome text,
    PRIMARY KEY ((connector, page), uid)) WITH gc_grace_seconds = 86400`,
  `CREATE TABLE IF NOT EXISTS payload_part (connector text, name text, part int, data blob,
    PRIMARY KEY ((connector, name, part))) WITH gc_grace_seconds = 86400`,
  `CREATE TABLE IF NOT EXISTS payload_writer (writer text, connector text,
    PRIMARY KEY ((writer), connector)) WITH gc_grace_seconds = 86400`,
]
