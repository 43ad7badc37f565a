import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { ExpressionValue } from '../../src/expression/index.ts'
import {
  type CompiledQuery,
  type CompiledSource,
  type CompiledSql,
  compileGsSql,
  failureAt,
  type GsSqlOptions,
  loadSource,
  readCell,
  registerSqlFunctions,
  type SqlCell,
  SqlFailure,
} from '../../src/sql/index.ts'
import { askedRows } from './asked-rows.ts'

/** What one statement gave. */
export interface StatementResult {
  readonly kind: 'set' | 'select' | 'insert'
  readonly columns: readonly string[]
  readonly rows: readonly (readonly ExpressionValue[])[]
  readonly options?: Readonly<Record<string, ExpressionValue>>
}

interface Given {
  readonly variables?: Readonly<Record<string, SqlCell>>
  readonly now?: bigint
  /** Rows of stored tables, by their names. */
  readonly stored?: Readonly<Record<string, readonly StoredRow[]>>
}

/** A row of a stored table, by the names of its columns. */
export type StoredRow = Readonly<Record<string, SqlCell>>

/** Compiles GS SQL and runs it in this process, on a database in memory of its own. */
export function runGsSql(
  text: string,
  given: Given = {},
  options: GsSqlOptions = {},
): StatementResult[] {
  return runCompiled(compileGsSql(text, options), given)
}

/** Runs a compiled program after a way through JSON, as a channel would carry it. */
function runCompiled(compiled: CompiledSql, given: Given): StatementResult[] {
  const program: CompiledSql = JSON.parse(JSON.stringify(compiled))
  const db = new DatabaseSync(':memory:')
  try {
    const values: SqlCell[] = program.variables.map((name) => given.variables?.[name] ?? null)
    const run = (query: CompiledQuery) => runQuery(db, { query, values, given, text: program.text })
    return program.statements.map((statement): StatementResult => {
      const { kind, query } = statement
      const cells = run(query)
      if (kind === 'set') values[statement.variable] = cells[0][0] as SqlCell
      const columns = query.columns.map(({ name }) => name)
      const rows = cells.map((row) => row.map((cell, at) => readCell(cell, query.columns[at].type)))
      if (kind !== 'insert' || statement.options === undefined) return { kind, columns, rows }
      const [row] = run(statement.options)
      const names = statement.options.columns.map(({ name }) => name)
      const pairs = names.map((name, at) => [name, readCell(row[at], 'STRING')] as const)
      return { kind, columns, rows, options: Object.fromEntries(pairs) }
    })
  } finally {
    db.close()
  }
}

interface Running {
  readonly query: CompiledQuery
  readonly values: readonly SqlCell[]
  readonly given: Given
  readonly text: string
}

type Row = (SqlCell | Uint8Array)[]

function runQuery(db: DatabaseSync, { query, values, given, text }: Running): Row[] {
  try {
    for (const read of query.reads) {
      const { table, columns } = read
      const rowOf = (text: TextQuery | undefined) =>
        text === undefined ? [] : (ask(db, text, values, given)[0] as SqlCell[])
      fillTable(db, table, columns.length, (add) => {
        for (const row of askedRows(read, given.stored?.[read.of] ?? [], rowOf)) {
          add(columns.map((name) => row[name] ?? null))
        }
      })
    }
    for (const source of query.sources)
      fillSource(db, source, (of) => ask(db, of, values, given)[0][0] as SqlCell, values)
    return ask(db, query, values, given)
  } catch (error) {
    const { message, place } = error as { message: string; place?: number }
    if (error instanceof SqlFailure) throw failureAt(text, query, { message, place })
    throw failureAt(text, query, { message: `SQLITE: ${message}\n${query.sql}` })
  }
}

type TextQuery = Omit<CompiledQuery, 'sources' | 'reads'>

function ask(db: DatabaseSync, query: TextQuery, values: readonly SqlCell[], given: Given): Row[] {
  const failures: SqlFailure[] = []
  registerSqlFunctions(
    db,
    query.functions,
    (failure) => failures.push(failure),
    (number) => values[number] ?? null,
  )
  const statement = db.prepare(query.sql)
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  statement.setAllowUnknownNamedParameters(true)
  const bound: Record<string, SqlCell> = {}
  for (const number of query.variables) bound[`v${number}`] = values[number]
  if (query.readsNow) bound.now = given.now ?? 0n
  try {
    const rows = statement.all(bound) as unknown as Row[]
    if (failures.length === 0) return rows
  } catch (error) {
    // Functions of groups that end after one has failed make Node drop what it has thrown.
    throw failures[0] ?? error
  }
  throw failures[0]
}

function fillSource(
  db: DatabaseSync,
  source: CompiledSource,
  askText: (query: TextQuery) => SqlCell,
  values: readonly SqlCell[],
): void {
  const text = 'variable' in source.text ? values[source.text.variable] : askText(source.text.query)
  fillTable(db, source.table, source.columnCount, (add) => loadSource(source, text, add))
}

function fillTable(
  db: DatabaseSync,
  table: string,
  columnCount: number,
  fill: (add: (row: SqlCell[]) => void) => void,
): void {
  const columns = Array.from({ length: columnCount }, (_, index) => `c${index}`)
  db.exec(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table}(${columns.join(', ') || 'c0'})`)
  const insert: StatementSync = db.prepare(
    `INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ') || 'NULL'})`,
  )
  fill((row) => insert.run(...row))
}
