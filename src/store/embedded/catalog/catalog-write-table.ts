/** Every statement with which the writer thread changes catalog.db. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CatalogDamaged, type DocumentKey, type Lease } from '../../catalog-port.ts'
import { ChangeLog } from './catalog-changes.ts'
import {
  checkOfClaim,
  checkOfEntry,
  checkOfLease,
  checkOfScope,
  checkOfTally,
  documentNameOf,
  readChecked,
  sealBody,
} from './catalog-checks.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import type { PutOrder, WriteOrder } from './catalog-protocol.ts'
import { CatalogScopes } from './catalog-scopes.ts'
import {
  addTallies,
  COUNTED,
  NOTHING,
  TALLY,
  type Tally,
  tallyBytes,
  tallyOf,
} from './catalog-tally.ts'
import { storedClaim } from './stored-claim.ts'

/** A document's row as far as a write must know it. */
export interface StoredDocument {
  readonly ref: number
  readonly revision: number
  readonly parent_uid: string
  readonly handle: number | null
  /** What it counts as in the tally. */
  readonly bytes: number
}

/** By how much counts of a kind in an organization change. */
interface TallyChange extends Tally {
  readonly scope: number
  readonly kind: string
}

/** The write side of catalog.db; the caller opens and ends transactions through it. */
export class CatalogWriteTable {
  readonly #db: DatabaseSync
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #scopes: CatalogScopes
  readonly #changes: ChangeLog
  /** The last handle given, undefined until it is read; SQLite's own row of it follows every insert. */
  #lastHandle: number | undefined
  #hasGivenHandles = false
  /** Counts that the step has changed and not written yet, by scope and kind. */
  readonly #tallyChanges = new Map<string, TallyChange>()

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = prepareAll(db)
    this.#scopes = new CatalogScopes(db)
    this.#changes = new ChangeLog(db)
  }

  begin(): void {
    this.#db.exec('BEGIN IMMEDIATE')
  }

  commit(): void {
    // Repeated once per transaction: SQLite's own row of it carries no checksum.
    if (this.#hasGivenHandles) this.#statements.repeatLastHandle.run()
    this.#hasGivenHandles = false
    this.#db.exec('COMMIT')
  }

  /** Ends the transaction with nothing kept; SQLite may have done so itself after a full disk. */
  rollback(): void {
    this.#forgetStep()
    this.#hasGivenHandles = false
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }

  /** Runs a step of the transaction that leaves nothing behind when it throws. */
  atomically<T>(step: () => T): T {
    this.#db.exec('SAVEPOINT step')
    try {
      const result = step()
      this.#writeTallies()
      this.#changes.write()
      this.#db.exec('RELEASE step')
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK TO step; RELEASE step')
      this.#forgetStep()
      throw error
    }
  }

  #forgetStep(): void {
    this.#scopes.clear()
    this.#tallyChanges.clear()
    this.#changes.forget()
    this.#lastHandle = undefined
  }

  scopeOf(orgUid: string): number {
    const known = this.#scopes.find(orgUid)
    if (known !== undefined) return known
    const stored = orgUid.toWellFormed()
    const scope = Number(this.#statements.insertScope.run(stored).lastInsertRowid)
    this.#statements.checkScope.run(checkOfScope(scope, stored), scope)
    return scope
  }

  /** What is stored under a key; a row that does not check is not built upon. */
  select(key: DocumentKey): StoredDocument | undefined {
    return readChecked(documentNameOf(key), () => {
      const row = this.#statements.select.get(this.scopeOf(key.orgUid), key.kind, key.uid)
      if (row === undefined) return undefined
      const { kind, uid, revision, parentUid, handle, listKey } = documentOf(row, this.#scopes)
      if (kind !== key.kind.toWellFormed() || uid !== key.uid.toWellFormed()) {
        throw new CatalogDamaged(`${documentNameOf(key)} is not where the index says`)
      }
      const bytes = tallyBytes(listKey, row.body as string)
      const ref = row.ref as number
      return { ref, revision, parent_uid: parentUid, handle: handle ?? null, bytes }
    })
  }

  /** Stores what is not there; undefined when it is. */
  insert(order: PutOrder): StoredDocument | undefined {
    const scope = this.scopeOf(order.orgUid)
    const parentUid = order.parentUid ?? ''
    const handle = order.kind === 'stream' ? this.#nextHandle() : null
    const body = sealed(order, { revision: 1, handle })
    const { lastInsertRowid, changes } = this.#statements.insert.run(
      ...[scope, order.kind, order.uid, parentUid, order.listKey ?? ''],
      ...[order.expiresAtMs ?? null, handle, body],
    )
    if (changes === 0) return undefined
    const ref = Number(lastInsertRowid)
    if (handle !== null) this.#insertHandle(handle, ref)
    const entries = this.#insertEntry(order, ref, handle)
    const bytes = tallyBytes(order.listKey ?? '', body)
    this.#addToTally(order, { documents: 1, entries, bytes })
    return { ref, revision: 1, parent_uid: parentUid, handle, bytes }
  }

  update(order: PutOrder, stored: StoredDocument): StoredDocument {
    const parentUid = order.parentUid ?? ''
    const revision = stored.revision + 1
    const body = sealed(order, { revision, handle: stored.handle })
    this.#statements.update.run(
      ...[parentUid, order.listKey ?? '', order.expiresAtMs ?? null, body, revision, stored.ref],
    )
    const dropped = this.#deleteEntry(order.kind, stored.ref)
    const entries = this.#insertEntry(order, stored.ref, stored.handle) - dropped
    const bytes = tallyBytes(order.listKey ?? '', body)
    if (entries !== 0 || bytes !== stored.bytes) {
      this.#addToTally(order, { documents: 0, entries, bytes: bytes - stored.bytes })
    }
    return { ...stored, revision, parent_uid: parentUid, bytes }
  }

  delete(key: DocumentKey, stored: StoredDocument): void {
    this.deleteClaims(stored.ref)
    const entries = -this.#deleteEntry(key.kind, stored.ref)
    if (stored.handle !== null) this.#statements.deleteHandle.run(stored.handle)
    this.#statements.delete.run(stored.ref)
    this.#addToTally(key, { documents: -1, entries, bytes: -stored.bytes })
  }

  /** Whether the claim could be made: false when another document holds it. */
  insertClaim(key: DocumentKey, claim: string, ref: number): boolean {
    const { insertClaim } = this.#statements
    const stored = storedClaim(claim)
    const crc = checkOfClaim(stored, key)
    return insertClaim.run(this.scopeOf(key.orgUid), stored, ref, crc).changes === 1
  }

  deleteClaims(ref: number): void {
    this.#statements.deleteClaims.run(ref)
  }

  insertChange(order: WriteOrder, parentUid: string): void {
    const isDeleted = order.op === 'delete'
    this.#changes.add(this.scopeOf(order.orgUid), order, { parentUid, isDeleted })
  }

  /** The cursor of the last change ever made, also of one that is forgotten. */
  selectLastCursor(): number {
    return this.#changes.last
  }

  /** Builds all indexes again from the rows of their tables. */
  rebuildIndexes(): undefined {
    this.#db.exec('REINDEX')
    return undefined
  }

  /** Forgets the oldest changes beyond what caches may be behind. */
  trimChanges(): void {
    this.#changes.trim()
  }

  selectExpired(nowMs: number, limit: number): DocumentKey[] {
    return this.#statements.selectExpired.all(nowMs, limit).map((row) => ({
      orgUid: row.org_uid as string,
      kind: row.kind as string,
      uid: row.uid as string,
    }))
  }

  selectLease(name: string): (Lease & { readonly expiresAtMs: number }) | undefined {
    const row = this.#statements.selectLease.get(name)
    if (row === undefined) return undefined
    const lease = { name, holder: row.holder as string, fence: row.fence as number }
    const expiresAtMs = row.expires_at_ms as number
    // One that does not check holds nobody up; its fence is the best there is to count on from.
    const isWhole = checkOfLease(lease, expiresAtMs) === row.crc
    return isWhole ? { ...lease, expiresAtMs } : { ...lease, holder: '', expiresAtMs: 0 }
  }

  upsertLease(lease: Lease, expiresAtMs: number): void {
    const crc = checkOfLease(lease, expiresAtMs)
    this.#statements.upsertLease.run(lease.name, lease.holder, lease.fence, expiresAtMs, crc)
  }

  #nextHandle(): number {
    this.#lastHandle ??= (this.#statements.selectLastHandle.get()?.seq as number | undefined) ?? 0
    return this.#lastHandle + 1
  }

  #insertHandle(handle: number, ref: number): void {
    this.#statements.insertHandle.run(handle, ref)
    this.#lastHandle = handle
    this.#hasGivenHandles = true
  }

  /** Tells how many rows it made: 1, or 0 for a document without an index. */
  #insertEntry(order: PutOrder, ref: number, handle: number | null): number {
    if (order.index === undefined) return 0
    const parentUid = order.parentUid ?? ''
    const crc = checkOfEntry(order, { ref, parentUid, handle, packed: order.index })
    this.#statements.insertEntry.run(
      ...[order.kind, ref, this.scopeOf(order.orgUid), order.uid, parentUid],
      ...[handle, order.index, crc],
    )
    return 1
  }

  #deleteEntry(kind: string, ref: number): number {
    return Number(this.#statements.deleteEntry.run(kind, ref).changes)
  }

  /** By how much the step has changed what an organization has of a kind. */
  changeOf(orgUid: string, kind: string): Tally {
    return this.#tallyChanges.get(`${this.scopeOf(orgUid)} ${kind}`) ?? NOTHING
  }

  /** What an organization has of a kind at this point of the step. */
  usageOf(orgUid: string, kind: string): Tally {
    const scope = this.scopeOf(orgUid)
    const stored = this.#storedTally(scope, kind)
    if (stored !== undefined) return addTallies(stored, this.changeOf(orgUid, kind))
    return tallyOf(this.#statements.count.get(scope, kind))
  }

  /** The counts as kept, undefined when they do not check. */
  #storedTally(scope: number, kind: string): Tally | undefined {
    const stored = this.#statements.selectTally.get(scope, kind)
    const tally = tallyOf(stored)
    const isWhole = stored === undefined || checkOfTally({ scope, kind, ...tally }) === stored.crc
    return isWhole ? tally : undefined
  }

  /** Counts are written once per step: a commit may make thousands of documents of a kind. */
  #addToTally({ orgUid, kind }: DocumentKey, delta: Tally): void {
    const scope = this.scopeOf(orgUid)
    const key = `${scope} ${kind}`
    const before = this.#tallyChanges.get(key) ?? NOTHING
    this.#tallyChanges.set(key, { scope, kind, ...addTallies(before, delta) })
  }

  #writeTallies(): void {
    for (const change of this.#tallyChanges.values()) this.#writeTally(change)
    this.#tallyChanges.clear()
  }

  #writeTally({ scope, kind, ...delta }: TallyChange): void {
    const before = this.#storedTally(scope, kind)
    // A count that does not check is taken from what is there, with the change made already.
    const isKept = before !== undefined
    const after = isKept
      ? addTallies(before, delta)
      : tallyOf(this.#statements.count.get(scope, kind))
    const { documents, entries, bytes } = after
    const crc = checkOfTally({ scope, kind, ...after })
    this.#statements.setTally.run(scope, kind, documents, entries, bytes, crc)
  }
}

