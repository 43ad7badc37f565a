/** The statements by which components are listed and walked over. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { RecordBytes } from '../../../../base/index.ts'
import { CatalogDamaged } from '../../../ports/catalog-port.ts'
import {
  type ComponentList,
  LISTED_NAME_LENGTH,
  type StoredComponent,
} from '../../../ports/component-port.ts'
import type { CatalogScopes } from '../catalog-scopes.ts'
import type { ComponentReader } from './component-reader.ts'
import { LISTED_NAME } from './component-row.ts'

/** Behind which component a step of a walk has ended. */
type Place = readonly [folder: string, name: string, ref: number]

const FIRST_PLACE: Place = ['', '', 0]

/** A row of the index, unless it is damaged. */
interface ListedRow {
  readonly ref: number
  readonly folder: string
  readonly listed: string
}

interface ListStatements {
  readonly page: StatementSync
  readonly count: StatementSync
}

/** Components in the order of their folders, names and numbers. */
export class ComponentLists {
  readonly #db: DatabaseSync
  readonly #scopes: CatalogScopes
  readonly #reader: ComponentReader
  readonly #statements = new Map<string, ListStatements>()
  readonly #alike: StatementSync
  readonly #later: StatementSync
  readonly #behind: StatementSync
  readonly #isBehind: StatementSync

  constructor(db: DatabaseSync, scopes: CatalogScopes, reader: ComponentReader) {
    this.#db = db
    this.#scopes = scopes
    this.#reader = reader
    const places = `SELECT ref, folder, ${LISTED_NAME} AS listed FROM component`
    const order = `ORDER BY folder, ${LISTED_NAME}, ref LIMIT ?`
    // One statement for all three would look at all components of a folder again.
    this.#alike = db.prepare(
      `${places} WHERE scope = ? AND folder = ? AND ${LISTED_NAME} = ? AND ref > ?
        ORDER BY ref LIMIT ?`,
    )
    this.#later = db.prepare(
      `${places} WHERE scope = ? AND folder = ? AND ${LISTED_NAME} > ? ${order}`,
    )
    this.#behind = db.prepare(`${places} WHERE scope = ? AND folder > ? ${order}`)
    this.#isBehind = db.prepare('SELECT (?, ?, ?) > (?, ?, ?) AS isBehind')
  }

  /** A page; calls `onLeftOut` with each damaged component, if the query leaves these out. */
  selectPage(
    scope: number,
    query: ComponentList,
    onLeftOut: (what: string) => void,
  ): StoredComponent[] {
    const { bytesMax, leavesOutDamaged = false } = query
    const count = bytesMax === undefined ? undefined : new RecordBytes('component', bytesMax)
    const rows = this.#statementsOf(query).page.all(this.#filterOf(scope, query))
    const found = this.#read(scope, rows, leavesOutDamaged ? onLeftOut : undefined)
    const components = found.filter((one) => one !== undefined)
    for (const component of components) count?.add(JSON.stringify(component))
    return components
  }

  /** How many components a query has in all. */
  count(scope: number, query: ComponentList): number {
    const row = this.#statementsOf(query).count.get(this.#filterOf(scope, query))
    return (row as { components: number }).components
  }

  /** A step of a walk; calls `onLeftOut` with each damaged component. */
  step(
    scope: number,
    { after, limit }: { readonly after?: string; readonly limit: number },
    onLeftOut: (what: string) => void,
  ): { components: StoredComponent[]; next?: string } {
    const place: Place = after === undefined ? FIRST_PLACE : JSON.parse(after)
    const [folder, name, ref] = place
    const rows = this.#alike.all(scope, folder, name, ref, limit)
    rows.push(...this.#later.all(scope, folder, name, limit - rows.length))
    rows.push(...this.#behind.all(scope, folder, limit - rows.length))
    const found = this.#read(scope, rows, onLeftOut)
    const components = found.filter((one) => one !== undefined)
    if (rows.length === 0 || rows.length < limit) return { components }
    // The place of one that does not check may be wrong: the walk goes on behind the last that does.
    const whole = found.findLastIndex((one) => one !== undefined)
    const last = rows.at(whole) as unknown as ListedRow
    return { components, next: this.#placeBehind(place, last) }
  }

  /** Behind a row; a walk that did not get on would never end. */
  #placeBehind(before: Place, { folder, listed, ref }: ListedRow): string {
    const areTexts = typeof folder === 'string' && typeof listed === 'string'
    const row = areTexts ? this.#isBehind.get(folder, listed, ref, ...before) : undefined
    if (row?.isBehind === 1) return JSON.stringify([folder, listed, ref] satisfies Place)
    throw new CatalogDamaged('the list of components is not in order')
  }

  /** The components of rows, undefined for each that does not check. */
  #read(
    scope: number,
    rows: readonly Readonly<Record<string, unknown>>[],
    onLeftOut: ((what: string) => void) | undefined,
  ): (StoredComponent | undefined)[] {
    const orgUid = this.#scopes.orgUidOf(scope)
    const listed = rows as unknown as readonly ListedRow[]
    return listed.map((row, at) => {
      try {
        const component = this.#reader.findRef(row.ref)?.component
        if (component === undefined) {
          throw new CatalogDamaged('the list of components names one that does not exist')
        }
        const isOurs = component.orgUid === orgUid && isListedAt(component, row)
        // One in the place of another of the same name comes twice.
        if (isOurs && row.ref !== listed[at - 1]?.ref) return component
        throw new CatalogDamaged('the list of components leads to another component')
      } catch (error) {
        if (!(error instanceof CatalogDamaged) || onLeftOut === undefined) throw error
        onLeftOut(error.what)
        return undefined
      }
    })
  }

  #statementsOf({ folder = '', isDirect = false, exceptUids = [] }: ComponentList): ListStatements {
    const conditions = ['scope = $scope']
    if (isDirect) conditions.push('folder = $folder')
    else if (folder !== '') conditions.push('folder >= $folder', 'folder < $end')
    if (exceptUids.length > 0) {
      conditions.push('ref NOT IN (SELECT value FROM json_each($except))')
    }
    const key = conditions.join(' AND ')
    const known = this.#statements.get(key)
    if (known !== undefined) return known
    const rows = `FROM component WHERE ${key}`
    const statements = {
      page: this.#db.prepare(`SELECT ref, folder, ${LISTED_NAME} AS listed ${rows} ORDER BY folder, ${LISTED_NAME}, ref
        LIMIT $limit OFFSET $start`),
      count: this.#db.prepare(`SELECT count(*) AS components ${rows}`),
    }
    for (const one of Object.values(statements)) one.setAllowUnknownNamedParameters(true)
    this.#statements.set(key, statements)
    return statements
  }

  #filterOf(scope: number, query: ComponentList): Record<string, SQLInputValue> {
    const { folder = '', exceptUids = [], start, limit } = query
    const stored = folder.toWellFormed()
    return {
      scope,
      folder: stored === '' ? '' : `${stored}/`,
      // The character after the slash: behind all that begin with the folder.
      end: `${stored}0`,
      except: JSON.stringify(exceptUids.map((uid) => this.#reader.refOfUid(uid))),
      start,
      limit,
    }
  }
}

/** Whether a row of the index is of this component. */
function isListedAt({ folder, name }: StoredComponent, row: ListedRow): boolean {
  if (row.folder !== (folder === '' ? '' : `${folder}/`)) return false
  // Damage can turn a text into bytes.
  if (typeof row.listed !== 'string') return false
  const isWhole = row.listed.length < LISTED_NAME_LENGTH
  return isWhole ? row.listed === name.split('\0', 1)[0] : name.startsWith(row.listed)
}
