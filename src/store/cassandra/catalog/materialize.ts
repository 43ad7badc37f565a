/**
 * Writes what an entry of the log says into the tables that are read. All writes of an entry have one time,
 * counted by entries: whoever repeats an old one changes nothing that later ones have written.
 */
import type { Cluster, CqlStatement } from '../connection/cluster.ts'
import type { Effects, KeptDocument, OldDocument, StoredUsage } from './log-entry.ts'

/** What expires within an hour lies in one partition. */
export const EXPIRY_BUCKET_MS = 3_600_000
/** The partition of `expiry` that tells which others there are. */
export const EXPIRY_BUCKETS = -9_007_199_254_740_991n

const HOUR_MARK = 'expiry (bucket, expires_at, org, kind, uid)'

const INSERT_DOCUMENT = `INSERT INTO document (org, kind, uid, parent, revision, list_key, expires_at,
  handle, index_text, claims, shard, bytes, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const DELETE_DOCUMENT = 'DELETE FROM document WHERE org = ? AND kind = ? AND uid = ?'
const INSERT_CLAIM = 'INSERT INTO claim (org, claim, kind, uid) VALUES (?, ?, ?, ?)'
const DELETE_CLAIM = 'DELETE FROM claim WHERE org = ? AND claim = ?'
const INSERT_LISTING = `INSERT INTO listing (org, kind, shard, list_key, uid, parent, expires_at,
  handle, index_text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
const DELETE_LISTING =
  'DELETE FROM listing WHERE org = ? AND kind = ? AND shard = ? AND list_key = ? AND uid = ?'
const INSERT_CHILD =
  'INSERT INTO child (org, kind, parent, list_key, uid, expires_at) VALUES (?, ?, ?, ?, ?, ?)'
const DELETE_CHILD =
  'DELETE FROM child WHERE org = ? AND kind = ? AND parent = ? AND list_key = ? AND uid = ?'
const INSERT_USAGE =
  'INSERT INTO usage (scope, kind, documents, indexed, bytes, shards) VALUES (?, ?, ?, ?, ?, ?)'
const INSERT_EXPIRY = `INSERT INTO ${HOUR_MARK} VALUES (?, ?, ?, ?, ?)`
const DELETE_EXPIRY = `DELETE FROM expiry WHERE bucket = ? AND expires_at = ? AND org = ? AND kind = ?
  AND uid = ?`

/** Statements of one partition that are sent together, at most. */
const BATCH_MAX = 50

/** The partition of `usage` of an organization; a partition's key may not be empty. */
export function scopeOf(org: string): string {
  return `org:${org}`
}

/** The partition of `expiry` of a time. */
export function expiryBucketOf(expiresAt: number): bigint {
  return BigInt(Math.floor(expiresAt / EXPIRY_BUCKET_MS))
}

/** Writes the effects of an entry at its time; they may be there already. */
export async function materialize(
  cluster: Cluster,
  effects: Effects,
  timestamp: bigint,
): Promise<void> {
  const alone: CqlStatement[] = []
  const shared = new Map<string, CqlStatement[]>()
  // Rows of one partition go together: they are one write for each of its nodes.
  const share = (partition: string, statement: CqlStatement) => {
    const found = shared.get(partition)
    if (found === undefined) shared.set(partition, [statement])
    else found.push(statement)
  }
  for (const old of effects.unlisted) unlist(old, share)
  for (const put of effects.puts) {
    alone.push({ cql: INSERT_DOCUMENT, params: documentParams(put) })
    list(put, share)
  }
  for (const { org, kind, uid } of effects.gone) {
    alone.push({ cql: DELETE_DOCUMENT, params: [org, kind, uid] })
  }
  for (const { org, claim, holder } of effects.claims) {
    if (holder === undefined) alone.push({ cql: DELETE_CLAIM, params: [org, claim] })
    else alone.push({ cql: INSERT_CLAIM, params: [org, claim, holder.kind, holder.uid] })
  }
  for (const one of effects.usage) share(`u${one.org}`, usageStatement(one))
  for (const bucket of effects.emptied) {
    share('e', { cql: DELETE_EXPIRY, params: [EXPIRY_BUCKETS, BigInt(bucket), '', '', ''] })
  }
  const batches = [...shared.values()].flatMap(inBatches)
  await cluster.inParallel([...alone.map((one) => [one]), ...batches], async (some) => {
    if (some.length > 1) await cluster.batch(some, { timestamp })
    else await cluster.run(some[0].cql, some[0].params, { timestamp })
  })
}

type Share = (partition: string, statement: CqlStatement) => void

function list(put: KeptDocument, share: Share): void {
  const { org, kind, uid, parent, listKey, shard } = put
  const expiresAt = longOrNull(put.expiresAt)
  share(`l${org}\n${kind}\n${shard}`, {
    cql: INSERT_LISTING,
    params: [org, kind, shard, listKey, uid, parent, expiresAt, BigInt(put.handle), put.index],
  })
  if (parent !== '') {
    const params = [org, kind, parent, listKey, uid, expiresAt]
    share(`c${org}\n${kind}\n${parent}`, { cql: INSERT_CHILD, params })
  }
  if (put.expiresAt === null) return
  const bucket = expiryBucketOf(put.expiresAt)
  share(`e${bucket}`, { cql: INSERT_EXPIRY, params: [bucket, expiresAt, org, kind, uid] })
  share('e', { cql: INSERT_EXPIRY, params: [EXPIRY_BUCKETS, bucket, '', '', ''] })
}

function unlist(old: OldDocument, share: Share): void {
  const { org, kind, uid, parent, listKey, shard } = old
  const params = [org, kind, shard, listKey, uid]
  share(`l${org}\n${kind}\n${shard}`, { cql: DELETE_LISTING, params })
  if (parent !== '') {
    const childParams = [org, kind, parent, listKey, uid]
    share(`c${org}\n${kind}\n${parent}`, { cql: DELETE_CHILD, params: childParams })
  }
  if (old.expiresAt === null) return
  const bucket = expiryBucketOf(old.expiresAt)
  const expiryParams = [bucket, BigInt(old.expiresAt), org, kind, uid]
  share(`e${bucket}`, { cql: DELETE_EXPIRY, params: expiryParams })
}

function documentParams(put: KeptDocument): unknown[] {
  return [
    ...[put.org, put.kind, put.uid, put.parent, BigInt(put.revision), put.listKey],
    ...[longOrNull(put.expiresAt), BigInt(put.handle), put.index, [...put.claims]],
    ...[put.shard, BigInt(put.bytes), put.body],
  ]
}

function usageStatement(one: StoredUsage): CqlStatement {
  const counts = [BigInt(one.documents), BigInt(one.entries), BigInt(one.bytes), one.shards]
  return { cql: INSERT_USAGE, params: [scopeOf(one.org), one.kind, ...counts] }
}

function longOrNull(value: number | null): bigint | null {
  return value === null ? null : BigInt(value)
}

function inBatches(statements: readonly CqlStatement[]): CqlStatement[][] {
  const batches: CqlStatement[][] = []
  for (let at = 0; at < statements.length; at += BATCH_MAX) {
    batches.push(statements.slice(at, at + BATCH_MAX))
  }
  return batches
}
