import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Clock, systemClock } from '../../../base/index.ts'
import {
  type CatalogChange,
  CatalogDamaged,
  type CatalogDocument,
  type CatalogLimit,
  type CatalogStore,
  type CatalogWrite,
  type Committed,
  type KindUsage,
  type Lease,
  type ListQuery,
  type WalkQuery,
} from '../../ports/catalog-port.ts'
import type { ComponentReads } from '../../ports/component-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import type { Scrubbable, ScrubPass } from '../../ports/scrub-port.ts'
import { openChecked } from './catalog-checks.ts'
import { isLeaseRunning } from './catalog-lease-table.ts'
import { CatalogReadTable } from './catalog-read-table.ts'
import { CatalogSnapshot } from './catalog-snapshot.ts'
import { CatalogWriterLink } from './catalog-writer-link.ts'
import { EmbeddedComponents } from './component/component-reads.ts'
import { damagedCatalog } from './open-catalog-file.ts'
import { RenewedLeases } from './renewed-leases.ts'
import { CatalogScrub } from './scrub/catalog-scrub.ts'
import { committedOf, ordersOf } from './write-orders.ts'

/** Pages of catalog.db kept for reads. */
const CACHE_KIB = 32_000
/** Up to this size all of the catalog is read back before it is used: some tenths of a second. */
const CHECKED_AT_START_BYTES = 8 * 1024 * 1024

/** Damage beyond this many reports are only counted: a disk that fails can bring millions. */
const DAMAGES_MAX = 1_000

interface CatalogStoreOptions {
  /** An existing or new folder; the store keeps its one database in it. */
  readonly folder: string
  readonly clock?: Clock
  /** Keeps some megabytes of the disk back, so that people can sign in and delete when it is full. */
  readonly hasReserve?: boolean
  /** Called once with each damaged row. */
  readonly onDamage?: (what: string) => void
}

/** Opens the catalog kept in a folder's catalog.db, creating or migrating it when needed. */
export async function openCatalogStore(
  options: CatalogStoreOptions,
): Promise<EmbeddedCatalogStore> {
  mkdirSync(options.folder, { recursive: true })
  const file = join(options.folder, 'catalog.db')
  const writer = new CatalogWriterLink(file, options.hasReserve ?? false)
  try {
    await writer.ready()
    const store = openChecked(() => {
      const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
      db.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
      return new EmbeddedCatalogStore({ db, file, writer }, options)
    })
    if (statSync(file).size <= CHECKED_AT_START_BYTES) await store.checkNow()
    return store
  } catch (error) {
    await writer.close()
    throw error instanceof CatalogDamaged ? damagedCatalog(options.folder, error) : error
  }
}

/** The main thread reads by its own connection; everything written goes through the writer thread. */
class EmbeddedCatalogStore implements CatalogStore, Scrubbable {
  readonly #db: DatabaseSync
  readonly #file: string
  readonly #snapshot: CatalogSnapshot
  readonly #table: CatalogReadTable
  readonly #writer: CatalogWriterLink
  readonly #clock: Clock
  readonly #leases = new RenewedLeases()
  readonly #onDamage: (what: string) => void
  readonly #damages = new Set<string>()
  readonly components: ComponentReads

  constructor(
    { db, file, writer }: { db: DatabaseSync; file: string; writer: CatalogWriterLink },
    { clock = systemClock, onDamage = () => {} }: Omit<CatalogStoreOptions, 'folder'>,
  ) {
    this.#db = db
    this.#file = file
    this.#snapshot = new CatalogSnapshot(db)
    this.#table = new CatalogReadTable(db, (what) => this.#noteDamage(what))
    this.components = new EmbeddedComponents({
      db,
      file,
      table: this.#table,
      reporting: (read) => this.#reporting(read),
      onDamage: (what) => this.#noteDamage(what),
    })
    this.#writer = writer
    this.#clock = clock
    this.#onDamage = onDamage
  }

  /** What was found not to check since the start, at most a thousand of it. */
  get damages(): readonly string[] {
    return [...this.#damages]
  }

  async get(key: DocumentKey): Promise<CatalogDocument | undefined> {
    return this.#reporting(() => this.#table.selectByKey(key))
  }

  async findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined> {
    return this.#reporting(() => this.#table.selectByClaim(orgUid, claim))
  }

  async list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
    return this.#reporting(() => this.#table.selectPage(query))
  }

