/** Queries: tables of WITH, SELECTs joined by UNION, order and limits. */
import {
  type Expression,
  type ExpressionError,
  type ExpressionType,
  shorten,
  type Term,
  toDouble,
  toNumber,
} from '../../expression/index.ts'
import type { SqlColumn } from '../compiled-sql.ts'
import { rowCount } from '../functions/own-operations.ts'
import type { CommonTable, Query, SelectArm, SqlPart } from '../syntax/sql-tree.ts'
import {
  type CompiledArm,
  compileArm,
  direction,
  itemsSpan,
  orderText,
  positionOf,
  printArm,
} from './compile-arm.ts'
import { storedNameOf } from './compile-tables.ts'
import { termOf } from './compile-terms.ts'
import { keyOf, SqlScope } from './sql-scope.ts'
import type { CompileQuery, MixedValues, QueryText, StatementContext } from './statement-context.ts'
import { NotSummed } from './stored-read.ts'
import { withPeriods } from './summed-terms.ts'

/** SQLite joins at most 500 SELECTs; more are joined in groups. */
const GROUPED_ARMS = 400

/** Tables of WITH of one query. */
const COMMONS_MAX = 100

/** Compiles a query within the scope around it. */
export const compileQuery: CompileQuery = (statement, query, around, options = {}) => {
  // What is within is compiled once: who tries sums for what is around does so without it.
  if (around.isWithinSums()) throw new NotSummed()
  const scope = new SqlScope(around)
  const definitions = query.tables.map((table) => compileCommon(statement, { table, query }, scope))
  const mixed = { ...options, keepsDecimals: options.keepsDecimals && !comparesRows(query) }
  const body =
    compileSummed(statement, query, { scope, mixed }) ??
    compileBody(statement, query, { scope, mixed, isSummed: false })
  const before = definitions.length === 0 ? '' : `WITH RECURSIVE ${definitions.join(', ')} `
  return { sql: `${before}${body.sql}`, columns: body.columns }
}

/** Whether the query compares values of its rows, which needs decimals as numbers. */
function comparesRows({ arms, order }: Query): boolean {
  return order.length > 0 || arms.some(({ joinedBy }) => joinedBy === 'UNION')
}

interface BodyOptions {
  readonly scope: SqlScope
  readonly mixed: MixedValues
  readonly isSummed: boolean
}

/** The SELECTs of a query with what stands behind them. */
function compileBody(
  statement: StatementContext,
  query: Query,
  { scope, mixed, isSummed }: BodyOptions,
): QueryText {
  const arms = query.arms.map((arm) => compileArm(statement, arm, { around: scope, isSummed }))
  const { texts, columns } = joinArms(statement, arms, mixed)
  const order = orderOf(statement, query, { arms, columns })
  const limits = limitsOf(statement, query, scope)
  return { sql: `${joinTexts(statement, query, texts)}${order}${limits}`, columns }
}

/**
 * A query over one stored table whose samples are needed as sums only: it reads these instead. Undefined
 * where a sample is needed by itself.
 */
function compileSummed(
  statement: StatementContext,
  query: Query,
  options: Omit<BodyOptions, 'isSummed'>,
): QueryText | undefined {
  const [{ from }, ...others] = query.arms
  const table = others.length === 0 && from.length === 1 ? from[0].table : undefined
  if (table?.kind !== 'named' || options.scope.findCommon(table.name.text) !== undefined) return
  const of = storedNameOf(table.name.text)
  if (of === undefined || of === 'COMPONENT') return
  const { sources, reads } = statement
  const [sourceCount, readCount] = [sources.length, reads.length]
  try {
    const text = compileBody(statement, query, { ...options, isSummed: true })
    const read = reads[readCount]
    const sql = withPeriods(read, text.sql)
    if (read.isOnlySummed && !sql.includes(`${read.sqlName}.x_`)) return { ...text, sql }
  } catch (error) {
    if (!(error instanceof NotSummed)) throw error
  }
  sources.length = sourceCount
  reads.length = readCount
}

/** Where the types of UNION's SELECTs differ, each value keeps its own and shows it at run time. */
function joinArms(statement: StatementContext, arms: readonly CompiledArm[], mixed: MixedValues) {
  const [first] = arms
  for (const { arm, values } of arms) {
    if (values.length === first.values.length) continue
    const problem = `All SELECTs of a UNION need the same number of columns. The first has ${first.values.length}`
    throw statement.failAt(`${problem}, this one has ${values.length}`, itemsSpan(arm))
  }
  const columns = first.values.map(
    ({ name }, index): SqlColumn => ({
      name,
      type: unitedType(arms.map(({ values }) => values[index].term.type)),
    }),
  )
  const texts = arms.map((arm) =>
    printArm(
      arm,
      arm.values.map(({ term }, index) => {
        const { type } = columns[index]
        return valueText(statement, term, { ...mixed, type })
      }),
    ),
  )
  return { texts, columns }
}

