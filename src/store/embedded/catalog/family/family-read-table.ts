/** What readers of the catalog ask of families. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { familyHeadOf } from '../../../../base/index.ts'
import {
  CatalogDamaged,
  type CatalogDocument,
  type DocumentKey,
  type JsonObject,
  type ListQuery,
} from '../../../catalog-port.ts'
import type { StreamHandle } from '../../../sample-port.ts'
import { checkOfClaim } from '../catalog-checks.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import { type RolledHead, RollReader } from '../roll/roll-read-table.ts'
import { FamilyLoad } from './family-load-table.ts'
import { familyPlaceOf, localPlaceOf } from './family-place.ts'
import { FamilyRows, type FirstRow } from './family-rows-table.ts'
import {
  documentsOf,
  FamilyWalk,
  type WalkedDocument,
  type WalkedPage,
  type WalkStep,
} from './family-walk-table.ts'
import { LostFamilies } from './lost-families.ts'
import { ShapeReader } from './shape-table.ts'

/** The reading side of families over one connection; what it answers has been checked. */
export class FamilyReadTable {
  readonly #rows: FamilyRows
  readonly walk: FamilyWalk
  readonly load: FamilyLoad
  readonly roll: RollReader
  readonly #laters: StatementSync
  readonly #anyHead: StatementSync
  readonly #refsOfScope: StatementSync
  readonly #scopes: CatalogScopes

