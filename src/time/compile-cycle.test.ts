import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUILT_IN_CYCLES } from './built-in-cycles.ts'
import { compileCycle } from './compile-cycle.ts'
import type { Cycle, Period } from './cycle.ts'
import type { CycleDefinition, SizeType } from './cycle-definition.ts'
import { loadZone } from './zone.ts'

const HOUR = 3_600_000
const ms = (text: string): number => Date.parse(text)
const iso = (at: number): string => new Date(at).toISOString().replace(':00.000Z', 'Z')
const show = (period: Period | undefined): string =>
  period === undefined ? 'none' : `${iso(period.from)} ${iso(period.until)}`

function builtIn(cycleId: string, zone: string): Cycle {
  const definition = BUILT_IN_CYCLES.get(cycleId)
  assert.ok(definition, cycleId)
  return compileCycle(definition, loadZone(zone))
}

function own(sizeType: SizeType, count: number, referenceDate: string, zone = 'UTC'): Cycle {
  return compileCycle({ sizeType, count, referenceDate, timeZone: zone }, loadZone('UTC'))
}

test('periodOf() gives local days with their 23, 24 or 25 hours, hand-checked', () => {
  const check = (zone: string, at: string, from: string, until: string) =>
    assert.equal(show(builtIn('day', zone).periodOf(ms(at))), `${from} ${until}`, `${zone} ${at}`)
  // New York, 23 hours: from 00:00-05:00 to 00:00-04:00.
  check('America/New_York', '2024-03-10T07:00Z', '2024-03-10T05:00Z', '2024-03-11T04:00Z')
  check('America/New_York', '2024-03-10T04:59:59.999Z', '2024-03-09T05:00Z', '2024-03-10T05:00Z')
  // New York, 25 hours.
  check('America/New_York', '2024-11-03T06:30Z', '2024-11-03T04:00Z', '2024-11-04T05:00Z')
  // Lord Howe moves by half an hour: 24.5 and 23.5 hours.
  check('Australia/Lord_Howe', '2024-04-06T20:00Z', '2024-04-06T13:00Z', '2024-04-07T13:30Z')
  check('Australia/Lord_Howe', '2024-10-05T20:00Z', '2024-10-05T13:30Z', '2024-10-06T13:00Z')
  // Apia had no 30 December 2011: the 29th ends where the 31st starts.
  check('Pacific/Apia', '2011-12-30T09:59:59.999Z', '2011-12-29T10:00Z', '2011-12-30T10:00Z')
  check('Pacific/Apia', '2011-12-30T10:00Z', '2011-12-30T10:00Z', '2011-12-31T10:00Z')
  // Kathmandu is at +05:45; on 1 January 1986 it lost its first quarter of an hour.
  check('Asia/Kathmandu', '2024-05-01T00:00Z', '2024-04-30T18:15Z', '2024-05-01T18:15Z')
  check('Asia/Kathmandu', '1986-01-01T00:00Z', '1985-12-31T18:30Z', '1986-01-01T18:15Z')
  // No midnight in Sao Paulo, two of them in Havana, the clock back at 00:01 in St John's.
  check('America/Sao_Paulo', '2018-11-04T12:00Z', '2018-11-04T03:00Z', '2018-11-05T02:00Z')
  check('America/Havana', '2024-11-03T12:00Z', '2024-11-03T04:00Z', '2024-11-04T05:00Z')
  check('America/St_Johns', '2006-10-29T02:31Z', '2006-10-29T02:30Z', '2006-10-30T03:30Z')
  // Kwajalein lived 30 September 1969 twice, and skipped 21 August 1993.
  check('Pacific/Kwajalein', '1969-10-01T00:00Z', '1969-09-29T13:00Z', '1969-10-01T12:00Z')
  check('Pacific/Kwajalein', '1993-08-21T12:00Z', '1993-08-21T12:00Z', '1993-08-22T12:00Z')
  check('UTC', '1900-01-01T00:00Z', '1900-01-01T00:00Z', '1900-01-02T00:00Z')
  check('UTC', '2261-12-31T23:59:59.999Z', '2261-12-31T00:00Z', '2262-01-01T00:00Z')
})

