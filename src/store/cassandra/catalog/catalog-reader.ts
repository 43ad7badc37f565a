/** Reads the tables of the catalog by their keys. */
import { CatalogDamaged, type CatalogDocument, type DocumentKey } from '../../catalog-port.ts'
import type { WholeDocument } from '../../move-port.ts'
import type { StreamHandle } from '../../sample-port.ts'
import { storedClaim } from '../../stored-claim.ts'
import type { Cluster, CqlRow } from '../connection/cluster.ts'
import type { KeptDocument, StoredUsage } from './log-entry.ts'
import { EXPIRY_BUCKETS, expiryBucketOf, scopeOf } from './materialize.ts'

/** Partitions asked for in one statement: few answers of many at once instead of many of one. */
const KEYS_PER_READ = 50

/** Documents of a page when all are read. */
const WHOLE_PER_PAGE = 500

const HEAD_COLUMNS = `org, kind, uid, parent, revision, list_key, expires_at, handle, index_text, claims,
  shard, bytes`
const COLUMNS = `${HEAD_COLUMNS}, body`

/** A document without its body. */
export type DocumentHead = Omit<KeptDocument, 'body'>

/** What is due to be purged, and the hours of which nothing would be left then. */
export interface DueDocuments {
  readonly keys: readonly DocumentKey[]
  readonly emptied: readonly number[]
}

/** Reads at QUORUM: whatever was acknowledged before, through whichever process, is seen. */
export class CatalogReader {
  readonly #cluster: Cluster

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  async document({ orgUid, kind, uid }: DocumentKey): Promise<CatalogDocument | undefined> {
    const cql = `SELECT ${COLUMNS} FROM document WHERE org = ? AND kind = ? AND uid = ?`
    const [row] = await this.#cluster.run(cql, [orgUid, kind, uid])
    return row === undefined ? undefined : documentOfRow(row)
  }

  /** Documents of a kind by their UIDs; those that are not there are left out. */
  async documents(
    { orgUid, kind }: Pick<DocumentKey, 'orgUid' | 'kind'>,
    uids: readonly string[],
  ): Promise<Map<string, CqlRow>> {
    const cql = `SELECT ${COLUMNS} FROM document WHERE org = ? AND kind = ? AND uid IN ?`
    const rows = await this.#cluster.run(cql, [orgUid, kind, uids])
    return new Map(rows.map((row) => [row.uid as string, row]))
  }

  /** Heads of documents of any kinds, by keys. */
  async heads(keys: readonly DocumentKey[]): Promise<DocumentHead[]> {
    return (await this.#rowsOf(keys, HEAD_COLUMNS)).map(headOf)
  }

  /** Documents of any kinds with all that is kept of them, by keys; those that are not there are left out. */
  async whole(keys: readonly DocumentKey[]): Promise<WholeDocument[]> {
    return (await this.#rowsOf(keys, COLUMNS)).map(wholeOfRow)
  }

  /** Every document with all that is kept of it, in no order. */
  async *everything(): AsyncGenerator<WholeDocument[]> {
    const pages = this.#cluster.pages(`SELECT ${COLUMNS} FROM document`, [], WHOLE_PER_PAGE)
    for await (const page of pages) yield page.map(wholeOfRow)
  }

  async #rowsOf(keys: readonly DocumentKey[], columns: string): Promise<CqlRow[]> {
    const groups = Map.groupBy(keys, ({ orgUid, kind }) => JSON.stringify([orgUid, kind]))
    const reads = [...groups.values()].flatMap((group) =>
      inSteps([...new Set(group.map(({ uid }) => uid))]).map((uids) => ({ ...group[0], uids })),
    )
    const cql = `SELECT ${columns} FROM document WHERE org = ? AND kind = ? AND uid IN ?`
    const found = await this.#cluster.inParallel(reads, ({ orgUid, kind, uids }) =>
      this.#cluster.run(cql, [orgUid, kind, uids]),
    )
    return found.flat()
  }

  /** Who holds a claim. */
  async holderOf(orgUid: string, claim: string): Promise<DocumentKey | undefined> {
    const cql = 'SELECT kind, uid FROM claim WHERE org = ? AND claim = ?'
    const [row] = await this.#cluster.run(cql, [orgUid, storedClaim(claim)])
    if (row === undefined) return undefined
    return { orgUid, kind: row.kind as string, uid: row.uid as string }
  }

