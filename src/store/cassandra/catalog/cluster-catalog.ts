/** The catalog on a cluster: commits are entries of one log, reads go to tables that follow it. */
import { type Clock, invariant, systemClock } from '../../../base/index.ts'
import type {
  CatalogChange,
  CatalogDocument,
  CatalogLimit,
  CatalogStore,
  CatalogWrite,
  DocumentKey,
  IndexReceiver,
  KindUsage,
  Lease,
  ListQuery,
  WalkQuery,
} from '../../catalog-port.ts'
import type { MovableCatalog, WholeDocument } from '../../move-port.ts'
import { putsOfFleet } from '../../puts-of-fleet.ts'
import type { StreamHandle } from '../../sample-port.ts'
import type { Cluster, CqlRow } from '../connection/cluster.ts'
import { Leases } from '../lease/leases.ts'
import { CatalogReader } from './catalog-reader.ts'
import type { LogHead } from './commit-log.ts'
import { Committer } from './committer.ts'
import { Listing } from './listing.ts'
import type { StoredUsage } from './log-entry.ts'

/** Index rows of a page: some milliseconds to take in. */
const INDEX_ROWS_PER_PAGE = 2_000
const DOCUMENTS_PER_PAGE = 200

/** Opens the catalog of a keyspace whose schema is there. */
export async function openClusterCatalog(
  cluster: Cluster,
  options: { readonly clock?: Clock } = {},
): Promise<ClusterCatalog> {
  const { clock = systemClock } = options
  const startMicros = await readStart(cluster, BigInt(clock.now()) * 1_000n)
  const [row] = await cluster.run(`SELECT value FROM meta WHERE name = 'catalog_head'`)
  const head: LogHead =
    row === undefined ? { seq: 0, cursor: 0, handle: 0 } : JSON.parse(row.value as string)
  const [reader, leases] = [new CatalogReader(cluster), new Leases(cluster)]
  const committer = new Committer({ cluster, reader, leases, startMicros, head })
  await committer.catchUp()
  return new ClusterCatalog({ cluster, reader, leases, committer, clock })
}

/** The time from which entries of the log are counted: that of the first start, kept for ever. */
async function readStart(cluster: Cluster, nowMicros: bigint): Promise<bigint> {
  const name = 'catalog_start'
  const [row] = await cluster.run('SELECT value FROM meta WHERE name = ?', [name])
  if (row !== undefined) return BigInt(row.value as string)
  const cql = 'INSERT INTO meta (name, value) VALUES (?, ?) IF NOT EXISTS'
  const answer = await cluster.cas(cql, [name, String(nowMicros)])
  return answer.isApplied ? nowMicros : BigInt(answer.row?.value as string)
}

interface StoreParts {
  readonly cluster: Cluster
  readonly reader: CatalogReader
  readonly leases: Leases
  readonly committer: Committer
  readonly clock: Clock
}

/** The CatalogStore of a cluster; the connection is the caller's to close. */
class ClusterCatalog implements CatalogStore, MovableCatalog {
  readonly #parts: StoreParts
  readonly #listing: Listing

  constructor(parts: StoreParts) {
    this.#parts = parts
    this.#listing = new Listing(parts.cluster, parts.reader)
  }

  get(key: DocumentKey): Promise<CatalogDocument | undefined> {
    return this.#parts.reader.document(key)
  }

  async findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined> {
    const holder = await this.#parts.reader.holderOf(orgUid, claim)
    return holder === undefined ? undefined : await this.#parts.reader.document(holder)
  }

