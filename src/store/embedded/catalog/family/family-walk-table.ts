/** The statements by which all rows of families are read, a stretch at a time. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { familyHeadOf, memberUidOf } from '../../../../base/plain.ts'
import { CatalogDamaged } from '../../../catalog-port.ts'
import { readChecked } from '../catalog-checks.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import { addTallies, NOTHING, type Tally } from '../catalog-tally.ts'
import type { FamilyPage, PackedDocument } from './family-page.ts'
import type { FamilyRows } from './family-rows-table.ts'

/** Rows read at a time where nobody waits. */
const ROWS_PER_STEP = 1_000

/** How far a walk has come: first rows of families come before all later ones. */
export interface WalkPlace {
  readonly isLater: boolean
  readonly ref: number
  readonly page: number
}

/** Where a walk begins. */
export const WALK_START: WalkPlace = { isLater: false, ref: Number.MIN_SAFE_INTEGER, page: 0 }

/** A row that checks. */
export interface WalkedPage extends FamilyPage {
  readonly scope: number
  readonly orgUid: string
  readonly headUid: string
  readonly ref: number
  readonly page: number
}

/** A head or member as a walk meets it. */
export interface WalkedDocument {
  readonly kind: 'component' | 'stream'
  readonly uid: string
  readonly parentUid: string
  readonly handle: number | undefined
  readonly document: PackedDocument
}

/** A row that does not check. */
export interface LostRow {
  readonly ref: number
  readonly page: number
  readonly scope: number
  /** Whether it has, or had, a component. */
  readonly hasHead: boolean
  /** What is wrong with it. */
  readonly what: string
}

/** What a step of a walk has read. */
export interface WalkStep {
  /** Where to go on, undefined at the end. */
  readonly next: WalkPlace | undefined
  readonly rows: number
  readonly bytes: number
  /** What does not check. */
  readonly damages: readonly string[]
  readonly lost: readonly LostRow[]
}

type Row = Readonly<Record<string, unknown>>
/** Number, organization, list key and packed text of a first row: arrays cost a start less than objects. */
type First = readonly [ref: number, scope: number, listKey: string | null, packed: unknown]

/** Walks over the rows of families; rows that do not check are told and left out. */
export class FamilyWalk {
  readonly #rows: FamilyRows
  readonly #scopes: CatalogScopes
  readonly #firsts: StatementSync
  readonly #laters: StatementSync

  constructor(db: DatabaseSync, rows: FamilyRows, scopes: CatalogScopes) {
    this.#rows = rows
    this.#scopes = scopes
    this.#firsts = db.prepare(`SELECT ref, scope, list_key, packed FROM family
      WHERE ref > ? ORDER BY ref LIMIT ?`)
    this.#firsts.setReturnArrays(true)
    this.#laters = db.prepare(`SELECT ref, page, scope, packed FROM family_page
      WHERE (ref, page) > (?, ?) ORDER BY ref, page LIMIT ?`)
  }

  /** Reads at most `limit` rows after a place. */
  step(after: WalkPlace, limit: number, onPage: (page: WalkedPage) => void): WalkStep {
    const table = after.isLater ? 'family_page' : 'family'
    return readChecked(`table ${table}`, () =>
      after.isLater ? this.#stepLater(after, limit, onPage) : this.#stepFirst(after, limit, onPage),
    )
  }

  #stepFirst(after: WalkPlace, limit: number, onPage: (page: WalkedPage) => void): WalkStep {
    const rows = this.#firsts.all(after.ref, limit) as unknown as readonly First[]
    const lost: LostRow[] = []
    let bytes = 0
    for (const row of rows) {
      bytes += String(row[3]).length
      const [ref, scope, listKey] = row
      const at = { ref, page: 0, scope, hasHead: listKey !== null }
      noteDamage(lost, at, () => onPage(this.#first(row)))
    }
    const isEnd = rows.length < limit
    const next = isEnd
      ? { ...WALK_START, isLater: true }
      : { isLater: false, ref: rows[rows.length - 1][0], page: 0 }
    return { next, rows: rows.length, bytes, damages: damagesOf(lost), lost }
  }

  #stepLater(after: WalkPlace, limit: number, onPage: (page: WalkedPage) => void): WalkStep {
    const rows: readonly Row[] = this.#laters.all(after.ref, after.page, limit)
    const lost: LostRow[] = []
    let bytes = 0
    for (const row of rows) {
      bytes += String(row.packed).length
      const { ref, page, scope } = row as { ref: number; page: number; scope: number }
      noteDamage(lost, { ref, page, scope, hasHead: false }, () => onPage(this.readLater(row)))
    }
    const last = rows.length < limit ? undefined : rows[rows.length - 1]
    const next = last && { isLater: true, ref: last.ref as number, page: last.page as number }
    return { next, rows: rows.length, bytes, damages: damagesOf(lost), lost }
  }

  /** What an organization has of a kind. */
  count(scope: number, kind: string): Tally {
    let tally = NOTHING
    const onPage = (page: WalkedPage): void => {
      if (page.scope !== scope) return
      for (const one of documentsOf(page)) {
        if (one.kind !== kind) continue
        const { shape, id, numbers } = one.document
        const bytes = shape.shape.bytesOf(id, numbers)
        tally = addTallies(tally, { documents: 1, entries: 1, bytes })
      }
    }
    for (let at: WalkPlace | undefined = WALK_START; at !== undefined; ) {
      at = this.step(at, ROWS_PER_STEP, onPage).next
    }
    return tally
  }

  #first([ref, scope, listKey, packed]: First): WalkedPage {
    const orgUid = this.#scopes.orgUidOf(scope)
    const { tail, head, hasOutsiders, members } = this.#rows.unpackFirst(
      { orgUid, ref, listKey },
      packed,
    )
    const headUid = familyHeadOf(ref, tail)
    return { ref, scope, orgUid, page: 0, headUid, tail, head, hasOutsiders, members }
  }

  /** What a later row holds. */
  readLater(row: Row): WalkedPage {
    const { ref, page, scope } = row as { ref: number; page: number; scope: number }
    const orgUid = this.#scopes.orgUidOf(scope)
    const found = this.#rows.readPage({ orgUid, ref, page, listKey: null }, row.packed)
    return { ...found, ref, page, scope, orgUid, headUid: familyHeadOf(ref, found.tail) }
  }
}

/** Reads a row; when it does not check, that is noted, and other failures are thrown on. */
function noteDamage(lost: LostRow[], at: Omit<LostRow, 'what'>, read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof CatalogDamaged)) throw error
    lost.push({ ...at, what: error.what })
  }
}

function damagesOf(lost: readonly LostRow[]): string[] {
  return lost.map(({ what }) => what)
}

/** The head and the members of a row, in this order. */
export function documentsOf({ headUid, head, members }: WalkedPage): WalkedDocument[] {
  const found: WalkedDocument[] = []
  if (head !== undefined) {
    const kind = 'component'
    found.push({ kind, uid: headUid, parentUid: '', handle: undefined, document: head })
  }
  for (const member of members) {
    const uid = memberUidOf(headUid, member.ordinal)
    const { handle } = member
    found.push({ kind: 'stream', uid, parentUid: headUid, handle, document: member })
  }
  return found
}
