/** Every statement with which the writer changes rows of families. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { memberUidOf } from '../../../../base/plain.ts'
import type { DocumentKey } from '../../../catalog-port.ts'
import type { CatalogClaims } from '../catalog-claims-table.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import type { Tally } from '../catalog-tally.ts'
import { FamilyDraft, type PageDraft } from './family-draft.ts'
import { type PackedDocument, type PackedMember, packPage } from './family-page.ts'
import { type FamilyPlace, familyPlaceOf, localPlaceOf, pageOf } from './family-place.ts'
import { FamilyRows } from './family-rows-table.ts'
import { FamilyWalk } from './family-walk-table.ts'
import { InsertTogether, type RowValue } from './insert-together.ts'
import { localClaimsOf, type Shaped } from './shape.ts'
import { ShapeWriter } from './shape-table.ts'

/** A place in a family. */
interface Located {
  readonly family: FamilyDraft
  readonly ordinal: number
}

/** A head or member that is stored. */
export interface StoredMember extends Located {
  readonly document: PackedDocument | PackedMember
}

/** What a put makes of a head or member. */
interface MemberState {
  readonly revision: number
  /** Of a member. */
  readonly handle: number | null
}

const FAMILY_COLUMNS = ['ref', 'scope', 'list_key', 'packed']

/** The families that a step changes; written when it ends, each row once. */
export class FamilyWriteTable {
  readonly #statements: ReturnType<typeof prepareAll>
  readonly #together: InsertTogether
  readonly #rows: FamilyRows
  readonly #shapes: ShapeWriter
  readonly #walk: FamilyWalk
  readonly #claims: CatalogClaims
  readonly #drafts = new Map<number, FamilyDraft>()
  /** The greatest number of a family, undefined until it is read: what is greater need not be looked for. */
  #lastRef: number | undefined

  constructor(db: DatabaseSync, scopes: CatalogScopes, claims: CatalogClaims) {
    this.#statements = prepareAll(db)
    this.#together = new InsertTogether(db, 'family', FAMILY_COLUMNS)
    this.#shapes = new ShapeWriter(db)
    this.#rows = new FamilyRows(db, scopes, (number) => this.#shapes.of(number))
    this.#walk = new FamilyWalk(db, this.#rows, scopes)
    this.#claims = claims
  }

  /** Where a document has its place in a family, undefined when its UID tells none, or one that others have. */
  locate(scope: number, key: DocumentKey): Located | undefined {
    const place = familyPlaceOf(key)
    const family = place && this.#draft({ place, scope, orgUid: key.orgUid })
    return place && family && { family, ordinal: place.ordinal }
  }

  /** What is stored under a key, undefined when no family holds it. */
  find(scope: number, key: DocumentKey): StoredMember | undefined {
    const located = this.locate(scope, key)
    const document = located?.family.find(located.ordinal)
    return located && document && { ...located, document }
  }

  /** What an organization has of a kind in families; slow. */
  count(scope: number, kind: string): Tally {
    this.write()
    return this.#walk.count(scope, kind)
  }

