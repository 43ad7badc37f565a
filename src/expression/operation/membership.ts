import type { ExpressionValue } from '../expression-types.ts'
import { orderOf } from './comparisons.ts'
import type { Run } from './operation.ts'

/** The test of IN: NULL where nothing equals and something is NULL. */
export function isAmong(
  run: Run,
  subject: ExpressionValue,
  list: readonly ExpressionValue[],
): boolean | null {
  if (subject === null) return null
  let hasNull = false
  for (const value of list) {
    if (value === null) hasNull = true
    else if (orderOf(run, subject, value) === 0) return true
  }
  return hasNull ? null : false
}

/** The test of BETWEEN: FALSE where one bound decides, NULL where the other is missing. */
export function isWithin(
  run: Run,
  subject: ExpressionValue,
  [low, high]: readonly ExpressionValue[],
): boolean | null {
  if (subject === null) return null
  if (low !== null && orderOf(run, subject, low) < 0) return false
  if (high !== null && orderOf(run, subject, high) > 0) return false
  return low === null || high === null ? null : true
}
