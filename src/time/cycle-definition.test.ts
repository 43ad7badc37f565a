import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CycleDefinition, checkCycle } from './cycle-definition.ts'

const good: CycleDefinition = {
  sizeType: 'DAY',
  count: 1,
  referenceDate: '2024-01-01',
  timeZone: '',
}

test('checkCycle() accepts what is well formed', () => {
  const check = (change: Partial<CycleDefinition>) => checkCycle({ ...good, ...change })
  check({})
  check({ timeZone: 'asia/kathmandu', referenceDate: '2024-02-29T23:59:59.999' })
  check({ sizeType: 'MILLISEC', count: 250, referenceDate: '1900-01-01 00:00' })
  check({ sizeType: 'YEAR', count: 400 })
  const intervals = [
    { from: '2024-02-01', until: '2024-03-01' },
    { from: '2024-01-01', until: '2024-02-01' },
  ]
  check({ sizeType: 'CUSTOM', count: 0, referenceDate: '', intervals })
})

test('checkCycle() refuses what cannot be a cycle, naming the field and the remedy', () => {
  const check = (change: Partial<CycleDefinition>, expected: RegExp) =>
    assert.throws(
      () => checkCycle({ ...good, ...change }),
      (error: { code: string; message: string }) =>
        error.code === 'bad_input' && expected.test(error.message),
      JSON.stringify(change),
    )
  check({ sizeType: 'FORTNIGHT' as 'DAY' }, /sizeType: "FORTNIGHT" is not one of MILLISEC, SECOND/)
  check({ count: 0 }, /count: 0 is not an integer of at least 1/)
  check({ count: -3 }, /count: -3 is not/)
  check({ count: 1.5 }, /count: 1.5 is not/)
  check({ count: Number.NaN }, /count: NaN is not/)
  check({ sizeType: 'YEAR', count: 401 }, /count: 401 YEAR is too long: at most 400/)
  check({ timeZone: 'Mars/Olympus' }, /timeZone: "Mars\/Olympus" is unknown. Use an IANA name/)
  check({ referenceDate: '' }, /referenceDate: "" is not a local date-time. Write it like/)
  check({ referenceDate: '2023-02-29' }, /referenceDate: "2023-02-29" is not/)
  check({ referenceDate: '2024-01-01T24:00' }, /referenceDate: "2024-01-01T24:00" is not/)
  check({ referenceDate: '2024-01-01T00:00Z' }, /is not a local date-time/)
  check({ referenceDate: 'tomorrow' }, /is not a local date-time/)
  check({ referenceDate: '1899-12-31' }, /outside the years 1900 to 2261/)
})

test('checkCycle() refuses custom intervals that are missing, empty or overlap', () => {
  const check = (intervals: [string, string][], expected: RegExp) =>
    assert.throws(
      () =>
        checkCycle({
          ...good,
          sizeType: 'CUSTOM',
          intervals: intervals.map(([from, until]) => ({ from, until })),
        }),
      { code: 'bad_input', message: expected },
    )
  check([], /intervals: a CUSTOM cycle needs at least one interval/)
  check([['2024-01-01', '2024-01-01']], /intervals\[0\]: 2024-01-01 is not before 2024-01-01/)
  check([['2024-01-01', 'never']], /intervals\[0\].until: "never" is not a local date-time/)
  check(
    [
      ['2024-02-01', '2024-03-01'],
      ['2024-01-01', '2024-02-02'],
    ],
    /2024-01-01T00:00:00\/2024-02-02T00:00:00 and 2024-02-01T00:00:00\/2024-03-01T00:00:00 overlap/,
  )
})
