/** Every statement with which the main thread reads documents of catalog.db; it never writes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { storedClaim } from '../../fields/stored-claim.ts'
import {
  type CatalogChange,
  CatalogDamaged,
  type CatalogDocument,
  type KindUsage,
  type ListQuery,
  type WalkQuery,
} from '../../ports/catalog-port.ts'
import type { DocumentKey } from '../../ports/document-key.ts'
import { CHANGE_COLUMNS, changesOf, LAST_CHANGE } from './catalog-changes.ts'
import { checkOfClaim, checkOfTally, documentNameOf, readChecked } from './catalog-checks.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import { CatalogLeaseReader } from './catalog-lease-table.ts'
import { CatalogLists } from './catalog-list-table.ts'
import { CatalogScopes } from './catalog-scopes.ts'
import { TALLY, type Tally, TallyCounter, tallyOf } from './catalog-tally.ts'
import { CatalogWalks } from './catalog-walk-table.ts'
import { TextTable } from './component/text-table.ts'

/** The read side of catalog.db over one connection of its own; what it answers has been checked. */
export class CatalogReadTable {
  readonly scopes: CatalogScopes
  readonly texts: TextTable
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #lists: CatalogLists
  readonly #walks: CatalogWalks
  readonly #counter: TallyCounter
  readonly leases: CatalogLeaseReader
  readonly #onDamage: (what: string) => void

  /** Calls `onDamage` with damage that could be repaired from other data. */
  constructor(db: DatabaseSync, onDamage: (what: string) => void) {
    this.#onDamage = onDamage
    this.scopes = new CatalogScopes(db)
    this.texts = new TextTable(db)
    this.leases = new CatalogLeaseReader(db)
    this.#lists = new CatalogLists(db, this.scopes)
    this.#walks = new CatalogWalks(db, this.scopes)
    this.#counter = new TallyCounter(db, this.scopes, this.texts)
    this.#statements = prepareAll(db)
  }

  selectByKey(key: DocumentKey): CatalogDocument | undefined {
    return readChecked(documentNameOf(key), () => {
      const scope = this.scopes.find(key.orgUid)
      if (scope === undefined) return undefined
      const row = this.#statements.byKey.get(scope, key.kind, key.uid)
      const document = row === undefined ? undefined : documentOf(row, this.scopes)
      if (document !== undefined) expectSame(document, key)
      return document
    })
  }

  selectByClaim(orgUid: string, claim: string): CatalogDocument | undefined {
    const what = nameOfClaim(claim)
    return readChecked(what, () => {
      const held = this.#holderOf(orgUid, claim)
      if (held === undefined || held.ref < 0) return undefined
      const holder = this.#statements.byRef.get(held.ref)
      if (holder === undefined) throw new CatalogDamaged(`${what} has no holder`)
      const document = documentOf(holder, this.scopes)
      if (checkOfClaim(storedClaim(claim), document) === held.crc) return document
      throw new CatalogDamaged(`${what} does not check`)
    })
  }

  /**
   * The numbers of the components that hold some of the claims, by their places. Throws CatalogDamaged unless `keyOf`
   * knows each holder.
   */
  selectClaimed(
    scope: number,
    claims: readonly string[],
    keyOf: (ref: number) => DocumentKey | undefined,
  ): Map<number, number> {
    const stored = claims.map((claim) => storedClaim(claim).toWellFormed())
    const refs = new Map<number, number>()
    for (const row of this.#statements.claims.all(scope, JSON.stringify(stored))) {
      const { key, ref, crc } = row as { key: number; ref: number; crc: number }
      if (ref > 0) continue
      const holder = keyOf(-ref)
      const isWhole = holder !== undefined && checkOfClaim(stored[key], holder) === crc
      if (!isWhole) throw new CatalogDamaged(`${nameOfClaim(claims[key])} does not check`)
      refs.set(key, -ref)
    }
    return refs
  }

