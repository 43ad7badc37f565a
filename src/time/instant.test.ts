import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { parseInstant, timeRuleFor } from './instant.ts'

const check = (text: string, expected: string | undefined) =>
  assert.equal(parseInstant(text), expected && Date.parse(expected), text)

test('parseInstant() takes RFC 3339 with an offset', () => {
  check('2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z')
  check('2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z')
  check('2026-01-31 12:00:00Z', '2026-01-31T12:00:00.000Z')
  check('2026-01-31T12:00:00+01:30', '2026-01-31T10:30:00.000Z')
  check('2026-01-31T12:00:00 01:30', '2026-01-31T10:30:00.000Z')
  check('2026-01-31T12:00:00-11:00', '2026-01-31T23:00:00.000Z')
  check('2026-01-31T12:00:00-00:00', '2026-01-31T12:00:00.000Z')
  check('1900-01-01T00:00:00Z', '1900-01-01T00:00:00.000Z')
  check('0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z')
})

test('parseInstant() cuts digits finer than milliseconds, also before 1970', () => {
  check('2026-01-31T12:00:00.1Z', '2026-01-31T12:00:00.100Z')
  check('2026-01-31T12:00:00.123999999Z', '2026-01-31T12:00:00.123Z')
  check('1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z')
  check(`2026-01-31T12:00:00.${'1'.repeat(40)}Z`, '2026-01-31T12:00:00.111Z')
  check(`2026-01-31T12:00:00.${'1'.repeat(60)}Z`, undefined)
})

test('parseInstant() knows the days of each month, and takes no 24:00, second 60, or odd offset', () => {
  check('2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z')
  check('2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z')
  const wrong = [
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-13-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:60:00Z',
    '2016-12-31T23:59:60Z',
    '2026-01-31T12:00:00+24:00',
    '2026-01-31T12:00:00+01:60',
    '2026-01-31T12:00:00+0100',
    '2026-01-31',
    '2026-01-31T12:00:00',
    '2026-01-31T12:00Z',
    '2026-01-31T12:00:00.Z',
    '20260131T120000Z',
    '+002026-01-31T12:00:00Z',
    '2026-1-31T12:00:00Z',
    '2026-W05-6',
    '',
    '2026-01-31T12:00:00Z[UTC]',
    ' 2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00,5Z',
    'now',
  ]
  for (const text of wrong) check(text, undefined)
})

test('timeRuleFor() says what to change', () => {
  for (const text of ['2026-01-31', '2026-01-31T12:00', '2026-01-31 12:00:00.5']) {
    assert.match(timeRuleFor(text), /needs a UTC offset/, text)
  }
  assert.match(timeRuleFor('2016-12-31T23:59:60Z'), /second 60/)
  assert.match(timeRuleFor('tomorrow'), /epoch milliseconds, or RFC 3339 as in/)
})

const two = (value: number) => String(value).padStart(2, '0')

test('parseInstant() agrees with the calendar of Temporal on every time and offset', () => {
  const time = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2262, 0) })
  const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
  fc.assert(
    fc.property(time, offset, fc.stringMatching(/^\d{0,6}$/), (ms, minutes, finer) => {
      const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1)
      const sign = minutes < 0 ? '-' : '+'
      const size = Math.abs(minutes)
      const text = `${local}${finer}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
      assert.equal(parseInstant(text), ms, text)
      assert.equal(parseInstant(text.replace('+', ' ')), ms, text)
      assert.equal(Temporal.Instant.from(text).epochMilliseconds, ms, text)
    }),
  )
})

test('parseInstant() takes nothing that Temporal refuses', () => {
  const digits = fc.stringMatching(/^\d\d$/)
  const parts = fc.tuple(fc.stringMatching(/^\d{4}$/), digits, digits, digits, digits, digits)
  fc.assert(
    fc.property(parts, fc.constantFrom('Z', '+01:00', '-23:59', ''), (fields, offset) => {
      const [year, month, day, hour, minute, second] = fields
      const text = `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`
      let expected: number | undefined
      try {
        expected = second === '60' ? undefined : Temporal.Instant.from(text).epochMilliseconds
      } catch {
        // It is no time.
      }
      assert.equal(parseInstant(text), expected, text)
    }),
    { numRuns: 1_000 },
  )
})