  /** Puts a head or member into its family, in the place of what was there. */
  put({ family, ordinal }: Located, put: Shaped & MemberState): StoredMember {
    const { id, numbers, revision, handle } = put
    const document = { id, numbers, revision, shape: this.#shapes.take(put.shape) }
    // Claims on it may be older: they were made while another organization had its number.
    family.lookForOutsiders(() => this.#areOutsidersOf(family))
    if (handle === null) {
      family.head = document
      return { family, ordinal, document }
    }
    const member = { ordinal, handle, ...document }
    // Who holds which claim is known before the put: it says nothing of its own claims.
    family.readLocals()
    family.putMember(member)
    return { family, ordinal, document: member }
  }

  delete({ family, ordinal }: StoredMember): void {
    if (ordinal === 0) family.head = undefined
    else family.deleteMember(ordinal)
  }

  /** Makes the claims of what was put; tells the one that another holds. */
  claim({ family, ordinal, document }: StoredMember, key: DocumentKey): string | undefined {
    const { id, shape } = document
    const { headUid, ref } = family.place
    for (const claim of shape.shape.wideClaimsOf(id)) {
      if (localPlaceOf(claim) !== undefined && !this.claimInside(family.scope, key.orgUid, claim)) {
        return claim
      }
      if (!this.#claims.insert(family.scope, claim, { ...key, ref: -ref })) return claim
    }
    for (const local of shape.shape.localClaimsOf(id)) {
      const whole = localClaimsOf(headUid) + local
      const holder = family.locals.get(local)
      if (holder !== undefined && holder !== ordinal) return whole
      if (pageOf(ordinal) === 0) {
        if (family.hasOutsiders && this.#claims.isTaken(family.scope, whole)) return whole
        family.locals.set(local, ordinal)
      } else {
        family.noteOutsiders()
        if (!this.#claims.insert(family.scope, whole, { ...key, ref: -ref })) return whole
      }
    }
    return undefined
  }

  /** Lets go of the claims of what is stored. */
  release({ family, ordinal, document }: StoredMember): void {
    const { id, shape } = document
    const { headUid, ref } = family.place
    const { scope, orgUid } = family
    const key =
      ordinal === 0
        ? { kind: 'component', uid: headUid }
        : { kind: 'stream', uid: memberUidOf(headUid, ordinal) }
    const holder = { orgUid, ...key, ref: -ref }
    if (ordinal === 0 && family.isRolled) {
      this.#claims.roll.remove(scope, id)
      family.leaveRoll()
      return
    }
    for (const claim of shape.shape.wideClaimsOf(id)) this.#claims.delete(scope, claim, holder)
    for (const local of shape.shape.localClaimsOf(id)) {
      if (pageOf(ordinal) > 0) this.#claims.delete(scope, localClaimsOf(headUid) + local, holder)
      else if (family.locals.get(local) === ordinal) family.locals.delete(local)
    }
  }

  /** Notes that someone outside of a family's rows makes a claim that belongs into it; false when a member has it. */
  claimInside(scope: number, orgUid: string, claim: string): boolean {
    const found = localPlaceOf(claim)
    if (found === undefined) return true
    const family = this.#draft({ place: found.place, scope, orgUid })
    if (family === undefined) return true
    if (family.locals.has(found.local)) return false
    family.noteOutsiders()
    return true
  }

  /** The shapes that rows share. */
  get shapes(): Pick<ShapeWriter, 'take'> {
    return this.#shapes
  }

  /**
   * Writes first rows of families that nobody has, each number, organization, list key and packed text. Tells the
   * number of the first that is there already, undefined when all were written.
   */
  insertNew(rows: readonly RowValue[], lastRef: number): number | undefined {
    this.#lastRef = Math.max(this.#lastRef ?? this.#readLastRef(), lastRef)
    if (this.#together.insert(rows)) return undefined
    for (let at = 0; at < rows.length; at += FAMILY_COLUMNS.length) {
      const [ref, , , packed] = rows.slice(at)
      if (this.#statements.selectPacked.get(ref)?.packed !== packed) return ref as number
    }
    return undefined
  }

  /** Writes what the step has changed. */
  write(): void {
    for (const family of this.#drafts.values()) {
      for (const [page, draft] of family.pages) {
        if (page > 0 && draft.isChanged) this.#writeLater(family, page, draft)
      }
      // Last: whether it is needed depends on the others.
      if (family.page(0).isChanged) this.#writeFirst(family, family.page(0))
    }
    this.#drafts.clear()
  }

  /** Says that the transaction is committed. */
  settle(): void {
    this.#shapes.settle()
  }

  /** Drops what a step has changed that came to nothing. */
  forget(): void {
    this.#drafts.clear()
    this.#shapes.forget()
    this.#lastRef = undefined
  }

  /** The family of a place, undefined when the number is that of another or another organization's. */
  #draft(at: {
    readonly place: FamilyPlace
    readonly scope: number
    readonly orgUid: string
  }): FamilyDraft | undefined {
    const { ref, tail } = at.place
    const known = this.#drafts.get(ref)
    if (known?.place.tail === tail && known.scope === at.scope) return known
    if (known?.isTaken === true) return undefined
    this.#lastRef ??= this.#readLastRef()
    const stored = ref > this.#lastRef ? undefined : this.#rows.first(ref)
    if (stored !== undefined && (stored.tail !== tail || stored.scope !== at.scope))
      return undefined
    const draft = new FamilyDraft(at, this.#rows, stored)
    this.#drafts.set(ref, draft)
    return draft
  }

  #readLastRef(): number {
    return Number(this.#statements.lastRef.get()?.ref ?? 0)
  }

  #writeLater({ place, scope, orgUid }: FamilyDraft, page: number, draft: PageDraft): void {
    const { ref, tail } = place
    const members = inOrder(draft)
    if (members.length === 0) {
      this.#statements.deletePage.run(ref, page)
      return
    }
    const row = { tail, head: undefined, hasOutsiders: false, members }
    const packed = packPage({ orgUid, ref, page, listKey: null }, row)
    this.#statements.putPage.run(ref, page, scope, packed)
  }

  #writeFirst(family: FamilyDraft, draft: PageDraft): void {
    const { ref, tail } = family.place
    const { scope, orgUid, head, hasOutsiders } = family
    const members = inOrder(draft)
    const { deleteFirst, updateFirst, insertFirst } = this.#statements
    if (head === undefined && members.length === 0 && !this.#isNeeded(family)) {
      if (draft.isStored) deleteFirst.run(ref)
      return
    }
    // What stands in the roll is listed there.
    const isListed = head !== undefined && !family.isRolled
    const listKey = isListed ? head.shape.shape.listKeyOf(head.id) : null
    const row = { tail, head, hasOutsiders, members }
    const packed = packPage({ orgUid, ref, page: 0, listKey }, row)
    if (draft.isStored) updateFirst.run(listKey, packed, ref)
    else insertFirst.run(ref, scope, listKey, packed)
    this.#lastRef = Math.max(this.#lastRef ?? 0, ref)
  }

  /** Whether a first row that holds nothing must tell that there is something of its family elsewhere. */
  #isNeeded(family: FamilyDraft): boolean {
    return family.hasOutsiders && this.#areOutsidersOf(family)
  }

  #areOutsidersOf({ scope, place }: FamilyDraft): boolean {
    const { ref, headUid: head } = place
    const from = localClaimsOf(head)
    const found = this.#statements.outsiders.get({
      ref,
      scope,
      head,
      from,
      until: `${from}\u{10FFFF}`,
    })
    return found !== undefined
  }
}

