/** Every statement with which the writer thread changes catalog.db. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { headUidOf, invariant } from '../../../base/plain.ts'
import { CatalogDamaged, type DocumentKey } from '../../catalog-port.ts'
import { ChangeLog } from './catalog-changes.ts'
import {
  checkOfEntry,
  checkOfScope,
  documentNameOf,
  readChecked,
  sealBody,
} from './catalog-checks.ts'
import { CatalogClaims } from './catalog-claims-table.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import { CatalogLeases } from './catalog-lease-table.ts'
import type { AnyPut, Fleet, PutOrder, WriteOrder } from './catalog-protocol.ts'
import { CatalogScopes } from './catalog-scopes.ts'
import { type Tally, tallyBytes } from './catalog-tally.ts'
import { CatalogTallies } from './catalog-tally-table.ts'
import { FamilyWriteTable, type StoredMember } from './family/family-write-table.ts'
import { makeFleet } from './family/fleet-maker.ts'
import { Shape } from './family/shape.ts'
import { StreamHandles } from './family/stream-handles-table.ts'
import { RollWriter } from './roll/roll-write-table.ts'
import { replaceIndexes } from './scrub/catalog-structure.ts'

/** What is stored of a document as far as a write must know it. */
export interface StoredDocument {
  /** The number of its row; 0 when it stands in that of its family. */
  readonly ref: number
  readonly member?: StoredMember
  readonly revision: number
  readonly parent_uid: string
  readonly handle: number | null
  /** What it counts as in the tally. */
  readonly bytes: number
}

/** What a write makes of a document beside what its order says. */
interface DocumentState {
  readonly revision: number
  readonly handle: number | null
}