  list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
    return this.#listing.list(query)
  }

  walk(query: WalkQuery): Promise<{ documents: CatalogDocument[]; next?: string }> {
    return this.#listing.walk(query)
  }

  async commit(
    writes: readonly CatalogWrite[],
    lease?: Lease,
    limits: readonly CatalogLimit[] = [],
  ): Promise<CatalogDocument[]> {
    const { committer } = this.#parts
    const [first] = writes
    if (first?.op !== 'fleet') {
      const plain = writes.filter((write) => write.op !== 'fleet')
      invariant(plain.length === writes.length, 'a fleet is a commit by itself')
      return await committer.commit({ writes: plain, lease, limits })
    }
    invariant(writes.length === 1, 'a fleet is a commit by itself')
    const made = await committer.commit({ writes: putsOfFleet(first), lease, limits })
    return [made[1]]
  }

  async usage(orgUid: string): Promise<readonly KindUsage[]> {
    const usage = await this.#parts.reader.usage(orgUid)
    return usage.map(({ kind, documents, bytes }) => ({ kind, documents, bytes }))
  }

  async scanIndex(
    kinds: readonly string[],
    receiver: IndexReceiver,
  ): Promise<{ cursor: number; isWhole: boolean }> {
    // First: a change during the scan may be told twice, but never missed.
    const { cursor } = await this.#parts.committer.catchUp()
    const scopes: StoredUsage[] = []
    for await (const one of this.#parts.reader.allUsage()) {
      if (kinds.includes(one.kind) && one.entries > 0) scopes.push(one)
    }
    for (const kind of kinds) {
      const own = scopes.filter((one) => one.kind === kind)
      const count = own.reduce((sum, { entries }) => sum + entries, 0)
      receiver.onCount?.(kind, count)
    }
    for (const kind of kinds) {
      for (const scope of scopes) if (scope.kind === kind) await this.#scanScope(scope, receiver)
    }
    return { cursor, isWhole: true }
  }

  async scanDocuments(
    kind: string,
    onDocument: (document: CatalogDocument) => void,
  ): Promise<void> {
    for await (const scope of this.#parts.reader.allUsage()) {
      if (scope.kind !== kind) continue
      let after: string | undefined
      do {
        const query = { orgUid: scope.org, kind, after, limit: DOCUMENTS_PER_PAGE }
        const step = await this.#listing.walk(query)
        for (const document of step.documents) onDocument(document)
        after = step.next
      } while (after !== undefined)
    }
  }

  async *everything(): AsyncGenerator<WholeDocument[]> {
    await this.#parts.committer.catchUp()
    yield* this.#parts.reader.everything()
  }

  async wholeOf(keys: readonly DocumentKey[]): Promise<(WholeDocument | undefined)[]> {
    const found = await this.#parts.reader.whole(keys)
    const byKey = new Map(found.map((one) => [nameOf(one), one]))
    return keys.map((key) => byKey.get(nameOf(key)))
  }

  purgeExpired(nowMs: number, limit: number): Promise<number> {
    return this.#parts.committer.purge(nowMs, limit)
  }

  async changesSince(
    cursor: number,
    limit: number,
  ): Promise<{ changes: CatalogChange[]; cursor: number }> {
    const { committer } = this.#parts
    await committer.catchUp()
    const changes = await committer.recent.after(cursor, limit)
    return { changes, cursor: changes.at(-1)?.cursor ?? cursor }
  }

  async acquireLease(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    const { leases, committer, clock } = this.#parts
    const got = await leases.acquire({ name, holder, nowMs: clock.now(), ttlMs })
    // Who held it before may be about to commit under it: that must not come behind this.
    if (got?.isTakenOver === true) await committer.raiseBarrier()
    return got?.lease
  }

  async releaseLease(lease: Lease): Promise<void> {
    await this.#parts.committer.settled()
    await this.#parts.leases.release(lease)
  }

  holderOf(name: string, ttlMs: number): Promise<string | undefined> {
    return this.#parts.leases.holderOf(name, { nowMs: this.#parts.clock.now(), ttlMs })
  }

  async close(): Promise<void> {
    await this.#parts.committer.close()
  }

  async #scanScope({ org, kind, shards }: StoredUsage, receiver: IndexReceiver): Promise<void> {
    const cql = `SELECT uid, parent, handle, index_text FROM listing WHERE org = ? AND kind = ?
      AND shard = ?`
    for (let shard = 0; shard < shards; shard++) {
      const pages = this.#parts.cluster.pages(cql, [org, kind, shard], INDEX_ROWS_PER_PAGE)
      for await (const page of pages) {
        for (const row of page) if (row.index_text !== null) tell(receiver, { org, kind }, row)
      }
    }
  }
}

function nameOf({ orgUid, kind, uid }: DocumentKey): string {
  return JSON.stringify([orgUid, kind, uid])
}

function tell(receiver: IndexReceiver, { org, kind }: { org: string; kind: string }, row: CqlRow) {
  const handle = Number(row.handle)
  receiver.onRow({
    ...{ kind, orgUid: org, uid: row.uid as string, parentUid: row.parent as string },
    handle: handle === 0 ? undefined : (handle as StreamHandle),
    index: row.index_text as string,
  })
}
