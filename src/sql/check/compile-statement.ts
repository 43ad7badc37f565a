/** Statements: what each does with its query. */
import { nearestName, type Span, shorten, type Term, toText } from '../../expression/index.ts'
import {
  type CompiledInsert,
  type CompiledQuery,
  type CompiledStatement,
  INSERT_OPTIONS,
} from '../compiled-sql.ts'
import { sampleTime } from '../functions/own-operations.ts'
import type {
  InsertStatement,
  Query,
  SetStatement,
  SqlName,
  Statement,
} from '../syntax/sql-tree.ts'
import { termOf } from './compile-terms.ts'
import { keyOf, SqlScope } from './sql-scope.ts'
import { type ProgramContext, type QueryText, StatementContext } from './statement-context.ts'

const NO_COLUMNS = 'Columns are not available here. Use a subquery, or put text in single quotes'

/** Compiles one statement; SET gives its variable the type of its value from here on. */
export function compileStatement(program: ProgramContext, tree: Statement): CompiledStatement {
  switch (tree.kind) {
    case 'set':
      return compileSet(program, tree)
    case 'insert':
      return compileInsert(program, tree)
    case 'select': {
      const statement = new StatementContext(program)
      const text = program.compileQuery(statement, tree.query, new SqlScope(undefined), {
        marksBooleans: true,
      })
      return { kind: 'select', query: statement.finish(text, tree.span) }
    }
  }
}

/** A scope in which a value has no columns around it. */
function bareScope(): SqlScope {
  const scope = new SqlScope(undefined, NO_COLUMNS)
  scope.aggregatesRefused = 'needs rows. Use a subquery'
  return scope
}

function compileSet(program: ProgramContext, { variable, value, span }: SetStatement) {
  const statement = new StatementContext(program)
  const term = termOf(statement, value, bareScope())
  const columns = [{ name: variable.text, type: term.type }]
  const query = statement.finish({ sql: `SELECT ${statement.print(term)} AS c0`, columns }, span)
  return {
    kind: 'set',
    variable: program.variables.define(variable.text, term.type),
    query,
  } as const
}

const COLUMNS = ['CID', 'ID', 'TIME', 'SAMPLE'] as const

function compileInsert(program: ProgramContext, tree: InsertStatement): CompiledInsert {
  const statement = new StatementContext(program)
  const { failAt } = statement
  if (keyOf(tree.table.text) !== 'sample') {
    const problem = `Cannot insert into "${shorten(tree.table.text)}". Use SAMPLE`
    throw failAt(`${problem}: write INSERT OR REPLACE INTO SAMPLE`, tree.table.span)
  }
  const positions = columnPositions(statement, tree.columns)
  for (const column of ['CID', 'ID', 'SAMPLE']) {
    if (positions.has(column)) continue
    const problem = `Column ${column} is missing. Write SAMPLE(CID, ID, TIME, SAMPLE)`
    throw failAt(problem, { from: tree.columns[0].span.from, until: endOf(tree.columns) })
  }
  const text = program.compileQuery(statement, tree.query, new SqlScope(undefined), {
    marksBooleans: true,
    keepsDecimals: true,
  })
  if (text.columns.length !== tree.columns.length) {
    const problem = `INSERT names ${tree.columns.length} columns, its SELECT gives ${text.columns.length}`
    throw failAt(problem, tree.query.span)
  }
  const rows = insertedRows(statement, { text, positions }, tree.query)
  const query = statement.finish(rows, tree.span)
  return { kind: 'insert', query, options: compileOptions(program, tree) }
}

function endOf(names: readonly SqlName[]): number {
  return names[names.length - 1].span.until
}

function columnPositions(statement: StatementContext, names: readonly SqlName[]) {
  const positions = new Map<string, number>()
  for (const [index, { text, span }] of names.entries()) {
    const column = COLUMNS.find((known) => keyOf(known) === keyOf(text))
    if (column === undefined) {
      const problem = `SAMPLE has no column "${shorten(text)}". Its columns are CID, ID, TIME, and SAMPLE`
      throw statement.failAt(problem, span)
    }
    if (positions.has(column)) throw statement.failAt(`Column ${column} is listed twice`, span)
    positions.set(column, index)
  }
  return positions
}

/** The rows of a query in the order and the types that samples need. */
function insertedRows(
  statement: StatementContext,
  { text, positions }: { text: QueryText; positions: ReadonlyMap<string, number> },
  query: Query,
): QueryText {
  const values = COLUMNS.map((column): Term => {
    const index = positions.get(column)
    const span = spanOfValue(query, index)
    if (index === undefined) return { kind: 'constant', type: 'NULL', value: null, span }
    const term = statement.input(`q.c${index}`, text.columns[index].type, span)
    if (column === 'SAMPLE') return term
    if (column !== 'TIME') return toText(term)
    if (term.type === 'BOOLEAN')
      throw statement.failAt('TIME must be epoch milliseconds, not a condition', span)
    return term.type === 'NULL' || term.type === 'LONG'
      ? term
      : { kind: 'apply', operation: sampleTime, args: [term], type: 'LONG', span }
  })
  const list = values.map((term, index) => `${statement.print(term)} AS c${index}`).join(', ')
  return {
    sql: `SELECT ${list} FROM (${text.sql}) AS q`,
    columns: values.map(({ type }, index) => ({ name: COLUMNS[index], type })),
  }
}

/** The place of a value in the first SELECT; of all of it where * stands for columns. */
function spanOfValue({ arms: [{ items }], span }: Query, index: number | undefined): Span {
  const isPlain = items.every(({ kind }) => kind === 'value')
  return (index === undefined || !isPlain ? undefined : items[index]?.span) ?? span
}

/** The options of WITH as a query of one row; each may be any value without columns. */
function compileOptions(
  program: ProgramContext,
  { options }: InsertStatement,
): CompiledQuery | undefined {
  if (options.length === 0) return undefined
  const statement = new StatementContext(program)
  const texts = options.map(({ name, value }, index) => {
    const option = optionOf(statement, name)
    const isTwice = options
      .slice(0, index)
      .some((other) => keyOf(other.name.text) === keyOf(name.text))
    if (isTwice) throw statement.failAt(`Option ${option} is given twice`, name.span)
    return { option, sql: statement.print(toText(termOf(statement, value, bareScope()))) }
  })
  const sql = `SELECT ${texts.map((text, index) => `${text.sql} AS c${index}`).join(', ')}`
  const columns = texts.map(({ option }) => ({ name: option, type: 'STRING' as const }))
  const span = {
    from: options[0].name.span.from,
    until: options[options.length - 1].value.span.until,
  }
  return statement.finish({ sql, columns }, span)
}

function optionOf(statement: StatementContext, { text, span }: SqlName): string {
  const option = INSERT_OPTIONS.find((known) => keyOf(known) === keyOf(text))
  if (option !== undefined) return option
  const nearest = nearestName(text, INSERT_OPTIONS)
  const advice =
    nearest === undefined ? `options are ${INSERT_OPTIONS.join(', ')}` : `did you mean ${nearest}?`
  throw statement.failAt(`Unknown option "${shorten(text)}": ${advice}`, span)
}
