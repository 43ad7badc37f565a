/**
 * The tables of samples; docs/format/cassandra.md describes every column and how large a partition
 * can grow.
 */

/**
 * A row of `sample` that was deleted and comes back, because a node missed the deletion, counts for nothing: it is below
 * what is sealed, or is named by no version. One of `sample_dirty` or `sample_intent` has work done again that changes
 * nothing. So deletions need not be kept for the days of a repair.
 */
const DELETIONS_KEPT_SECONDS = 3_600

/** By levels: a partition that is written to for years is found in few files, and what was deleted goes soon. */
const BY_LEVELS = `compaction = {'class': 'LeveledCompactionStrategy'}`

export const sampleTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS sample (
    stream int, section tinyint, key bigint, writer int, piece int,
    removed blob, body blob,
    leaf bigint, gen bigint, last bigint, samples bigint, bytes bigint,
    version bigint static, sealed bigint static, newest blob static,
    forgotten boolean static,
    PRIMARY KEY (stream, section, key, writer, piece))
    WITH gc_grace_seconds = ${DELETIONS_KEPT_SECONDS} AND ${BY_LEVELS}`,
  `CREATE TABLE IF NOT EXISTS sample_chunk (
    stream int, leaf bigint, gen bigint, place int, body blob,
    PRIMARY KEY ((stream, leaf), gen, place))
    WITH gc_grace_seconds = ${DELETIONS_KEPT_SECONDS} AND ${BY_LEVELS}`,
  `CREATE TABLE IF NOT EXISTS sample_dirty (
    day int, shard int, stream int,
    PRIMARY KEY ((day, shard), stream))
    WITH gc_grace_seconds = ${DELETIONS_KEPT_SECONDS}`,
  `CREATE TABLE IF NOT EXISTS sample_touched (
    page bigint, seq bigint, spans blob,
    PRIMARY KEY (page, seq))`,
  `CREATE TABLE IF NOT EXISTS sample_intent (
    shard int, stamp bigint, writer int, spans blob,
    PRIMARY KEY (shard, stamp, writer))
    WITH gc_grace_seconds = ${DELETIONS_KEPT_SECONDS}`,
  `CREATE TABLE IF NOT EXISTS sample_watched (
    shard int, stream int,
    PRIMARY KEY (shard, stream))`,
]
