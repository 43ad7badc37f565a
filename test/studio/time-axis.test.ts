import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tickTexts, timeTicks } from '../../studio/src/chart/time-ticks.ts'
import { rangeOfWord, usualWord } from '../../studio/src/state/range-words.ts'
import { momentText, offsetText } from '../../studio/src/ui/time/moment-text.ts'
import { momentTexts, offsetMarks } from '../../studio/src/ui/time/offset-marks.ts'
import { momentsOf, startOf, wallOf } from '../../studio/src/ui/time/zone-time.ts'
import { Random, testSeeds } from '../support/random.ts'

const HOUR = 3_600_000
const BERLIN = 'Europe/Berlin'
const ms = (text: string) => Date.parse(text)

test('timeTicks() marks the hours of a day of 23 hours by the clock', () => {
  const [from, until] = [ms('2026-03-28T23:00:00Z'), ms('2026-03-29T22:00:00Z')]
  const ticks = timeTicks(BERLIN, from, until, 3 * HOUR)
  assert.deepEqual(tickTexts(BERLIN, ticks), [
    '00:00\n29 Mar',
    '03:00',
    '06:00',
    '09:00',
    '12:00',
    '15:00',
    '18:00',
    '21:00',
    '00:00\n30 Mar',
  ])
  assert.equal(ticks[1] - ticks[0], 2 * HOUR, 'the hour from 2 to 3 is left out')
})

test('timeTicks() marks an hour that comes twice twice', () => {
  const [from, until] = [ms('2026-10-24T22:00:00Z'), ms('2026-10-25T04:00:00Z')]
  const ticks = timeTicks(BERLIN, from, until, HOUR)
  assert.deepEqual(tickTexts(BERLIN, ticks), [
    '00:00\n25 Oct',
    '01:00',
    '02:00',
    '02:00',
    '03:00',
    '04:00',
    '05:00',
  ])
  assert.equal(ticks.length, 7)
})

test('timeTicks() begins days at midnight, weeks on Mondays, months on the first, in odd zones', () => {
  const check = (zone: string, stepMs: number, expected: readonly string[]) => {
    const ticks = timeTicks(zone, ms('2026-10-20T12:00:00Z'), ms('2026-11-05T12:00:00Z'), stepMs)
    assert.deepEqual(
      ticks.map((at) => momentText(zone, at)),
      expected,
    )
  }
  check('Asia/Kathmandu', 5 * 24 * HOUR, ['2026-10-26 00:00:00', '2026-11-02 00:00:00'])
  check('Australia/Lord_Howe', 20 * 24 * HOUR, ['2026-11-01 00:00:00'])
})

for (const seed of testSeeds(1)) {
  test(`timeTicks() stays within range and bounds (WEIR_TEST_SEED=${seed})`, () => {
    const random = new Random(seed)
    const zones = [BERLIN, 'America/St_Johns', 'Pacific/Apia', 'UTC', 'Africa/Casablanca']
    for (let round = 0; round < 100; round++) {
      const from = random.integer(-2e12, 4e12)
      const until = from + Math.ceil(10 ** (1 + 11 * random.next()))
      const zone = random.pick(zones)
      const step = (until - from) / random.integer(1, 20)
      const ticks = timeTicks(zone, from, until, step)
      assert.ok(ticks.length <= 401, `${ticks.length} marks`)
      for (const [at, tick] of ticks.entries()) {
        assert.ok(tick >= from && tick <= until)
        assert.ok(at === 0 || tick > ticks[at - 1])
      }
      assert.equal(tickTexts(zone, ticks).length, ticks.length)
    }
  })
}

test('clocks of a zone: gaps, doubles, starts of days, weeks and months', () => {
  assert.deepEqual(momentsOf(BERLIN, Date.UTC(2026, 2, 29, 2, 30)), [])
  assert.equal(momentsOf(BERLIN, Date.UTC(2026, 9, 25, 2, 30)).length, 2)
  assert.equal(startOf(BERLIN, ms('2026-03-29T10:00:00Z'), 'day'), ms('2026-03-28T23:00:00Z'))
  assert.equal(startOf(BERLIN, ms('2026-03-29T10:00:00Z'), 'day', 1), ms('2026-03-29T22:00:00Z'))
  assert.equal(startOf('UTC', ms('2026-11-15T10:00:00Z'), 'week'), ms('2026-11-09T00:00:00Z'))
  assert.equal(startOf('UTC', ms('2026-01-15T10:00:00Z'), 'month', -1), ms('2025-12-01T00:00:00Z'))
  // Clocks skip midnight there: the day begins an hour later.
  const santiago = startOf('America/Santiago', ms('2026-09-06T12:00:00Z'), 'day')
  assert.equal(new Date(wallOf('America/Santiago', santiago)).getUTCHours(), 1)
  assert.equal(offsetText('Asia/Kathmandu', 0), 'UTC+5:30')
  assert.equal(offsetText('Asia/Kathmandu', ms('2026-01-01')), 'UTC+5:45')
  assert.equal(offsetText('America/New_York', ms('2026-01-01')), 'UTC−5')
  assert.equal(momentText('UTC', 1_700_000_000_123), '2023-11-14 22:13:20.123')
})

test('momentTexts() have the offset when the local time is ambiguous', () => {
  const hours = (from: string, count: number) =>
    Array.from({ length: count }, (_, at) => ms(from) + at * HOUR)
  assert.deepEqual(momentTexts(BERLIN, hours('2026-10-24T23:00:00Z', 4)), [
    '2026-10-25 01:00:00',
    '2026-10-25 02:00:00 UTC+2',
    '2026-10-25 02:00:00 UTC+1',
    '2026-10-25 03:00:00',
  ])
  assert.deepEqual(momentTexts(BERLIN, hours('2026-10-25T01:30:00Z', 1)), [
    '2026-10-25 02:30:00 UTC+1',
  ])
  assert.deepEqual(offsetMarks(BERLIN, hours('2026-03-29T00:00:00Z', 2).reverse()), [
    ' UTC+2',
    ' UTC+1',
  ])
  const days = [22, 23, 24, 25, 26, 27, 28, 29, 30].map((day) =>
    startOf(BERLIN, ms(`2026-10-${day}T12:00:00Z`), 'day'),
  )
  assert.deepEqual(offsetMarks(BERLIN, days), ['', '', '', ' UTC+2', ' UTC+1', '', '', '', ''])
  assert.deepEqual(offsetMarks(BERLIN, hours('2026-11-01T00:00:00Z', 2)), ['', ''])
  assert.deepEqual(offsetMarks(BERLIN, []), [])
})

test('rangeOfWord() knows days of 23 hours and streams without samples', () => {
  const now = ms('2026-03-29T10:00:00Z')
  const about = { now, zone: BERLIN, extent: undefined }
  const next = { ...about, now: now + 24 * HOUR }
  const short = rangeOfWord('yesterday', next)
  assert.equal((short?.until ?? 0) - (short?.from ?? 0), 23 * HOUR)
  assert.deepEqual(rangeOfWord('today', about), { from: now - 11 * HOUR, until: now })
  assert.deepEqual(rangeOfWord('1h', about), { from: now - HOUR, until: now })
  assert.deepEqual(rangeOfWord('all', about), { from: now - 24 * HOUR, until: now })
  assert.equal(rangeOfWord('sometime', about), undefined)
  assert.equal(usualWord({ firstTime: 0, lastTime: 1 }, now), 'all')
  assert.equal(usualWord({ firstTime: 0, lastTime: now }, now), '24h')
  assert.equal(usualWord(undefined, now), '24h')
})
