/** The statements by which rows of families are read, for the writer and for readers. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { CatalogScopes } from '../catalog-scopes.ts'
import { RollReader } from '../roll/roll-read-table.ts'
import { FamilyNames } from './family-names-table.ts'
import {
  type FamilyPage,
  type NumberedShape,
  openPage,
  type PackedDocument,
  type PackedMember,
  type PagePlace,
  unpackPage,
} from './family-page.ts'
import { pageOf } from './family-place.ts'

/** The first row of a family: its head and first members. */
export interface FirstRow extends FamilyPage {
  readonly ref: number
  readonly scope: number
  readonly orgUid: string
  readonly listKey: string | null
  /** Whether the roll has the claim of its head and its place in the list. */
  readonly isRolled: boolean
}

/** Reads rows of families; what it answers has been checked. */
export class FamilyRows {
  readonly #first: StatementSync
  readonly #page: StatementSync
  readonly #scopes: CatalogScopes
  readonly #shapeOf: (number: number) => NumberedShape
  readonly names: FamilyNames
  /** Streams of a component are asked for one after the other: the row read last is not read again. */
  #last: { readonly packed: unknown; readonly row: FirstRow } | undefined
  /** And so is the later row. */
  #lastPage: (PagePlace & { readonly packed: unknown; readonly row: FamilyPage }) | undefined

  constructor(db: DatabaseSync, scopes: CatalogScopes, shapeOf: (number: number) => NumberedShape) {
    this.#first = db.prepare('SELECT scope, list_key, packed FROM family WHERE ref = ?')
    this.#page = db.prepare('SELECT packed FROM family_page WHERE ref = ? AND page = ?')
    this.names = new FamilyNames(db, new RollReader(db, scopes))
    this.#scopes = scopes
    this.#shapeOf = shapeOf
  }

  /** The first row of a family, undefined when there is none. */
  first(ref: number): FirstRow | undefined {
    const found = this.#first.get(ref)
    return found === undefined ? undefined : this.readFirst({ ref, ...found })
  }

  /** The family of a row with the columns ref, scope, list_key and packed. */
  readFirst(found: Readonly<Record<string, unknown>>): FirstRow {
    const { ref, scope, packed } = found as { ref: number; scope: number; packed: unknown }
    const listKey = found.list_key as string | null
    const last = this.#last
    const isLast = last?.packed === packed && last?.row.ref === ref
    if (isLast && last?.row.scope === scope && last.row.listKey === listKey) return last.row
    const orgUid = this.#scopes.orgUidOf(scope)
    const { tail, head, hasOutsiders, members } = this.unpackFirst({ orgUid, ref, listKey }, packed)
    const isRolled = head !== undefined && listKey === null
    const row = { ref, scope, orgUid, listKey, isRolled, tail, head, hasOutsiders, members }
    this.#last = { packed, row }
    return row
  }

  /** What a first row holds. */
  unpackFirst(
    { orgUid, ref, listKey }: Pick<FirstRow, 'orgUid' | 'ref' | 'listKey'>,
    packed: unknown,
  ): FamilyPage {
    return this.readPage({ orgUid, ref, page: 0, listKey }, packed)
  }

  /** A later row of a family, undefined when there is none. */
  page({ ref, orgUid }: { ref: number; orgUid: string }, page: number): FamilyPage | undefined {
    const found = this.#page.get(ref, page)
    if (found === undefined) return undefined
    const { packed } = found
    const last = this.#lastPage
    const isLast = last?.ref === ref && last.page === page && last.orgUid === orgUid
    if (isLast && last.packed === packed) return last.row
    const place = { orgUid, ref, page, listKey: null }
    const row = this.readPage(place, packed)
    this.#lastPage = { ...place, packed, row }
    return row
  }

  /** What a row holds. */
  readPage(place: PagePlace, packed: unknown): FamilyPage {
    const values = openPage(place, packed, () => this.names.nameOf(place, packed))
    return unpackPage(values, this.#shapeOf)
  }

  /** The head or member of an ordinal. */
  find(row: FirstRow, ordinal: number): PackedDocument | PackedMember | undefined {
    if (ordinal === 0) return row.head
    const page = pageOf(ordinal)
    const members = page === 0 ? row.members : (this.page(row, page)?.members ?? [])
    return members.find((member) => member.ordinal === ordinal)
  }
}
