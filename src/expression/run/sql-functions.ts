import { ExpressionError } from '../expression-error.ts'
import type { ExpressionValue } from '../expression-types.ts'
import { add, divide, multiply, negate, remainder, subtract } from '../operation/arithmetic.ts'
import * as conversions from '../operation/conversions.ts'
import { expressionFunctions } from '../operation/function-table.ts'
import { like } from '../operation/like.ts'
import { isAmong, isWithin } from '../operation/membership.ts'
import { shortenLong } from '../operation/numbers.ts'
import type { Operation, Present, Run } from '../operation/operation.ts'
import type { CastType } from '../syntax/expression-tree.ts'
import { EVALUATION_CHARACTERS_MAX } from './compile-expression.ts'

/** A value as SQLite hands it over: INTEGER as bigint, REAL as number. */
export type SqlValue = bigint | number | string | null

/**
 * A function that the SQL of expressions asks for. Register it with bigint arguments and any number
 * of them, and not as deterministic: SQLite would run it ahead, even where nothing chooses it.
 */
interface SqlFunction {
  readonly name: string
  readonly call: (...args: SqlValue[]) => SqlValue
}

/** What the names of our functions begin with; no function of SQLite does. */
export const SQL_PREFIX = 'weir_'

/** IN and BETWEEN as functions, which evaluate all of their arguments. */
export const SQL_IN = `${SQL_PREFIX}in`
export const SQL_BETWEEN = `${SQL_PREFIX}between`

/** How often a call may read its texts beyond what every evaluation may. */
const READINGS = 4

/** Stands in the name of a function before the digit of the variable that is its first argument. */
export const SQL_VARIABLE = '_v'

/** The variable that a function knows by its name; undefined of most. */
export function knownVariableOf(name: string): number | undefined {
  const isKnown = name.slice(0, -1).endsWith(SQL_VARIABLE) && /\d$/.test(name)
  return isKnown ? Number(name.slice(-1)) : undefined
}

/** The name of an operation in SQL. */
export function sqlNameOf({ name }: Operation): string {
  return SQL_PREFIX + name
}

const arithmetics = [add, subtract, multiply, remainder, negate].flatMap(
  ({ long, double, unknown }) => [long, double, unknown],
)

/** Every function that printed SQL may ask for. */
export const sqlFunctions: readonly SqlFunction[] = [
  ...arithmetics,
  divide,
  like,
  ...Object.values(conversions),
  ...expressionFunctions.flatMap(({ operations }) => operations),
]
  .map(sqlFunctionOf)
  .concat(testFunctionOf(SQL_IN, isAmong), testFunctionOf(SQL_BETWEEN, isWithin))

function testFunctionOf(name: string, holds: typeof isAmong): SqlFunction {
  const call = (...args: SqlValue[]): SqlValue => {
    const [subject, ...others] = args.map((arg) =>
      typeof arg === 'bigint' ? shortenLong(arg) : arg,
    )
    return toSql(holds(meteredRun(args), subject, others), false)
  }
  return { name, call }
}

/** An operation as a function of SQLite. */
export function sqlFunctionOf(operation: Operation): SqlFunction {
  const call = (...args: SqlValue[]): SqlValue => {
    const values: Present[] = []
    let isDouble = operation.gives === 'DOUBLE'
    for (const arg of args) {
      if (arg === null) return null
      if (typeof arg === 'number' && operation.gives !== 'LONG') isDouble = true
      values.push(typeof arg === 'bigint' ? shortenLong(arg) : arg)
    }
    return toSql(operation.value(meteredRun(args), ...values), isDouble)
  }
  return { name: sqlNameOf(operation), call }
}

const casts = {
  LONG: sqlFunctionOf(conversions.castToLong).call,
  DOUBLE: sqlFunctionOf(conversions.castToDouble).call,
  BIGDECIMAL: sqlFunctionOf(conversions.castToDecimal).call,
  BOOLEAN: sqlFunctionOf(conversions.castToBoolean).call,
} as const

/** A text as CAST makes it another type; NULL where it cannot. */
export function castText(type: CastType, text: string): SqlValue {
  return type === 'STRING' ? text : casts[type](text)
}

/** A run of one call: it has no place in a text, and its own measure of work. */
function meteredRun(args: readonly SqlValue[]): Run {
  const length = args.reduce<number>(
    (sum, arg) => sum + (typeof arg === 'string' ? arg.length : 0),
    0,
  )
  // What is given may be looked at as a whole, however long: a result of a database is one text.
  const most = EVALUATION_CHARACTERS_MAX + length * READINGS
  let left = most
  const fail = (problem: string): never => {
    throw new ExpressionError(problem, '', { from: 0, until: 0 })
  }
  return {
    fail,
    charge: (characters) => {
      left -= characters
      if (left < 0) fail(`Too much text to process: at most ${most} characters`)
    },
  }
}

function toSql(value: ExpressionValue, isDouble: boolean): SqlValue {
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value !== 'number' || isDouble || !Number.isSafeInteger(value)) return value
  return BigInt(value)
}
