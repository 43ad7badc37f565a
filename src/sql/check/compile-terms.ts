/** Expressions of SQL: columns are found in their scope, subqueries and aggregates become terms. */
import {
  type Expression,
  ExpressionChecker,
  type ForeignNode,
  nearestName,
  type Span,
  shorten,
  type Term,
  type TestNode,
  toCondition,
} from '../../expression/index.ts'
import type { ColumnPart, Query, SqlPart } from '../syntax/sql-tree.ts'
import { aggregateTerm } from './aggregate-terms.ts'
import { labelTerm } from './label-term.ts'
import { sampleTerm } from './sample-settings.ts'
import { keyOf, type ScopeColumn, type SqlScope } from './sql-scope.ts'
import type { StatementContext } from './statement-context.ts'

/** The term of an expression in its scope; throws ExpressionError at the first mistake. */
export function termOf(statement: StatementContext, node: Expression, scope: SqlScope): Term {
  const { failAt, program } = statement
  const checker: ExpressionChecker = new ExpressionChecker({
    failAt,
    timeZoneId: program.timeZoneId,
    variable: (name, span) => statement.variable(name, span),
    foreign: (foreign) => foreignTerm(statement, foreign, scope),
    test: (test, check) => inQuery(statement, test, { scope, check }),
  })
  return checker.check(node)
}

/** A condition as text; what cannot fail comes first, where SQLite can use it to find rows. */
export function printCondition(statement: StatementContext, term: Term): string {
  const condition = toCondition(term, statement.failAt)
  const parts = conjunctsOf(condition).map((part) => ({ part, sql: statement.print(part) }))
  if (parts.length === 1) return parts[0].sql
  const safe = parts.filter(({ sql }) => !sql.includes('weir_'))
  const others = parts.filter(({ sql }) => sql.includes('weir_'))
  const words = safe.map(({ sql }) => sql)
  if (others.length > 0) words.push(statement.print(joinConjuncts(others.map(({ part }) => part))))
  return words.join(' AND ')
}

function conjunctsOf(term: Term): Term[] {
  const parts: Term[] = []
  let rest = term
  // Chains of AND lean to the left.
  while (rest.kind === 'and') {
    parts.unshift(rest.args[1])
    rest = rest.args[0]
  }
  return [rest, ...parts]
}

function joinConjuncts(parts: readonly Term[]): Term {
  return parts.reduce((left, right) => {
    const span = { from: left.span.from, until: right.span.until }
    return { kind: 'and', args: [left, right], type: 'BOOLEAN', span }
  })
}

function foreignTerm(statement: StatementContext, node: ForeignNode, scope: SqlScope): Term {
  const part = node.part as SqlPart
  const { span } = node
  switch (part.is) {
    case 'column':
      return columnTerm(statement, part, { scope, span })
    case 'now':
      return statement.now(span)
    case 'sample':
      return sampleTerm(statement, part.settings, {
        scope,
        span,
        check: (value, own) => termOf(statement, value, own),
      })
    case 'label':
      return labelTerm(statement, part.name, { scope, span })
    case 'aggregate':
      return aggregateTerm(statement, part, {
        scope,
        span,
        check: (arg) => termOf(statement, arg, scope),
      })
    case 'exists': {
      const { sql } = statement.program.compileQuery(statement, part.query, scope)
      return statement.input(`EXISTS (${sql})`, 'BOOLEAN', span)
    }
    case 'query': {
      const { sql, columns } = oneColumn(statement, part.query, scope)
      return statement.input(`(${sql})`, columns[0].type, span)
    }
    case 'rows':
      throw statement.failAt(
        'IN accepts either one query or a list of values. Remove the other values',
        span,
      )
  }
}

function oneColumn(statement: StatementContext, query: Query, scope: SqlScope) {
  const text = statement.program.compileQuery(statement, query, scope)
  if (text.columns.length === 1) return text
  const problem = `A subquery in an expression must have one column, this one has ${text.columns.length}`
  throw statement.failAt(`${problem}. Select one`, query.span)
}

/** IN with a query; undefined of any other test. */
function inQuery(
  statement: StatementContext,
  { kind, operand, args, span }: TestNode,
  { scope, check }: { scope: SqlScope; check: (node: Expression) => Term },
): Term | undefined {
  const [first] = args
  const part = first?.kind === 'foreign' ? (first.part as SqlPart) : undefined
  if (kind !== 'in' || part?.is !== 'rows') return undefined
  const subject = statement.print(check(operand))
  const { sql } = oneColumn(statement, part.query, scope)
  return statement.input(`(+${subject} IN (${sql}))`, 'BOOLEAN', span)
}

function columnTerm(
  statement: StatementContext,
  { table, name, isQuoted }: ColumnPart,
  { scope, span }: { scope: SqlScope; span: Span },
): Term {
  for (let place: SqlScope | undefined = scope; place !== undefined; place = place.parent) {
    const found = place.find(table?.text, name.text)
    if (found.length > 1) throw ambiguous(statement, name.text, span)
    if (found.length === 1) {
      scope.met[place === scope ? 'own' : 'outer'] += 1
      return usedColumn(statement, found[0], span)
    }
    const alias = table === undefined ? place.aliases.get(keyOf(name.text)) : undefined
    if (alias?.isAggregate === true && place.aggregatesRefused !== undefined) {
      throw statement.failAt(`${shorten(name.text)} ${place.aggregatesRefused}`, span)
    }
    if (alias !== undefined) return alias.term
    if (place.columnsRefused !== undefined && !(isQuoted && table === undefined)) {
      throw statement.failAt(place.columnsRefused, span)
    }
  }
  if (isQuoted && table === undefined) {
    return { kind: 'constant', type: 'STRING', value: name.text, span }
  }
  throw unknownColumn(statement, { table: table?.text, name: name.text, span }, scope)
}

function usedColumn(statement: StatementContext, column: ScopeColumn, span: Span): Term {
  if (column.type === 'BOOLEAN') statement.program.conditions.add(span.from)
  return statement.input(column.sql(), column.type, span)
}

function ambiguous(statement: StatementContext, name: string, span: Span) {
  const problem = `Column "${shorten(name)}" is ambiguous`
  return statement.failAt(`${problem}. Put a table name and a dot before it`, span)
}

function unknownColumn(
  statement: StatementContext,
  { table, name, span }: { table: string | undefined; name: string; span: Span },
  scope: SqlScope,
) {
  if (table !== undefined && !hasTable(scope, table)) {
    return statement.failAt(`Unknown table "${shorten(table)}". FROM does not name it`, span)
  }
  const names = [...new Set(scope.columnNames())]
  const nearest = nearestName(name, names)
  const problem = `Unknown column "${shorten(name)}"`
  if (nearest !== undefined) return statement.failAt(`${problem}: did you mean "${nearest}"?`, span)
  const listed = names.slice(0, 10).map(shorten).join(', ')
  const advice = names.length === 0 ? 'put text in single quotes' : `columns are ${listed}`
  return statement.failAt(`${problem}: ${advice}${names.length > 10 ? ' …' : ''}`, span)
}

function hasTable(scope: SqlScope | undefined, name: string): boolean {
  if (scope === undefined) return false
  return scope.tables.some((table) => table.name === keyOf(name)) || hasTable(scope.parent, name)
}