  async walk(query: WalkQuery): Promise<{ documents: CatalogDocument[]; next?: string }> {
    return this.#reporting(() => this.#table.selectStep(query))
  }

  async commit(
    writes: readonly CatalogWrite[],
    lease?: Lease,
    limits: readonly CatalogLimit[] = [],
  ): Promise<Committed> {
    const committing = this.#writer.commit(ordersOf(writes), { lease, limits })
    const written = await committing.catch((error: unknown) => this.#rethrow(error))
    return committedOf(writes, written)
  }

  async usage(orgUid: string): Promise<readonly KindUsage[]> {
    return this.#reporting(() => this.#table.selectUsage(orgUid))
  }

  /** Reads all of the catalog back at once; mismatches are reported as damage. */
  async checkNow(): Promise<void> {
    await new CatalogScrub(this.#db, this.#file).runAtOnce({
      onDamage: (what) => this.#noteDamage(what),
      rebuildIndexes: (tables) => this.#rebuildIndexes(tables),
    })
  }

  async #rebuildIndexes(tables: readonly string[]): Promise<void> {
    await this.#writer.request({ type: 'reindex', tables })
  }

  async scrub(pass: ScrubPass): Promise<void> {
    await new CatalogScrub(this.#db, this.#file).run({
      mayGoOn: () => pass.mayGoOn(),
      onChecked: (items, bytes) => pass.onChecked(items, bytes),
      rebuildIndexes: (tables) => this.#rebuildIndexes(tables),
      onDamage: (what) => {
        this.#noteDamage(what)
        pass.onDamage({
          part: 'catalog',
          what: `catalog.db: ${what}`,
          handle: undefined,
          from: undefined,
          until: undefined,
        })
      },
    })
  }

  async purgeExpired(nowMs: number, limit: number): Promise<number> {
    return (await this.#writer.request({ type: 'purge', nowMs, limit })) as number
  }

  async changesSince(
    cursor: number,
    limit: number,
  ): Promise<{ changes: CatalogChange[]; cursor: number }> {
    const changes = this.#reporting(() => this.#table.selectChanges(cursor, limit))
    return { changes, cursor: changes.at(-1)?.cursor ?? cursor }
  }

  async lastCursor(): Promise<number> {
    return this.#reporting(() => this.#table.selectCursor())
  }

  async acquireLease(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    const nowMs = this.#clock.now()
    const renewed = this.#leases.renew(name, { holder, nowMs, ttlMs })
    if (renewed !== undefined) return renewed
    if (this.#leases.holderAt(name, { nowMs, ttlMs }) !== undefined) return undefined
    const order = { type: 'acquire', name, holder, nowMs, ttlMs } as const
    const lease = (await this.#writer.request(order)) as Lease | undefined
    if (lease !== undefined) this.#leases.note(lease, nowMs + ttlMs)
    return lease
  }

  async holderOf(name: string, ttlMs: number): Promise<string | undefined> {
    const nowMs = this.#clock.now()
    const here = this.#leases.holderAt(name, { nowMs, ttlMs })
    if (here !== undefined) return here
    const lease = this.#reporting(() => this.#table.leases.select(name))
    return lease !== undefined && isLeaseRunning(lease, { nowMs, ttlMs }) ? lease.holder : undefined
  }

  async releaseLease(lease: Lease): Promise<void> {
    this.#leases.drop(lease)
    await this.#writer.request({ type: 'release', lease })
  }

  #reporting<T>(read: () => T): T {
    try {
      return this.#snapshot.read(read)
    } catch (error) {
      return this.#rethrow(error)
    }
  }

  #rethrow(error: unknown): never {
    if (error instanceof CatalogDamaged) this.#noteDamage(error.what)
    throw error
  }

  #noteDamage(what: string): void {
    if (this.#damages.has(what) || this.#damages.size >= DAMAGES_MAX) return
    this.#damages.add(what)
    this.#onDamage(what)
  }

  async close(): Promise<void> {
    // The reader goes first: the last connection to close tidies up the write-ahead log.
    if (this.#db.isOpen) this.#db.close()
    await this.#writer.close()
  }
}
