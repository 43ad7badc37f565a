/**
 * The database of a runner: in memory, closed to everything but SELECT over tables that the runner has
 * made itself. The grammar of GS SQL lets nothing else through either; this holds if it ever does.
 */
import { constants, DatabaseSync, type StatementSync } from 'node:sqlite'
import { invariant } from '../../base/plain.ts'
import type { CompiledSource, SqlCell } from '../compiled-sql.ts'
import { SqlFailure } from '../sql-failure.ts'
import { isAllowedFunction } from './allowed-functions.ts'
import type { RowCell } from './cell-codec.ts'
import { SQL_LENGTH_MAX, SQL_TEXT_BYTES_MAX } from './sql-limits.ts'

declare module 'node:sqlite' {
  /** Node 26.10 has it, its types do not know it. */
  interface StatementSync {
    /** Gives back what the statement holds; it cannot be run any more. */
    close(): void
  }
}

/** What the language gives to the database. */
export interface SqlHost {
  /** Registers functions by their names; `onFailure` is called with their errors, `variableOf` gives texts in variables. */
  registerFunctions(
    database: DatabaseSync,
    names: readonly string[],
    onFailure: (failure: SqlFailure) => void,
    variableOf: (number: number) => SqlCell,
  ): void
  /** Hands over the rows of a text. */
  loadSource(source: CompiledSource, text: SqlCell, insert: InsertRow): void
}

/** Rows that one statement inserts, most first: each run of a statement costs more than a row it binds. */
const INSERTED_ROWS = [32, 8, 1] as const

/** Tables that are kept between calls; statements over them stay compiled. */
const TABLES_MAX = 256

/** Rows on their way into a table. */
export type InsertRow = (row: readonly RowCell[]) => void

interface KeptTable {
  readonly columnsRead: number
  readonly columnCount: number
  /** Statements that insert rows, with the cells that each takes; the widest first. */
  readonly inserts: readonly { readonly cellCount: number; readonly statement: StatementSync }[]
  readonly clear: StatementSync
}

/** SQLite in memory, behind an authorizer. */
export class RunnerDatabase {
  /** The variables of the run, which functions know. */
  variables: readonly RowCell[] = []
  readonly #db: DatabaseSync
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #functions = new Set<string>()
  readonly #tables = new Map<string, KeptTable>()
  readonly #filled = new Set<KeptTable>()
  /** The virtual tables that SQLite brings. */
  readonly #modules: ReadonlySet<string>
  /** What a function has thrown first since this was taken; Node may have dropped it. */
  #failure: SqlFailure | undefined
  /** Whether the statement that is compiled is the runner's own. */
  #isOwn = false

