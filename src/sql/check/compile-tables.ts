/** The tables of FROM: where their rows come from, what columns they have, how they are joined. */
import { nearestName, shorten, toText } from '../../expression/index.ts'
import type { CompiledRead, CompiledSource, CsvTablePlan, JsonTablePlan } from '../compiled-sql.ts'
import type {
  CsvTable,
  FromItem,
  JsonTable,
  NamedTable,
  SqlName,
  TableItem,
} from '../syntax/sql-tree.ts'
import { printCondition, termOf } from './compile-terms.ts'
import { planJsonPaths } from './json-paths.ts'
import type { Conditions } from './push-down.ts'
import { settleTable } from './sample-settings.ts'
import { keyOf, type ScopeColumn, type ScopeTable, SqlScope } from './sql-scope.ts'
import type { StatementContext } from './statement-context.ts'
import { StoredRead } from './stored-read.ts'

/** Tables of one SELECT: SQLite joins no more than 64. */
const TABLES_MAX = 50

/** Columns of one table or SELECT. */
export const COLUMNS_MAX = 500

interface TableText {
  readonly sql: string
  readonly table: ScopeTable
}

/** FROM as text, or an empty one; its tables join the scope one by one, how they are joined the conditions. */
export function compileFrom(
  statement: StatementContext,
  from: readonly FromItem[],
  { scope, conditions }: { readonly scope: SqlScope; readonly conditions: Conditions },
): string {
  const words: string[] = []
  if (from.length > TABLES_MAX) {
    throw statement.failAt(`FROM has more than ${TABLES_MAX} tables`, from[TABLES_MAX].table.span)
  }
  for (const [index, item] of from.entries()) {
    const { sql, table } = compileTable(statement, item.table, scope)
    refuseSameName(statement, { table, item: item.table }, scope)
    if (index === 0) {
      scope.tables.push(table)
      words.push(` FROM ${sql}`)
      continue
    }
    const before = [...scope.tables]
    scope.tables.push(table)
    const condition = joinCondition(statement, item, { scope, before, table, conditions })
    const kind = item.join === 'CROSS' || item.join === 'INNER' ? '' : `${item.join} `
    words.push(` ${kind}JOIN ${sql}${condition === '' ? '' : ` ON ${condition}`}`)
  }
  return words.join('')
}

interface JoinTables {
  readonly scope: SqlScope
  readonly before: readonly ScopeTable[]
  readonly table: ScopeTable
  readonly conditions: Conditions
}

/** Which tables a condition of a join narrows: all, the one that is joined, or none, as rows without a match stay. */
function narrowedBy(join: FromItem['join'], { stored }: ScopeTable) {
  if (join === 'INNER' || join === 'CROSS') return () => true
  return (read: StoredRead) => join === 'LEFT' && read === stored
}

function joinCondition(statement: StatementContext, item: FromItem, tables: JoinTables): string {
  const { join, on, using } = item
  if (on !== undefined) {
    const term = termOf(statement, on, tables.scope)
    tables.conditions.take(term, narrowedBy(join, tables.table))
    return printCondition(statement, term)
  }
  if (using !== undefined) {
    return using.map((name) => joinUsing(statement, { name, join }, tables)).join(' AND ')
  }
  if (join === 'INNER' || join === 'CROSS') return ''
  throw statement.failAt(`${join} JOIN needs ON or USING after the table`, item.table.span)
}

/** The condition of one name of USING; the column stands once for both from here on. */
function joinUsing(
  statement: StatementContext,
  { name, join }: { name: SqlName; join: FromItem['join'] },
  { scope, before, table, conditions }: JoinTables,
): string {
  const key = keyOf(name.text)
  const has = ({ name: own }: ScopeColumn): boolean => keyOf(own) === key
  const merged = scope.merged.get(key)
  const left =
    merged === undefined ? before.flatMap(({ columns }) => columns.filter(has)) : [merged]
  const right = table.columns.filter(has)
  if (left.length !== 1 || right.length !== 1) {
    const problem = `USING needs exactly one column "${shorten(name.text)}" on each side`
    throw statement.failAt(`${problem}. Use ON instead`, name.span)
  }
  const [one] = left
  const [other] = right
  const sides = { INNER: one.sql, CROSS: one.sql, LEFT: one.sql, RIGHT: other.sql } as const
  const sql = join === 'FULL' ? () => `coalesce(${one.sql()}, ${other.sql()})` : sides[join]
  const type = one.type === other.type ? one.type : 'UNKNOWN'
  scope.merged.set(key, { name: one.name, type, sql })
  const [own, its] = [one, other].map((column) => statement.storedAt(column.sql()))
  if (own !== undefined && its !== undefined) {
    conditions.takeEqual([own, its], narrowedBy(join, table))
  }
  return `${one.sql()} = ${other.sql()}`
}

