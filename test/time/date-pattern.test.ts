import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileDatePattern } from '../../src/time/pattern/date-pattern.ts'
import { formatDate } from '../../src/time/pattern/format-date.ts'
import { readDate } from '../../src/time/pattern/read-date.ts'
import { loadZone } from '../../src/time/zone.ts'
import { fc } from '../support/fast-check.ts'

const AT = Date.parse('2024-03-05T07:08:09.045Z')

function format(pattern: string, zone = 'UTC', at = AT): string {
  return formatDate(compileDatePattern(pattern), loadZone(zone), at)
}

function read(text: string, pattern: string, zone = 'UTC'): string {
  return new Date(readDate(compileDatePattern(pattern), loadZone(zone), text)).toISOString()
}

test('formatDate() writes every letter in every width', () => {
  const check = (pattern: string, expected: string, zone?: string, at?: number) =>
    assert.equal(format(pattern, zone, at), expected, pattern)
  check("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", '2024-03-05T07:08:09.045Z')
  check('y yy yyyy u', '2024 24 2024 2024')
  check('M MM MMM MMMM LLL', '3 03 Mar March Mar')
  check('d dd D DDD Q QQ', '5 05 65 065 1 01')
  check('E EEE EEEE', 'Tue Tue Tuesday')
  check('H HH k h hh K a m mm s ss', '7 07 7 7 07 7 AM 8 08 9 09')
  check('H k h K a', '0 24 12 0 AM', 'UTC', Date.parse('2024-03-05T00:00:00Z'))
  check('H k h K a', '12 12 12 0 PM', 'UTC', Date.parse('2024-03-05T12:00:00Z'))
  check('S SS SSS SSSSSS', '0 04 045 045000')
  check('X XX XXX x xx xxx Z ZZZZZ z VV', 'Z Z Z +00 +0000 +00:00 +0000 Z UTC UTC')
  check(
    'X XX XXX x xx xxx Z ZZZZZ z VV',
    '+0530 +0530 +05:30 +0530 +0530 +05:30 +0530 +05:30 GMT+05:30 Asia/Kolkata',
    'Asia/Kolkata',
  )
  check('X XXX', '-05 -05:00', 'America/New_York')
  check("'it''s' ''yyyy''", "it's '2024'")
  check('dd.MM.yyyy, HH 時', '05.03.2024, 07 時')
  check('DDD', '366', 'UTC', Date.parse('2024-12-31T00:00:00Z'))
  check('DDD', '060', 'UTC', Date.parse('2023-03-01T00:00:00Z'))
})

test('compileDatePattern() refuses what means nothing and says what to write', () => {
  const check = (pattern: string, message: RegExp) =>
    assert.throws(() => compileDatePattern(pattern), { code: 'bad_input', message }, pattern)
  check('YYYY', /week-based year\. Use y/)
  check('yyyyy', /Use one of y, yy, yyyy/)
  check('b', /letter b is not supported, put text in single quotes/)
  check("yyyy'T", /quote is not closed/)
  check('yyyy[-MM', /a "\[" is not closed/)
  check('yyyy-MM]', /a "\]" has no "\[" before it/)
  check('yyyy{-MM}', /"{" must be in quotes/)
  check('y'.repeat(201), /at most 200/)
})

test('formatDate() refuses years that have no four digits', () => {
  for (const at of [Date.parse('+010000-01-01T00:00:00Z'), -1e15, Number.NaN, 1e300]) {
    assert.throws(() => format('yyyy', 'UTC', at), /only the years 0001 to 9999/)
  }
})

test('readDate() reads what devices send', () => {
  const check = (text: string, pattern: string, expected: string, zone?: string) =>
    assert.equal(read(text, pattern, zone), expected, text)
  check('2024-03-05T07:08:09.045Z', "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", '2024-03-05T07:08:09.045Z')
  check('2024-03-05T07:08:09+05:30', "yyyy-MM-dd'T'HH:mm:ssXXX", '2024-03-05T01:38:09.000Z')
  check('20240305070809', 'yyyyMMddHHmmss', '2024-03-05T07:08:09.000Z')
  check('5/3/24 7:08 pm', 'd/M/yy h:mm a', '2024-03-05T19:08:00.000Z')
  check('12:00 AM', 'hh:mm a', '1970-01-01T00:00:00.000Z')
  check('Tue, 05 Mar 2024 07:08:09 GMT', 'EEE, dd MMM yyyy HH:mm:ss z', '2024-03-05T07:08:09.000Z')
  check('05 march 2024', 'dd MMMM yyyy', '2024-03-05T00:00:00.000Z')
  check('2024-366', 'yyyy-DDD', '2024-12-31T00:00:00.000Z')
  check('2024-03-05 08:00 Europe/Berlin', 'yyyy-MM-dd HH:mm VV', '2024-03-05T07:00:00.000Z')
  check('2024-03-05 08:00 GMT+02:00', 'yyyy-MM-dd HH:mm z', '2024-03-05T06:00:00.000Z')
  check('2024-03-05 08-0330', 'yyyy-MM-dd HHXX', '2024-03-05T11:30:00.000Z')
  check('2024-03-05 08-03', 'yyyy-MM-dd HHX', '2024-03-05T11:00:00.000Z')
  check('24:30', 'kk:mm', '1970-01-01T00:30:00.000Z')
  check('7.25', 's.SS', '1970-01-01T00:00:07.250Z')
  check('7.1234567', 's.SSSSSSS', '1970-01-01T00:00:07.123Z')
  check('7.1', 's.S', '1970-01-01T00:00:07.100Z')
  check('7.045123456Z', 's.SX', '1970-01-01T00:00:07.045Z')
})

