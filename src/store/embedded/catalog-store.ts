import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Clock, systemClock } from '../../base/index.ts'
import type {
  CatalogChange,
  CatalogDocument,
  CatalogStore,
  CatalogWrite,
  DocumentKey,
  IndexRow,
  Lease,
  ListQuery,
  PutDocument,
} from '../catalog-port.ts'
import type { StreamHandle } from '../sample-port.ts'
import type { WriteOrder, Written } from './catalog-protocol.ts'
import { CatalogReadTable } from './catalog-read-table.ts'
import { CatalogWriterLink } from './catalog-writer-link.ts'

/** Rows read in one step of a scan: some milliseconds, and garbage that dies young. */
const SCAN_ROWS = 1_000

export interface CatalogStoreOptions {
  /** An existing or new folder; the store keeps its one database in it. */
  readonly folder: string
  readonly clock?: Clock
}

/** Opens the catalog kept in a folder's catalog.db, creating or migrating it when needed. */
export async function openCatalogStore(options: CatalogStoreOptions): Promise<CatalogStore> {
  mkdirSync(options.folder, { recursive: true })
  const file = join(options.folder, 'catalog.db')
  const writer = new CatalogWriterLink(file)
  await writer.ready()
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  db.exec('PRAGMA cache_size = -32000')
  return new EmbeddedCatalogStore(db, writer, options.clock ?? systemClock)
}

/** The main thread reads by its own connection; everything written goes through the writer thread. */
class EmbeddedCatalogStore implements CatalogStore {
  readonly #db: DatabaseSync
  readonly #table: CatalogReadTable
  readonly #writer: CatalogWriterLink
  readonly #clock: Clock

  constructor(db: DatabaseSync, writer: CatalogWriterLink, clock: Clock) {
    this.#db = db
    this.#table = new CatalogReadTable(db)
    this.#writer = writer
    this.#clock = clock
  }

  async get(key: DocumentKey): Promise<CatalogDocument | undefined> {
    return this.#table.selectByKey(key)
  }

  async findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined> {
    return this.#table.selectByClaim(orgUid, claim)
  }

  async list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
    return this.#table.selectPage(query)
  }

  async commit(writes: readonly CatalogWrite[], lease?: Lease): Promise<CatalogDocument[]> {
    const takeOrders = (from: number, until: number) => writes.slice(from, until).map(orderOf)
    const written = await this.#writer.commit(writes.length, takeOrders, lease)
    const puts = writes.filter((write) => write.op === 'put')
    return puts.map((put, index) => documentOf(put, written[index]))
  }

  async scanIndex(
    kind: string,
    onRow: (row: IndexRow) => void,
    onCount?: (count: number) => void,
  ): Promise<{ cursor: number }> {
    // Read first: a change during the scan may be told twice, but never missed.
    const cursor = this.#table.selectCursor()
    onCount?.(this.#table.selectCount(kind))
    let after = this.#table.scanEntries(kind, 0, SCAN_ROWS, onRow)
    while (after > 0) {
      await new Promise((resolve) => setImmediate(resolve))
      after = this.#table.scanEntries(kind, after, SCAN_ROWS, onRow)
    }
    return { cursor }
  }

  async purgeExpired(nowMs: number, limit: number): Promise<number> {
    return (await this.#writer.request({ type: 'purge', nowMs, limit })) as number
  }

  async changesSince(
    cursor: number,
    limit: number,
  ): Promise<{ changes: CatalogChange[]; cursor: number }> {
    const changes = this.#table.selectChanges(cursor, limit)
    return { changes, cursor: changes.at(-1)?.cursor ?? cursor }
  }

  async acquireLease(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    const nowMs = this.#clock.now()
    const lease = await this.#writer.request({ type: 'acquire', name, holder, nowMs, ttlMs })
    return lease as Lease | undefined
  }

  async releaseLease(lease: Lease): Promise<void> {
    await this.#writer.request({ type: 'release', lease })
  }

  async close(): Promise<void> {
    // The reader goes first: the last connection to close tidies up the write-ahead log.
    if (this.#db.isOpen) this.#db.close()
    await this.#writer.close()
  }
}

function orderOf(write: CatalogWrite): WriteOrder {
  return write.op === 'put' ? { ...write, body: JSON.stringify(write.body) } : write
}

function documentOf(put: PutDocument, written: Written): CatalogDocument {
  return {
    orgUid: put.orgUid,
    kind: put.kind,
    uid: put.uid,
    parentUid: put.parentUid ?? '',
    revision: written.revision,
    listKey: put.listKey ?? '',
    expiresAtMs: put.expiresAtMs,
    handle: written.handle as StreamHandle | undefined,
    body: put.body,
  }
}