function inOrder({ members }: PageDraft): PackedMember[] {
  const list = [...members.values()]
  return list.length > 1 ? list.sort((a, b) => a.ordinal - b.ordinal) : list
}

function prepareAll(db: DatabaseSync) {
  const prepare = (sql: string): StatementSync => db.prepare(sql)
  return {
    lastRef: prepare('SELECT max(ref) AS ref FROM family'),
    insertFirst: prepare('INSERT INTO family (ref, scope, list_key, packed) VALUES (?, ?, ?, ?)'),
    selectPacked: prepare('SELECT packed FROM family WHERE ref = ?'),
    updateFirst: prepare('UPDATE family SET list_key = ?, packed = ? WHERE ref = ?'),
    deleteFirst: prepare('DELETE FROM family WHERE ref = ?'),
    putPage: prepare(
      'INSERT OR REPLACE INTO family_page (ref, page, scope, packed) VALUES (?, ?, ?, ?)',
    ),
    outsiders: prepare(`SELECT 1 WHERE EXISTS (SELECT 1 FROM family_page WHERE ref = $ref)
      OR EXISTS (SELECT 1 FROM claim WHERE scope = $scope AND claim >= $from AND claim < $until)
      OR EXISTS (SELECT 1 FROM document
        WHERE scope = $scope AND kind = 'component' AND uid = $head)
      OR EXISTS (SELECT 1 FROM document WHERE scope = $scope AND kind = 'stream'
        AND uid > $head AND uid < substr($head, 1, 30) || 'g')`),
    deletePage: prepare('DELETE FROM family_page WHERE ref = ? AND page = ?'),
  }
}