test('periodOf() gives the other built-in cycles, hand-checked', () => {
  const check = (cycleId: string, zone: string, at: string, from: string, until: string) =>
    assert.equal(show(builtIn(cycleId, zone).periodOf(ms(at))), `${from} ${until}`, cycleId)
  check('week', 'Europe/Berlin', '2024-03-31T12:00Z', '2024-03-24T23:00Z', '2024-03-31T22:00Z')
  check('month', 'America/New_York', '2024-03-15T00:00Z', '2024-03-01T05:00Z', '2024-04-01T04:00Z')
  check('quarter', 'UTC', '2023-12-31T23:59Z', '2023-10-01T00:00Z', '2024-01-01T00:00Z')
  check('year', 'Asia/Kathmandu', '2024-07-01T00:00Z', '2023-12-31T18:15Z', '2024-12-31T18:15Z')
  // Hours start at the full hour of today's clocks also where the offset is no whole hour.
  check('hour', 'Asia/Kathmandu', '2024-05-01T00:00Z', '2024-04-30T23:15Z', '2024-05-01T00:15Z')
  check('hour', 'Asia/Kolkata', '2024-05-01T00:00Z', '2024-04-30T23:30Z', '2024-05-01T00:30Z')
  check('15min', 'Asia/Kathmandu', '2024-05-01T00:14Z', '2024-05-01T00:00Z', '2024-05-01T00:15Z')
  // A half-hour change does not bend an hour: it keeps its distance from the reference date.
  check(
    'hour',
    'Australia/Lord_Howe',
    '2024-06-01T00:00Z',
    '2024-06-01T00:00Z',
    '2024-06-01T01:00Z',
  )
  check('5min', 'UTC', '1960-01-01T00:04Z', '1960-01-01T00:00Z', '1960-01-01T00:05Z')
})

test('periodOf() starts every turn at the reference day, or at the last day of a short month', () => {
  const starts = (cycle: Cycle, from: string, until: string): string[] =>
    [...cycle.periods({ from: ms(from), until: ms(until) }, 100).froms].map((at) =>
      iso(at).slice(0, 10),
    )
  assert.deepEqual(starts(own('MONTH', 1, '2024-01-31'), '2024-01-31', '2024-05-31'), [
    '2024-01-31',
    '2024-02-29',
    '2024-03-31',
    '2024-04-30',
  ])
  assert.deepEqual(starts(own('MONTH', 1, '2023-12-31'), '2023-01-31', '2023-04-01'), [
    '2023-01-31',
    '2023-02-28',
    '2023-03-31',
  ])
  assert.deepEqual(starts(own('YEAR', 1, '2024-02-29'), '2024-02-29', '2028-03-01'), [
    '2024-02-29',
    '2025-02-28',
    '2026-02-28',
    '2027-02-28',
    '2028-02-29',
  ])
  assert.deepEqual(starts(own('WEEK', 2, '2024-01-03'), '2023-12-20', '2024-02-01'), [
    '2023-12-20',
    '2024-01-03',
    '2024-01-17',
    '2024-01-31',
  ])
})

test('the zone of a definition counts before the one it is compiled with', () => {
  const day = own('DAY', 1, '2024-01-01', 'America/New_York')
  assert.equal(show(day.periodOf(ms('2024-06-01T00:00Z'))), '2024-05-31T04:00Z 2024-06-01T04:00Z')
})

test('next() and previous() step over a day that never was', () => {
  const day = builtIn('day', 'Pacific/Apia')
  const after = ms('2011-12-30T10:00Z')
  assert.equal(show(day.next(after - 1)), '2011-12-30T10:00Z 2011-12-31T10:00Z')
  assert.equal(show(day.previous(after)), '2011-12-29T10:00Z 2011-12-30T10:00Z')
  assert.equal(show(day.previous(after - 1)), '2011-12-28T10:00Z 2011-12-29T10:00Z')
})

test('edges(), countPeriods() and countStarts() leave a skipped day out', () => {
  const day = builtIn('day', 'Pacific/Apia')
  const range = { from: ms('2011-12-28T10:00Z'), until: ms('2012-01-01T10:00Z') }
  assert.deepEqual([...day.edges(range)].map(iso), [
    '2011-12-28T10:00Z',
    '2011-12-29T10:00Z',
    '2011-12-30T10:00Z',
    '2011-12-31T10:00Z',
    '2012-01-01T10:00Z',
  ])
  assert.equal(day.countPeriods(range), 4)
  assert.equal(day.countStarts(range), 4)
  assert.equal(day.countStarts({ from: range.from + 1, until: range.until + 1 }), 4)
  assert.equal(day.countPeriods({ from: range.from + 1, until: range.until + 1 }), 5)
  assert.equal(day.countPeriods({ from: range.from, until: range.from }), 0)
  assert.equal(day.edges({ from: range.from, until: range.from }).length, 0)
})

