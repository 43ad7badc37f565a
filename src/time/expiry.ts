import { EARLIEST_TIME, type EpochMs, epochMs } from '../base/plain.ts'
import { UNIT_MS } from './cycle-definition.ts'
import { addMonths } from './wall-time.ts'
import type { Zone } from './zone.ts'

/** The units of ages. */
const AGE_UNITS = ['MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const

/** How old something may get: 90 DAY, 10 YEAR. */
export interface Age {
  readonly sizeType: (typeof AGE_UNITS)[number]
  readonly count: number
}

/**
 * The instant that lies an age before another: minutes and hours in elapsed time, days and longer
 * on the calendar of a zone, at the same time of day. Never before the earliest sample time.
 */
export function agedBefore(at: number, age: Age, zone: Zone): EpochMs {
  if (roughAgeMs(age) > at - EARLIEST_TIME) return EARLIEST_TIME
  return epochMs(Math.max(EARLIEST_TIME, countedBack(at, age, zone)))
}

function countedBack(at: number, { sizeType, count }: Age, zone: Zone): number {
  const wall = at + zone.offsetMs(at)
  switch (sizeType) {
    case 'MONTH':
      return zone.firstInstantAt(addMonths(wall, -count))
    case 'YEAR':
      return zone.firstInstantAt(addMonths(wall, -count * 12))
    case 'DAY':
    case 'WEEK':
      return zone.firstInstantAt(wall - count * UNIT_MS[sizeType])
    default:
      return at - count * UNIT_MS[sizeType]
  }
}

/** About how long an age is, in milliseconds. */
export function roughAgeMs({ sizeType, count }: Age): number {
  return count * UNIT_MS[sizeType]
}
