/** The statements of walks over all documents of a kind: each step begins where the one before has ended. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { invariant } from '../../../base/index.ts'
import { CatalogDamaged, type CatalogDocument, type WalkQuery } from '../../catalog-port.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import type { CatalogScopes } from './catalog-scopes.ts'
import { compareTexts } from './compare-texts.ts'
import type { FamilyReadTable } from './family/family-read-table.ts'
import { rolledAfter } from './roll/roll-list.ts'

/** Where a step has ended: behind a row, or behind the head of a family. */
type Place = readonly ['row', listKey: string, uid: string] | HeadPlace
type HeadPlace = readonly ['head', listKey: string, ref: number]

const FIRST_ROW: Place = ['row', '', '']
const FIRST_HEAD: Place = ['head', '', -1]

/** A head with its place in the list. */
interface ListedHead {
  readonly ref: number
  readonly list_key: string
}

/** What a step has read. */
interface WalkStep {
  readonly documents: CatalogDocument[]
  readonly next?: string
}

/** Walks, first over documents with a row of their own, then over components that share one. */
export class CatalogWalks {
  readonly #scopes: CatalogScopes
  readonly #families: FamilyReadTable
  readonly #rows: StatementSync
  readonly #rowsDown: StatementSync
  readonly #ties: StatementSync
  readonly #heads: StatementSync

  constructor(db: DatabaseSync, scopes: CatalogScopes, families: FamilyReadTable) {
    this.#scopes = scopes
    this.#families = families
    this.#rows = db.prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.scope = ? AND d.kind = ? AND d.kind <> 'stream' AND (d.list_key, d.uid) > (?, ?)
      ORDER BY d.list_key, d.uid LIMIT ?`)
    this.#rowsDown = db.prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.scope = ? AND d.kind = ? AND d.kind <> 'stream' AND d.list_key >= ?
        AND (d.list_key, d.uid) < (?, ?)
      ORDER BY d.list_key DESC, d.uid DESC LIMIT ?`)
    // One statement for both would look at all of the same list key again.
    this.#ties = db.prepare(`SELECT ref, list_key FROM family
      WHERE scope = ? AND list_key IS NOT NULL AND list_key = ? AND ref > ? ORDER BY ref LIMIT ?`)
    this.#heads = db.prepare(`SELECT ref, list_key FROM family
      WHERE scope = ? AND list_key IS NOT NULL AND list_key > ? ORDER BY list_key, ref LIMIT ?`)
  }

  /** A step of a walk; tells `onLeftOut` of each document that does not check. */
  step(scope: number, query: WalkQuery, onLeftOut: (what: string) => void): WalkStep {
    const { kind, after, limit, down } = query
    invariant(kind !== 'stream', 'streams are not walked over')
    invariant(down === undefined || kind !== 'component', 'components are not walked down')
    const first: Place = down === undefined ? FIRST_ROW : ['row', down.until, '']
    const place: Place = after === undefined ? first : JSON.parse(after)
    const documents: CatalogDocument[] = []
    const add = (read: () => CatalogDocument | undefined) => {
      try {
        const document = read()
        if (document === undefined) throw new CatalogDamaged(`the list of ${kind} leads nowhere`)
        documents.push(document)
      } catch (error) {
        if (!(error instanceof CatalogDamaged)) throw error
        onLeftOut(error.what)
      }
    }
    if (place[0] === 'row') {
      const rows =
        down === undefined
          ? this.#rows.all(scope, kind, place[1], place[2], limit)
          : this.#rowsDown.all(scope, kind, down.from, place[1], place[2], limit)
      for (const row of rows) add(() => documentOf(row, this.#scopes))
      const last = rows.length < limit ? undefined : rows.at(-1)
      if (last !== undefined) {
        return stepTo(documents, ['row', String(last.list_key), String(last.uid)])
      }
      const isOver = kind !== 'component' || !this.#hasHeads(scope)
      return isOver ? { documents } : stepTo(documents, FIRST_HEAD)
    }
    const heads = this.#headsAfter(scope, place, { limit, onLeftOut })
    for (const { ref } of heads) add(() => this.#families.selectHead(ref))
    const last = heads.length < limit ? undefined : heads.at(-1)
    return last === undefined ? { documents } : stepTo(documents, ['head', last.list_key, last.ref])
  }

  #hasHeads(scope: number): boolean {
    return this.#families.hasHeads(scope) || this.#families.roll.listedRollOf(scope) !== undefined
  }

  #headsAfter(
    scope: number,
    [, listKey, ref]: HeadPlace,
    { limit, onLeftOut }: { readonly limit: number; onLeftOut(what: string): void },
  ): ListedHead[] {
    const heads = this.#ties.all(scope, listKey, ref, limit) as unknown as ListedHead[]
    heads.push(
      ...(this.#heads.all(scope, listKey, limit - heads.length) as unknown as ListedHead[]),
    )
    const rolled = rolledAfter(this.#families.roll, scope, { listKey, ref, limit, onLeftOut })
    if (rolled.length === 0) return heads
    heads.push(...rolled.map((head) => ({ ref: head.ref, list_key: head.listKey })))
    heads.sort((a, b) => compareTexts(a.list_key, b.list_key) || a.ref - b.ref)
    return heads.slice(0, limit)
  }
}

function stepTo(documents: CatalogDocument[], place: Place): WalkStep {
  return { documents, next: JSON.stringify(place) }
}
