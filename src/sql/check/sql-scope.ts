import type { ExpressionType, Term } from '../../expression/index.ts'
import type { StoredRead } from './stored-read.ts'

/** A column that names can mean: its name as it was written, and its text in SQLite. */
export interface ScopeColumn {
  readonly name: string
  readonly type: ExpressionType
  /** The text that stands for it; asked for when it is used. */
  readonly sql: () => string
  /** Whether `*` leaves it out, and another column of its name goes before it. */
  readonly isHidden?: boolean
}

/** A table of FROM with the name by which its columns may be qualified. */
export interface ScopeTable {
  readonly name: string | undefined
  readonly columns: readonly ScopeColumn[]
  /** What it reads, where it is a stored one. */
  readonly stored?: StoredRead
}

/** A table of WITH; it has no definition while its own query is compiled. */
interface CommonInfo {
  readonly sqlName: string
  readonly columns: readonly { readonly name: string; readonly type: ExpressionType }[]
  readonly definition: string | undefined
}

/** A value of SELECT by its name, and whether it is one of a group. */
export interface ScopeAlias {
  readonly term: Term
  readonly isAggregate: boolean
}

/** Names in capitals or not are one. */
export function keyOf(name: string): string {
  return name.toLowerCase()
}

/** What names mean at one place of a statement; what is not found here is looked for around it. */
export class SqlScope {
  readonly parent: SqlScope | undefined
  readonly tables: ScopeTable[] = []
  /** Columns that USING has joined, by their names. */
  readonly merged = new Map<string, ScopeColumn>()
  /** Values of SELECT by their names, for the clauses behind it. */
  readonly aliases = new Map<string, ScopeAlias>()
  readonly commons = new Map<string, CommonInfo>()
  /** Why functions of groups cannot stand here; undefined where they can. */
  aggregatesRefused: string | undefined = undefined
  /** Whether a function of groups was met since this was set to false. */
  hasAggregate = false
  /** Columns that were met, of tables here and of tables around. */
  readonly met = { own: 0, outer: 0 }
  /** The name of the table that FROM reads while it is made of these very rows; undefined mostly. */
  recursive: string | undefined = undefined
  /** Whether samples of a stored table are to be read as sums here. */
  isSummed = false
  /** Why no column can be used here; undefined where they can. */
  readonly columnsRefused: string | undefined

  constructor(parent: SqlScope | undefined, columnsRefused?: string) {
    this.parent = parent
    this.columnsRefused = columnsRefused
  }

  /** Every column here that a name can mean. */
  find(table: string | undefined, name: string): ScopeColumn[] {
    const key = keyOf(name)
    const merged = this.merged.get(key)
    if (table === undefined && merged !== undefined) return [merged]
    const found: ScopeColumn[] = []
    for (const { name: tableName, columns } of this.tables) {
      if (table !== undefined && tableName !== keyOf(table)) continue
      for (const column of columns) if (keyOf(column.name) === key) found.push(column)
    }
    const shown = found.filter(({ isHidden }) => isHidden !== true)
    return shown.length > 0 ? shown : found
  }

  /** Whether samples are read as sums here or around. */
  isWithinSums(): boolean {
    return this.isSummed || this.parent?.isWithinSums() === true
  }

  /** The table of WITH by its name, the nearest first. */
  findCommon(name: string): CommonInfo | undefined {
    return this.commons.get(keyOf(name)) ?? this.parent?.findCommon(name)
  }

  /** The tables of WITH that are complete here, the outermost first. */
  completeCommons(): CommonInfo[] {
    const own = [...this.commons.values()].filter(({ definition }) => definition !== undefined)
    return [...(this.parent?.completeCommons() ?? []), ...own]
  }

  /** Whether a SELECT here is one of those that a table of WITH, named so, is made of. */
  isWithin(name: string): boolean {
    return this.parent?.parent?.commons.has(keyOf(name)) === true
  }

  /** The names of the columns here and around. */
  columnNames(): string[] {
    const own = this.tables.flatMap(({ columns }) => columns.map(({ name }) => name))
    return [...own, ...(this.parent?.columnNames() ?? [])]
  }
}
