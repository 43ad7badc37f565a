import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plot } from '../../studio/src/chart/chart-series.ts'
import { readSeriesName, writeSeriesName } from '../../studio/src/pages/view/series-name.ts'
import { EARLIER, earlierRange, moveLater } from '../../studio/src/state/earlier.ts'

const BERLIN = 'Europe/Berlin'
const at = (text: string) => Date.parse(text)
const range = (from: string, until: string) => ({ from: at(from), until: at(until) })
const shown = ({ from, until }: { from: number; until: number }) =>
  [from, until].map((time) => new Date(time).toISOString())

test('earlierRange() goes back by the calendar, also where clocks are set', () => {
  // 2026-03-29 has 23 hours in Berlin.
  const after = range('2026-03-29T22:00:00Z', '2026-03-30T22:00:00Z')
  assert.deepEqual(shown(earlierRange(after, 'day', BERLIN)), [
    '2026-03-28T23:00:00.000Z',
    '2026-03-29T22:00:00.000Z',
  ])
  const may = range('2026-04-30T22:00:00Z', '2026-05-31T22:00:00Z')
  const [from] = shown(earlierRange(may, 'month', BERLIN))
  assert.equal(from, '2026-03-31T22:00:00.000Z')
  const march = range('2026-03-31T10:00:00Z', '2026-03-31T11:00:00Z')
  assert.deepEqual(shown(earlierRange(march, 'month', 'UTC')), [
    '2026-02-28T10:00:00.000Z',
    '2026-02-28T11:00:00.000Z',
  ])
  const leap = range('2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z')
  assert.equal(shown(earlierRange(leap, 'year', 'UTC'))[0], '2027-02-28T00:00:00.000Z')
})

test('moveLater() shows each sample at its clock time', () => {
  const now = range('2026-03-29T22:00:00Z', '2026-03-30T22:00:00Z')
  const { from, until } = earlierRange(now, 'day', BERLIN)
  const plot: Plot = {
    component: { uid: 'c', id: 'c' },
    stream: { uid: 's', id: 's' },
    form: 'samples',
    kind: 'number',
    unit: '',
    numberFormat: '',
    timeZone: BERLIN,
    from,
    until,
    firstTime: from,
    lastTime: from,
    before: null,
    // 01:00 and 12:00 on the clocks of a day that has no 02:00.
    time: [at('2026-03-29T00:00:00Z'), at('2026-03-29T10:00:00Z')],
    value: [1, 2],
  }
  const moved = moveLater(plot, now, { period: 'day', zone: BERLIN })
  assert.deepEqual(moved.time, [at('2026-03-29T23:00:00Z'), at('2026-03-30T10:00:00Z')])
  assert.deepEqual([moved.from, moved.until, moved.before], [now.from, now.until, null])
})

test('an earlier range moved later is the range again, in every zone', () => {
  for (const zone of ['UTC', BERLIN, 'Asia/Kathmandu', 'America/Sao_Paulo']) {
    for (const period of EARLIER) {
      const now = range('2026-06-10T12:30:00Z', '2026-06-11T12:30:00Z')
      const before = earlierRange(now, period, zone)
      assert.ok(before.until <= now.until - 86_400_000 + 3_600_000, `${zone} ${period}`)
    }
  }
})

test('the name of a series is read as it was written', () => {
  const [componentUid, streamUid] = ['c-1', 's-2']
  const names = [
    { componentUid, streamUid, earlier: undefined, cycle: undefined },
    ...EARLIER.map((earlier) => ({ componentUid, streamUid, earlier, cycle: undefined })),
    ...['hour', 'my.cycle', 'a,b~c/ü%'].map((cycle) => ({
      componentUid,
      streamUid,
      earlier: undefined,
      cycle: { cycle, stat: 'avg' },
    })),
  ]
  for (const name of names) {
    const text = writeSeriesName(name)
    assert.deepEqual(readSeriesName(text), name, text)
    assert.ok(!text.includes(','), text)
  }
  for (const wrong of ['', 'c', 'c.s~decade', 'c.s~by.hour', '.s', 'c.s.t']) {
    assert.equal(readSeriesName(wrong), undefined, wrong)
  }
})
