import { isSampleTime, refuseFieldAt, requireUnicode, showValue } from '../../base/plain.ts'
import {
  type IncomingSamples,
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from '../../feed/plain.ts'
import { parseTime, sampleTimeRule } from '../../time/index.ts'
import { LongNumber } from './long-number.ts'

/** What JSON.parse makes of an object. */
export type JsonRecord = { readonly [key: string]: unknown }

/** Whether a parsed JSON value is an object, not a list. */
export function isRecord(value: unknown): value is JsonRecord {
  if (typeof value !== 'object' || value === null) return false
  return !Array.isArray(value) && !(value instanceof LongNumber)
}

/** A time as a call may give it: NaN when the server shall assign it. */
export function readTime(value: unknown, where: string, field = 'time'): number {
  if (value === undefined || value === null) return Number.NaN
  const given = value instanceof LongNumber ? value.nearest : value
  // A text holds digits, as small devices put every value between quotes, or RFC 3339.
  const time = typeof given === 'string' ? parseTime(given) : given
  if (typeof time === 'number' && isSampleTime(time)) return time
  refuseFieldAt(where, field, `${sampleTimeRule(given)}, got ${showValue(value)}`)
}

/** Adds one value of a body to the columns. */
export function addValue(
  samples: IncomingSamples,
  time: number,
  value: unknown,
  where: string,
): void {
  switch (typeof value) {
    case 'number':
      samples.add(0, time, { kind: VALUE_NUMBER, number: value, text: undefined })
      return
    case 'string':
      samples.add(0, time, {
        kind: VALUE_TEXT,
        number: 0,
        text: requireUnicode(value, where, 'data'),
      })
      return
    case 'boolean':
      samples.add(0, time, { kind: value ? VALUE_TRUE : VALUE_FALSE, number: 0, text: undefined })
      return
    default:
      if (value === undefined) refuseFieldAt(where, 'data', 'is missing')
      if (value instanceof LongNumber) {
        const { nearest, text } = value
        samples.add(0, time, { kind: VALUE_LONG_NUMBER, number: nearest, text })
        return
      }
      if (value !== null) {
        refuseFieldAt(
          where,
          'data',
          'must be a number, string, true, false, or null, not a list or object',
        )
      }
      samples.add(0, time, { kind: VALUE_NULL, number: 0, text: undefined })
  }
}
