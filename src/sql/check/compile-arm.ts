/** One SELECT: its values are terms first, as their types decide together with those of UNION's others. */
import { type Expression, type Span, shorten, type Term, toDouble } from '../../expression/index.ts'
import type { OrderTerm, SelectArm, SelectItem, SqlPart } from '../syntax/sql-tree.ts'
import { COLUMNS_MAX, compileFrom } from './compile-tables.ts'
import { printCondition, termOf } from './compile-terms.ts'
import { Conditions } from './push-down.ts'
import { keyOf, type ScopeAlias, SqlScope } from './sql-scope.ts'
import type { StatementContext } from './statement-context.ts'
import { demandTimes, summedRead } from './summed-terms.ts'

/** A value of SELECT with the name that people see. */
interface ArmValue {
  readonly name: string
  readonly term: Term
}

/** A SELECT whose values are known, ready to be written down. */
export interface CompiledArm {
  readonly arm: SelectArm
  readonly scope: SqlScope
  readonly values: readonly ArmValue[]
  readonly from: string
  readonly tail: string
  /** Whether its rows are those of groups. */
  readonly hasGroups: boolean
}

const IN_WHERE = 'is not allowed in WHERE. Use HAVING'
const IN_GROUP = 'is not allowed in GROUP BY. Use a subquery'
const IN_JOIN = 'is not allowed in FROM. Use a subquery'
const IN_ORDER = 'cannot stand in ORDER BY: this SELECT has no groups, write GROUP BY'

/** Checks one SELECT within the scope around it; where that can be, samples are read as sums. */
export function compileArm(
  statement: StatementContext,
  arm: SelectArm,
  { around, isSummed }: { readonly around: SqlScope; readonly isSummed: boolean },
): CompiledArm {
  const scope = new SqlScope(around)
  scope.isSummed = isSummed
  const conditions = new Conditions(statement, scope)
  scope.aggregatesRefused = IN_JOIN
  const from = compileFrom(statement, arm.from, { scope, conditions })
  const inValues = refusedOverItself(statement, arm, scope)
  scope.aggregatesRefused = inValues
  const { values, hasAggregate } = armValues(statement, arm, scope)
  const hasGroups = hasAggregate || arm.group.length > 0
  const words: string[] = []
  if (arm.where !== undefined) {
    scope.aggregatesRefused = IN_WHERE
    const term = termOf(statement, arm.where, scope)
    conditions.take(term)
    const read = summedRead(scope)
    const left = read === undefined ? term : demandTimes(statement, read, term)
    if (left !== undefined) words.push(` WHERE ${printCondition(statement, left)}`)
  }
  conditions.settle()
  if (arm.group.length > 0) {
    scope.aggregatesRefused = IN_GROUP
    const terms = arm.group.map((node) => groupText(statement, node, { scope, values }))
    words.push(` GROUP BY ${terms.join(', ')}`)
  }
  scope.aggregatesRefused = inValues
  if (arm.having !== undefined) {
    if (!hasGroups) {
      const problem = 'HAVING needs GROUP BY or an aggregate function. Add GROUP BY, or use WHERE'
      throw statement.failAt(problem, arm.having.span)
    }
    words.push(` HAVING ${printCondition(statement, termOf(statement, arm.having, scope))}`)
  }
  return { arm, scope, values, from, tail: words.join(''), hasGroups }
}

/** Why there are no functions of groups in a SELECT that reads the table it is part of; it has no groups either. */
function refusedOverItself(
  statement: StatementContext,
  { group }: SelectArm,
  { recursive }: SqlScope,
): string | undefined {
  if (recursive === undefined) return undefined
  const refused = `is not allowed in the recursive part of "${shorten(recursive)}", which reads one row at a time`
  if (group.length > 0) throw statement.failAt(`GROUP BY ${refused}`, group[0].span)
  return refused
}

/** A SELECT as text, its values as terms that may have been converted. */
export function printArm({ arm, from, tail }: CompiledArm, texts: readonly string[]): string {
  const distinct = arm.isDistinct ? 'DISTINCT ' : ''
  const values = texts.map((text, index) => `${text} AS c${index}`).join(', ')
  return `SELECT ${distinct}${values}${from}${tail}`
}

/** The values of SELECT; their names mean something in the clauses behind it, not among themselves. */
function armValues(statement: StatementContext, arm: SelectArm, scope: SqlScope) {
  const values: ArmValue[] = []
  const aliases: [string, ScopeAlias][] = []
  let hasAggregate = false
  for (const item of arm.items) {
    scope.hasAggregate = false
    const own = itemValues(statement, item, scope)
    values.push(...own)
    hasAggregate ||= scope.hasAggregate
    if (item.kind === 'value' && item.alias !== undefined) {
      const alias = { term: own[0].term, isAggregate: scope.hasAggregate }
      aliases.push([keyOf(item.alias.text), alias])
    }
  }
  if (values.length > COLUMNS_MAX) {
    throw statement.failAt(`SELECT gives more than ${COLUMNS_MAX} columns`, itemsSpan(arm))
  }
  for (const [key, alias] of aliases) scope.aliases.set(key, alias)
  return { values, hasAggregate }
}