function unitedType(types: readonly ExpressionType[]): ExpressionType {
  const known = new Set(types.filter((type) => type !== 'NULL'))
  if (known.size === 0) return 'NULL'
  return known.size === 1 ? [...known][0] : 'UNKNOWN'
}

function valueText(
  statement: StatementContext,
  term: Term,
  { type, marksBooleans, keepsDecimals }: MixedValues & { readonly type: ExpressionType },
): string {
  const isMixed = term.type !== type
  const isRounded = isMixed && term.type === 'BIGDECIMAL' && keepsDecimals !== true
  const value = isRounded ? toDouble(term, statement.failAt) : term
  const text = statement.print(value)
  if (isMixed && marksBooleans === true && term.type === 'BOOLEAN') {
    return `CASE ${text} WHEN 1 THEN x'01' WHEN 0 THEN x'00' END`
  }
  // A plus takes the affinity of a CAST away, by which SQLite would turn texts to numbers.
  return value.kind === 'input' || value.kind === 'constant' ? text : `+${text}`
}

function joinTexts(statement: StatementContext, { arms }: Query, texts: readonly string[]): string {
  if (texts.length <= GROUPED_ARMS) return joinGroup(arms, texts)
  const plain = arms.find(({ joinedBy }) => joinedBy === 'UNION')
  if (plain !== undefined) {
    const problem = `More than ${GROUPED_ARMS} SELECTs can be combined only with UNION ALL`
    throw statement.failAt(problem, plain.span)
  }
  const groups: string[] = []
  for (let at = 0; at < texts.length; at += GROUPED_ARMS) {
    const group = texts.slice(at, at + GROUPED_ARMS)
    groups.push(`SELECT * FROM (${group.join(' UNION ALL ')})`)
  }
  return groups.join(' UNION ALL ')
}

function joinGroup(arms: readonly SelectArm[], texts: readonly string[]): string {
  return texts
    .map((text, index) => `${index === 0 ? '' : ` ${arms[index].joinedBy} `}${text}`)
    .join('')
}

function compileCommon(
  statement: StatementContext,
  { table, query }: { table: CommonTable; query: Query },
  scope: SqlScope,
): string {
  const key = keyOf(table.name.text)
  const { span, text } = table.name
  if (scope.commons.has(key))
    throw statement.failAt(`Two tables have the name "${shorten(text)}"`, span)
  if (scope.commons.size >= COMMONS_MAX) {
    throw statement.failAt(`WITH has more than ${COMMONS_MAX} tables`, span)
  }
  const sqlName = statement.newName('w')
  const isRecursive = query.isRecursive && table.query.arms.length > 1
  const { sql, columns } = isRecursive
    ? compileRecursive(statement, { table, sqlName, key }, scope)
    : compileQuery(statement, table.query, scope)
  const names = namedColumns(statement, table, columns)
  const list = names.map((_, index) => `c${index}`).join(', ')
  const definition = `${sqlName}(${list}) AS (${sql})`
  scope.commons.set(key, { sqlName, columns: names, definition })
  return definition
}

function namedColumns(
  statement: StatementContext,
  { name, columns: names }: CommonTable,
  columns: readonly SqlColumn[],
): readonly SqlColumn[] {
  if (names === undefined) return columns
  if (names.length !== columns.length) {
    const problem = `"${shorten(name.text)}" lists ${names.length} column names, but its query has ${columns.length} columns`
    throw statement.failAt(problem, {
      from: names[0].span.from,
      until: names[names.length - 1].span.until,
    })
  }
  return columns.map(({ type }, index) => ({ name: names[index].text, type }))
}

