/** Functions of the rows of a group. SQLite's own serve where they do the same; sums are ours. */
import {
  type Expression,
  type ExpressionType,
  type Span,
  type Term,
  toDouble,
  toNumber,
  toText,
} from '../../expression/index.ts'
import type { AggregatePart } from '../syntax/sql-tree.ts'
import type { SqlScope } from './sql-scope.ts'
import type { StatementContext } from './statement-context.ts'

interface Surroundings {
  readonly scope: SqlScope
  readonly span: Span
  readonly check: (node: Expression) => Term
}

/** The term of an aggregate; refuses it where there are no groups, and one within another. */
export function aggregateTerm(
  statement: StatementContext,
  { name, isDistinct, args }: AggregatePart,
  { scope, span, check }: Surroundings,
): Term {
  const refused = scope.aggregatesRefused
  if (refused !== undefined) throw statement.failAt(`${name}() ${refused}`, span)
  scope.hasAggregate = true
  scope.aggregatesRefused = 'cannot stand within another function of groups: use a subquery'
  const terms = args.map(check)
  scope.aggregatesRefused = undefined
  if (isDistinct && args.length > 1) {
    throw statement.failAt('With DISTINCT there is one argument: take the others away', span)
  }
  const distinct = isDistinct ? 'DISTINCT ' : ''
  const give = (sql: string, type: ExpressionType): Term => statement.input(sql, type, span)
  if (terms.length === 0) return give('count(*)', 'LONG')
  const [first, second] = terms
  switch (name) {
    case 'count':
      return give(`count(${distinct}${statement.print(first)})`, 'LONG')
    case 'sum': {
      const number = toNumber(first, statement.failAt)
      const place = isDistinct ? '' : `${statement.placeOf(span)}, `
      const type = number.type === 'NULL' ? 'LONG' : number.type
      return give(`weir_sum(${distinct}${place}${statement.print(number)})`, type)
    }
    case 'avg': {
      const number = statement.print(toDouble(first, statement.failAt))
      return give(`weir_finite(${statement.placeOf(span)}, avg(${distinct}${number}))`, 'DOUBLE')
    }
    case 'min':
    case 'max': {
      const value = first.type === 'BIGDECIMAL' ? toDouble(first, statement.failAt) : first
      return give(`${name}(${distinct}${statement.print(value)})`, value.type)
    }
    default: {
      const text = statement.print(toText(first))
      const separator = second === undefined ? '' : `, ${statement.print(toText(second))}`
      return give(`group_concat(${distinct}${text}${separator})`, 'STRING')
    }
  }
}