/** The write side of catalog.db; the caller opens and ends transactions through it. */
export class CatalogWriteTable {
  readonly #db: DatabaseSync
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #scopes: CatalogScopes
  readonly #changes: ChangeLog
  readonly #claims: CatalogClaims
  readonly #families: FamilyWriteTable
  readonly #handles: StreamHandles
  readonly #tallies: CatalogTallies
  readonly leases: CatalogLeases

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#statements = prepareAll(db)
    this.#scopes = new CatalogScopes(db)
    this.#changes = new ChangeLog(db)
    this.#claims = new CatalogClaims(db, new RollWriter(db, this.#scopes))
    this.#families = new FamilyWriteTable(db, this.#scopes, this.#claims)
    this.#tallies = new CatalogTallies(db, this.#families)
    this.#handles = new StreamHandles(db)
    this.leases = new CatalogLeases(db)
  }

  begin(): void {
    this.#statements.begin.run()
  }

  commit(): void {
    this.#handles.write()
    this.#tallies.write()
    this.#statements.commit.run()
    this.#families.settle()
  }

  /** Ends the transaction with nothing kept; SQLite may have done so itself after a full disk. */
  rollback(): void {
    this.#forgetStep()
    this.#handles.forget()
    this.#tallies.forget()
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
  }

  /** Runs a step of the transaction; when it throws, the transaction is to be rolled back. */
  run<T>(step: () => T): T {
    const result = step()
    this.#families.write()
    this.#tallies.settleStep()
    this.#changes.write()
    return result
  }

  /** Runs a step of the transaction that leaves nothing behind when it throws; slower than run(). */
  atomically<T>(step: () => T): T {
    const { last } = this.#handles
    this.#statements.savepoint.run()
    try {
      const result = this.run(step)
      this.#statements.release.run()
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK TO step; RELEASE step')
      this.#forgetStep()
      // SQLite's row of it is written when the transaction ends: what steps before gave stands here only.
      this.#handles.goBack(last)
      throw error
    }
  }

  #forgetStep(): void {
    this.#scopes.clear()
    this.#families.forget()
    this.#claims.roll.forget()
    this.#tallies.forgetStep()
    this.#changes.forget()
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
      const scope = this.scopeOf(key.orgUid)
      const member = this.#families.find(scope, key)
      if (member !== undefined) return storedMember(key, member)
      const row = this.#statements.select.get(scope, key.kind, key.uid)
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
  insert(order: AnyPut): StoredDocument | undefined {
    const handle = order.kind === 'stream' ? this.#handles.next : null
    const made = this.#insert(order, { revision: order.revision ?? 1, handle })
    if (made === undefined) return undefined
    if (handle !== null) this.#handles.note(handle)
    const entries = 'packed' in order || order.index !== undefined ? 1 : 0
    this.#addToTally(order, { documents: 1, entries, bytes: made.bytes })
    return made
  }

  /** Makes a fleet; the handle of its first stream. Throws CatalogConflict when something of it is there. */
  makeFleet(fleet: Fleet): number {
    const tables = {
      ...{ families: this.#families, claims: this.#claims, changes: this.#changes },
      ...{ tallies: this.#tallies, handles: this.#handles },
    }
    return makeFleet(tables, this.scopeOf(fleet.orgUid), fleet)
  }

  #insert(order: AnyPut, as: DocumentState): StoredDocument | undefined {
    const scope = this.scopeOf(order.orgUid)
    const located = readChecked(documentNameOf(order), () => this.#families.locate(scope, order))
    if (located === undefined) return this.#insertRow(plainOrder(order), as)
    const { family, ordinal } = located
    if (family.find(ordinal) !== undefined) return undefined
    if (!('packed' in order)) {
      family.noteOutsiders()
      return this.#insertRow(order, as)
    }
    const { kind, uid } = order
    const isOutside =
      family.hasOutsiders && this.#statements.select.get(scope, kind, uid) !== undefined
    if (isOutside) return undefined
    return storedMember(order, this.#families.put(located, { ...order.packed, ...as }))
  }

  #insertRow(order: PutOrder, as: DocumentState): StoredDocument | undefined {
    const { handle, revision } = as
    const parentUid = order.parentUid ?? ''
    const body = sealed(order, as)
    const { lastInsertRowid, changes } = this.#statements.insert.run(
      ...[this.scopeOf(order.orgUid), order.kind, order.uid, parentUid, order.listKey ?? ''],
      ...[order.expiresAtMs ?? null, handle, body, revision],
    )
    if (changes === 0) return undefined
    const ref = Number(lastInsertRowid)
    if (handle !== null) this.#statements.insertHandle.run(handle, ref)
    this.#insertEntry(order, ref, handle)
    const bytes = tallyBytes(order.listKey ?? '', body)
    return { ref, revision, parent_uid: parentUid, handle, bytes }
  }

  update(order: AnyPut, stored: StoredDocument): StoredDocument {
    const { handle } = stored
    const as = { revision: order.revision ?? stored.revision + 1, handle }
    const isMember = stored.member !== undefined
    const entriesBefore = isMember || this.#deleteEntry(order.kind, stored.ref) > 0 ? 1 : 0
    const next =
      isMember === 'packed' in order
        ? this.#updateInPlace(order, stored, as)
        : this.#move(order, stored, as)
    const entries = ('packed' in order || order.index !== undefined ? 1 : 0) - entriesBefore
    if (entries !== 0 || next.bytes !== stored.bytes) {
      this.#addToTally(order, { documents: 0, entries, bytes: next.bytes - stored.bytes })
    }
    return next
  }

  #updateInPlace(order: AnyPut, stored: StoredDocument, as: DocumentState): StoredDocument {
    if ('packed' in order) {
      invariant(stored.member !== undefined, `${documentNameOf(order)} has left its family`)
      return storedMember(order, this.#families.put(stored.member, { ...order.packed, ...as }))
    }
    const parentUid = order.parentUid ?? ''
    const body = sealed(order, as)
    this.#statements.update.run(
      ...[parentUid, order.listKey ?? '', order.expiresAtMs ?? null, body],
      ...[as.revision, stored.ref],
    )
    this.#insertEntry(order, stored.ref, stored.handle)
    const bytes = tallyBytes(order.listKey ?? '', body)
    return { ...stored, revision: as.revision, parent_uid: parentUid, bytes }
  }

  /** From its family's row to one of its own, or back. */
  #move(order: AnyPut, stored: StoredDocument, as: DocumentState): StoredDocument {
    this.#remove(order, stored)
    const next = this.#insert(order, as)
    invariant(next !== undefined, `${documentNameOf(order)} is stored twice`)
    return next
  }

  delete(key: DocumentKey, stored: StoredDocument): void {
    this.releaseClaims(stored)
    const isMember = stored.member !== undefined
    const entries = isMember || this.#deleteEntry(key.kind, stored.ref) > 0 ? -1 : 0
    this.#remove(key, stored)
    this.#addToTally(key, { documents: -1, entries, bytes: -stored.bytes })
  }

  #remove(key: DocumentKey, { member, handle, ref }: StoredDocument): void {
    if (member !== undefined) {
      this.#families.delete(member)
      return
    }
    this.#deleteEntry(key.kind, ref)
    if (handle !== null) this.#statements.deleteHandle.run(handle)
    this.#statements.delete.run(ref)
  }

  /** Whether a put claims what its document holds, so that its claims can stay. */
  keepsClaims(order: WriteOrder, { member }: StoredDocument): boolean {
    if (member === undefined || !('packed' in order)) return false
    const { id, shape } = member.document
    return order.packed.shape === shape.shape.text && order.packed.id === id
  }

  /** Makes the claims of a document; tells the one that another holds. */
  insertClaims(order: AnyPut, { ref, member }: StoredDocument): string | undefined {
    if (member !== undefined) return this.#families.claim(member, order)
    const scope = this.scopeOf(order.orgUid)
    for (const claim of new Set(plainOrder(order).claims)) {
      if (!this.#families.claimInside(scope, order.orgUid, claim)) return claim
      const { orgUid, kind, uid } = order
      if (!this.#claims.insert(scope, claim, { orgUid, kind, uid, ref })) return claim
    }
    return undefined
  }

  releaseClaims({ ref, member }: StoredDocument): void {
    if (member === undefined) this.#claims.deleteOfDocument(ref)
    else this.#families.release(member)
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
    replaceIndexes(this.#db)
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

  #insertEntry(order: PutOrder, ref: number, handle: number | null): void {
    if (order.index === undefined) return
    const parentUid = order.parentUid ?? ''
    const crc = checkOfEntry(order, { ref, parentUid, handle, packed: order.index })
    this.#statements.insertEntry.run(
      ...[order.kind, ref, this.scopeOf(order.orgUid), order.uid, parentUid],
      ...[handle, order.index, crc],
    )
  }

  #deleteEntry(kind: string, ref: number): number {
    return Number(this.#statements.deleteEntry.run(kind, ref).changes)
  }

  /** By how much the step has changed what an organization has of a kind. */
  changeOf(orgUid: string, kind: string): Tally {
    return this.#tallies.changeOf(this.scopeOf(orgUid), kind)
  }

  /** What an organization has of a kind at this point of the step. */
  usageOf(orgUid: string, kind: string): Tally {
    return this.#tallies.usageOf(this.scopeOf(orgUid), kind)
  }

  #addToTally({ orgUid, kind }: DocumentKey, delta: Tally): void {
    this.#tallies.add(this.scopeOf(orgUid), kind, delta)
  }
}

