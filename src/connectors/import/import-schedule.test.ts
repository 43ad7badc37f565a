import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs, Refusal } from '../../base/index.ts'
import { type ImportSchedule, nextRunAfter, readSchedule } from './import-schedule.ts'

const next = async (schedule: ImportSchedule, after: string) => {
  const at = await nextRunAfter(schedule, epochMs(Date.parse(after)))
  return at === undefined ? undefined : new Date(at).toISOString()
}

test('nextRunAfter() follows a cron expression in its zone, over changes of the clocks', async () => {
  const weekdays = { cron: '0 6 * * 1-5', timeZoneId: 'Europe/Berlin' }
  assert.equal(await next(weekdays, '2026-03-06T06:00:00Z'), '2026-03-09T05:00:00.000Z')
  assert.equal(await next(weekdays, '2026-03-27T06:00:00Z'), '2026-03-30T04:00:00.000Z')
  // A time that the clocks skip is when they are set, one that comes twice is the earlier.
  const nightly = { cron: '30 2 * * *', timeZoneId: 'Europe/Berlin' }
  assert.equal(await next(nightly, '2026-03-28T12:00:00Z'), '2026-03-29T01:00:00.000Z')
  assert.equal(await next(nightly, '2026-10-24T12:00:00Z'), '2026-10-25T00:30:00.000Z')
  assert.equal(await next(nightly, '2026-10-25T00:30:00Z'), '2026-10-26T01:30:00.000Z')
  const hourly = { cron: '0 * * * *', timeZoneId: 'UTC' }
  assert.equal(await next(hourly, '2026-03-06T06:00:00Z'), '2026-03-06T07:00:00.000Z')
  assert.equal(await next(hourly, '2026-03-06T06:59:59.999Z'), '2026-03-06T07:00:00.000Z')
})

test('nextRunAfter() counts minutes from the moment', async () => {
  assert.equal(await next({ everyMinutes: 15 }, '2026-03-06T06:01:02Z'), '2026-03-06T06:16:02.000Z')
})

test('readSchedule() takes one of both forms, and names the field of a mistake', async () => {
  assert.equal(await readSchedule(null), null)
  assert.deepEqual(await readSchedule({ everyMinutes: 5 }), { everyMinutes: 5 })
  assert.deepEqual(await readSchedule({ cron: ' 0 6 * * 1-5 ' }), {
    ...{ cron: '0 6 * * 1-5', timeZoneId: 'UTC' },
  })
  const check = async (input: object, field: string) => {
    const error = await readSchedule(input).catch((reason: unknown) => reason)
    assert.ok(error instanceof Refusal, JSON.stringify(input))
    assert.equal(error.field, `connector.schedule${field}`)
  }
  await check({}, '')
  await check({ cron: '* * * * *', everyMinutes: 5 }, '')
  await check({ everyMinutes: 0 }, '.everyMinutes')
  await check({ everyMinutes: 100_000 }, '.everyMinutes')
  await check({ cron: '' }, '.cron')
  await check({ cron: '* * * * * *' }, '.cron')
  await check({ cron: '61 * * * *' }, '.cron')
  await check({ cron: 'every day' }, '.cron')
  await check({ cron: '0 0 30 2 *' }, '.cron')
  await check({ cron: '2126-01-01T00:00:00' }, '.cron')
  await check({ cron: '* * * * *', timeZoneId: 'Mars/Base' }, '.timeZoneId')
  await check({ cron: `${'1,'.repeat(150)}1 * * * *` }, '.cron')
})
