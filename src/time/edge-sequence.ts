import { type CycleDefinition, readReferenceDate, UNIT_MS } from './cycle-definition.ts'
import { addMonths } from './wall-time.ts'
import type { Zone } from './zone.ts'

/**
 * The boundaries of a cycle, numbered; number 0 lies at the reference date. Boundaries never go
 * back as the number grows; two are equal where a zone skipped the whole period between them.
 */
export interface EdgeSequence {
  edge(index: number): number
  /** The greatest index whose boundary is at or before an instant. */
  indexAt(at: number): number
  /** The distance of all boundaries, undefined where it differs. */
  readonly fixedMs: number | undefined
  /** Every index whose period has no instant at all (edge(i) = edge(i + 1)), sorted. */
  readonly emptyIndexes: readonly number[]
}

/** The boundaries a definition other than CUSTOM has in a zone. */
export function edgeSequence(definition: CycleDefinition, zone: Zone): EdgeSequence {
  const reference = readReferenceDate(definition.referenceDate)
  const { sizeType, count } = definition
  switch (sizeType) {
    case 'DAY':
    case 'WEEK':
      return dayEdges(zone, reference, count * UNIT_MS[sizeType])
    case 'MONTH':
      return monthEdges(zone, reference, count)
    case 'YEAR':
      return monthEdges(zone, reference, count * 12)
    case 'CUSTOM':
      throw new Error('BUG: a CUSTOM cycle has no sequence of edges')
    default:
      return fixedEdges(zone.firstInstantAt(reference), count * UNIT_MS[sizeType])
  }
}

/** Elapsed time only: clock changes do not stretch an hour. */
function fixedEdges(anchor: number, lengthMs: number): EdgeSequence {
  return {
    edge: (index) => anchor + index * lengthMs,
    indexAt: (at) => Math.floor((at - anchor) / lengthMs),
    fixedMs: lengthMs,
    emptyIndexes: [],
  }
}

function dayEdges(zone: Zone, reference: number, lengthMs: number): EdgeSequence {
  if (zone.isFixed) return fixedEdges(zone.firstInstantAt(reference), lengthMs)
  return calendarEdges(zone, {
    wallOf: (index) => reference + index * lengthMs,
    indexNear: (wall) => Math.floor((wall - reference) / lengthMs),
  })
}

function monthEdges(zone: Zone, reference: number, count: number): EdgeSequence {
  const monthsOf = (wall: number): number => {
    const date = new Date(wall)
    return date.getUTCFullYear() * 12 + date.getUTCMonth()
  }
  const referenceMonths = monthsOf(reference)
  return calendarEdges(zone, {
    // Counted from the reference each time: from January 31st, March starts on the 31st again.
    wallOf: (index) => addMonths(reference, index * count),
    indexNear: (wall) => Math.floor((monthsOf(wall) - referenceMonths) / count),
  })
}

interface WallRule {
  /** The wall-clock time of a boundary; strictly ascending. */
  wallOf(index: number): number
  /** A boundary at most a few away from a wall-clock time. */
  indexNear(wall: number): number
}

function calendarEdges(zone: Zone, { wallOf, indexNear }: WallRule): EdgeSequence {
  const edge = (index: number): number => zone.firstInstantAt(wallOf(index))
  const indexAt = (at: number): number => {
    let index = indexNear(at + zone.offsetMs(at))
    while (edge(index) > at) index -= 1
    while (edge(index + 1) <= at) index += 1
    return index
  }
  const emptyIndexes = zone.skippedDays.flatMap((jump) => {
    const empty: number[] = []
    for (let i = indexAt(jump.at); edge(i - 1) === jump.at; i--) empty.unshift(i - 1)
    return empty
  })
  return { edge, indexAt, fixedMs: undefined, emptyIndexes }
}
