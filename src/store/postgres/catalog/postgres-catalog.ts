/** The catalog in PostgreSQL, which several processes share. docs/format/postgres.md describes its tables. */
import type { Clock } from '../../../base/index.ts'
import type {
  CatalogChange,
  CatalogDocument,
  CatalogLimit,
  CatalogStore,
  CatalogWrite,
  Committed,
  KindUsage,
  Lease,
  ListQuery,
  WalkQuery,
} from '../../ports/catalog-port.ts'
import type { ComponentReads } from '../../ports/component-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import type { MovableCatalog, WholeRecord } from '../../ports/move-port.ts'
import type { Database } from '../connection/database.ts'
import { CommitNotices } from './commit-notices.ts'
import { CommittedChanges, HistoryLost } from './committed-changes.ts'
import { Committer } from './committer.ts'
import { ComponentStoreReads } from './component-store-reads.ts'
import { DocumentReads } from './document-reads.ts'
import { HandleSupply, type ReserveHandles } from './handle-supply.ts'
import { Leases } from './leases.ts'
import { WholeCatalog } from './whole-catalog.ts'

/** What the catalog is opened with. */
interface CatalogOptions {
  /** Where the handles of new streams come from. */
  readonly reserveHandles: ReserveHandles
  /**
   * Called when the database has lost commits that this process knows of. Its memory is wrong from then on, so the process
   * has to end.
   */
  readonly onHistoryLost?: (error: Error) => void
  /** For leases, instead of the database's clock; tests have one. */
  readonly clock?: Clock
}

/** The CatalogStore of a database whose schema is there; the database is the caller's to close. */
export class PostgresCatalog implements CatalogStore, MovableCatalog {
  readonly components: ComponentReads
  readonly #log: CommittedChanges
  readonly #documents: DocumentReads
  readonly #committer: Committer
  readonly #leases: Leases
  readonly #listener: CommitNotices
  readonly #whole: WholeCatalog
  readonly #onHistoryLost: (error: Error) => void

  constructor(database: Database, options: CatalogOptions) {
    const { reserveHandles, onHistoryLost = () => {}, clock } = options
    this.#log = new CommittedChanges(database)
    this.components = new ComponentStoreReads(database, this.#log)
    this.#documents = new DocumentReads(database)
    const handles = new HandleSupply(reserveHandles)
    this.#committer = new Committer({ database, log: this.#log, handles, onHistoryLost })
    this.#leases = new Leases(database, () => clock?.now() ?? null)
    this.#listener = new CommitNotices(database, this.#committer.name)
    this.#whole = new WholeCatalog(database)
    this.#onHistoryLost = onHistoryLost
  }

  get(key: DocumentKey): Promise<CatalogDocument | undefined> {
    return this.#documents.get(key)
  }

  findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined> {
    return this.#documents.findByClaim(orgUid, claim)
  }

  list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
    return this.#documents.list(query)
  }

  walk(query: WalkQuery): Promise<{ documents: CatalogDocument[]; next?: string }> {
    return this.#documents.walk(query)
  }

  commit(
    writes: readonly CatalogWrite[],
    lease?: Lease,
    limits: readonly CatalogLimit[] = [],
  ): Promise<Committed> {
    return this.#committer.commit({ writes, lease, limits })
  }

  usage(orgUid: string): Promise<readonly KindUsage[]> {
    return this.#documents.usage(orgUid)
  }

  purgeExpired(nowMs: number, limit: number): Promise<number> {
    return this.#committer.purge(nowMs, limit)
  }

  async changesSince(
    cursor: number,
    limit: number,
  ): Promise<{ changes: CatalogChange[]; cursor: number }> {
    try {
      return await this.#log.since(cursor, limit)
    } catch (error) {
      if (error instanceof HistoryLost) this.#onHistoryLost(error)
      throw error
    }
  }

  lastCursor(): Promise<number> {
    return this.#log.last()
  }

  everything(): AsyncIterable<readonly WholeRecord[]> {
    return this.#whole.everything()
  }

  wholeOf(keys: readonly DocumentKey[]): Promise<(WholeRecord | undefined)[]> {
    return this.#whole.wholeOf(keys)
  }

  /** Calls a listener soon after each commit of another process. */
  onCommits(listener: () => void): void {
    this.#listener.add(listener)
  }

  acquireLease(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    return this.#leases.acquire(name, holder, ttlMs)
  }

  async releaseLease(lease: Lease): Promise<void> {
    await this.#committer.settled()
    await this.#leases.release(lease)
  }

  holderOf(name: string, ttlMs: number): Promise<string | undefined> {
    return this.#leases.holderOf(name, ttlMs)
  }

  async close(): Promise<void> {
    await this.#listener.close()
    await this.#committer.close()
  }
}
