import type { Present, Run } from './operation.ts'

const LONG_BITS = 64

/** Whether a whole number fits in a LONG. */
export function isLong(whole: bigint): boolean {
  return BigInt.asIntN(LONG_BITS, whole) === whole
}

/** A LONG as values keep it: a number up to 2^53, a bigint beyond. */
export function shortenLong(whole: bigint): number | bigint {
  const isSafe =
    whole <= BigInt(Number.MAX_SAFE_INTEGER) && whole >= BigInt(Number.MIN_SAFE_INTEGER)
  return isSafe ? Number(whole) : whole
}

/** Whether a value is a whole number that is kept exactly; a LONG that became a DOUBLE is none. */
export function isExactWhole(value: Present): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
}

/** The text of any value: of a number the shortest that reads back as it, without .0 behind whole ones. */
export function textOfValue(value: Present): string {
  return typeof value === 'string' ? value : String(value)
}

/** A value in a message: short, and texts in quotes. */
export function showOperand(value: Present): string {
  if (typeof value !== 'string') return textOfValue(value)
  return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`
}

/** A value that must be a number; TRUE and FALSE count as 1 and 0. */
export function needNumber(run: Run, value: Present): number | bigint {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'string') return value
  const advice = 'Convert with CAST(… AS DOUBLE)'
  return run.fail(`Expected a number, got ${showOperand(value)}. ${advice}`)
}

/** A result that must be finite; NaN and infinities end the evaluation. */
export function finite(run: { fail(problem: string): never }, result: number, of: string): number {
  if (result - result === 0) return result
  return run.fail(`The result of ${of} is ${Number.isNaN(result) ? 'no number' : 'not finite'}`)
}
