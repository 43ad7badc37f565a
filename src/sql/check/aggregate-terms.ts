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
import { summedRead, summedTerm } from './summed-terms.ts'

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
  scope.aggregatesRefused = 'cannot be nested in another aggregate function. Use a subquery'
  const { own, outer } = scope.met
  const terms = args.map(check)
  scope.aggregatesRefused = undefined
  if (scope.met.outer > outer && scope.met.own === own) {
    // Its rows would be those of the SELECT around, which may have no groups.
    const problem = `${name}() takes columns of a SELECT around its own only`
    throw statement.failAt(
      `${problem}. Write it there, or use a column of the subquery's FROM`,
      span,
    )
  }
  if (isDistinct && args.length > 1) {
    throw statement.failAt('DISTINCT takes one argument. Remove the others', span)
  }
  const read = summedRead(scope)
  const summed =
    read === undefined ? undefined : summedTerm(statement, read, { name, isDistinct, terms, span })
  if (summed !== undefined) return summed
  return plainTerm(statement, { name, isDistinct, terms }, { scope, span })
}

function plainTerm(
  statement: StatementContext,
  { name, isDistinct, terms }: { name: string; isDistinct: boolean; terms: readonly Term[] },
  { scope, span }: Pick<Surroundings, 'scope' | 'span'>,
): Term {
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
      const number = doubleText(statement, first)
      return give(`weir_finite(${statement.placeOf(span)}, avg(${distinct}${number}))`, 'DOUBLE')
    }
    case 'min':
    case 'max': {
      const value = first.type === 'BIGDECIMAL' ? toDouble(first, statement.failAt) : first
      return give(`${name}(${distinct}${statement.print(value)})`, value.type)
    }
    case 'first':
    case 'last': {
      const by =
        second === undefined ? timeText(statement, name, { scope, span }) : statement.print(second)
      return give(`weir_${name}(${distinct}${statement.print(first)}, ${by})`, first.type)
    }
    default: {
      const text = statement.print(toText(first))
      const separator = second === undefined ? '' : `, ${statement.print(toText(second))}`
      return give(`group_concat(${distinct}${text}${separator})`, 'STRING')
    }
  }
}

/** A value as a DOUBLE; one whose type shows at run time asks our own functions of texts only. */
function doubleText(statement: StatementContext, term: Term): string {
  const number = statement.print(toDouble(term, statement.failAt))
  const text = statement.inputText(term)
  if (term.type !== 'UNKNOWN' || text === undefined) return number
  return `CASE typeof(${text}) WHEN 'real' THEN ${text} WHEN 'integer' THEN ${text} * 1.0 ELSE ${number} END`
}

/** The one column of times here, by which the first and last of some rows are found. */
function timeText(
  statement: StatementContext,
  name: string,
  { scope, span }: Pick<Surroundings, 'scope' | 'span'>,
): string {
  const found = scope.find(undefined, 'time')
  if (found.length === 1) return found[0].sql()
  const problem = `${name}() needs a time as second argument`
  throw statement.failAt(`${problem}. Write ${name}(value, time)`, span)
}