/** The order for a document that has a row of its own, also where a family would have taken it. */
function plainOrder(order: AnyPut): PutOrder {
  if (!('packed' in order)) return order
  const { shape, id, numbers } = order.packed
  const whole = new Shape(shape)
  return {
    ...{ op: 'put', orgUid: order.orgUid, kind: order.kind, uid: order.uid },
    ...{ parentUid: order.parentUid, expectedRevision: order.expectedRevision },
    ...{ listKey: whole.listKeyOf(id), index: whole.indexOf(id) },
    claims: whole.claimsOf(id, headUidOf(order.uid)),
    body: whole.jsonOf(id, numbers),
  }
}

function storedMember(key: DocumentKey, member: StoredMember): StoredDocument {
  const { document, family } = member
  const { id, numbers, revision } = document
  return {
    ...{ ref: 0, member, revision },
    parent_uid: key.kind === 'stream' ? family.place.headUid : '',
    handle: 'handle' in document ? document.handle : null,
    bytes: document.shape.shape.bytesOf(id, numbers),
  }
}

function sealed(order: PutOrder, { revision, handle }: DocumentState): string {
  const { orgUid, kind, uid, parentUid = '', listKey = '', expiresAtMs = null, body } = order
  const fields = { orgUid, kind, uid, parentUid, revision, listKey, expiresAtMs, handle }
  return sealBody(fields, body)
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    begin: prepare('BEGIN IMMEDIATE'),
    commit: prepare('COMMIT'),
    savepoint: prepare('SAVEPOINT step'),
    release: prepare('RELEASE step'),
    insertScope: prepare('INSERT INTO scope (org_uid) VALUES (?)'),
    checkScope: prepare('UPDATE scope SET crc = ? WHERE scope = ?'),
    select: prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.scope = ? AND d.kind = ? AND d.uid = ?`),
    insert: prepare(`INSERT INTO document
      (scope, kind, uid, parent_uid, list_key, expires_at_ms, handle, body, revision)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, kind, uid) DO NOTHING`),
    update: prepare(`UPDATE document SET parent_uid = ?, list_key = ?, expires_at_ms = ?, body = ?,
      revision = ? WHERE ref = ?`),
    delete: prepare('DELETE FROM document WHERE ref = ?'),
    insertHandle: prepare('INSERT INTO stream_handle (handle, ref) VALUES (?, ?)'),
    deleteHandle: prepare('DELETE FROM stream_handle WHERE handle = ?'),
    insertEntry: prepare(`INSERT INTO entry
      (kind, ref, scope, uid, parent_uid, handle, packed, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    deleteEntry: prepare('DELETE FROM entry WHERE kind = ? AND ref = ?'),
    selectExpired:
      prepare(`SELECT s.org_uid, d.kind, d.uid FROM document d JOIN scope s USING (scope)
      WHERE d.expires_at_ms <= ? ORDER BY d.expires_at_ms LIMIT ?`),
  }
}