function refuseSameName(
  statement: StatementContext,
  { table, item }: { table: ScopeTable; item: TableItem },
  scope: SqlScope,
): void {
  if (table.name === undefined) return
  if (!scope.tables.some(({ name }) => name === table.name)) return
  const problem = `Two tables in FROM have the name "${shorten(table.name)}"`
  throw statement.failAt(`${problem}. Give one an alias`, item.span)
}

function compileTable(statement: StatementContext, item: TableItem, scope: SqlScope): TableText {
  const sqlName = statement.newName('t')
  switch (item.kind) {
    case 'named':
      return namedTable(statement, item, { scope, sqlName })
    case 'query': {
      const { sql, columns } = statement.program.compileQuery(
        statement,
        item.query,
        scope.parent ?? scope,
      )
      const table = tableOf(item.alias?.text, sqlName, columns)
      return { sql: `(${sql}) AS ${sqlName}`, table }
    }
    case 'json':
      return sourceTable(statement, item, { scope, sqlName, plan: jsonPlan(statement, item) })
    case 'csv':
      return sourceTable(statement, item, { scope, sqlName, plan: csvPlan(statement, item) })
  }
}

function tableOf(
  name: string | undefined,
  sqlName: string,
  columns: readonly { readonly name: string; readonly type: ScopeColumn['type'] }[],
): ScopeTable {
  return {
    name: name === undefined ? undefined : keyOf(name),
    columns: columns.map((column, index) => ({
      name: column.name,
      type: column.type,
      sql: () => `${sqlName}.c${index}`,
    })),
  }
}

const STORED: readonly CompiledRead['of'][] = ['STREAM', 'SAMPLE', 'COMPONENT']

function namedTable(
  statement: StatementContext,
  item: NamedTable,
  { scope, sqlName }: { scope: SqlScope; sqlName: string },
): TableText {
  const { name, alias, settings } = item
  const common = scope.findCommon(name.text)
  const tableName = alias?.text ?? name.text
  if (common !== undefined) {
    if (settings !== undefined) {
      throw statement.failAt('Sample(…) is allowed only after STREAM and SAMPLE', settings.span)
    }
    if (common.definition === undefined) readItself(statement, name, scope)
    const table = tableOf(tableName, sqlName, common.columns)
    return { sql: `${common.sqlName} AS ${sqlName}`, table }
  }
  const stored = storedNameOf(name.text)
  if (stored !== undefined) return storedTable(statement, item, { of: stored, scope, sqlName })
  const nearest = nearestName(name.text, [...commonNames(scope), ...STORED])
  const advice =
    nearest === undefined
      ? `tables are ${STORED.join(', ')}, names defined in WITH, JSON_TABLE, and CSV_TABLE`
      : `did you mean "${nearest}"?`
  throw statement.failAt(`Unknown table "${shorten(name.text)}": ${advice}`, name.span)
}

/** A table that is read while it is made: its SELECTs do so in their own FROM only. */
function readItself(statement: StatementContext, { text, span }: SqlName, scope: SqlScope): void {
  if (!scope.isWithin(text)) {
    const problem = `"${shorten(text)}" is being defined here. Only the FROM of its own SELECTs can read it`
    throw statement.failAt(`${problem}, not a subquery`, span)
  }
  scope.recursive = text
}

/** The stored table of a name; undefined where there is none. */
export function storedNameOf(name: string): CompiledRead['of'] | undefined {
  return STORED.find((known) => keyOf(known) === keyOf(name))
}

function commonNames(scope: SqlScope | undefined): string[] {
  return scope === undefined ? [] : [...scope.commons.keys(), ...commonNames(scope.parent)]
}