test('fixedMs decides whether all periods are equally long', () => {
  assert.equal(builtIn('hour', 'America/New_York').fixedMs, HOUR)
  assert.equal(builtIn('day', 'UTC').fixedMs, 24 * HOUR)
  assert.equal(builtIn('day', 'America/New_York').fixedMs, undefined)
  assert.equal(builtIn('month', 'UTC').fixedMs, undefined)
})

test('periods() gives the latest of a limit', () => {
  const { count, froms, untils } = builtIn('hour', 'UTC').periods(
    { from: ms('2000-01-01T00:00Z'), until: ms('2024-01-01T00:30Z') },
    2,
  )
  assert.equal(count, 2)
  assert.deepEqual([...froms].map(iso), ['2023-12-31T23:00Z', '2024-01-01T00:00Z'])
  assert.deepEqual([...untils].map(iso), ['2024-01-01T00:00Z', '2024-01-01T01:00Z'])
})

test('a CUSTOM cycle has exactly its intervals, and no period between them', () => {
  const definition: CycleDefinition = {
    sizeType: 'CUSTOM',
    count: 1,
    referenceDate: '',
    timeZone: 'America/New_York',
    intervals: [
      { from: '2024-11-03T12:00', until: '2024-12-01' },
      { from: '2024-03-10', until: '2024-03-11' },
      { from: '2024-11-03', until: '2024-11-03T12:00' },
    ],
  }
  const cycle = compileCycle(definition, loadZone('UTC'))
  assert.equal(cycle.periodOf(ms('2024-03-10T04:59:59.999Z')), undefined)
  const spring = '2024-03-10T05:00Z 2024-03-11T04:00Z'
  assert.equal(show(cycle.periodOf(ms('2024-03-10T05:00Z'))), spring)
  assert.equal(show(cycle.periodOf(ms('2024-03-11T03:59:59.999Z'))), spring)
  assert.equal(cycle.periodOf(ms('2024-03-11T04:00Z')), undefined)
  assert.equal(show(cycle.previous(ms('2024-05-01T00:00Z'))), spring)
  assert.equal(cycle.previous(ms('2024-03-10T05:00Z')), undefined)
  assert.equal(show(cycle.next(ms('2024-05-01T00:00Z'))), '2024-11-03T04:00Z 2024-11-03T17:00Z')
  assert.equal(cycle.next(ms('2024-11-03T17:00Z')), undefined)
  const all = { from: ms('2024-03-11T00:00Z'), until: ms('2024-11-03T17:00:00.001Z') }
  assert.equal(cycle.countPeriods(all), 3)
  assert.equal(cycle.countStarts(all), 2)
  assert.equal(cycle.periods(all, 2).count, 2)
  assert.deepEqual([...cycle.edges(all)].map(iso), [
    '2024-03-10T05:00Z',
    '2024-03-11T04:00Z',
    '2024-11-03T04:00Z',
    '2024-11-03T17:00Z',
    '2024-12-01T05:00Z',
  ])
})

test('a CUSTOM interval that falls into a clock change holds nothing', () => {
  const intervals = [{ from: '2024-03-10T02:00', until: '2024-03-10T02:30' }]
  const cycle = compileCycle(
    { sizeType: 'CUSTOM', count: 1, referenceDate: '', timeZone: '', intervals },
    loadZone('America/New_York'),
  )
  assert.equal(cycle.periodOf(ms('2024-03-10T07:00Z')), undefined)
  assert.equal(cycle.countPeriods({ from: 0, until: ms('2030-01-01T00:00Z') }), 0)
})

test('edges() of 100,000 local days are 23, 24 or 25 hours apart', () => {
  const edges = builtIn('day', 'Europe/Berlin').edges({
    from: ms('1981-01-01T00:00Z'),
    until: ms('2254-10-16T00:00Z'),
  })
  assert.equal(edges.length, 100_001)
  const lengths = new Set(edges.subarray(1).map((edge, index) => (edge - edges[index]) / HOUR))
  assert.deepEqual([...lengths].sort(), [23, 24, 25])
})