  constructor() {
    this.#db = new DatabaseSync(':memory:', {
      allowExtension: false,
      defensive: true,
      enableDoubleQuotedStringLiterals: false,
      enableForeignKeyConstraints: false,
      limits: {
        attach: 0,
        column: 1_000,
        compoundSelect: 500,
        exprDepth: 1_000,
        functionArg: 127,
        length: SQL_TEXT_BYTES_MAX,
        likePatternLength: 1_000,
        sqlLength: SQL_LENGTH_MAX,
        triggerDepth: 1,
        variableNumber: 32_000,
        vdbeOp: 5_000_000,
      },
    })
    // Sorts would go to files otherwise, whatever Node's permissions say.
    this.#db.exec('PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF')
    const modules = this.#db.prepare('SELECT lower(name) AS name FROM pragma_module_list').all()
    this.#modules = new Set(modules.map(({ name }) => String(name)))
    this.#begin = this.#db.prepare('BEGIN')
    this.#commit = this.#db.prepare('COMMIT')
    this.#db.setAuthorizer((action, first, second) =>
      this.#isOwn || this.#mayDo(action, first ?? '', second ?? '')
        ? constants.SQLITE_OK
        : constants.SQLITE_DENY,
    )
  }

  /** Has functions registered that are not yet: a second time would compile all statements again. */
  addFunctions(names: readonly string[], register: SqlHost['registerFunctions']): void {
    const missing = names.filter((name) => !this.#functions.has(name))
    if (missing.length === 0) return
    const noteFailure = (failure: SqlFailure): void => {
      this.#failure ??= failure
    }
    const variableOf = (number: number): SqlCell => {
      const value = this.variables[number]
      return value instanceof Uint8Array ? null : value
    }
    register(this.#db, missing, noteFailure, variableOf)
    for (const name of missing) this.#functions.add(name)
  }

  /** What a function has thrown first since this was asked last; undefined where none has. */
  takeFailure(): SqlFailure | undefined {
    const failure = this.#failure
    this.#failure = undefined
    return failure
  }

  /** Compiles a SELECT of `columnCount` columns. Integers are returned as bigint, rows as arrays. */
  prepare(sql: string, columnCount: number): StatementSync {
    const statement = this.#db.prepare(sql)
    // Some statements that do nothing ask for no right, but have no columns either.
    const found = statement.columns().length
    if (found !== columnCount) throw new SqlFailure(`gives ${found} columns, not ${columnCount}`)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    // Variables that only functions know are none of its parameters.
    statement.setAllowUnknownNamedParameters(true)
    return statement
  }

  /** Makes the tables of a query, of columns c0, c1 … that have no type; those that are there are kept. */
  makeTables(tables: readonly { readonly name: string; readonly columnCount: number }[]): void {
    const missing = tables.filter(({ name }) => !this.#tables.has(name))
    const isOther = ({ name, columnCount }: (typeof tables)[number]): boolean =>
      (this.#tables.get(name)?.columnsRead ?? columnCount) !== columnCount
    const isFull = this.#tables.size + missing.length > TABLES_MAX
    if (isFull || tables.some(isOther)) this.#dropTables()
    for (const { name, columnCount } of tables) {
      if (!this.#tables.has(name)) this.#makeTable(name, columnCount)
    }
  }

  #makeTable(name: string, columnsRead: number): void {
    // SQLite knows no table without columns, whose rows can still be counted.
    const columnCount = Math.max(1, columnsRead)
    this.#asOwn(() => {
      const columns = Array.from({ length: columnCount }, (_, index) => `c${index}`)
      this.#db.exec(`CREATE TABLE ${quote(name)} (${columns})`)
      const row = `(${columns.map(() => '?')})`
      const insert = `INSERT INTO ${quote(name)} VALUES `
      const inserts = INSERTED_ROWS.map((rows) => ({
        cellCount: rows * columnCount,
        statement: this.#db.prepare(insert + new Array(rows).fill(row).join()),
      }))
      const clear = this.#db.prepare(`DELETE FROM ${quote(name)}`)
      this.#tables.set(name, { columnsRead, columnCount, inserts, clear })
    })
  }

  /** Empties a table and fills it with the rows that `fill` hands over. */
  fillTable(name: string, fill: (insert: InsertRow) => void): void {
    const table = this.#tables.get(name)
    invariant(table !== undefined, `a runner has no table ${name}`)
    const { columnCount, inserts } = table
    const [widest] = inserts
    const cells: RowCell[] = []
    this.#asOwn(() => {
      // A statement before may have filled it.
      if (this.#filled.has(table)) table.clear.run()
      this.#filled.add(table)
      this.#begin.run()
      try {
        fill((row) => {
          for (let column = 0; column < columnCount; column += 1) cells.push(row[column] ?? null)
          if (cells.length < widest.cellCount) return
          widest.statement.run(...cells)
          cells.length = 0
        })
        let at = 0
        for (const { cellCount, statement } of inserts) {
          for (; at + cellCount <= cells.length; at += cellCount) {
            statement.run(...cells.slice(at, at + cellCount))
          }
        }
      } finally {
        this.#commit.run()
      }
    })
  }

  /** Forgets variables and empties what was filled, so that no call sees anything of another. */
  clear(): void {
    this.variables = []
    if (this.#filled.size === 0) return
    this.#asOwn(() => {
      for (const { clear } of this.#filled) clear.run()
    })
    this.#filled.clear()
  }

  #mayDo(action: number, first: string, second: string): boolean {
    switch (action) {
      case constants.SQLITE_SELECT:
      case constants.SQLITE_RECURSIVE:
        return true
      case constants.SQLITE_FUNCTION:
        return isAllowedFunction(second)
      case constants.SQLITE_READ:
        // Where no column is read, a step of WITH is handled like a table.
        return this.#tables.has(first) || (second === '' && !this.#isEngineTable(first))
      default:
        return false
    }
  }

  #isEngineTable(name: string): boolean {
    const lower = name.toLowerCase()
    // Those of JSON are listed only after their first use.
    return /^(?:sqlite_|pragma_|jsonb?_)/.test(lower) || this.#modules.has(lower)
  }

  /** Statements over a table that was dropped compile themselves again when it is back. */
  #dropTables(): void {
    this.#asOwn(() => {
      for (const [name, { inserts, clear }] of this.#tables) {
        for (const { statement } of inserts) statement.close()
        clear.close()
        this.#db.exec(`DROP TABLE ${quote(name)}`)
      }
    })
    this.#tables.clear()
    this.#filled.clear()
  }

  #asOwn(act: () => void): void {
    this.#isOwn = true
    try {
      act()
    } finally {
      this.#isOwn = false
    }
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
