/**
 * UIDs of payloads encode their place: the time and the row's number, in the form of a UUID of version
 * 8. So none needs an index of its own, which each call would have to write to at a random place.
 */
import { type EpochMs, epochMs } from '../../../base/index.ts'

const FORM = /^([0-9a-f]{8})-([0-9a-f]{4})-8000-8([0-9a-f]{3})-([0-9a-f]{12})$/
const EARLIER_FORM = /^([0-9a-f]{8})-([0-9a-f]{4})-8001-8([0-9a-f]{3})-([0-9a-f]{12})$/

/** Numbers are below 2^53, of which the last digits take 48 bits. */
const LOW_END = 2 ** 48

/** The UID of the payload with a number, which came at a time. */
export function payloadUid(time: EpochMs, number: number): string {
  const at = hex(Math.max(0, time), 12)
  const high = hex(Math.floor(number / LOW_END), 3)
  return `${at.slice(0, 8)}-${at.slice(8)}-8000-8${high}-${hex(number % LOW_END, 12)}`
}

/** The UID of a run of a payload that has run again since; no payload has it. */
export function earlierRunUid(payload: string, id: number): string {
  return `${payload.slice(0, 14)}8001-8${hex(Math.floor(id / LOW_END), 3)}-${hex(id % LOW_END, 12)}`
}

/** The place in a UID; undefined for a UID of no payload. */
export function readPayloadUid(uid: string): { time: EpochMs; number: number } | undefined {
  return read(FORM.exec(uid))
}

/** The number that the UID of an earlier run has; undefined for another UID. */
export function readEarlierRunUid(uid: string): number | undefined {
  return read(EARLIER_FORM.exec(uid))?.number
}

function read(found: RegExpExecArray | null): { time: EpochMs; number: number } | undefined {
  if (found === null) return undefined
  const [, early, late, high, low] = found
  const number = Number.parseInt(high, 16) * LOW_END + Number.parseInt(low, 16)
  if (!Number.isSafeInteger(number)) return undefined
  return { time: epochMs(Number.parseInt(early + late, 16)), number }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
