/**
 * Every cycle in every zone against boundaries that Temporal computes one by one.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CycleDefinition, compileCycle, loadZone } from '../../src/time/index.ts'
import { boundary, generator, isCalendar, periodIndexAt, seed } from '../support/calendar-oracle.ts'

const definitions: CycleDefinition[] = [
  { sizeType: 'MILLISEC', count: 250, referenceDate: '2024-01-01T00:00:00.125', timeZone: '' },
  { sizeType: 'MINUTE', count: 15, referenceDate: '2024-01-01', timeZone: '' },
  { sizeType: 'HOUR', count: 1, referenceDate: '2024-01-01', timeZone: '' },
  { sizeType: 'HOUR', count: 5, referenceDate: '1999-07-01T02:30', timeZone: '' },
  { sizeType: 'DAY', count: 1, referenceDate: '2024-01-01', timeZone: '' },
  { sizeType: 'DAY', count: 1, referenceDate: '2024-01-01T02:30', timeZone: '' },
  { sizeType: 'DAY', count: 3, referenceDate: '1970-01-02', timeZone: '' },
  { sizeType: 'WEEK', count: 1, referenceDate: '2024-01-01', timeZone: '' },
  { sizeType: 'MONTH', count: 1, referenceDate: '2024-01-31', timeZone: '' },
  { sizeType: 'MONTH', count: 3, referenceDate: '2024-01-01', timeZone: '' },
  { sizeType: 'YEAR', count: 1, referenceDate: '2024-02-29T01:00', timeZone: '' },
]

/** A few instants anywhere, and a few around clock changes, where it hurts. */
function instantsOf(zone: string, random: (below: number) => number): number[] {
  const anywhere = (): number => Date.UTC(1900, 0, 1) + random(2 ** 32) * 2_659 + random(2_659)
  const instants = [anywhere(), anywhere()]
  for (let i = 0; i < 3; i++) {
    const change = Temporal.Instant.fromEpochMilliseconds(anywhere())
      .toZonedDateTimeISO(zone)
      .getTimeZoneTransition(random(2) === 0 ? 'next' : 'previous')
    if (change === null || change.year < 1900 || change.year > 2261) continue
    const day = change.epochMilliseconds
    instants.push(day - 1, day, day + random(86_400_000), day - random(86_400_000))
  }
  return instants
}

test(`cycles agree with Temporal in every zone (seed ${seed})`, () => {
  const random = generator(seed)
  for (const zoneId of Intl.supportedValuesOf('timeZone')) {
    const zone = loadZone(zoneId)
    for (const definition of definitions) {
      const cycle = compileCycle(definition, zone)
      for (const at of instantsOf(zoneId, random)) {
        const index = periodIndexAt(definition, zoneId, at)
        const expected = {
          from: boundary(definition, zoneId, index),
          until: boundary(definition, zoneId, index + 1),
        }
        const about = `${zoneId} ${definition.sizeType} ${definition.count} ${at} seed ${seed}`
        assert.deepEqual(cycle.periodOf(at), expected, about)
        assert.equal(cycle.next(at)?.from, expected.until, about)
        assert.equal(cycle.previous(at)?.until, expected.from, about)
      }
    }
  }
})

test(`edges and counts agree with Temporal over whole stretches (seed ${seed})`, () => {
  const random = generator(seed + 1)
  const zones = ['Pacific/Apia', 'America/Havana', 'Australia/Lord_Howe', 'Africa/Casablanca']
  const picked = Intl.supportedValuesOf('timeZone').filter(() => random(40) === 0)
  for (const zoneId of [...zones, ...picked]) {
    for (const definition of definitions.filter(isCalendar)) {
      const from = Date.UTC(2010, 0, 1) + random(2 ** 31)
      const until = from + 1 + random(120) * 86_400_000
      const edges = new Set<number>()
      const first = periodIndexAt(definition, zoneId, from)
      for (let index = first; ; index++) {
        const edge = boundary(definition, zoneId, index)
        edges.add(edge)
        if (edge >= until) break
      }
      const cycle = compileCycle(definition, loadZone(zoneId))
      const about = `${zoneId} ${JSON.stringify(definition)} ${from} ${until}`
      assert.deepEqual([...cycle.edges({ from, until })], [...edges], about)
      assert.equal(cycle.countPeriods({ from, until }), edges.size - 1, about)
      const starts = [...edges].filter((edge) => edge >= from && edge < until)
      assert.equal(cycle.countStarts({ from, until }), starts.length, about)
    }
  }
})
