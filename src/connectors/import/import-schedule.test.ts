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

test('nextRunAfter() takes a local time that comes twice once where hours are named', async () => {
  const check = async (cron: string, timeZoneId: string, times: readonly string[]) => {
    const found: string[] = []
    let after = new Date(Date.parse(`${times[0]}Z`) - 1).toISOString()
    for (const _ of times) {
      after = (await next({ cron, timeZoneId }, after)) ?? 'none'
      found.push(after.slice(0, 16))
    }
    assert.deepEqual(found, times, cron)
  }
  await check('0 1,2 7 11 *', 'America/New_York', ['2027-11-07T05:00', '2027-11-07T07:00'])
  await check('*/30 2 31 10 *', 'Europe/Berlin', [
    '2027-10-31T00:00',
    '2027-10-31T00:30',
    '2028-10-31T01:00',
  ])
  await check('30 2,3 31 10 *', 'Europe/Berlin', ['2027-10-31T00:30', '2027-10-31T02:30'])
  await check('40 1,2 4 4 *', 'Australia/Lord_Howe', ['2027-04-03T14:40', '2027-04-03T16:10'])
  const hourly = ['2027-10-31T00:00', '2027-10-31T01:00', '2027-10-31T02:00']
  await check('0 * 31 10 *', 'Europe/Berlin', hourly)
})

test('nextRunAfter() counts minutes from the moment', async () => {
  assert.equal(await next({ everyMinutes: 15 }, '2026-03-06T06:01:02Z'), '2026-03-06T06:16:02.000Z')
})

test('readSchedule() takes one of both forms, and names the field of a mistake', async () => {
  assert.equal(await readSchedule(null), null)
  assert.deepEqual(await readSchedule({ everyMinutes: 5 }), { everyMinutes: 5 })
  assert.deepEqual(await readSchedule({ cron: ' 0 6 * * 1-5 ' }), {
    cron: '0 6 * * 1-5',
    timeZoneId: 'UTC',
  })
  const check = async (input: object, field: string) => {
    const error = await readSchedule(input).catch((reason: unknown) => reason)
    assert.ok(error instanceof Refusal, JSON.stringify(input))
    assert.equal(error.field, `connector.schedule${field}`)
  }
  const checkCron = async (cron: string, message: string) => {
    const error = await readSchedule({ cron }).catch((reason: unknown) => reason)
    assert.equal((error as Error).message, `connector.schedule.cron must be ${message}`)
  }
  const parts = 'minute, hour, day, month, and weekday'
  await checkCron('0 6 * *', `${parts}: expected five fields separated by spaces, got 4`)
  await checkCron('0 0 6 * * 1', `${parts}: expected five fields separated by spaces, got 6`)
  await checkCron('', `${parts}: expected five fields separated by spaces, got 0`)
  const words = '@hourly, @daily, @weekly, @monthly, or @yearly'
  await checkCron('@fortnightly', `${parts}: "@fortnightly" is not ${words}`)
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
