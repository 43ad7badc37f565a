import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimalText, isoDateTime, isoOfDate, singleText } from './iso-text.ts'
import { placeAt } from './text-place.ts'

test('isoDateTime() writes dates of databases as ISO, and leaves alone what is none', () => {
  const check = (text: string, expected: string) => assert.equal(isoDateTime(text), expected)
  check('2026-03-05 06:07:08', '2026-03-05T06:07:08')
  check('2026-03-05 06:07:08.123456', '2026-03-05T06:07:08.123456')
  check('2026-03-05 06:07:08.25+00', '2026-03-05T06:07:08.25Z')
  check('2026-03-05 06:07:08-03', '2026-03-05T06:07:08-03:00')
  check('2026-03-05 06:07:08+05:30', '2026-03-05T06:07:08+05:30')
  check('2026-03-05 06:07:08 +05:30', '2026-03-05T06:07:08+05:30')
  check('294276-12-31 23:59:59.999999+00', '294276-12-31T23:59:59.999999Z')
  check('0044-03-15 06:07:08 BC', '0044-03-15 06:07:08 BC')
  check('0000-00-00 00:00:00', '0000-00-00 00:00:00')
  check('infinity', 'infinity')
  check('2026-03-05', '2026-03-05')
})

test('isoOfDate() keeps digits beyond milliseconds', () => {
  const date = new Date('2026-03-05T06:07:08.120Z')
  assert.equal(isoOfDate(date), '2026-03-05T06:07:08.12')
  assert.equal(isoOfDate(date, 0.0003457), '2026-03-05T06:07:08.1203457')
  assert.equal(isoOfDate(new Date(0)), '1970-01-01T00:00:00')
})

test('singleText() is short and reads as the same number of 32 bits', () => {
  for (const value of [0.1, 16777216, -3.4028235e38, 1e-45, 123456.79, 0]) {
    const single = Math.fround(value)
    assert.equal(Math.fround(Number(singleText(single))), single)
  }
  assert.equal(singleText(Math.fround(0.1)), '0.1')
})

test('decimalText() keeps every digit', () => {
  assert.equal(decimalText(123n, 2), '1.23')
  assert.equal(decimalText(-5n, 4), '-0.0005')
  assert.equal(decimalText(0n, 2), '0.00')
  const long = 12345678901234567890123456789012345678n
  assert.equal(decimalText(long, 0), '12345678901234567890123456789012345678')
  assert.equal(decimalText(-long, 38), '-0.12345678901234567890123456789012345678')
})

test('placeAt() counts lines and columns in characters, not in halves of them', () => {
  assert.deepEqual(placeAt('SELECT 1', 7), { line: 1, column: 8 })
  assert.deepEqual(placeAt("SELECT '😀',\n  x", 14), { line: 2, column: 3 })
})
