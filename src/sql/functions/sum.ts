import { ExactSums } from '../../base/plain.ts'
import type { SqlCell } from '../compiled-sql.ts'
import { SqlFailure } from '../sql-failure.ts'

/** A sum on its way, exact: it is rounded at its end, if at all. */
interface Sum {
  count: number
  whole: bigint
  /** Most groups are of whole numbers alone, or of doubles alone. */
  doubles: ExactSums | undefined
  place: number | undefined
  /** The error. It is thrown at the end, as SQLite drops errors of steps. */
  failure: string | undefined
}

const NOT_FINITE = 'The result of sum() is not finite'
const NO_FAILURE = { place: undefined, failure: undefined }

/** A sum of nothing. */
export function newSum(): Sum {
  return { count: 0, whole: 0n, doubles: undefined, ...NO_FAILURE }
}

/** Adds a value; before it may stand the number of the place that a failure names. */
export function addToSum(sum: Sum, ...args: SqlCell[]): Sum {
  const value = args[args.length - 1]
  if (args.length > 1) sum.place = Number(args[0])
  if (value === null || sum.failure !== undefined) return sum
  if (typeof value === 'string') {
    const shown = JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
    sum.failure = `sum() needs numbers, got the text ${shown}. Convert with CAST(… AS DOUBLE)`
    return sum
  }
  sum.count += 1
  if (typeof value === 'bigint') sum.whole += value
  else if (!Number.isFinite(value)) sum.failure = NOT_FINITE
  else {
    sum.doubles ??= newExactSum()
    sum.doubles.add(0, value)
  }
  return sum
}

/** One exact sum, at index 0. */
export function newExactSum(): ExactSums {
  return new ExactSums(new Float64Array(1), new Float64Array(1))
}

/** Adds a whole number of any length: a double holds 53 bits of what is left. */
function addWhole(sums: ExactSums, whole: bigint): void {
  for (let left = whole; left !== 0n; ) {
    const part = Number(left)
    sums.add(0, part)
    left -= BigInt(part)
  }
}

/** The sum: NULL of nothing, DOUBLE beyond what a LONG holds; fails where it is not finite. */
export function sumOf({ count, whole, doubles, place, failure }: Sum): SqlCell {
  if (failure !== undefined) throw new SqlFailure(failure, place)
  if (count === 0) return null
  if (doubles === undefined && BigInt.asIntN(64, whole) === whole) return whole
  const sums = doubles ?? newExactSum()
  addWhole(sums, whole)
  const total = sums.value(0)
  if (Number.isFinite(total)) return total
  throw new SqlFailure(NOT_FINITE, place)
}
