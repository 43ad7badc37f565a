import type { SqlCell } from '../compiled-sql.ts'
import { SqlFailure } from '../sql-failure.ts'

/** A sum on its way: whole numbers are exact, doubles carry what rounding has cut off. */
interface Sum {
  count: number
  whole: bigint
  doubles: number
  rest: number
  hasDouble: boolean
  place: number | undefined
  /** What went wrong; told at the end, as SQLite drops what a step throws. */
  failure: string | undefined
}

const NO_FAILURE = { place: undefined, failure: undefined }

/** A sum of nothing. */
export function newSum(): Sum {
  return { count: 0, whole: 0n, doubles: 0, rest: 0, hasDouble: false, ...NO_FAILURE }
}

/** Adds a value; before it may stand the number of the place that a failure names. */
export function addToSum(sum: Sum, ...args: SqlCell[]): Sum {
  const value = args[args.length - 1]
  if (args.length > 1) sum.place = Number(args[0])
  if (value === null || sum.failure !== undefined) return sum
  if (typeof value === 'string') {
    const shown = JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
    sum.failure = `sum() adds numbers, got the text ${shown}: CAST(… AS DOUBLE) reads them`
    return sum
  }
  sum.count += 1
  if (typeof value === 'bigint') sum.whole += value
  else addDouble(sum, value)
  return sum
}

/** Neumaier's sum. */
function addDouble(sum: Sum, value: number): void {
  const next = sum.doubles + value
  sum.rest +=
    Math.abs(sum.doubles) >= Math.abs(value)
      ? sum.doubles - next + value
      : value - next + sum.doubles
  sum.doubles = next
  sum.hasDouble = true
}

/** The sum: NULL of nothing, DOUBLE beyond what a LONG holds; fails where it is not finite. */
export function sumOf({ count, whole, doubles, rest, hasDouble, place, failure }: Sum): SqlCell {
  if (failure !== undefined) throw new SqlFailure(failure, place)
  if (count === 0) return null
  if (!hasDouble && BigInt.asIntN(64, whole) === whole) return whole
  const total = doubles + rest + Number(whole)
  if (Number.isFinite(total)) return total
  throw new SqlFailure('The result of sum() is not finite', place)
}
