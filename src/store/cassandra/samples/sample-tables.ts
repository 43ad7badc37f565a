/**
 * The tables of samples; docs/format/cassandra.md describes every column and how large a partition
 * can grow.
 */
export const sampleTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS sample_map (
    stream int, section tinyint, key bigint, writer int,
    leaf bigint, gen bigint, last bigint, samples bigint, bytes bigint,
    version bigint static, sealed bigint static,
    lease_until bigint static, lease_by int static, forgotten boolean static,
    PRIMARY KEY (stream, section, key, writer))`,
  `CREATE TABLE IF NOT EXISTS sample_run (
    stream int, part bigint, writer int, stamp bigint, piece int, removed blob, body blob,
    PRIMARY KEY ((stream, part, writer), stamp, piece))`,
  `CREATE TABLE IF NOT EXISTS sample_chunk (
    stream int, leaf bigint, gen bigint, place int, body blob,
    PRIMARY KEY ((stream, leaf), gen, place))`,
  `CREATE TABLE IF NOT EXISTS sample_dirty (
    day int, shard int, stream int,
    PRIMARY KEY ((day, shard), stream))`,
  `CREATE TABLE IF NOT EXISTS sample_touched (
    page bigint, seq bigint, spans blob,
    PRIMARY KEY (page, seq))`,
  `CREATE TABLE IF NOT EXISTS sample_intent (
    shard int, stamp bigint, writer int, spans blob,
    PRIMARY KEY (shard, stamp, writer))`,
  `CREATE TABLE IF NOT EXISTS sample_watched (
    shard int, stream int,
    PRIMARY KEY (shard, stream))`,
]