test('readDate() moves skipped times forward by the gap and takes the first of two', () => {
  const check = (text: string, expected: string, zone: string) =>
    assert.equal(read(text, 'yyyy-MM-dd HH:mm', zone), expected, text)
  check('2024-03-31 02:30', '2024-03-31T01:30:00.000Z', 'Europe/Berlin')
  check('2024-03-31 02:00', '2024-03-31T01:00:00.000Z', 'Europe/Berlin')
  check('2024-10-27 02:30', '2024-10-27T00:30:00.000Z', 'Europe/Berlin')
  check('2011-12-30 12:00', '2011-12-30T22:00:00.000Z', 'Pacific/Apia')
})

test('readDate() rejects texts that do not match, with the position', () => {
  const check = (text: string, pattern: string, message: RegExp) =>
    assert.throws(() => read(text, pattern), { code: 'bad_input', message }, text)
  check('2024-13-01', 'yyyy-MM-dd', /a month from 1 to 12/)
  check('2023-02-29', 'yyyy-MM-dd', /February 2023 has no day 29/)
  check('2023-366', 'yyyy-DDD', /2023 has no day 366/)
  check('24-1-1', 'yyyy-M-d', /expected a year at character 1/)
  check('2024-01-01x', 'yyyy-MM-dd', /unexpected text after the end at character 11/)
  check('2024/01', 'yyyy-MM', /expected "-" at character 5/)
  check('Mon, 05 Mar 2024', 'EEE, dd MMM yyyy', /is a Tuesday/)
  check('2024-01-01 99', 'yyyy-MM-dd HH', /an hour from 0 to 23/)
  check('2024-01-01+25:00', 'yyyy-MM-ddXXX', /an offset such as \+01:00/)
  check('Mars/Base', 'VV', /time zone ID/)
  check('2024-5', 'yyyy-Q', /quarter from 1 to 4/)
  check('', 'yyyy', /expected a year at character 1/)
})

test('readDate() gives back what formatDate() wrote, in any zone', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia']
  const patterns = [
    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
    'EEEE d MMMM y, h:mm:ss.SSS a xx',
    'DDD/yyyy kk mm ss SSS Z',
    'yyyyMMddHHmmssSSSX',
  ]
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(1950, 0, 1), max: Date.UTC(2200, 0, 1) }),
      fc.constantFrom(...zones),
      fc.constantFrom(...patterns),
      (at, zone, pattern) => {
        const text = format(pattern, zone, at)
        assert.equal(readDate(compileDatePattern(pattern), loadZone('UTC'), text), at, text)
      },
    ),
  )
})

test('readDate() reads what brackets enclose where it is there', () => {
  const pattern = "yyyy-MM-dd['T'HH:mm[:ss[.S]]][XXX]"
  const check = (text: string, expected: string) =>
    assert.equal(read(text, pattern, 'Asia/Tokyo'), expected)
  check('2026-11-16T15:14:58.488289Z', '2026-11-16T15:14:58.488Z')
  check('2026-11-16T15:14:58Z', '2026-11-16T15:14:58.000Z')
  check('2026-11-16T15:14+01:00', '2026-11-16T14:14:00.000Z')
  check('2026-11-16Z', '2026-11-16T00:00:00.000Z')
  check('2026-11-16T15:14', '2026-11-16T06:14:00.000Z')
  check('2026-11-16', '2026-11-15T15:00:00.000Z')
  assert.throws(
    () => read('2026-11-16T15', pattern),
    /unexpected text after the end at character 11/,
  )
  assert.throws(
    () => read('2026-11-16T15:14:58.', pattern),
    /unexpected text after the end at character 20/,
  )
})

test('readDate() keeps nothing of what brackets enclose where only a part of it is there', () => {
  assert.equal(read('2026-11-16 7', 'yyyy-MM-dd[ HH:mm] H'), '2026-11-16T07:00:00.000Z')
  assert.equal(read('2026', "yyyy[MM]['Q'Q]"), '2026-01-01T00:00:00.000Z')
})

test('formatDate() writes what brackets enclose', () => {
  assert.equal(
    format("yyyy-MM-dd['T'HH:mm[:ss[.SSS]]][XXX]"),
    format("yyyy-MM-dd'T'HH:mm:ss.SSSXXX"),
  )
})

test('brackets in brackets take time by their length', () => {
  const pattern = `${'['.repeat(99)}H${']'.repeat(99)}`
  assert.equal(read('7', pattern), '1970-01-01T07:00:00.000Z')
  assert.throws(() => read('x', pattern), /unexpected text after the end at character 1/)
})