  #holderOf(orgUid: string, claim: string): { ref: number; crc: number } | undefined {
    const scope = this.scopes.find(orgUid)
    if (scope === undefined) return undefined
    const row = this.#statements.claim.get(scope, storedClaim(claim))
    return row as { ref: number; crc: number } | undefined
  }

  selectPage(query: ListQuery): { documents: CatalogDocument[]; totalCount: number } {
    return readChecked(`the list of ${query.kind}`, () => {
      const scope = this.scopes.find(query.orgUid)
      if (scope === undefined) return { documents: [], totalCount: 0 }
      const { parentUid, listKeyPrefix = '', aliveAtMs, exceptUids = [] } = query
      const isSome = listKeyPrefix !== '' || exceptUids.length > 0
      const isWhole = parentUid === undefined && !isSome && aliveAtMs === undefined
      let leftOut = 0
      const documents = this.#lists.selectPage(scope, query, (what) => {
        leftOut += 1
        this.#onDamage(what)
      })
      const totalCount = isWhole
        ? this.totalOf(scope, query, documents.length + leftOut)
        : this.#lists.count(scope, query)
      return { documents, totalCount }
    })
  }

  /** How many documents of a kind an organization has, given the number that a page of them has. */
  totalOf(
    scope: number,
    { kind, start, limit }: Pick<ListQuery, 'kind' | 'start' | 'limit'>,
    read: number,
  ): number {
    const totalCount = this.#tallyOf(scope, kind).documents
    const end = start + read
    if (read >= limit || end >= totalCount) return totalCount
    // A total that no list reaches would have a caller ask for ever.
    this.#onDamage(`the list of ${kind} ends after ${end} of ${totalCount}`)
    return end
  }

  /** A step of a walk over all documents of a kind. */
  selectStep(query: WalkQuery): { documents: CatalogDocument[]; next?: string } {
    return readChecked(`the list of ${query.kind}`, () => {
      const scope = this.scopes.find(query.orgUid)
      if (scope === undefined) return { documents: [] }
      return this.#walks.step(scope, query, this.#onDamage)
    })
  }

  /** What an organization has of every kind. */
  selectUsage(orgUid: string): KindUsage[] {
    return readChecked('the counts', () => {
      const scope = this.scopes.find(orgUid)
      if (scope === undefined) return []
      return this.#statements.kindsOfScope.all(scope).map((row) => {
        const kind = row.kind as string
        return { kind, ...this.#tallyOf(scope, kind) }
      })
    })
  }

  /** How many of a kind all organizations have. */
  selectCount(kind: string): number {
    return readChecked(`the count of ${kind}`, () => {
      const scopes = this.#statements.scopesOfKind.all(kind)
      return scopes.reduce(
        (sum, { scope }) => sum + this.#tallyOf(scope as number, kind).documents,
        0,
      )
    })
  }

  selectChanges(cursor: number, limit: number): CatalogChange[] {
    return readChecked('the log of changes', () => {
      const found: CatalogChange[] = []
      for (const row of this.#statements.changes.iterate(cursor)) {
        for (const change of changesOf(row, this.scopes)) {
          if (found.length === limit) return found
          if (change.cursor > cursor) found.push(change)
        }
        if (found.length === limit) return found
      }
      return found
    })
  }

  selectCursor(): number {
    return this.#statements.cursor.get()?.value as number
  }

  /** The counts of a kind; counted again when the stored ones are damaged. */
  #tallyOf(scope: number, kind: string): Tally {
    const row = this.#statements.tally.get(scope, kind)
    const isWhole = row === undefined || checkOfTally({ scope, kind, ...tallyOf(row) }) === row.crc
    if (isWhole) return tallyOf(row)
    this.#onDamage(`the count of ${kind} in organization number ${scope} does not check`)
    return this.#counter.count(scope, kind)
  }
}

/** A claim may hold an e-mail address: only its kind is reported. */
function nameOfClaim(claim: string): string {
  return `a claim of the sort ${claim.split(':', 1)[0]}`
}

/** Refuses a document that an index leads to in the place of another. */
function expectSame(document: CatalogDocument, key: DocumentKey): void {
  const [kind, uid] = [key.kind.toWellFormed(), key.uid.toWellFormed()]
  if (document.kind === kind && document.uid === uid) return
  throw new CatalogDamaged(`${documentNameOf(key)} is not where the index says`)
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    byKey: prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.scope = ? AND d.kind = ? AND d.uid = ?`),
    byRef: prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d WHERE d.ref = ?`),
    claim: prepare('SELECT ref, crc FROM claim WHERE scope = ? AND claim = ?'),
    claims: prepare(`SELECT key, ref, crc FROM json_each(?2)
      CROSS JOIN claim ON scope = ?1 AND claim = value`),
    changes: prepare(`SELECT ${CHANGE_COLUMNS} FROM change WHERE cursor > ? ORDER BY cursor`),
    cursor: prepare(LAST_CHANGE),
    tally: prepare(TALLY),
    kindsOfScope: prepare('SELECT kind FROM tally WHERE scope = ?'),
    scopesOfKind: prepare('SELECT scope FROM tally WHERE kind = ?'),
  }
}