function itemValues(statement: StatementContext, item: SelectItem, scope: SqlScope): ArmValue[] {
  if (item.kind === 'all') return allColumns(statement, item, scope)
  const term = termOf(statement, item.value, scope)
  return [{ name: item.alias?.text ?? nameOfValue(statement, item), term }]
}

/** Longer texts are cut where they name a column. */
const NAME_LENGTH_MAX = 100

function nameOfValue(
  statement: StatementContext,
  { span, value }: Extract<SelectItem, { kind: 'value' }>,
): string {
  const part = value.kind === 'foreign' ? (value.part as SqlPart) : undefined
  if (part?.is === 'column') return part.name.text
  const text = statement.program.text.slice(span.from, span.until)
  return text.length > NAME_LENGTH_MAX ? `${text.slice(0, NAME_LENGTH_MAX)}…` : text
}

function allColumns(
  statement: StatementContext,
  { table, span }: Extract<SelectItem, { kind: 'all' }>,
  scope: SqlScope,
): ArmValue[] {
  const tables = scope.tables.filter(
    ({ name }) => table === undefined || name === keyOf(table.text),
  )
  if (tables.length === 0) {
    const problem =
      table === undefined ? '"*" needs a table. Add FROM' : `Unknown table "${shorten(table.text)}"`
    throw statement.failAt(problem, span)
  }
  const shown = new Set<string>()
  return tables.flatMap(({ columns }) =>
    columns.flatMap((column) => {
      if (column.isHidden === true) return []
      const merged = table === undefined ? scope.merged.get(keyOf(column.name)) : undefined
      if (merged !== undefined && shown.has(keyOf(column.name))) return []
      if (merged !== undefined) shown.add(keyOf(column.name))
      const { name, type, sql } = merged ?? column
      return [{ name, term: statement.input(sql(), type, span) }]
    }),
  )
}

interface Values {
  readonly scope: SqlScope
  readonly values: readonly ArmValue[]
}

/** A term of GROUP BY; a whole number is the position of a value. */
function groupText(
  statement: StatementContext,
  node: Expression,
  { scope, values }: Values,
): string {
  const position = positionOf(statement, node, values.length)
  const term = position === undefined ? termOf(statement, node, scope) : values[position].term
  // SQLite takes a whole number here for a position; a constant makes one group.
  return term.kind === 'constant' ? "('' || '')" : statement.print(term)
}

/** The index of the value that a whole number names; undefined of any other node. */
export function positionOf(
  statement: StatementContext,
  node: Expression,
  count: number,
): number | undefined {
  if (node.kind !== 'literal' || node.type !== 'LONG') return undefined
  const position = Number(node.value)
  if (position >= 1 && position <= count) return position - 1
  throw statement.failAt(`There is no value ${position}: SELECT gives ${count}`, node.span)
}

/** A term of ORDER BY of one SELECT; names mean its values first, then columns. */
export function orderText(
  statement: StatementContext,
  { value, isDescending, nulls }: OrderTerm,
  { scope, values, hasGroups }: Values & Pick<CompiledArm, 'hasGroups'>,
): string | undefined {
  if (!hasGroups) scope.aggregatesRefused = IN_ORDER
  const part = value.kind === 'foreign' ? (value.part as SqlPart) : undefined
  const isName = part?.is === 'column' && part.table === undefined
  const alias = isName ? scope.aliases.get(keyOf(part.name.text))?.term : undefined
  const position = positionOf(statement, value, values.length)
  const term =
    alias ?? (position === undefined ? termOf(statement, value, scope) : values[position].term)
  if (term.kind === 'constant') return undefined
  const comparable = term.type === 'BIGDECIMAL' ? toDouble(term, statement.failAt) : term
  return `${statement.print(comparable)}${direction(isDescending, nulls)}`
}

/** The words behind a term of ORDER BY. */
export function direction(isDescending: boolean, nulls: OrderTerm['nulls']): string {
  return `${isDescending ? ' DESC' : ''}${nulls === undefined ? '' : ` NULLS ${nulls}`}`
}

/** The stretch of a SELECT's values, which mistakes of their number name. */
export function itemsSpan({ items, span }: SelectArm): Span {
  return { from: items[0]?.span.from ?? span.from, until: items.at(-1)?.span.until ?? span.until }
}
