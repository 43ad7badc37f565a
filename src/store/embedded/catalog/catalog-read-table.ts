/** Every statement with which the main thread reads catalog.db; it never writes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  type CatalogChange,
  CatalogDamaged,
  type CatalogDocument,
  type DocumentKey,
  type IndexRow,
  type KindUsage,
  type ListQuery,
  type PackedIndexRow,
  type WalkQuery,
} from '../../catalog-port.ts'
import type { StreamHandle } from '../../sample-port.ts'
import { storedClaim } from '../../stored-claim.ts'
import { CHANGE_COLUMNS, changesOf } from './catalog-changes.ts'
import {
  checkOfClaim,
  checkOfEntry,
  checkOfTally,
  documentNameOf,
  readChecked,
} from './catalog-checks.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import { CatalogLeaseReader } from './catalog-lease-table.ts'
import { CatalogLists } from './catalog-list-table.ts'
import { CatalogScopes } from './catalog-scopes.ts'
import { addTallies, COUNTED, TALLY, type Tally, tallyOf } from './catalog-tally.ts'
import { CatalogWalks } from './catalog-walk-table.ts'
import { FamilyReadTable } from './family/family-read-table.ts'
import type { WalkPlace, WalkStep } from './family/family-walk-table.ts'

/** Scope, UID, parent's UID, handle, packed fields, ref and checksum of an entry. */
type EntryRow = [number, string, string, number | null, string, number, number]

/** A stretch of the index rows of one kind. */
interface EntryScan {
  /** The ref to go on after, 0 at the end. */
  readonly after: number
  /** How many rows were handed out. */
  readonly count: number
  /** What is wrong with those that were not. */
  readonly damages: readonly string[]
}

/** The read side of catalog.db over one connection of its own; what it answers has been checked. */
export class CatalogReadTable {
  readonly #scopes: CatalogScopes
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #lists: CatalogLists
  readonly #walks: CatalogWalks
  readonly families: FamilyReadTable
  readonly leases: CatalogLeaseReader
  readonly #onDamage: (what: string) => void

  /** Tells `onDamage` of what does not check and could be made up for. */
  constructor(db: DatabaseSync, onDamage: (what: string) => void) {
    this.#onDamage = onDamage
    this.#scopes = new CatalogScopes(db)
    this.families = new FamilyReadTable(db, this.#scopes)
    this.leases = new CatalogLeaseReader(db)
    this.#lists = new CatalogLists(db, this.#scopes, this.families)
    this.#walks = new CatalogWalks(db, this.#scopes, this.families)
    this.#statements = prepareAll(db)
    this.#statements.entries.setReturnArrays(true)
  }

  selectByKey(key: DocumentKey): CatalogDocument | undefined {
    return readChecked(documentNameOf(key), () => {
      const scope = this.#scopes.find(key.orgUid)
      if (scope === undefined) return undefined
      const member = this.families.selectByKey(key)
      if (member !== undefined) return member
      const row = this.#statements.byKey.get(scope, key.kind, key.uid)
      const document = row === undefined ? undefined : documentOf(row, this.#scopes)
      if (document !== undefined) expectSame(document, key)
      return document
    })
  }

  selectByClaim(orgUid: string, claim: string): CatalogDocument | undefined {
    // A claim may hold an e-mail address: the message tells its sort only.
    const what = `a claim of the sort ${claim.split(':', 1)[0]}`
    const stored = storedClaim(claim)
    return readChecked(what, () => {
      const scope = this.#scopes.find(orgUid)
      const row = scope === undefined ? undefined : this.#statements.claim.get(scope, stored)
      if (row === undefined) {
        const rolled = scope === undefined ? undefined : this.families.selectRolled(scope, claim)
        return rolled ?? this.families.selectByLocalClaim(orgUid, claim)
      }
      if ((row.ref as number) < 0)
        return this.#memberOf(-(row.ref as number), { what, stored, ...row })
      const holder = this.#statements.byRef.get(row.ref)
      if (holder === undefined) throw new CatalogDamaged(`${what} has no holder`)
      const document = documentOf(holder, this.#scopes)
      if (checkOfClaim(stored, document) === row.crc) return document
      throw new CatalogDamaged(`${what} does not check`)
    })
  }

  selectPage(query: ListQuery): { documents: CatalogDocument[]; totalCount: number } {
    return readChecked(`the list of ${query.kind}`, () => {
      const scope = this.#scopes.find(query.orgUid)
      if (scope === undefined) return { documents: [], totalCount: 0 }
      const { parentUid, listKeyPrefix = '', aliveAtMs, exceptUids = [] } = query
      const isSome = listKeyPrefix !== '' || exceptUids.length > 0
      const isWhole = parentUid === undefined && !isSome && aliveAtMs === undefined
      let leftOut = 0
      const documents = this.#lists.selectPage(scope, query, (what) => {
        leftOut += 1
        this.#onDamage(what)
      })
      if (!isWhole) return { documents, totalCount: this.#lists.count(scope, query) }
      const totalCount = this.#tallyOf(scope, query.kind).documents
      const end = query.start + documents.length + leftOut
      if (documents.length + leftOut >= query.limit || end >= totalCount)
        return { documents, totalCount }
      // A total that no list reaches would have a caller ask for ever.
      this.#onDamage(`the list of ${query.kind} ends after ${end} of ${totalCount}`)
      return { documents, totalCount: end }
    })
  }

  /** A step of a walk over all documents of a kind. */
  selectStep(query: WalkQuery): { documents: CatalogDocument[]; next?: string } {
    return readChecked(`the list of ${query.kind}`, () => {
      const scope = this.#scopes.find(query.orgUid)
      if (scope === undefined) return { documents: [] }
      return this.#walks.step(scope, query, this.#onDamage)
    })
  }

  /** What an organization has of every kind. */
  selectUsage(orgUid: string): KindUsage[] {
    return readChecked('the counts', () => {
      const scope = this.#scopes.find(orgUid)
      if (scope === undefined) return []
      return this.#statements.kindsOfScope.all(scope).map((row) => {
        const kind = row.kind as string
        const { documents, bytes } = this.#tallyOf(scope, kind)
        return { kind, documents, bytes }
      })
    })
  }

