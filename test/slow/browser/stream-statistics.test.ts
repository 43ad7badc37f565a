/** Tables of a stream on the day on which the clocks go back, where an hour comes twice. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { assertAccessible, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const HOUR = 3_600_000
/** Midnight in Berlin, before the hour that comes twice. */
const T0 = Date.parse('2026-10-24T22:00:00Z')
const studio = studioOfFile()
let hall: SeededComponent
let place: string

before(async () => {
  if (skip !== false) return
  const about = { id: 'hall', name: 'Hall', timeZoneId: 'Europe/Berlin' }
  hall = await seedComponent(studio.service, about, [
    { id: 'temp', name: 'Temperature', valueType: 'DOUBLE' },
    { id: 'long', name: 'Long', valueType: 'DOUBLE' },
  ])
  const samples = Array.from({ length: 12 }, (_, at) => {
    return ['temp', T0 + (at * HOUR) / 2, at] as const
  })
  await putSamples(studio.service, 'hall', samples)
  place = `${hall.pageOf('temp')}?from=${T0}&until=${T0 + 6 * HOUR}`
})

test('samples and statistics of a repeated hour show their offset', { skip }, async () => {
  const { page, complaints } = await studio.open(place)
  const samples = page.getByRole('region', { name: 'Samples of Temperature' })
  for (const time of ['01:30:00', '02:30:00 UTC+2', '02:30:00 UTC+1', '03:30:00']) {
    await samples.getByRole('cell', { name: `2026-10-25 ${time}`, exact: true }).waitFor()
  }
  const edit = { name: 'Edit the sample of 2026-10-25 02:30:00 UTC+1', exact: true }
  await samples.getByRole('button', edit).waitFor()
  await shoot(page, 'stream-clocks-back')
  await page.getByLabel('Cycle').selectOption('hour')
  const table = page.getByRole('region', { name: 'Temperature, values in the chart' })
  const row = (times: string) => table.getByRole('row', { name: times }).waitFor()
  await row('2026-10-25 01:00 2026-10-25 02:00 UTC+2 2.5 2 2 3')
  await row('2026-10-25 02:00 UTC+2 2026-10-25 02:00 UTC+1 4.5 2 4 5')
  await row('2026-10-25 02:00 UTC+1 2026-10-25 03:00 6.5 2 6 7')
  await assertAccessible(page)
  assert.deepEqual(complaints, [])
})

/** The lines of the file that the button leads to, and its name. */
async function downloadCsv(page: Page): Promise<{ name: string; lines: string[] }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ])
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n')
  return { name: download.suggestedFilename(), lines }
}

test('statistics are downloaded as CSV: the shown columns, edges with their offset', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open(`${place}&cycle=hour&stat=avg`)
  const statistics = page.getByRole('region', { name: 'Statistics', exact: true })
  await statistics.getByRole('columnheader', { name: 'Maximum' }).waitFor()
  await page.getByRole('columnheader', { name: 'Mean of periods' }).waitFor()
  const { name, lines } = await downloadCsv(page)
  assert.equal(name, 'Hall_Temperature_hour_2026-10-25T000000_2026-10-25T050000.csv')
  assert.deepEqual(lines.slice(0, 2), [
    'From,Until,Average,Count,Minimum,Maximum',
    '2026-10-25T04:00:00.000+01:00,2026-10-25T05:00:00.000+01:00,10.5,2,10,11',
  ])
  assert.deepEqual(lines.slice(-4), [
    '2026-10-25T02:00:00.000+02:00,2026-10-25T02:00:00.000+01:00,4.5,2,4,5',
    '2026-10-25T01:00:00.000+02:00,2026-10-25T02:00:00.000+02:00,2.5,2,2,3',
    '2026-10-25T00:00:00.000+02:00,2026-10-25T01:00:00.000+02:00,0.5,2,0,1',
    '',
  ])
  assert.equal(lines.length, 8, 'six periods, the names and the end')
  assert.deepEqual(complaints, [])
})

test('more periods than a chart shows: it says so, and the file has all of them', {
  skip,
}, async () => {
  // More than the service gives in one call.
  const count = 4_500
  const samples = Array.from({ length: count }, (_, at) => ['long', T0 + at * 1_000, at] as const)
  await putSamples(studio.service, 'hall', samples)
  const range = `from=${T0}&until=${T0 + count * 1_000}`
  const { page } = await studio.open(`${hall.pageOf('long')}?${range}&cycle=second&stat=max`)
  await page.getByText('periods of this range are shown. Choose a longer cycle').waitFor()
  const { lines } = await downloadCsv(page)
  assert.equal(lines.length, count + 2)
  assert.equal(new Set(lines).size, lines.length, 'no row twice')
  await assertAccessible(page)
})
