import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random, testSeeds } from '../../test/support/random.ts'
import { parseWallTime } from './wall-time.ts'

function byTemporal(text: string): number | undefined {
  try {
    const read = Temporal.PlainDateTime.from(text, { overflow: 'reject' })
    return read.toZonedDateTime('UTC').epochMilliseconds
  } catch {
    return undefined
  }
}

test('parseWallTime() takes dates and date-times to the millisecond, and nothing else', () => {
  const check = (text: string, expected: number | undefined) =>
    assert.equal(parseWallTime(text), expected, text)
  check('2024-03-10', Date.UTC(2024, 2, 10))
  check('2024-03-10 08:30', Date.UTC(2024, 2, 10, 8, 30))
  check('2024-03-10T08:30:15', Date.UTC(2024, 2, 10, 8, 30, 15))
  check('2024-03-10T08:30:15.5', Date.UTC(2024, 2, 10, 8, 30, 15, 500))
  check('2024-03-10T08:30:15.250', Date.UTC(2024, 2, 10, 8, 30, 15, 250))
  check('2024-02-29', Date.UTC(2024, 1, 29))
  for (const wrong of ['2023-02-29', '1900-02-29', '2024-04-31', '2024-13-01', '2024-00-10']) {
    check(wrong, undefined)
  }
  for (const wrong of ['', '2024-1-1', '2024-03-10T24:00', '2024-03-10T08', '2024-03-10T08:30Z']) {
    check(wrong, undefined)
  }
})

for (const seed of testSeeds(1)) {
  test(`parseWallTime() agrees with Temporal (WEIR_TEST_SEED=${seed})`, () => {
    const random = new Random(seed)
    const digits = (below: number, length: number) =>
      String(random.integer(0, below)).padStart(length, '0')
    for (let round = 0; round < 20_000; round += 1) {
      const date = `${digits(10_000, 4)}-${digits(14, 2)}-${digits(33, 2)}`
      const time = `T${digits(24, 2)}:${digits(60, 2)}:${digits(60, 2)}.${digits(1_000, 3)}`
      const text = round % 2 === 0 ? date : `${date}${time}`
      assert.equal(parseWallTime(text), byTemporal(text), text)
    }
  })
}