  constructor(db: DatabaseSync, scopes: CatalogScopes) {
    this.#scopes = scopes
    const shapes = new ShapeReader(db)
    this.roll = new RollReader(db, scopes)
    this.#rows = new FamilyRows(db, scopes, shapes.of)
    this.walk = new FamilyWalk(db, this.#rows, scopes)
    this.load = new FamilyLoad(db, this.walk, { scopes, shapeOf: shapes.of })
    this.#laters = db.prepare('SELECT page FROM family_page WHERE ref = ? ORDER BY page')
    this.#anyHead = db.prepare(`SELECT 1 FROM family
      WHERE scope = ? AND list_key IS NOT NULL LIMIT 1`)
    this.#refsOfScope = db.prepare('SELECT ref FROM family WHERE scope = ?')
  }

  /** What is lost with rows that do not check: those of the steps of a walk, undefined for one that failed. */
  lostIn(steps: Iterable<WalkStep | undefined>): LostFamilies | undefined {
    const lost = new LostFamilies(this.#scopes)
    for (const step of steps) {
      if (step === undefined) lost.addAll('rows of components cannot be read')
      else lost.add(step.lost)
    }
    lost.learnNames(this.#rows.names)
    return lost.isEmpty ? undefined : lost
  }

  /** The document of a key, undefined when no family holds it. */
  selectByKey(key: DocumentKey): CatalogDocument | undefined {
    const found = this.findByKey(key)
    return found && toDocument(key.orgUid.toWellFormed(), found)
  }

  /** The same, taken apart. */
  findByKey(key: DocumentKey): WalkedDocument | undefined {
    const place = familyPlaceOf(key)
    const row = place && this.#rows.first(place.ref)
    if (row?.tail !== place?.tail || row?.orgUid !== key.orgUid.toWellFormed()) return undefined
    if (place === undefined || row === undefined) return undefined
    const document = this.#rows.find(row, place.ordinal)
    if (document === undefined) return undefined
    const { uid } = key
    const kind = place.ordinal === 0 ? 'component' : 'stream'
    const parentUid = place.ordinal === 0 ? '' : place.headUid
    const handle = 'handle' in document ? document.handle : undefined
    return { kind, uid, parentUid, handle, document }
  }

  /** The holder of a claim that needs be unique in its family only, where the family keeps it. */
  selectByLocalClaim(orgUid: string, claim: string): CatalogDocument | undefined {
    const found = localPlaceOf(claim)
    const row = found && this.#rows.first(found.place.ref)
    if (found === undefined || row === undefined) return undefined
    if (row.tail !== found.place.tail || row.orgUid !== orgUid.toWellFormed()) return undefined
    const { headUid } = found.place
    const holder = documentsOf({ ...row, page: 0, headUid }).find(({ document: { shape, id } }) =>
      shape.shape.localClaimsOf(id).includes(found.local),
    )
    return holder && toDocument(row.orgUid, holder)
  }

  /** The holder of a claim that the table of claims says is in a family: the one of which it checks. */
  selectHolder(ref: number, claim: { readonly stored: string; readonly crc: unknown }) {
    const row = this.#rows.first(ref)
    if (row === undefined) return undefined
    for (const page of this.#pagesOf(row)) {
      const holder = documentsOf(page).find(
        ({ kind, uid }) =>
          checkOfClaim(claim.stored, { orgUid: row.orgUid, kind, uid }) === claim.crc,
      )
      if (holder !== undefined) return toDocument(row.orgUid, holder)
    }
    return undefined
  }

  /** The component that the roll says holds a claim, undefined when it tells of none. */
  selectRolled(scope: number, claim: string): CatalogDocument | undefined {
    const ref = this.roll.findClaim(scope, claim)
    if (ref === undefined) return undefined
    const row = this.#rows.first(ref)
    const isHolder = row?.scope === scope && row.isRolled && claimOfHead(row) === claim
    if (!isHolder) throw new CatalogDamaged('the list of component leads to another document')
    return this.selectHead(ref)
  }

  /** The IDs under which the roll has components, of those by UID that it has. */
  rolledIdsOf(scope: number, uids: readonly string[]): string[] {
    const rows = uids.flatMap((uid) => this.#one(uid))
    return rows.flatMap((row) => (row.scope === scope && row.isRolled ? (row.head?.id ?? []) : []))
  }

  /** Throws CatalogDamaged unless a component of the roll is in a family that is listed nowhere else. */
  checkRolled({ scope, ref, claim, listKey }: RolledHead): void {
    const row = this.#rows.first(ref)
    const head = row?.scope === scope && row.isRolled ? row.head : undefined
    const isListed = head?.shape.shape.listKeyOf(head.id) === listKey
    if (isListed && row !== undefined && claimOfHead(row) === claim) return
    throw new CatalogDamaged(`the list of component leads from number ${ref} to another document`)
  }

  /** Whether an organization has components in families that have a list key of their own. */
  hasHeads(scope: number): boolean {
    return this.#anyHead.get(scope) !== undefined
  }

  /** The rows of components by UID, of those that have one. */
  headRefsOf(uids: readonly string[]): number[] {
    return uids.flatMap((uid) => this.#one(uid).map(({ ref }) => ref))
  }

  /** The component of a row, undefined when it has none. */
  selectHead(ref: number): CatalogDocument | undefined {
    const row = this.#rows.first(ref)
    if (row?.head === undefined) return undefined
    const [head] = documentsOf(this.#pageOf(row))
    return toDocument(row.orgUid, head)
  }

  /** The streams of a query that families hold; all of them, in no order. */
  selectStreams(scope: number, query: ListQuery): CatalogDocument[] {
    const rows = query.parentUid === undefined ? this.#all(scope) : this.#one(query.parentUid)
    const prefix = query.listKeyPrefix?.toWellFormed() ?? ''
    const found: CatalogDocument[] = []
    for (const row of rows) {
      if (row.scope !== scope) continue
      for (const page of this.#pagesOf(row)) {
        for (const one of documentsOf(page)) {
          const { shape, id } = one.document
          if (one.kind !== 'stream' || !shape.shape.listKeyOf(id).startsWith(prefix)) continue
          found.push(toDocument(row.orgUid, one))
        }
      }
    }
    return found
  }

  #all(scope: number): FirstRow[] {
    const refs = this.#refsOfScope.all(scope)
    return refs.flatMap(({ ref }) => this.#rows.first(ref as number) ?? [])
  }

  #one(headUid: string): FirstRow[] {
    const place = familyPlaceOf({ kind: 'component', uid: headUid })
    const row = place && this.#rows.first(place.ref)
    return row !== undefined && row.tail === place?.tail ? [row] : []
  }

  /** Holds a first row against its checksum; throws CatalogDamaged when it does not check. */
  checkFirst(row: Readonly<Record<string, unknown>>): void {
    const first = this.#rows.readFirst(row)
    if (!first.isRolled) return
    const claim = claimOfHead(first)
    if (claim !== undefined && this.roll.findClaim(first.scope, claim) === first.ref) return
    throw new CatalogDamaged(
      `component number ${first.ref} of organization ${first.orgUid} is not listed`,
    )
  }

  /** As checkFirst, for a later row. */
  checkLater(row: Readonly<Record<string, unknown>>): void {
    this.walk.readLater(row)
  }

  /** The rows of a family, read one after the other as they are asked for. */
  *pagesOf(ref: number): Generator<WalkedPage> {
    const row = this.#rows.first(ref)
    if (row !== undefined) yield* this.#pagesOf(row)
  }

  *#pagesOf(row: FirstRow): Generator<WalkedPage> {
    const first = this.#pageOf(row)
    yield first
    for (const { page } of this.#laters.all(row.ref)) {
      const later = this.#rows.page(row, page as number)
      if (later !== undefined) yield { ...first, ...later, page: page as number }
    }
  }

  #pageOf(row: FirstRow): WalkedPage {
    return { ...row, page: 0, headUid: familyHeadOf(row.ref, row.tail) }
  }
}

/** The claim of a head that is in the roll. */
function claimOfHead({ head }: FirstRow): string | undefined {
  const [claim] = head === undefined ? [] : head.shape.shape.wideClaimsOf(head.id)
  return claim
}

/** A document whole again. */
export function toDocument(orgUid: string, found: WalkedDocument): CatalogDocument {
  const { kind, uid, parentUid, handle, document } = found
  const { shape, id, numbers, revision } = document
  return {
    ...{ orgUid, kind, uid, parentUid, revision },
    listKey: shape.shape.listKeyOf(id),
    expiresAtMs: undefined,
    handle: handle as StreamHandle | undefined,
    body: JSON.parse(shape.shape.jsonOf(id, numbers)) as JsonObject,
  }
}