  /** Who holds claims of an organization, given as the table has them, as far as somebody does. */
  async holdersOf(
    orgUid: string,
    claims: readonly string[],
  ): Promise<{ claim: string; kind: string; uid: string }[]> {
    const cql = 'SELECT claim, kind, uid FROM claim WHERE org = ? AND claim IN ?'
    const found = await this.#cluster.inParallel(inSteps(claims), (some) =>
      this.#cluster.run(cql, [orgUid, some]),
    )
    return found.flat().map((row) => {
      const { claim, kind, uid } = row as { claim: string; kind: string; uid: string }
      return { claim, kind, uid }
    })
  }

  /** What an organization has, by kinds. */
  async usage(org: string): Promise<StoredUsage[]> {
    const cql = 'SELECT kind, documents, indexed, bytes, shards FROM usage WHERE scope = ?'
    const rows = await this.#cluster.run(cql, [scopeOf(org)])
    return rows.map((row) => usageOf(org, row))
  }

  /** What an organization has of a kind. */
  async usageOfKind(org: string, kind: string): Promise<StoredUsage | undefined> {
    const cql =
      'SELECT kind, documents, indexed, bytes, shards FROM usage WHERE scope = ? AND kind = ?'
    const [row] = await this.#cluster.run(cql, [scopeOf(org), kind])
    return row === undefined ? undefined : usageOf(org, row)
  }

  /** What all organizations have. */
  async *allUsage(): AsyncGenerator<StoredUsage> {
    const cql = 'SELECT scope, kind, documents, indexed, bytes, shards FROM usage'
    for await (const page of this.#cluster.pages(cql, [], 1_000)) {
      for (const row of page) yield usageOf((row.scope as string).slice(scopeOf('').length), row)
    }
  }

  /** The documents whose time has passed, the earliest first, at most `limit`. */
  async due(nowMs: number, limit: number): Promise<DueDocuments> {
    const current = expiryBucketOf(nowMs)
    const marks = await this.#cluster.run(
      'SELECT expires_at FROM expiry WHERE bucket = ? AND expires_at <= ? LIMIT 1000',
      [EXPIRY_BUCKETS, current],
    )
    const keys: DocumentKey[] = []
    const emptied: number[] = []
    for (const { expires_at: bucket } of marks) {
      const left = limit - keys.length
      if (left <= 0) break
      const rows = await this.#cluster.run(
        'SELECT org, kind, uid FROM expiry WHERE bucket = ? AND expires_at <= ? LIMIT ?',
        [bucket, BigInt(nowMs), left],
      )
      for (const { org, kind, uid } of rows as readonly { [key: string]: string }[]) {
        keys.push({ orgUid: org, kind, uid })
      }
      if (rows.length < left && (bucket as bigint) < current) emptied.push(Number(bucket))
    }
    return { keys, emptied }
  }
}

/** A document from its row; CatalogDamaged when its body is no JSON. */
export function documentOfRow(row: CqlRow): CatalogDocument {
  const head = headOf(row)
  let body: CatalogDocument['body']
  try {
    body = JSON.parse(row.body as string)
  } catch (cause) {
    throw new CatalogDamaged(`the body of ${head.kind} ${head.uid} is no JSON`, { cause })
  }
  return {
    ...{ orgUid: head.org, kind: head.kind, uid: head.uid, parentUid: head.parent },
    ...{ revision: head.revision, listKey: head.listKey, body },
    expiresAtMs: head.expiresAt ?? undefined,
    handle: head.handle === 0 ? undefined : (head.handle as StreamHandle),
  }
}

function wholeOfRow(row: CqlRow): WholeDocument {
  const { index, claims } = headOf(row)
  return { ...documentOfRow(row), index: index ?? undefined, claims }
}

function headOf(row: CqlRow): DocumentHead {
  return {
    ...{ org: row.org as string, kind: row.kind as string, uid: row.uid as string },
    ...{ parent: row.parent as string, revision: Number(row.revision) },
    ...{ listKey: row.list_key as string, handle: Number(row.handle) },
    expiresAt: row.expires_at === null ? null : Number(row.expires_at),
    index: row.index_text as string | null,
    claims: (row.claims as string[] | null) ?? [],
    ...{ shard: row.shard as number, bytes: Number(row.bytes) },
  }
}

function usageOf(org: string, row: CqlRow): StoredUsage {
  return {
    ...{ org, kind: row.kind as string, documents: Number(row.documents) },
    ...{ entries: Number(row.indexed), bytes: Number(row.bytes), shards: row.shards as number },
  }
}

function inSteps<T>(items: readonly T[]): T[][] {
  const steps: T[][] = []
  for (let at = 0; at < items.length; at += KEYS_PER_READ) {
    steps.push(items.slice(at, at + KEYS_PER_READ))
  }
  return steps
}
