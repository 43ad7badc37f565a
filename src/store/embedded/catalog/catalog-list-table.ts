/** The statements by which documents are listed. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { RecordBytes } from '../../../base/index.ts'
import { endOfPrefix } from '../../fields/end-of-prefix.ts'
import { CatalogDamaged, type CatalogDocument, type ListQuery } from '../../ports/catalog-port.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import type { CatalogScopes } from './catalog-scopes.ts'

interface ListStatements {
  readonly page: StatementSync
  readonly count: StatementSync
}

/** Pages of documents in the order of list key, then UID. */
export class CatalogLists {
  readonly #db: DatabaseSync
  readonly #scopes: CatalogScopes
  readonly #byRef: StatementSync
  readonly #statements = new Map<string, ListStatements>()

  constructor(db: DatabaseSync, scopes: CatalogScopes) {
    this.#db = db
    this.#scopes = scopes
    this.#byRef = db.prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d WHERE d.ref = ?`)
  }

  /** A page of a query; calls `onLeftOut` with each damaged document, if the query leaves these out. */
  selectPage(
    scope: number,
    query: ListQuery,
    onLeftOut: (what: string) => void,
  ): CatalogDocument[] {
    const { bytesMax, kind } = query
    const count = bytesMax === undefined ? undefined : new RecordBytes(kind, bytesMax)
    const refs = this.#statementsOf(query).page.all(filterOf(scope, query))
    return refs.flatMap(({ ref }) => {
      try {
        const row = this.#byRef.get(ref)
        if (row === undefined) throw new CatalogDamaged(`the list of ${kind} leads nowhere`)
        // Before it is parsed: it can be long.
        count?.add(String(row.body))
        const document = documentOf(row, this.#scopes)
        expectListed(document, query)
        return [document]
      } catch (error) {
        if (!(error instanceof CatalogDamaged) || query.leavesOutDamaged !== true) throw error
        onLeftOut(error.what)
        return []
      }
    })
  }

  /** How many documents a query has in all. */
  count(scope: number, query: ListQuery): number {
    const row = this.#statementsOf(query).count.get(filterOf(scope, query))
    return (row as { documents: number }).documents
  }

  #statementsOf(query: ListQuery): ListStatements {
    const { parentUid, listKeyPrefix = '', aliveAtMs, descending = false, exceptUids = [] } = query
    const conditions = ['scope = $scope', 'kind = $kind']
    if (parentUid !== undefined) conditions.push('parent_uid = $parent')
    // The partial index serves only what names a parent, so the planner must see the condition.
    if (parentUid !== undefined && parentUid !== '') conditions.push("parent_uid <> ''")
    if (listKeyPrefix !== '') conditions.push('list_key >= $from')
    if (endOfPrefix(listKeyPrefix.toWellFormed()) !== undefined) {
      conditions.push('list_key < $until')
    }
    if (aliveAtMs !== undefined) {
      conditions.push('(expires_at_ms IS NULL OR expires_at_ms > $alive)')
    }
    if (exceptUids.length > 0) {
      conditions.push('uid NOT IN (SELECT value FROM json_each($except))')
    }
    const key = `${conditions.join(' AND ')} ${descending}`
    const known = this.#statements.get(key)
    if (known !== undefined) return known
    const down = descending ? 'DESC' : ''
    const rows = `FROM document WHERE ${conditions.join(' AND ')}`
    const statements = {
      page: this.#db.prepare(`SELECT ref ${rows} ORDER BY list_key ${down}, uid ${down}
        LIMIT $limit OFFSET $start`),
      count: this.#db.prepare(`SELECT count(*) AS documents ${rows}`),
    }
    for (const one of Object.values(statements)) one.setAllowUnknownNamedParameters(true)
    this.#statements.set(key, statements)
    return statements
  }
}

function filterOf(scope: number, query: ListQuery): Record<string, SQLInputValue> {
  const { kind, parentUid = '', listKeyPrefix = '', aliveAtMs = 0, start, limit } = query
  const from = listKeyPrefix.toWellFormed()
  return {
    scope,
    kind,
    parent: parentUid,
    from,
    until: endOfPrefix(from) ?? '',
    alive: aliveAtMs,
    except: JSON.stringify(query.exceptUids ?? []),
    start,
    limit,
  }
}

/** Refuses a document that a list leads to in the place of another. */
function expectListed(document: CatalogDocument, query: ListQuery): void {
  const isOurs =
    document.kind === query.kind.toWellFormed() &&
    document.orgUid === query.orgUid.toWellFormed() &&
    (query.parentUid?.toWellFormed() ?? document.parentUid) === document.parentUid &&
    document.listKey.startsWith(query.listKeyPrefix?.toWellFormed() ?? '')
  if (!isOurs) throw new CatalogDamaged(`the list of ${query.kind} leads to another document`)
}
