/** Functions of groups over samples that the store has summed up: each row covers many samples. */
import { type Span, type Term, toCondition } from '../../expression/index.ts'
import type { SumColumn } from '../compiled-sql.ts'
import { partsOf, restrictionsOf } from './push-down.ts'
import type { SqlScope } from './sql-scope.ts'
import { outsideTexts, type StatementContext } from './statement-context.ts'
import type { StoredRead } from './stored-read.ts'

/** The table whose samples are summed up here; undefined where they are read one by one. */
export function summedRead(scope: SqlScope): StoredRead | undefined {
  const read = scope.tables[0]?.stored
  return read?.isSummed === true ? read : undefined
}

interface Aggregate {
  readonly name: string
  readonly isDistinct: boolean
  readonly terms: readonly Term[]
  readonly span: Span
}

/** The term of a function of a group over sums; undefined where sums are not enough. */
export function summedTerm(
  statement: StatementContext,
  read: StoredRead,
  { name, isDistinct, terms, span }: Aggregate,
): Term | undefined {
  const of = terms.length === 0 ? 'rows' : kindOf(statement, read, terms[0])
  if (of === undefined || (isDistinct && name !== 'min' && name !== 'max')) return undefined
  const use = (column: SumColumn): string => read.useSum(column)
  const give = (sql: string, type: Term['type']): Term => statement.input(sql, type, span)
  if (name === 'count') return give(`coalesce(sum(${use('count()')}), 0)`, 'LONG')
  if (of === 'time') {
    if (name === 'min') return give(`min(${use('firstTime()')})`, 'LONG')
    return name === 'max' ? give(`max(${use('lastTime()')})`, 'LONG') : undefined
  }
  const place = statement.placeOf(span)
  switch (name) {
    case 'min':
    case 'max':
      return give(`${name}(${use(`${name}()`)})`, 'UNKNOWN')
    case 'sum':
      return give(`weir_sum(${place}, ${use('sum()')})`, 'UNKNOWN')
    case 'avg':
      return give(`weir_mean(${place}, ${use('mean()')}, ${use('count()')})`, 'DOUBLE')
    case 'first':
    case 'last': {
      const [, by] = terms
      if (by !== undefined && kindOf(statement, read, by) !== 'time') return undefined
      return give(`weir_${name}(${use(`${name}()`)}, ${use(`${name}Time()`)})`, 'UNKNOWN')
    }
    default:
      return undefined
  }
}

function kindOf(
  statement: StatementContext,
  read: StoredRead,
  term: Term,
): 'sample' | 'time' | undefined {
  const text = statement.inputText(term)
  if (text === read.summedText('sample')) return 'sample'
  return text === read.summedText('time') ? 'time' : undefined
}

/** `time - time % ms` as terms are written down. */
const PERIODS = /\((t\d+\.x_time) - \((t\d+\.x_time) % (\d{1,15})\)\)/g

/**
 * A query over sums, with `time - time % ms` read as the start of the periods that sums are of: those of one
 * length, as sums of several overlap.
 */
export function withPeriods(read: StoredRead, sql: string): string {
  const lengths = new Set([...sql.matchAll(PERIODS)].map(([, , , digits]) => Number(digits)))
  const [ms] = lengths
  if (lengths.size !== 1 || ms < 1) return sql
  const column = read.usePeriod(ms)
  return outsideTexts(sql, (part) => part.replace(PERIODS, column))
}

/** Hands the conditions on time to the table, which keeps them itself; answers the others. */
export function demandTimes(
  statement: StatementContext,
  read: StoredRead,
  term: Term,
): Term | undefined {
  const kept: Term[] = []
  for (const part of partsOf(toCondition(term, statement.failAt))) {
    const found = restrictionsOf(statement, part)
    const isTime = (one: NonNullable<typeof found>[number]): boolean =>
      one.read === read && one.isTime && (one.is !== 'in' || one.terms.length === 1)
    if (found?.every(isTime) === true) for (const demand of found) read.demand(demand)
    else kept.push(part)
  }
  if (kept.length === 0) return undefined
  return kept.reduce((left, right) => {
    const span = { from: left.span.from, until: right.span.until }
    return { kind: 'and', args: [left, right], type: 'BOOLEAN', span }
  })
}
