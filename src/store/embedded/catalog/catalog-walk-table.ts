/** The statements of walks over all documents of a kind: each step begins where the one before has ended. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CatalogDamaged, type CatalogDocument, type WalkQuery } from '../../ports/catalog-port.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import type { CatalogScopes } from './catalog-scopes.ts'

/** Behind which document a step has ended. */
type Place = readonly [listKey: string, uid: string]

/** Walks over documents. */
export class CatalogWalks {
  readonly #scopes: CatalogScopes
  readonly #up: StatementSync
  readonly #down: StatementSync
  readonly #isBehind: StatementSync

  constructor(db: DatabaseSync, scopes: CatalogScopes) {
    this.#scopes = scopes
    this.#up = db.prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.scope = ? AND d.kind = ? AND (d.list_key, d.uid) > (?, ?)
      ORDER BY d.list_key, d.uid LIMIT ?`)
    this.#down = db.prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d
      WHERE d.scope = ? AND d.kind = ? AND d.list_key >= ? AND (d.list_key, d.uid) < (?, ?)
      ORDER BY d.list_key DESC, d.uid DESC LIMIT ?`)
    this.#isBehind = db.prepare('SELECT (?, ?) > (?, ?) AS isBehind')
  }

  /** A step of a walk; calls `onLeftOut` with each damaged document. */
  step(
    scope: number,
    { kind, after, limit, down }: WalkQuery,
    onLeftOut: (what: string) => void,
  ): { documents: CatalogDocument[]; next?: string } {
    const place: Place = after === undefined ? [down?.until ?? '', ''] : JSON.parse(after)
    const rows =
      down === undefined
        ? this.#up.all(scope, kind, ...place, limit)
        : this.#down.all(scope, kind, down.from, ...place, limit)
    const found = rows.map((row) => {
      try {
        return documentOf(row, this.#scopes)
      } catch (error) {
        if (!(error instanceof CatalogDamaged)) throw error
        onLeftOut(error.what)
        return undefined
      }
    })
    const documents = found.filter((document) => document !== undefined)
    if (rows.length === 0 || rows.length < limit) return { documents }
    // The place of one that does not check may be wrong: the walk goes on behind the last that does.
    const last = rows.at(found.findLastIndex((document) => document !== undefined))
    const next: Place = [String(last?.list_key), String(last?.uid)]
    // A walk that did not get on would never end.
    const [least, most] = down === undefined ? [place, next] : [next, place]
    const isFurther = this.#isBehind.get(...most, ...least)?.isBehind === 1
    if (!isFurther) throw new CatalogDamaged(`the list of ${kind} is not in order`)
    return { documents, next: JSON.stringify(next) }
  }
}