function sealed(
  order: PutOrder,
  { revision, handle }: { readonly revision: number; readonly handle: number | null },
): string {
  const { orgUid, kind, uid, parentUid = '', listKey = '', expiresAtMs = null, body } = order
  const fields = { orgUid, kind, uid, parentUid, revision, listKey, expiresAtMs, handle }
  return sealBody(fields, body)
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    insertScope: prepare('INSERT INTO scope (org_uid) VALUES (?)'),
    checkScope: prepare('UPDATE scope SET crc = ? WHERE scope = ?'),
    select: prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.scope = ? AND d.kind = ? AND d.uid = ?`),
    insert: prepare(`INSERT INTO document
      (scope, kind, uid, parent_uid, list_key, expires_at_ms, handle, body, revision)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (scope, kind, uid) DO NOTHING`),
    update: prepare(`UPDATE document SET parent_uid = ?, list_key = ?, expires_at_ms = ?, body = ?,
      revision = ? WHERE ref = ?`),
    delete: prepare('DELETE FROM document WHERE ref = ?'),
    insertHandle: prepare('INSERT INTO stream_handle (handle, ref) VALUES (?, ?)'),
    selectLastHandle: prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'stream_handle'`),
    deleteHandle: prepare('DELETE FROM stream_handle WHERE handle = ?'),
    repeatLastHandle: prepare(`INSERT OR REPLACE INTO meta (name, value)
      SELECT 'last_handle', coalesce(max(seq), 0) FROM sqlite_sequence
      WHERE name = 'stream_handle'`),
    insertEntry: prepare(`INSERT INTO entry
      (kind, ref, scope, uid, parent_uid, handle, packed, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    deleteEntry: prepare('DELETE FROM entry WHERE kind = ? AND ref = ?'),
    insertClaim: prepare(`INSERT INTO claim (scope, claim, ref, crc) VALUES (?, ?, ?, ?)
      ON CONFLICT DO NOTHING`),
    deleteClaims: prepare('DELETE FROM claim WHERE ref = ?'),
    selectTally: prepare(TALLY),
    setTally: prepare(`INSERT OR REPLACE INTO tally
      (scope, kind, documents, entries, bytes, crc) VALUES (?, ?, ?, ?, ?, ?)`),
    count: prepare(COUNTED),
    selectExpired:
      prepare(`SELECT s.org_uid, d.kind, d.uid FROM document d JOIN scope s USING (scope)
      WHERE d.expires_at_ms <= ? ORDER BY d.expires_at_ms LIMIT ?`),
    selectLease: prepare('SELECT holder, fence, expires_at_ms, crc FROM lease WHERE name = ?'),
    upsertLease: prepare(`INSERT INTO lease (name, holder, fence, expires_at_ms, crc)
      VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET holder = excluded.holder,
      fence = excluded.fence, expires_at_ms = excluded.expires_at_ms, crc = excluded.crc`),
  }
}
