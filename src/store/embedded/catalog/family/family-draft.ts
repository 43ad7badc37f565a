import type { FamilyPage, PackedDocument, PackedMember } from './family-page.ts'
import { type FamilyPlace, pageOf } from './family-place.ts'
import type { FamilyRows, FirstRow } from './family-rows-table.ts'

/** A row of a family while a step changes it. */
export interface PageDraft {
  readonly isStored: boolean
  isChanged: boolean
  readonly members: Map<number, PackedMember>
}

/** A family while a step changes it: its rows as far as they were asked for. */
export class FamilyDraft {
  readonly place: FamilyPlace
  readonly scope: number
  readonly orgUid: string
  readonly pages = new Map<number, PageDraft>()
  readonly #rows: FamilyRows
  #head: PackedDocument | undefined
  #hasOutsiders = false
  #isRolled: boolean
  /** Whether nothing of it was stored, and nobody has looked for what stands elsewhere. */
  #isUnknown: boolean
  #locals: Map<string, number> | undefined

  constructor(
    at: { readonly place: FamilyPlace; readonly scope: number; readonly orgUid: string },
    rows: FamilyRows,
    stored: FirstRow | undefined,
  ) {
    this.place = at.place
    this.scope = at.scope
    this.orgUid = at.orgUid
    this.#rows = rows
    this.#head = stored?.head
    this.#hasOutsiders = stored?.hasOutsiders ?? false
    this.#isRolled = stored?.isRolled ?? false
    this.#isUnknown = stored === undefined
    this.pages.set(0, draftOf(stored))
  }

  get head(): PackedDocument | undefined {
    return this.#head
  }

  set head(head: PackedDocument | undefined) {
    this.#head = head
    this.page(0).isChanged = true
  }

  /** Whether the roll has the claim of its head and its place in the list. */
  get isRolled(): boolean {
    return this.#isRolled
  }

  /** Says that its head was taken out of the roll. */
  leaveRoll(): void {
    this.#isRolled = false
    this.page(0).isChanged = true
  }

  /** Whether it is stored or will be: one that was only looked for leaves its number to others. */
  get isTaken(): boolean {
    for (const { isStored, isChanged } of this.pages.values())
      if (isStored || isChanged) return true
    return false
  }

  /** Whether documents or claims of the family stand in the tables of documents and claims. */
  get hasOutsiders(): boolean {
    return this.#hasOutsiders
  }

  /** Asks once, of a family that begins, whether something of it stands elsewhere. */
  lookForOutsiders(isThere: () => boolean): void {
    if (!this.#isUnknown) return
    this.#isUnknown = false
    if (isThere()) this.noteOutsiders()
  }

  noteOutsiders(): void {
    if (this.#hasOutsiders) return
    this.#hasOutsiders = true
    this.page(0).isChanged = true
  }

  page(page: number): PageDraft {
    const known = this.pages.get(page)
    if (known !== undefined) return known
    const { ref } = this.place
    const draft = draftOf(this.#rows.page({ ref, orgUid: this.orgUid }, page))
    this.pages.set(page, draft)
    return draft
  }

  find(ordinal: number): PackedDocument | PackedMember | undefined {
    return ordinal === 0 ? this.#head : this.page(pageOf(ordinal)).members.get(ordinal)
  }

  putMember(member: PackedMember): void {
    const page = this.page(pageOf(member.ordinal))
    page.members.set(member.ordinal, member)
    page.isChanged = true
    // Later rows are found by way of the first.
    if (page !== this.page(0)) this.noteOutsiders()
  }

  deleteMember(ordinal: number): void {
    const page = this.page(pageOf(ordinal))
    page.members.delete(ordinal)
    page.isChanged = true
    // The first row may have been there for this one only.
    if (page.members.size === 0) this.page(0).isChanged = true
  }

  /** The ordinals that hold claims within the first row. */
  get locals(): Map<string, number> {
    return this.#locals ?? this.readLocals()
  }

  /** Reads who holds the claims within the first row, once. */
  readLocals(): Map<string, number> {
    if (this.#locals !== undefined) return this.#locals
    this.#locals = new Map()
    for (const { ordinal, shape, id } of this.page(0).members.values()) {
      for (const claim of shape.shape.localClaimsOf(id)) this.#locals.set(claim, ordinal)
    }
    return this.#locals
  }
}

function draftOf(stored: FamilyPage | undefined): PageDraft {
  const members = new Map(stored?.members.map((member) => [member.ordinal, member]))
  return { isStored: stored !== undefined, isChanged: false, members }
}
