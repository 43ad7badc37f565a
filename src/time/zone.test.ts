import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalTimeZone, loadZone } from './zone.ts'

const ms = (text: string): number => Date.parse(text)
const wall = (text: string): number => Date.parse(`${text}Z`)
const iso = (at: number): string => new Date(at).toISOString()

test('canonicalTimeZone() knows IANA names and aliases in any capitals, and nothing else', () => {
  const check = (id: string, expected: string | undefined) =>
    assert.equal(canonicalTimeZone(id), expected, id)
  check('Europe/Berlin', 'Europe/Berlin')
  check('america/new_york', 'America/New_York')
  check('Asia/Calcutta', 'Asia/Calcutta')
  check('Asia/Kolkata', 'Asia/Kolkata')
  check('UTC', 'UTC')
  check('Etc/GMT+5', 'Etc/GMT+5')
  check('', undefined)
  check('Mars/Olympus', undefined)
  check('+05:30', undefined)
  check('Europe/Berlin[u-ca=iso8601]', undefined)
})

test('loadZone() refuses an unknown zone and says what to write', () => {
  assert.throws(() => loadZone('Mars/Olympus'), {
    code: 'bad_input',
    message: 'Unknown time zone "Mars/Olympus". Use an IANA name such as Europe/Berlin or UTC',
  })
})

test('offsetMs() agrees with Temporal on both sides of every change, in every zone', () => {
  for (const id of Intl.supportedValuesOf('timeZone')) {
    const zone = loadZone(id)
    let at = Temporal.Instant.from('1899-01-01T00:00Z').toZonedDateTimeISO(id)
    for (;;) {
      const change: Temporal.ZonedDateTime | null = at.getTimeZoneTransition('next')
      if (change === null || change.year > 2263) break
      at = change
      for (const delta of [-1, 0, 1, 43_200_000]) {
        const instant: Temporal.ZonedDateTime = change.add({ milliseconds: delta })
        const expected: number = instant.offsetNanoseconds / 1e6
        assert.equal(zone.offsetMs(instant.epochMilliseconds), expected, `${id} ${instant}`)
      }
    }
  }
})

test('offsets and instants far beyond the last sample agree with Temporal, in every zone', () => {
  for (const id of Intl.supportedValuesOf('timeZone')) {
    const zone = loadZone(id)
    for (const year of [2399, 2400, 2423, 2499, 2500, 2501, 2899, 2900, 2961, 3161]) {
      for (let month = 1; month <= 12; month++) {
        const local = Temporal.PlainDateTime.from({ year, month, day: 1 + ((month * 7) % 28) })
        const expected = local.toZonedDateTime(id)
        const about = `${id} ${local}`
        assert.equal(
          zone.offsetMs(expected.epochMilliseconds),
          expected.offsetNanoseconds / 1e6,
          about,
        )
        const asked = local.toZonedDateTime('UTC').epochMilliseconds
        assert.equal(zone.firstInstantAt(asked), expected.epochMilliseconds, about)
      }
      const change = Temporal.PlainDateTime.from({ year, month: 1, day: 1 })
        .toZonedDateTime(id)
        .getTimeZoneTransition('next')
      if (change === null) continue
      const at = change.epochMilliseconds
      assert.equal(zone.offsetMs(at), change.offsetNanoseconds / 1e6, `${id} ${change}`)
      const before = change.subtract({ milliseconds: 1 })
      assert.equal(zone.offsetMs(at - 1), before.offsetNanoseconds / 1e6, `${id} ${before}`)
    }
  }
})

test('offsetsMs() gives the offsets of many instants, sorted or not', () => {
  const times = Float64Array.of(
    ms('2024-07-01T00:00Z'),
    ms('2024-01-01T00:00Z'),
    ms('1900-01-01T00:00Z'),
    ms('2261-07-01T00:00Z'),
  )
  const offsets = loadZone('Europe/Berlin').offsetsMs(times)
  assert.deepEqual([...offsets], [7_200_000, 3_600_000, 3_600_000, 7_200_000])
})

test('firstInstantAt() finds when a wall clock first shows a time or later', () => {
  const check = (id: string, local: string, expected: string) =>
    assert.equal(iso(loadZone(id).firstInstantAt(wall(local))), expected, `${id} ${local}`)
  check('America/New_York', '2024-03-10T01:59:59.999', '2024-03-10T06:59:59.999Z')
  check('America/New_York', '2024-03-10T02:30', '2024-03-10T07:00:00.000Z') // skipped: the jump
  check('America/New_York', '2024-03-10T03:30', '2024-03-10T07:30:00.000Z')
  check('America/New_York', '2024-11-03T01:30', '2024-11-03T05:30:00.000Z') // twice: the first
  check('America/New_York', '2024-11-03T02:00', '2024-11-03T07:00:00.000Z')
  check('America/Sao_Paulo', '2018-11-04T00:00', '2018-11-04T03:00:00.000Z') // no midnight
  check('America/Havana', '2024-11-03T00:00', '2024-11-03T04:00:00.000Z') // two midnights
  check('America/St_Johns', '2006-10-29T00:00', '2006-10-29T02:30:00.000Z') // back at 00:01
  check('Pacific/Apia', '2011-12-30T12:00', '2011-12-30T10:00:00.000Z') // no such day
  check('Pacific/Kwajalein', '1993-08-21T09:00', '1993-08-21T12:00:00.000Z')
  check('Asia/Kathmandu', '1985-12-31T23:59', '1985-12-31T18:29:00.000Z')
  check('Asia/Kathmandu', '1986-01-01T00:10', '1985-12-31T18:30:00.000Z') // fifteen minutes skipped
})