/** Which SELECTs may read the table that they make: the last ones, each once and joined alike. */
function refuseRecursion(
  statement: StatementContext,
  { name, query: { arms, tables } }: CommonTable,
  key: string,
): void {
  // A table of its own WITH goes before it.
  if (tables.some((table) => keyOf(table.name.text) === key)) return
  const own = arms.map(({ from }) =>
    from.flatMap(({ table }) =>
      table.kind === 'named' && keyOf(table.name.text) === key ? [table.name.span] : [],
    ),
  )
  const first = own.findIndex((spans) => spans.length > 0)
  if (first < 0) return
  const shown = `"${shorten(name.text)}"`
  const fail = (problem: string, index: number): ExpressionError =>
    statement.failAt(problem, own[index].at(-1) ?? arms[index].span)
  if (first === 0) {
    throw fail(`The first SELECT of ${shown} gives the rows it starts with: it cannot read it`, 0)
  }
  const twice = own.findIndex((spans) => spans.length > 1)
  if (twice >= 0) throw fail(`A SELECT of ${shown} can read it once only`, twice)
  if (own.slice(first).some((spans) => spans.length === 0)) {
    throw fail(`SELECTs that read ${shown} must come after those that do not`, first)
  }
  const other = arms.findIndex(
    ({ joinedBy }, index) => index > first && joinedBy !== arms[first].joinedBy,
  )
  if (other >= 0)
    throw fail(`SELECTs that read ${shown} must all use the same kind of UNION`, other)
  if (arms.length > GROUPED_ARMS) {
    throw fail(`A recursive table can have at most ${GROUPED_ARMS} SELECTs`, GROUPED_ARMS)
  }
}

/** How often types are tried before those that change are left unknown. */
const TYPE_ROUNDS = 3

/** A table that is made from its own rows: what types these have shows when its query is compiled. */
function compileRecursive(
  statement: StatementContext,
  { table, sqlName, key }: { table: CommonTable; sqlName: string; key: string },
  scope: SqlScope,
): QueryText {
  refuseRecursion(statement, table, key)
  const start = { ...table.query, arms: table.query.arms.slice(0, 1), order: [], limit: undefined }
  const loaded = { sources: statement.sources.length, reads: statement.reads.length }
  let types = compileQuery(statement, { ...start, offset: undefined }, scope).columns
  for (let round = 1; ; round++) {
    statement.sources.length = loaded.sources
    statement.reads.length = loaded.reads
    const columns = namedColumns(statement, table, types)
    scope.commons.set(key, { sqlName, columns, definition: undefined })
    const result = compileQuery(statement, table.query, scope)
    scope.commons.delete(key)
    const isSame = result.columns.every(({ type }, index) => type === types[index].type)
    if (isSame) return result
    types = result.columns.map(({ name, type }, index) => {
      const isKept = round < TYPE_ROUNDS || type === types[index].type
      return { name, type: isKept ? type : 'UNKNOWN' }
    })
    if (round > TYPE_ROUNDS) return result
  }
}

function orderOf(
  statement: StatementContext,
  { arms: trees, order }: Query,
  { arms, columns }: { arms: readonly CompiledArm[]; columns: readonly SqlColumn[] },
): string {
  const [only] = arms
  const texts = order.map((term) => {
    if (trees.length === 1) return orderText(statement, term, only)
    const index = unitedIndex(statement, term.value, columns)
    return `${index + 1}${direction(term.isDescending, term.nulls)}`
  })
  const words = texts.filter((text) => text !== undefined)
  return words.length === 0 ? '' : ` ORDER BY ${words.join(', ')}`
}

/** Behind UNION only positions and names of columns can be ordered by. */
function unitedIndex(
  statement: StatementContext,
  node: Expression,
  columns: readonly SqlColumn[],
): number {
  const position = positionOf(statement, node, columns.length)
  if (position !== undefined) return position
  const part = node.kind === 'foreign' ? (node.part as SqlPart) : undefined
  const name = part?.is === 'column' && part.table === undefined ? keyOf(part.name.text) : undefined
  const index = columns.findIndex((column) => keyOf(column.name) === name)
  if (index >= 0) return index
  const problem = 'After UNION, ORDER BY accepts only names and positions of result columns'
  throw statement.failAt(
    `${problem}: ${columns.map((column) => shorten(column.name)).join(', ')}`,
    node.span,
  )
}

const IN_LIMIT = 'LIMIT and OFFSET accept numbers and variables, not columns'

function limitsOf(statement: StatementContext, { limit, offset }: Query, scope: SqlScope): string {
  const own = new SqlScope(scope, IN_LIMIT)
  own.aggregatesRefused = 'is not allowed in LIMIT'
  const count = (node: Expression, otherwise: number): string => {
    const term = toNumber(termOf(statement, node, own), statement.failAt)
    const sql = statement.print({
      kind: 'apply',
      operation: rowCount,
      args: [term],
      type: 'LONG',
      span: node.span,
    })
    return `coalesce(${sql}, ${otherwise})`
  }
  if (limit === undefined && offset === undefined) return ''
  const most = limit === undefined ? '-1' : count(limit, -1)
  return ` LIMIT ${most}${offset === undefined ? '' : ` OFFSET ${count(offset, 0)}`}`
}
