/**
 * Boundaries of cycles as Temporal computes them, one by one. Nothing here is shared with the
 * implementation.
 */
import assert from 'node:assert/strict'
import type { CycleDefinition } from '../../src/time/index.ts'
import { testSeeds } from './random.ts'

const unitName = {
  MILLISEC: 'milliseconds',
  SECOND: 'seconds',
  MINUTE: 'minutes',
  HOUR: 'hours',
  DAY: 'days',
  WEEK: 'weeks',
  MONTH: 'months',
  YEAR: 'years',
  CUSTOM: 'days',
} as const
const fixedMs = { MILLISEC: 1, SECOND: 1_000, MINUTE: 60_000, HOUR: 3_600_000 }
const roughMs = { MONTH: 2_629_746_000, YEAR: 31_556_952_000, WEEK: 604_800_000, DAY: 86_400_000 }

/** Whether the periods of a cycle follow the calendar instead of elapsed time. */
export function isCalendar({ sizeType }: CycleDefinition): boolean {
  return sizeType in roughMs
}

const known = new Map<string, number>()

/** The boundary that lies some turns after the reference date. */
export function boundary(definition: CycleDefinition, zone: string, index: number): number {
  if (isCalendar(definition)) return calendarBoundary(definition, zone, index)
  const reference = calendarBoundary(definition, zone, 0)
  return reference + index * definition.count * fixedMs[definition.sizeType as 'HOUR']
}

function calendarBoundary(definition: CycleDefinition, zone: string, index: number): number {
  const { sizeType, count, referenceDate } = definition
  const key = `${sizeType} ${count} ${referenceDate} ${zone} ${index}`
  const before = known.get(key)
  if (before !== undefined) return before
  if (known.size > 200_000) known.clear()
  const step = { [unitName[sizeType]]: count * index }
  const at = firstShown(Temporal.PlainDateTime.from(referenceDate).add(step), zone)
  known.set(key, at.epochMilliseconds)
  return at.epochMilliseconds
}

/** When the clocks of a zone first show a time, or jump over it. */
function firstShown(wall: Temporal.PlainDateTime, zone: string): Temporal.ZonedDateTime {
  const shown = wall.toZonedDateTime(zone, { disambiguation: 'compatible' })
  if (shown.toPlainDateTime().equals(wall)) return shown
  const jump = shown.add({ milliseconds: 1 }).getTimeZoneTransition('previous')
  assert.ok(jump)
  return jump
}

/** The turn whose period holds an instant. */
export function periodIndexAt(definition: CycleDefinition, zone: string, at: number): number {
  const [reference, second] = [boundary(definition, zone, 0), boundary(definition, zone, 1)]
  const rough = roughMs[definition.sizeType as 'DAY'] * definition.count
  const mean = isCalendar(definition) ? rough : second - reference
  let index = Math.floor((at - reference) / mean)
  while (boundary(definition, zone, index) > at) index -= 1
  while (boundary(definition, zone, index + 1) <= at) index += 1
  return index
}

/** A small random generator of our own, so that a printed seed repeats a run. */
export function generator(start: number): (below: number) => number {
  let state = start >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** The seed of this run. */
export const seed = testSeeds(1)[0] % 1_000_000
