/** The statements by which documents are listed, whether they have a row of their own or share one. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { RecordBytes } from '../../../base/index.ts'
import { CatalogDamaged, type CatalogDocument, type ListQuery } from '../../catalog-port.ts'
import { endOfPrefix } from '../../end-of-prefix.ts'
import { DOCUMENT_COLUMNS, documentOf } from './catalog-document.ts'
import type { CatalogScopes } from './catalog-scopes.ts'
import { compareTexts } from './compare-texts.ts'
import type { FamilyReadTable } from './family/family-read-table.ts'
import {
  countSection,
  type KeyRange,
  type Listed,
  RollPicker,
  type RollSection,
  sectionOf,
  TEXT_END,
} from './roll/roll-list.ts'

/** Where the documents of a query stand. */
type Source = 'rows' | 'families' | 'both'

interface ListStatements {
  readonly page: StatementSync
  readonly count: StatementSync
}

/** Pages of documents in the order of list key, then UID. */
export class CatalogLists {
  readonly #db: DatabaseSync
  readonly #scopes: CatalogScopes
  readonly #families: FamilyReadTable
  readonly #anyRow: StatementSync
  readonly #byRef: StatementSync
  readonly #statements = new Map<string, ListStatements>()

  constructor(db: DatabaseSync, scopes: CatalogScopes, families: FamilyReadTable) {
    this.#db = db
    this.#scopes = scopes
    this.#families = families
    this.#anyRow = db.prepare(`SELECT 1 FROM document
      WHERE scope = ? AND kind = 'component' AND kind <> 'stream' LIMIT 1`)
    this.#byRef = db.prepare(`SELECT ${DOCUMENT_COLUMNS} FROM document d WHERE d.ref = ?`)
  }

  /** A page of a query; tells `onLeftOut` of each document that does not check, if the query leaves these out. */
  selectPage(
    scope: number,
    query: ListQuery,
    onLeftOut: (what: string) => void,
  ): CatalogDocument[] {
    if (query.kind === 'stream') {
      const found = this.#streams(scope, query)
      if (found !== undefined) {
        const shown = found.slice(query.start, query.start + query.limit)
        const count = countOf(query)
        if (count !== undefined) for (const { body } of shown) count.add(JSON.stringify(body))
        return shown
      }
    }
    const count = countOf(query)
    const documents = this.#placesOf(scope, query).flatMap((place) => {
      try {
        if ('what' in place) throw new CatalogDamaged(place.what)
        const document = this.#documentOf(place, query, count)
        expectListed(document, query, place.listKey)
        return [document]
      } catch (error) {
        if (!(error instanceof CatalogDamaged) || query.leavesOutDamaged !== true) throw error
        onLeftOut(error.what)
        return []
      }
    })
    return sortTies(documents, query.descending === true)
  }

  /** How many documents a query has in all. */
  count(scope: number, query: ListQuery): number {
    const found = query.kind === 'stream' ? this.#streams(scope, query) : undefined
    if (found !== undefined) return found.length
    const { count } = this.#statementsOf(query, this.#sourceOf(scope, query))
    const { documents } = count.get(this.#filterOf(scope, query)) as { documents: number }
    const section = this.#sectionOf(scope, query)
    return documents + (section === undefined ? 0 : countSection(this.#families.roll, section))
  }

  /** What the places of a page lead to, in order. */
  #placesOf(scope: number, query: ListQuery): readonly Listed[] {
    const source = this.#sourceOf(scope, query)
    const filter = this.#filterOf(scope, query)
    const section = this.#sectionOf(scope, query)
    if (section === undefined) {
      return this.#statementsOf(query, source).page.all(filter) as unknown as readonly Listed[]
    }
    const { page, count } = this.#statementsOf(query, source, true)
    const others = {
      count: (range: KeyRange) =>
        (count.get({ ...filter, ...range }) as { documents: number }).documents,
      refs: (range: KeyRange, start: number, limit: number) =>
        page.all({ ...filter, ...range, start, limit }).map(({ ref }) => ref as number),
    }
    const { start, limit, descending } = query
    const at = { start, limit, isDescending: descending === true }
    return new RollPicker(this.#families.roll, section, others, at).pick()
  }

  /** What the roll adds to a list, undefined when nothing. */
  #sectionOf(scope: number, query: ListQuery): RollSection | undefined {
    const { kind, parentUid, listKeyPrefix = '', exceptUids = [] } = query
    // Components that share a row have no parent.
    if (kind !== 'component' || (parentUid ?? '') !== '') return undefined
    const roll = this.#families.roll.listedRollOf(scope)
    const range = roll && sectionOf(roll, listKeyPrefix)
    if (roll === undefined || range === undefined) return undefined
    const { low, high } = range
    const hidden = new Set(this.#families.rolledIdsOf(scope, exceptUids))
    const except = [...hidden].filter((id) => id >= low && id < high).sort()
    return { scope, roll, low, high, except }
  }

  /** Counts what it takes before it is parsed, where it has a row of its own: those can be long. */
  #documentOf(
    { ref }: { readonly ref: number },
    query: ListQuery,
    count?: RecordBytes,
  ): CatalogDocument {
    const isMember = ref < 0
    const row = isMember ? undefined : this.#byRef.get(ref)
    if (row !== undefined) count?.add(String(row.body))
    const document = isMember
      ? this.#families.selectHead(-ref)
      : row && documentOf(row, this.#scopes)
    if (isMember && document !== undefined) count?.add(JSON.stringify(document.body))
    if (document !== undefined) return document
    throw new CatalogDamaged(`the list of ${query.kind} leads nowhere`)
  }

  /** All streams of a query in order; undefined when no family holds any. */
  #streams(scope: number, query: ListQuery): CatalogDocument[] | undefined {
    const found = this.#families.selectStreams(scope, query)
    if (found.length === 0) return undefined
    const except = new Set(query.exceptUids)
    const members = found.filter(({ uid }) => !except.has(uid))
    const { page } = this.#statementsOf(query, 'rows')
    const rows = page.all({ ...this.#filterOf(scope, query), limit: -1, start: 0 })
    const all = rows.map((row) => this.#documentOf(row as { ref: number }, query))
    for (const document of all) expectListed(document, query)
    all.push(...members)
    const direction = query.descending === true ? -1 : 1
    return all.sort(
      (a, b) => direction * (compareTexts(a.listKey, b.listKey) || compareTexts(a.uid, b.uid)),
    )
  }

  #filterOf(scope: number, query: ListQuery): Record<string, SQLInputValue> {
    const { kind, parentUid: parent = '', listKeyPrefix: from = '', limit, start } = query
    const filter = { scope, kind, parent, from, until: endOfPrefix(from) ?? TEXT_END, limit, start }
    const { aliveAtMs: alive = 0, exceptUids = [] } = query
    if (!isExcepting(query)) return { ...filter, alive }
    const except = JSON.stringify(exceptUids.map((uid) => uid.toWellFormed()))
    const refs = kind === 'component' ? this.#families.headRefsOf(exceptUids) : []
    return { ...filter, alive, except, exceptRefs: JSON.stringify(refs) }
  }

  #sourceOf(scope: number, { kind, parentUid }: ListQuery): Source {
    // Components that share a row have no parent.
    if (kind !== 'component' || (parentUid ?? '') !== '') return 'rows'
    if (!this.#families.hasHeads(scope)) return 'rows'
    return this.#anyRow.get(scope) === undefined ? 'families' : 'both'
  }

  /** One pair of statements per shape of query, prepared when first asked for. */
  #statementsOf(query: ListQuery, source: Source, hasRange = false): ListStatements {
    const parentShape =
      query.parentUid === undefined ? 'any' : query.parentUid === '' ? 'none' : 'one'
    const hasPrefix = (query.listKeyPrefix ?? '') !== ''
    const isDescending = query.descending === true
    const isStream = query.kind === 'stream'
    const isAlive = query.aliveAtMs !== undefined
    const hasExcept = isExcepting(query)
    const shape = `${parentShape} ${hasPrefix} ${isDescending} ${isAlive} ${hasExcept}`
    const key = `${source} ${isStream} ${hasRange} ${shape}`
    const known = this.#statements.get(key)
    if (known !== undefined) return known
    // The partial index serves only what names a parent, so the planner must see the condition.
    const parent = {
      any: '',
      none: 'AND parent_uid = $parent',
      one: "AND parent_uid = $parent AND parent_uid <> ''",
    }[parentShape]
    const prefix =
      (hasPrefix ? 'AND list_key >= $from AND list_key < $until' : '') +
      (hasRange ? ' AND list_key >= $low AND list_key < $high' : '')
    // What shares a row never expires.
    const alive = isAlive ? 'AND (expires_at_ms IS NULL OR expires_at_ms > $alive)' : ''
    const except = (column: string, names: string) =>
      hasExcept ? `AND ${column} NOT IN (SELECT value FROM json_each(${names}))` : ''
    // Streams are listed by their component: the index of whole kinds leaves them out.
    const rows = `FROM document WHERE scope = $scope AND kind = $kind
      ${isStream ? '' : "AND kind <> 'stream'"} ${parent} ${prefix} ${alive}
      ${except('uid', '$except')}`
    const families = `FROM family WHERE scope = $scope AND list_key IS NOT NULL ${prefix}
      ${except('ref', '$exceptRefs')}`
    const down = isDescending ? 'DESC' : ''
    const pages = {
      rows: `SELECT ref ${rows} ORDER BY list_key ${down}, uid ${down}`,
      families: `SELECT -ref AS ref ${families} ORDER BY list_key ${down}, family.ref ${down}`,
      both: `SELECT ref, list_key ${rows} UNION ALL SELECT -ref, list_key ${families}
        ORDER BY list_key ${down}`,
    }
    const counts = {
      rows: `SELECT count(*) AS documents ${rows}`,
      families: `SELECT count(*) AS documents ${families}`,
      both: `SELECT (SELECT count(*) ${rows}) + (SELECT count(*) ${families}) AS documents`,
    }
    const statements = {
      page: this.#db.prepare(`${pages[source]} LIMIT $limit OFFSET $start`),
      count: this.#db.prepare(counts[source]),
    }
    for (const one of Object.values(statements)) one.setAllowUnknownNamedParameters(true)
    this.#statements.set(key, statements)
    return statements
  }
}

function countOf({ bytesMax, kind }: ListQuery): RecordBytes | undefined {
  return bytesMax === undefined ? undefined : new RecordBytes(kind, bytesMax)
}

function isExcepting({ exceptUids = [] }: ListQuery): boolean {
  return exceptUids.length > 0
}

/** Where rows and families meet under one list key, the page has them by UID. */
function sortTies(documents: CatalogDocument[], isDescending: boolean): CatalogDocument[] {
  const direction = isDescending ? -1 : 1
  const sorted: CatalogDocument[] = []
  for (let from = 0, until = 0; from < documents.length; from = until) {
    const { listKey } = documents[from]
    while (documents[until]?.listKey === listKey) until += 1
    const ties = documents.slice(from, until)
    if (ties.length > 1) ties.sort((a, b) => direction * compareTexts(a.uid, b.uid))
    sorted.push(...ties)
  }
  return sorted
}

/** Refuses a document that a list leads to in the place of another; `listKey` is what the roll has it under. */
function expectListed(document: CatalogDocument, query: ListQuery, listKey?: string): void {
  const isOurs =
    (listKey ?? document.listKey) === document.listKey &&
    document.kind === query.kind.toWellFormed() &&
    document.orgUid === query.orgUid.toWellFormed() &&
    (query.parentUid?.toWellFormed() ?? document.parentUid) === document.parentUid &&
    document.listKey.startsWith(query.listKeyPrefix?.toWellFormed() ?? '')
  if (!isOurs) throw new CatalogDamaged(`the list of ${query.kind} leads to another document`)
}