/** A stored table: of its columns only those that are used are asked for. */
function storedTable(
  statement: StatementContext,
  { name, alias, settings }: NamedTable,
  { of, scope, sqlName }: { of: CompiledRead['of']; scope: SqlScope; sqlName: string },
): TableText {
  const { span } = name
  const known = statement.program.stored[of]
  if (known === undefined) {
    throw statement.failAt(
      `Table ${of} cannot be read in a connector, which processes only incoming data`,
      span,
    )
  }
  const table = `weir_r${statement.reads.length}`
  const about = { table, of, sqlName, span, isSummed: scope.isSummed }
  const read = new StoredRead({ ...about, firstColumn: known[0].name })
  statement.reads.push(read)
  if (settings !== undefined) {
    settleTable(statement, read, {
      settings,
      check: (value, own) => termOf(statement, value, own),
    })
  }
  return {
    sql: `${table} AS ${sqlName}`,
    table: {
      name: keyOf(alias?.text ?? name.text),
      stored: read,
      columns: known.map((column) => ({
        name: column.name,
        type: column.type,
        isHidden: column.isHidden,
        sql: () => statement.useStored(read, column),
      })),
    },
  }
}

function jsonPlan(statement: StatementContext, { columns }: JsonTable): JsonTablePlan {
  const { failAt } = statement
  const paths = columns.map(({ path }) => path)
  const plan = planJsonPaths(paths, failAt)
  return {
    kind: 'json',
    levels: plan.levels,
    columns: plan.columns.map((column, index) => ({ ...column, type: columns[index].type })),
  }
}

function csvPlan(
  { failAt }: StatementContext,
  { columns, delimiter, hasHeader, text }: CsvTable,
): CsvTablePlan {
  const sign = delimiter?.text ?? ','
  if (delimiter !== undefined && (sign.length !== 1 || /["\r\n]/.test(sign))) {
    throw failAt('A delimiter must be one character other than a quote or line end', delimiter.span)
  }
  // The result of an external query has its columns' names in the first row.
  const isResult = text.kind === 'variable' && text.name.toUpperCase() === '@JDBC_RESULT'
  return {
    kind: 'csv',
    delimiter: sign,
    hasHeader: hasHeader || isResult,
    columns: columns.map(({ type, position }) => ({ type, position })),
  }
}

/** A table that is made of a text before the query runs; the text cannot depend on other tables. */
function sourceTable(
  statement: StatementContext,
  item: JsonTable | CsvTable,
  { scope, sqlName, plan }: { scope: SqlScope; sqlName: string; plan: CompiledSource['plan'] },
): TableText {
  refuseColumns(statement, item)
  const { span } = item.text
  const columnCount = item.columns.length
  const text = sourceText(statement, item, scope)
  const table = `weir_s${statement.sources.length}x${columnCount}`
  statement.sources.push({ table, columnCount, text, plan, place: statement.placeOf(span) })
  const columns = item.columns.map(({ name, type }) => ({ name: name.text, type }))
  return { sql: `${table} AS ${sqlName}`, table: tableOf(item.alias?.text, sqlName, columns) }
}

function sourceText(
  statement: StatementContext,
  item: JsonTable | CsvTable,
  scope: SqlScope,
): CompiledSource['text'] {
  const word = item.kind === 'json' ? 'JSON_TABLE' : 'CSV_TABLE'
  const refused = `${word} accepts variables, texts, and queries, not columns of other tables. Use a subquery`
  const own = new SqlScope(scope.parent, refused)
  own.aggregatesRefused = 'is not allowed here. Use a subquery'
  const { node } = { node: item.text }
  const term = toText(termOf(statement, node, own))
  const variable = /^:v(\d+)$/.exec(statement.inputText(term) ?? '')
  if (variable !== null && term.type === 'STRING') return { variable: Number(variable[1]) }
  const commons = own.completeCommons().map(({ definition }) => definition)
  const before = commons.length === 0 ? '' : `WITH RECURSIVE ${commons.join(', ')} `
  const sql = `${before}SELECT ${statement.print(term)} AS c0`
  const columns = [{ name: 'text', type: 'STRING' as const }]
  return { query: statement.finishText({ sql, columns }, node.span) }
}

function refuseColumns(statement: StatementContext, { columns }: JsonTable | CsvTable): void {
  const names = new Set<string>()
  for (const { name } of columns) {
    if (names.has(keyOf(name.text))) {
      throw statement.failAt(`Two columns have the name "${shorten(name.text)}"`, name.span)
    }
    names.add(keyOf(name.text))
    if (names.size > COLUMNS_MAX) {
      throw statement.failAt(`Too many columns: at most ${COLUMNS_MAX}`, name.span)
    }
  }
}
