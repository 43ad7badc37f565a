/**
 * Conditions that decide which rows of stored tables can count, before the rows are there. The query
 * checks them all the same: what is missed here costs time, never a row.
 */
import type { Term } from '../../expression/index.ts'
import type { SqlPredicate } from '../compiled-sql.ts'
import type { SqlScope } from './sql-scope.ts'
import type { StatementContext } from './statement-context.ts'
import type { Restriction, StoredRead } from './stored-read.ts'

const COMPARISONS: Readonly<Record<string, SqlPredicate['is']>> = {
  equal: 'in',
  less: '<',
  less_equal: '<=',
  greater: '>',
  greater_equal: '>=',
}

const MIRRORED: Readonly<Record<SqlPredicate['is'], SqlPredicate['is']>> = {
  in: 'in',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/** A condition on a column of a stored table. */
interface Found extends Restriction {
  readonly read: StoredRead
  /** Whether the column is the time of a sample that is summed up. */
  readonly isTime: boolean
}

interface ColumnOf {
  readonly read: StoredRead
  readonly column: string
  readonly isTime: boolean
}

/** The conditions of one SELECT; those on one column hold for others that equal it. */
export class Conditions {
  readonly #statement: StatementContext
  readonly #scope: SqlScope
  readonly #found: Found[] = []
  readonly #equal: { readonly from: ColumnOf; readonly to: ColumnOf }[] = []

  constructor(statement: StatementContext, scope: SqlScope) {
    this.#statement = statement
    this.#scope = scope
  }

  /** A table of a query around has rows that this one says nothing of. */
  #isOwn(read: StoredRead): boolean {
    return this.#scope.tables.some(({ stored }) => stored === read)
  }

  /** Takes a condition that holds for every row that counts, of the tables that it may narrow. */
  take(condition: Term, narrows: (read: StoredRead) => boolean = () => true): void {
    for (const part of partsOf(condition)) {
      const found = restrictionsOf(this.#statement, part) ?? []
      this.#found.push(...found.filter(({ read }) => this.#isOwn(read) && narrows(read)))
      const pair = equalColumns(this.#statement, part)
      if (pair !== undefined) this.takeEqual(pair, narrows)
    }
  }

  /** Takes two columns that are equal in every row that counts. */
  takeEqual(
    [one, other]: readonly [ColumnOf, ColumnOf],
    narrows: (read: StoredRead) => boolean = () => true,
  ): void {
    if (!this.#isOwn(one.read) || !this.#isOwn(other.read)) return
    if (narrows(other.read)) this.#equal.push({ from: one, to: other })
    if (narrows(one.read)) this.#equal.push({ from: other, to: one })
  }

  /** Hands all of it to the tables. */
  settle(): void {
    const known = new Set<string>()
    for (let at = 0; at < this.#found.length; at += 1) {
      const { read, column, is, terms } = this.#found[at]
      const key = `${read.sqlName} ${column} ${is} ${terms.map(({ span }) => span.from)}`
      if (known.has(key)) continue
      known.add(key)
      read.restrict({ column, is, terms })
      for (const { from, to } of this.#equal) {
        if (from.read === read && from.column === column) {
          this.#found.push({ ...to, is, terms })
        }
      }
    }
  }
}

/** The parts of a condition that hold all, however AND is nested. */
export function partsOf(condition: Term): Term[] {
  const parts: Term[] = []
  const rest = [condition]
  for (let term = rest.pop(); term !== undefined; term = rest.pop()) {
    if (term.kind === 'and') rest.push(term.args[1], term.args[0])
    else parts.push(term)
  }
  return parts
}

/** What a condition says of one column in terms that are known before rows are; undefined where it is more. */
export function restrictionsOf(statement: StatementContext, term: Term): Found[] | undefined {
  switch (term.kind) {
    case 'apply': {
      const is = COMPARISONS[term.operation.name]
      if (is === undefined || term.args.length !== 2) return undefined
      const [left, right] = term.args
      return (
        found(statement, left, [[is, [right]]]) ?? found(statement, right, [[MIRRORED[is], [left]]])
      )
    }
    case 'in':
      return found(statement, term.args[0], [['in', term.args.slice(1)]])
    case 'between': {
      const [of, low, high] = term.args
      return found(statement, of, [
        ['>=', [low]],
        ['<=', [high]],
      ])
    }
    case 'or':
      return anyOf(statement, term)
    default:
      return undefined
  }
}

function found(
  statement: StatementContext,
  subject: Term,
  comparisons: readonly (readonly [SqlPredicate['is'], readonly Term[]])[],
): Found[] | undefined {
  const column = statement.storedColumn(subject)
  if (column === undefined) return undefined
  const isFixed = comparisons.every(([, terms]) => terms.every((term) => isKnown(statement, term)))
  return isFixed ? comparisons.map(([is, terms]) => ({ ...column, is, terms })) : undefined
}

/** a = 1 OR a = 2 is a IN (1, 2). */
function anyOf(statement: StatementContext, term: Term): Found[] | undefined {
  const terms: Term[] = []
  let first: Found | undefined
  const rest = [term]
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part.kind === 'or') {
      rest.push(part.args[1], part.args[0])
      continue
    }
    const [own, ...others] = restrictionsOf(statement, part) ?? []
    if (own?.is !== 'in' || others.length > 0) return undefined
    first ??= own
    if (own.read !== first.read || own.column !== first.column) return undefined
    terms.push(...own.terms)
  }
  return first === undefined ? undefined : [{ ...first, terms }]
}

/** Whether a value is known before any row is: it is made of constants, variables and the time of the call. */
export function isKnown(statement: StatementContext, term: Term): boolean {
  if (term.kind === 'constant') return true
  if (term.kind === 'input') return /^:(?:v\d+|now)$/.test(statement.inputText(term) ?? '')
  return term.args.every((arg) => isKnown(statement, arg))
}

function equalColumns(
  statement: StatementContext,
  term: Term,
): readonly [ColumnOf, ColumnOf] | undefined {
  if (term.kind !== 'apply' || term.operation.name !== 'equal') return undefined
  const [one, other] = term.args.map((arg) => statement.storedColumn(arg))
  return one === undefined || other === undefined ? undefined : [one, other]
}
