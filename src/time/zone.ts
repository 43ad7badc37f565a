/**
 * Offsets of an IANA time zone as two sorted columns, read from Temporal once, so that no look-up
 * on the way of a sample or a boundary touches Temporal. Segment i begins at starts[i] and has the
 * offset offsets[i]; the first begins at -Infinity. Later than the table, times are looked up where the
 * calendar was the same before.
 */
import { countAtMost, type EpochMs, epochMs, invariant, refuse } from '../base/plain.ts'

/** Before 1883 no zone of the database keeps anything but local mean time. */
const TABLE_FROM = Date.UTC(1800, 0, 1)

/** In 400 years the calendar comes round to the same dates and weekdays, and zones have rules by these. */
const ROUND_MS = 146_097 * 86_400_000

/** By 2100 all lists of single changes have ended; from there on one round stands for all later ones. */
const ROUND_UNTIL = Date.UTC(2100, 0, 1) + ROUND_MS

/** A year more than is asked, so that the last segment is not one that the table cuts off. */
const TABLE_UNTIL = Date.UTC(2501, 0, 1)

/** About 1,100 offset changes lie in 700 years; more means a zone database that makes no sense. */
const CHANGES_MAX = 10_000

/** One time zone: what the wall clock shows at an instant, and when it first shows a time. */
export interface Zone {
  /** The IANA name in its usual capitals; an alias stays the alias that was asked for. */
  readonly id: string
  /** Whether its clocks never changed, as those of UTC. */
  readonly isFixed: boolean
  /** What is added to an instant to get the wall-clock time, in whole milliseconds. */
  offsetMs(at: number): number
  /** The offsets of many instants at once; fastest when the instants are sorted. */
  offsetsMs(times: Float64Array): Float64Array
  /**
   * The first instant at which the wall clock shows `wall` or later (a wall-clock time counted like
   * epoch milliseconds). A time that occurs twice is the first of the two; one that a jump leaves
   * out is the jump.
   */
  firstInstantAt(wall: number): EpochMs
  /** Forward jumps of a day or more, by which whole local days are missing. */
  readonly skippedDays: readonly WallJump[]
}

/** A stretch of wall-clock time that never was. */
interface WallJump {
  readonly at: EpochMs
  readonly wallBefore: number
  readonly wallAfter: number
}

const zones = new Map<string, Zone>()

/** The usual spelling of an IANA zone name or alias, or undefined when there is no such zone. */
export function canonicalTimeZone(timeZoneId: string): string | undefined {
  // Temporal also takes offsets such as +05:30; these are no zones with rules of their own.
  if (!/^[A-Za-z][\w+/-]*$/.test(timeZoneId)) return undefined
  try {
    return new Temporal.ZonedDateTime(0n, timeZoneId).timeZoneId
  } catch {
    return undefined
  }
}

/** The zone of an IANA name; refuses a name that the zone database does not know. */
export function loadZone(timeZoneId: string): Zone {
  const known = zones.get(timeZoneId)
  if (known !== undefined) return known
  const id = canonicalTimeZone(timeZoneId)
  if (id === undefined) {
    refuse('bad_input', {
      what: `Unknown time zone "${timeZoneId}". Use an IANA name such as Europe/Berlin or UTC`,
    })
  }
  // Kept under the usual spelling only, so that the cache is bounded by the zone database.
  const cached = zones.get(id)
  if (cached !== undefined) return cached
  const zone = readZone(id)
  zones.set(id, zone)
  return zone
}

function readZone(id: string): Zone {
  const starts = [Number.NEGATIVE_INFINITY]
  let at = Temporal.Instant.fromEpochMilliseconds(TABLE_FROM).toZonedDateTimeISO(id)
  const offsets = [Math.round(at.offsetNanoseconds / 1e6)]
  for (;;) {
    const change = at.getTimeZoneTransition('next')
    if (change === null || change.epochMilliseconds >= TABLE_UNTIL) break
    at = change
    const offset = Math.round(change.offsetNanoseconds / 1e6)
    if (offset === offsets[offsets.length - 1]) continue
    starts.push(change.epochMilliseconds)
    offsets.push(offset)
    invariant(starts.length < CHANGES_MAX, `time zone ${id} has too many offset changes`)
  }
  return zoneOf(id, Float64Array.from(starts), Float64Array.from(offsets))
}

function zoneOf(id: string, starts: Float64Array, offsets: Float64Array): Zone {
  // wallEnds[i]: the latest wall-clock time, exclusive, shown up to the end of segment i.
  const wallEnds = new Float64Array(starts.length).fill(Number.POSITIVE_INFINITY)
  for (let i = 0; i + 1 < starts.length; i++) {
    const before = i === 0 ? Number.NEGATIVE_INFINITY : wallEnds[i - 1]
    wallEnds[i] = Math.max(before, starts[i + 1] + offsets[i])
  }
  let last = starts.length - 1
  /** The segment with columns[i] ≤ value < columns[i + 1]; neighbours in time share it. */
  const segmentAt = (at: number): number => {
    if (at >= starts[last] && (last + 1 === starts.length || at < starts[last + 1])) return last
    last = countAtMost(starts, at) - 1
    return last
  }
  return {
    id,
    isFixed: starts.length === 1,
    offsetMs: (at) => offsets[segmentAt(at < ROUND_UNTIL ? at : at - roundsBehind(at))],
    offsetsMs: (times) =>
      times.map((at) => offsets[segmentAt(at < ROUND_UNTIL ? at : at - roundsBehind(at))]),
    firstInstantAt: (asked) => {
      const rounds = asked < ROUND_UNTIL ? 0 : roundsBehind(asked)
      const wall = asked - rounds
      const guess = segmentAt(wall - offsets[last])
      const isIn = wall < wallEnds[guess] && (guess === 0 || wall >= wallEnds[guess - 1])
      const segment = isIn ? guess : countAtMost(wallEnds, wall)
      return epochMs(Math.max(starts[segment], wall - offsets[segment]) + rounds)
    },
    skippedDays: skippedDays(starts, offsets),
  }
}

/** By how many milliseconds of whole rounds a late time lies behind its like in the table. */
function roundsBehind(time: number): number {
  return (Math.floor((time - ROUND_UNTIL) / ROUND_MS) + 1) * ROUND_MS
}

function skippedDays(starts: Float64Array, offsets: Float64Array): WallJump[] {
  const jumps: WallJump[] = []
  for (let i = 1; i < starts.length; i++) {
    if (offsets[i] - offsets[i - 1] < 86_400_000) continue
    const [wallBefore, wallAfter] = [starts[i] + offsets[i - 1], starts[i] + offsets[i]]
    jumps.push({ at: epochMs(starts[i]), wallBefore, wallAfter })
  }
  return jumps
}
