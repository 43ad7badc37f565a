import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Clock, invariant, memberUidOf, nextTurn, systemClock } from '../../../base/index.ts'
import {
  type CatalogChange,
  CatalogDamaged,
  type CatalogDocument,
  type CatalogLimit,
  type CatalogStore,
  type CatalogWrite,
  type DocumentKey,
  type IndexReceiver,
  type IndexRow,
  type KindUsage,
  type Lease,
  type ListQuery,
  type LostDocuments,
  type PackedIndexRow,
  type PutDocument,
  type PutFleet,
  type WalkQuery,
} from '../../catalog-port.ts'
import { putsOfFleet } from '../../puts-of-fleet.ts'
import type { StreamHandle } from '../../sample-port.ts'
import type { Scrubbable, ScrubPass } from '../../scrub-port.ts'
import { damageOf } from '../damage/folder-damaged.ts'
import { openChecked } from './catalog-checks.ts'
import { isLeaseRunning } from './catalog-lease-table.ts'
import type { WriteOrder } from './catalog-protocol.ts'
import { CatalogReadTable } from './catalog-read-table.ts'
import { CatalogSnapshot } from './catalog-snapshot.ts'
import { CatalogWriterLink } from './catalog-writer-link.ts'
import { toDocument } from './family/family-read-table.ts'
import {
  documentsOf,
  WALK_START,
  type WalkedPage,
  type WalkPlace,
  type WalkStep,
} from './family/family-walk-table.ts'
import { indexRowOf } from './family/index-row-of.ts'
import { packedOrderOf } from './family/packed-order.ts'
import { ShapeTaker } from './family/shape-taker.ts'
import { damagedCatalog } from './open-catalog-file.ts'
import { CatalogScrub } from './scrub/catalog-scrub.ts'
import { CatalogScrubTable } from './scrub/catalog-scrub-table.ts'

/** Pages of catalog.db kept for reads. */
const CACHE_KIB = 32_000
/** And while all rows are read once: those read last would be kept, and nobody asks for them again. */
const SCAN_CACHE_KIB = 1_000

/** Rows read in one step of a scan: some milliseconds, and garbage that dies young. */
const SCAN_ROWS = 1_000

/** Up to this size all of the catalog is read back before it is used: some tenths of a second. */
const CHECKED_AT_START_BYTES = 16 * 1024 * 1024

/** Damages told beyond this many are only counted: a disk that fails can bring millions. */
const DAMAGES_MAX = 1_000

interface CatalogStoreOptions {
  /** An existing or new folder; the store keeps its one database in it. */
  readonly folder: string
  readonly clock?: Clock
  /** Keeps some megabytes of the disk back, so that people can sign in and delete when it is full. */
  readonly hasReserve?: boolean
  /** Told once of everything that is found not to check. */
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
  readonly #onDamage: (what: string) => void
  readonly #damages = new Set<string>()
  readonly #taker = new ShapeTaker()

  constructor(
    { db, file, writer }: { db: DatabaseSync; file: string; writer: CatalogWriterLink },
    { clock = systemClock, onDamage = () => {} }: Omit<CatalogStoreOptions, 'folder'>,
  ) {
    this.#db = db
    this.#file = file
    this.#snapshot = new CatalogSnapshot(db)
    this.#table = new CatalogReadTable(db, (what) => this.#noteDamage(what))
    this.#writer = writer
    this.#clock = clock
    this.#onDamage = onDamage
  }