  selectChanges(cursor: number, limit: number): CatalogChange[] {
    return readChecked('the log of changes', () => {
      const found: CatalogChange[] = []
      for (const row of this.#statements.changes.iterate(cursor)) {
        for (const change of changesOf(row, this.#scopes)) {
          if (found.length === limit) return found
          if (change.cursor > cursor) found.push(change)
        }
        if (found.length === limit) return found
      }
      return found
    })
  }

  selectCursor(): number {
    return this.#statements.cursor.get()?.cursor as number
  }

  /** How many index rows of a kind all organizations have. */
  selectEntryCount(kind: string): number {
    return readChecked(`the count of ${kind}`, () => {
      const rows = this.#statements.scopesOfKind.all(kind)
      const counts = rows.map((row) => this.#tallyOf(row.scope as number, kind).entries)
      return counts.reduce((sum, count) => sum + count, 0)
    })
  }

  /** The index rows of a kind with ref > after, at most `limit`. */
  scanEntries(
    kind: string,
    { after, limit }: { after: number; limit: number },
    onRow: (row: IndexRow) => void,
  ): EntryScan {
    const rows = readChecked(`the index of ${kind}`, () =>
      this.#statements.entries.all(kind, after, limit),
    ) as unknown as EntryRow[]
    const damages: string[] = []
    // Taking the rows apart by index spares two million iterators on a big start.
    for (const row of rows) {
      const orgUid = this.#scopes.orgUidOf(row[0])
      const uid = row[1]
      const entry = { ref: row[5], parentUid: row[2], handle: row[3], packed: row[4] }
      if (checkOfEntry({ orgUid, kind, uid }, entry) !== row[6]) {
        damages.push(`the index row ${row[5]} of kind ${kind} does not check`)
        continue
      }
      const handle = (row[3] ?? undefined) as StreamHandle | undefined
      onRow({ kind, orgUid, uid, parentUid: row[2], handle, index: row[4] })
    }
    const isEnd = rows.length < limit
    return {
      after: isEnd ? 0 : rows[rows.length - 1][5],
      count: rows.length - damages.length,
      damages,
    }
  }

  /** What a start needs of the documents in rows of families, a stretch at a time. */
  scanFamilies(
    kinds: readonly string[],
    { after, limit }: { readonly after: WalkPlace; readonly limit: number },
    onRow: (row: PackedIndexRow) => void,
  ): WalkStep {
    const [hasHeads, hasMembers] = [kinds.includes('component'), kinds.includes('stream')]
    return this.families.load.step(after, limit, { hasHeads, hasMembers, onRow })
  }

  /** The counts of a kind; counted anew when what is stored does not check. */
  #tallyOf(scope: number, kind: string): Tally {
    const row = this.#statements.tally.get(scope, kind)
    const isWhole = row === undefined || checkOfTally({ scope, kind, ...tallyOf(row) }) === row.crc
    if (isWhole) return tallyOf(row)
    this.#onDamage(`the count of ${kind} in organization number ${scope} does not check`)
    const rows = tallyOf(this.#statements.counted.get(scope, kind))
    return addTallies(rows, this.families.walk.count(scope, kind))
  }

  #memberOf(
    ref: number,
    claim: { readonly what: string; readonly stored: string; readonly crc?: unknown },
  ): CatalogDocument {
    const { what, stored, crc } = claim
    const holder = this.families.selectHolder(ref, { stored, crc })
    if (holder === undefined) throw new CatalogDamaged(`${what} does not check`)
    return holder
  }
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
    changes: prepare(`SELECT ${CHANGE_COLUMNS} FROM change WHERE cursor > ? ORDER BY cursor`),
    cursor: prepare('SELECT coalesce(max(cursor), 0) AS cursor FROM change'),
    tally: prepare(TALLY),
    counted: prepare(COUNTED),
    kindsOfScope: prepare('SELECT kind FROM tally WHERE scope = ?'),
    scopesOfKind: prepare('SELECT scope FROM tally WHERE kind = ?'),
    entries: prepare(`SELECT scope, uid, parent_uid, handle, packed, ref, crc FROM entry
      WHERE kind = ? AND ref > ? ORDER BY ref LIMIT ?`),
  }
}
