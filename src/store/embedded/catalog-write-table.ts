/** Every statement with which the writer thread changes catalog.db. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { DocumentKey, Lease } from '../catalog-port.ts'
import type { PutOrder, WriteOrder } from './catalog-protocol.ts'

/** A document's row as far as a write must know it. */
export interface StoredDocument {
  readonly ref: number
  readonly revision: number
  readonly parent_uid: string
  readonly handle: number | null
}

/** Caches further behind than this reload; the log stays a few megabytes. */
const CHANGES_KEPT = 100_000

/** The write side of catalog.db; the caller opens and ends transactions through it. */
export class CatalogWriteTable {
  readonly #db: DatabaseSync
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #scopes = new Map<string, number>()

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = prepareAll(db)
  }

  begin(): void {
    this.#db.exec('BEGIN IMMEDIATE')
  }

  commit(): void {
    this.#db.exec('COMMIT')
  }

  /** Ends the transaction with nothing kept; SQLite may have done so itself after a full disk. */
  rollback(): void {
    this.#scopes.clear()
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }

  /** Runs a step of the transaction that leaves nothing behind when it throws. */
  atomically<T>(step: () => T): T {
    this.#db.exec('SAVEPOINT step')
    try {
      const result = step()
      this.#db.exec('RELEASE step')
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK TO step; RELEASE step')
      this.#scopes.clear()
      throw error
    }
  }

  scopeOf(orgUid: string): number {
    const known = this.#scopes.get(orgUid)
    if (known !== undefined) return known
    this.#statements.insertScope.run(orgUid)
    const scope = this.#statements.selectScope.get(orgUid)?.scope as number
    this.#scopes.set(orgUid, scope)
    return scope
  }

  select(key: DocumentKey): StoredDocument | undefined {
    const row = this.#statements.select.get(this.scopeOf(key.orgUid), key.kind, key.uid)
    return row as unknown as StoredDocument | undefined
  }

  insert(order: PutOrder): StoredDocument {
    const scope = this.scopeOf(order.orgUid)
    const parentUid = order.parentUid ?? ''
    const { lastInsertRowid } = this.#statements.insert.run(
      ...[scope, order.kind, order.uid, parentUid, order.listKey ?? ''],
      ...[order.expiresAtMs ?? null, order.body],
    )
    const ref = Number(lastInsertRowid)
    const handle = order.kind === 'stream' ? this.#insertHandle(ref) : null
    this.#statements.addToTally.run(scope, order.kind, 1)
    this.#insertEntry(order, ref, handle)
    return { ref, revision: 1, parent_uid: parentUid, handle }
  }

  update(order: PutOrder, stored: StoredDocument): StoredDocument {
    const parentUid = order.parentUid ?? ''
    this.#statements.update.run(
      ...[parentUid, order.listKey ?? '', order.expiresAtMs ?? null, order.body, stored.ref],
    )
    this.#statements.deleteEntry.run(order.kind, stored.ref)
    this.#insertEntry(order, stored.ref, stored.handle)
    return { ...stored, revision: stored.revision + 1, parent_uid: parentUid }
  }

  delete(key: DocumentKey, stored: StoredDocument): void {
    this.deleteClaims(stored.ref)
    this.#statements.deleteEntry.run(key.kind, stored.ref)
    if (stored.handle !== null) this.#statements.deleteHandle.run(stored.handle)
    this.#statements.delete.run(stored.ref)
    this.#statements.addToTally.run(this.scopeOf(key.orgUid), key.kind, -1)
  }

  /** Whether the claim could be made: false when another document holds it. */
  insertClaim(orgUid: string, claim: string, ref: number): boolean {
    return this.#statements.insertClaim.run(this.scopeOf(orgUid), claim, ref).changes === 1
  }

  deleteClaims(ref: number): void {
    this.#statements.deleteClaims.run(ref)
  }

  insertChange(order: WriteOrder, parentUid: string): void {
    const scope = this.scopeOf(order.orgUid)
    const isDeleted = order.op === 'delete' ? 1 : 0
    this.#statements.insertChange.run(scope, order.kind, order.uid, parentUid, isDeleted)
  }

  /** Forgets the oldest changes beyond what caches may be behind. */
  trimChanges(): void {
    this.#statements.trimChanges.run(CHANGES_KEPT)
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
    const { holder, fence, expires_at_ms } = row
    return {
      name,
      holder: holder as string,
      fence: fence as number,
      expiresAtMs: expires_at_ms as number,
    }
  }

  upsertLease(lease: Lease, expiresAtMs: number): void {
    this.#statements.upsertLease.run(lease.name, lease.holder, lease.fence, expiresAtMs)
  }

  #insertHandle(ref: number): number {
    const handle = Number(this.#statements.insertHandle.run(ref).lastInsertRowid)
    this.#statements.setHandle.run(handle, ref)
    return handle
  }

  #insertEntry(order: PutOrder, ref: number, handle: number | null): void {
    if (order.index === undefined) return
    this.#statements.insertEntry.run(
      ...[order.kind, ref, this.scopeOf(order.orgUid), order.uid, order.parentUid ?? ''],
      ...[handle, order.index],
    )
  }
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    insertScope: prepare('INSERT INTO scope (org_uid) VALUES (?) ON CONFLICT DO NOTHING'),
    selectScope: prepare('SELECT scope FROM scope WHERE org_uid = ?'),
    select: prepare(`SELECT ref, revision, parent_uid, handle FROM document
      WHERE scope = ? AND kind = ? AND uid = ?`),
    insert: prepare(`INSERT INTO document
      (scope, kind, uid, parent_uid, list_key, expires_at_ms, body, revision)
      VALUES (?, ?, ?, ?, ?, ?, ?, 1)`),
    update: prepare(`UPDATE document SET parent_uid = ?, list_key = ?, expires_at_ms = ?, body = ?,
      revision = revision + 1 WHERE ref = ?`),
    delete: prepare('DELETE FROM document WHERE ref = ?'),
    insertHandle: prepare('INSERT INTO stream_handle (ref) VALUES (?)'),
    setHandle: prepare('UPDATE document SET handle = ? WHERE ref = ?'),
    deleteHandle: prepare('DELETE FROM stream_handle WHERE handle = ?'),
    insertEntry: prepare(`INSERT INTO entry (kind, ref, scope, uid, parent_uid, handle, packed)
      VALUES (?, ?, ?, ?, ?, ?, ?)`),
    deleteEntry: prepare('DELETE FROM entry WHERE kind = ? AND ref = ?'),
    insertClaim: prepare(`INSERT INTO claim (scope, claim, ref) VALUES (?, ?, ?)
      ON CONFLICT DO NOTHING`),
    deleteClaims: prepare('DELETE FROM claim WHERE ref = ?'),
    addToTally: prepare(`INSERT INTO tally (scope, kind, documents) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET documents = documents + excluded.documents`),
    insertChange: prepare(`INSERT INTO change (scope, kind, uid, parent_uid, is_deleted)
      VALUES (?, ?, ?, ?, ?)`),
    trimChanges: prepare(`DELETE FROM change
      WHERE cursor <= (SELECT max(cursor) FROM change) - ?`),
    selectExpired:
      prepare(`SELECT s.org_uid, d.kind, d.uid FROM document d JOIN scope s USING (scope)
      WHERE d.expires_at_ms <= ? ORDER BY d.expires_at_ms LIMIT ?`),
    selectLease: prepare('SELECT holder, fence, expires_at_ms FROM lease WHERE name = ?'),
    upsertLease: prepare(`INSERT INTO lease (name, holder, fence, expires_at_ms) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET holder = excluded.holder, fence = excluded.fence,
      expires_at_ms = excluded.expires_at_ms`),
  }
}