  /** What was found not to check since the start, at most a thousand of it. */
  get damages(): readonly string[] {
    return [...this.#damages]
  }

  async get(key: DocumentKey): Promise<CatalogDocument | undefined> {
    return this.#telling(() => this.#table.selectByKey(key))
  }

  async findByClaim(orgUid: string, claim: string): Promise<CatalogDocument | undefined> {
    return this.#telling(() => this.#table.selectByClaim(orgUid, claim))
  }

  async list(query: ListQuery): Promise<{ documents: CatalogDocument[]; totalCount: number }> {
    return this.#telling(() => this.#table.selectPage(query))
  }

  async walk(query: WalkQuery): Promise<{ documents: CatalogDocument[]; next?: string }> {
    return this.#telling(() => this.#table.selectStep(query))
  }

  async commit(
    writes: readonly CatalogWrite[],
    lease?: Lease,
    limits: readonly CatalogLimit[] = [],
  ): Promise<CatalogDocument[]> {
    const [first] = writes
    if (first?.op === 'fleet') {
      invariant(writes.length === 1, 'a fleet is a commit by itself')
      return [await this.#makeFleet(first, { lease, limits })]
    }
    const takeOrders = (from: number, until: number) =>
      writes.slice(from, until).map((write) => orderOf(write, this.#taker))
    const committing = this.#writer.commit(writes.length, takeOrders, { lease, limits })
    const written = await committing.catch((error: unknown) => this.#rethrow(error))
    const documents: CatalogDocument[] = []
    for (const write of writes) {
      if (write.op !== 'put') continue
      const at = documents.length * 2
      documents.push(documentOf(write, { revision: written[at], handle: written[at + 1] }))
    }
    return documents
  }

  async #makeFleet(
    fleet: PutFleet,
    under: { lease: Lease | undefined; limits: readonly CatalogLimit[] },
  ): Promise<CatalogDocument> {
    const making = this.#writer.makeFleet(fleet, under)
    const handle = await making.catch((error: unknown) => this.#rethrow(error))
    if (handle !== undefined) return firstOfFleet(fleet, handle)
    const [, first] = await this.commit(putsOfFleet(fleet), under.lease, under.limits)
    return first
  }

  async usage(orgUid: string): Promise<readonly KindUsage[]> {
    return this.#telling(() => this.#table.selectUsage(orgUid))
  }

  async scanIndex(
    kinds: readonly string[],
    receiver: IndexReceiver,
  ): Promise<{ cursor: number; isWhole: boolean; lost?: LostDocuments }> {
    // Read first: a change during the scan may be told twice, but never missed.
    const cursor = this.#table.selectCursor()
    const before = this.#damages.size
    let missing = 0
    for (const kind of kinds) {
      const expected = this.#table.selectEntryCount(kind)
      receiver.onCount?.(kind, expected)
      missing += expected
    }
    const onRow = (row: IndexRow): void => {
      missing -= 1
      receiver.onRow(row)
    }
    const onPacked = (row: PackedIndexRow): void => {
      missing -= 1
      if (receiver.onPacked === undefined) receiver.onRow(indexRowOf(row))
      else receiver.onPacked(row)
    }
    this.#db.exec(`PRAGMA cache_size = -${SCAN_CACHE_KIB}`)
    // A stream with a row of its own may be one of a component that shares its row with others.
    await this.#scanRows(kinds[0], onRow)
    const lost = await this.#scanFamilies(kinds, onPacked)
    for (const kind of kinds.slice(1)) await this.#scanRows(kind, onRow)
    this.#db.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
    if (missing > 0) this.#noteDamage(`${missing} index rows of ${kinds.join(' and ')} are missing`)
    return { cursor, isWhole: missing <= 0 && this.#damages.size === before, lost }
  }

  async #scanRows(kind: string, onRow: (row: IndexRow) => void): Promise<void> {
    let after = 0
    do {
      if (after > 0) await nextTurn()
      const step = { after, limit: SCAN_ROWS }
      after = this.#noting(() => this.#table.scanEntries(kind, step, onRow))?.after ?? 0
    } while (after > 0)
  }

  async #scanFamilies(
    kinds: readonly string[],
    onRow: (row: PackedIndexRow) => void,
  ): Promise<LostDocuments | undefined> {
    const damaged: (WalkStep | undefined)[] = []
    let at: WalkPlace | undefined = WALK_START
    while (at !== undefined) {
      const after: WalkPlace = at
      const step: WalkStep | undefined = this.#noting(() =>
        this.#table.scanFamilies(kinds, { after, limit: SCAN_ROWS }, onRow),
      )
      if (step === undefined || step.lost.length > 0) damaged.push(step)
      at = step?.next
      if (at !== undefined) await nextTurn()
    }
    return damaged.length === 0 ? undefined : this.#table.families.lostIn(damaged)
  }

  /** Runs a step of a scan and tells of its damages; undefined when it could not be run at all. */
  #noting<T extends { readonly damages: readonly string[] }>(scan: () => T): T | undefined {
    try {
      const step = this.#snapshot.read(scan)
      for (const what of step.damages) this.#noteDamage(what)
      return step
    } catch (error) {
      // A start that ends with this tells which of the databases it is.
      if (!(error instanceof CatalogDamaged)) throw damageOf(error, this.#file) ?? error
      this.#noteDamage(error.what)
      return undefined
    }
  }

  async scanDocuments(kind: string, onDocument: (document: CatalogDocument) => void) {
    const table = new CatalogScrubTable(this.#db)
    let after = 0
    do {
      const step = { kind, after, limit: SCAN_ROWS }
      after = this.#noting(() => table.selectDocuments(step, onDocument))?.after ?? 0
      await nextTurn()
    } while (after > 0)
    const onPage = (page: WalkedPage): void => {
      for (const one of documentsOf(page)) {
        if (one.kind === kind) onDocument(toDocument(page.orgUid, one))
      }
    }
    let at: WalkPlace | undefined = WALK_START
    while (at !== undefined) {
      const from: WalkPlace = at
      at = this.#noting(() => this.#table.families.walk.step(from, SCAN_ROWS, onPage))?.next
      await nextTurn()
    }
  }

  /** Reads all of the catalog back at once; what does not check is told as damage. */
  async checkNow(): Promise<void> {
    await new CatalogScrub(this.#db, this.#file).runAtOnce({
      onDamage: (what) => this.#noteDamage(what),
      rebuildIndexes: () => this.#rebuildIndexes(),
    })
  }

  async #rebuildIndexes(): Promise<void> {
    await this.#writer.request({ type: 'reindex' })
  }

  async scrub(pass: ScrubPass): Promise<void> {
    await new CatalogScrub(this.#db, this.#file).run({
      ...{ mayGoOn: () => pass.mayGoOn() },
      onChecked: (items, bytes) => pass.onChecked(items, bytes),
      rebuildIndexes: () => this.#rebuildIndexes(),
      onDamage: (what) => {
        this.#noteDamage(what)
        pass.onDamage({
          ...{ part: 'catalog', what: `catalog.db: ${what}` },
          ...{ handle: undefined, from: undefined, until: undefined },
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
    const changes = this.#telling(() => this.#table.selectChanges(cursor, limit))
    return { changes, cursor: changes.at(-1)?.cursor ?? cursor }
  }

  async acquireLease(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
    const nowMs = this.#clock.now()
    const lease = await this.#writer.request({ type: 'acquire', name, holder, nowMs, ttlMs })
    return lease as Lease | undefined
  }

  async holderOf(name: string, ttlMs: number): Promise<string | undefined> {
    const nowMs = this.#clock.now()
    const lease = this.#telling(() => this.#table.leases.select(name))
    return lease !== undefined && isLeaseRunning(lease, { nowMs, ttlMs }) ? lease.holder : undefined
  }

  async releaseLease(lease: Lease): Promise<void> {
    await this.#writer.request({ type: 'release', lease })
  }

  #telling<T>(read: () => T): T {
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

function firstOfFleet(fleet: PutFleet, handle: number): CatalogDocument {
  const { orgUid, uid: parentUid, streamIds, members, memberOf } = fleet
  const { body, listKey } = members[memberOf[0]]
  return {
    ...{ orgUid, kind: 'stream', uid: memberUidOf(parentUid, 1), parentUid, revision: 1 },
    ...{ listKey, expiresAtMs: undefined, handle: handle as StreamHandle },
    body: { ...body, id: streamIds[0] },
  }
}

function orderOf(write: CatalogWrite, taker: ShapeTaker): WriteOrder {
  invariant(write.op !== 'fleet', 'a fleet is a commit by itself')
  if (write.op !== 'put') return write
  return packedOrderOf(write, taker) ?? { ...write, body: JSON.stringify(write.body) }
}

function documentOf(
  put: PutDocument,
  written: { readonly revision: number; readonly handle: number },
): CatalogDocument {
  return {
    orgUid: put.orgUid,
    kind: put.kind,
    uid: put.uid,
    parentUid: put.parentUid ?? '',
    revision: written.revision,
    listKey: put.listKey ?? '',
    expiresAtMs: put.expiresAtMs,
    handle: written.handle === 0 ? undefined : (written.handle as StreamHandle),
    body: put.body,
  }
}
