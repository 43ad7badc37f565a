import {
  characterCount,
  ID_LENGTH_MAX,
  isSampleTime,
  refuse,
  SAMPLES_PER_CALL_MAX,
} from '../../base/index.ts'
import {
  IncomingSamples,
  OpenTargets,
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from '../../feed/index.ts'
import { LongNumber } from './long-number.ts'

type JsonRecord = { readonly [key: string]: unknown }

/** Whether a parsed JSON value is an object, not a list. */
export function isRecord(value: unknown): value is JsonRecord {
  if (typeof value !== 'object' || value === null) return false
  return !Array.isArray(value) && !(value instanceof LongNumber)
}

/** A value as a message may show it: short, as JSON. */
export function showValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value))
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

/** Refuses a field of a body, naming where it stands. */
export function refuseField(where: string, field: string, what: string): never {
  refuse('bad_input', { what: `Cannot accept ${where}: "${field}" ${what}` })
}

/** An ID as a call must give it: a text of 1 to 512 characters that is not blank. */
export function readId(value: unknown, where: string, field: string): string {
  if (value === undefined) refuseField(where, field, 'is missing')
  if (typeof value !== 'string')
    refuseField(where, field, `must be a text, got ${showValue(value)}`)
  if (value.trim() === '') refuseField(where, field, 'must not be blank')
  if (value.length > ID_LENGTH_MAX && characterCount(value) > ID_LENGTH_MAX) {
    const count = characterCount(value)
    refuseField(where, field, `has ${count} characters: at most ${ID_LENGTH_MAX}`)
  }
  if (!value.isWellFormed()) refuseField(where, field, 'holds half of a surrogate pair')
  return value
}

/** A time as a call may give it: NaN when the server shall assign it. */
export function readTime(value: unknown, where: string, field = 'time'): number {
  if (value === undefined || value === null) return Number.NaN
  const time = value instanceof LongNumber ? value.nearest : value
  if (typeof time === 'number' && isSampleTime(time)) return time
  const rule = 'must be a whole number of epoch milliseconds from 1900 to 2261'
  refuseField(where, field, `${rule}, got ${showValue(value)}`)
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
      samples.add(0, time, { kind: VALUE_TEXT, number: 0, text: value.toWellFormed() })
      return
    case 'boolean':
      samples.add(0, time, { kind: value ? VALUE_TRUE : VALUE_FALSE, number: 0, text: undefined })
      return
    default:
      if (value === undefined) refuseField(where, 'data', 'is missing')
      if (value instanceof LongNumber) {
        const { nearest, text } = value
        samples.add(0, time, { kind: VALUE_LONG_NUMBER, number: nearest, text })
        return
      }
      if (value !== null) {
        refuseField(
          where,
          'data',
          'must be a number, text, true, false or null, not a list or object',
        )
      }
      samples.add(0, time, { kind: VALUE_NULL, number: 0, text: undefined })
  }
}

/** Stops a call that brings more samples than one call may. */
export function requireSampleCount(count: number): void {
  if (count > SAMPLES_PER_CALL_MAX) refuse('too_many_samples', { samplesMax: SAMPLES_PER_CALL_MAX })
}

/** Reads the array form of a feed body that JSON.parse has read; every stream stays open. */
export function readFeedArray(list: readonly unknown[]): IncomingSamples {
  requireSampleCount(list.length)
  const samples = new IncomingSamples(list.length)
  const targets = new OpenTargets(samples)
  for (let index = 0; index < list.length; index++) {
    const sample = list[index]
    const where = `sample ${index}`
    if (!isRecord(sample)) {
      refuse('bad_input', {
        what: `Cannot accept ${where}: it must be an object, got ${showValue(sample)}`,
      })
    }
    const compId = readId(sample.compId, where, 'compId')
    const streamId = readId(sample.streamId, where, 'streamId')
    const time = readTime(sample.time, where)
    targets.addById(compId, streamId, index)
    addValue(samples, time, sample.data, where)
  }
  return samples
}
