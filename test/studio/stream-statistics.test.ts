/** Tables of a stream on the day on which the clocks go back, where an hour comes twice. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browserSkip } from '../support/browser.ts'
import { putSamples, type SeededComponent, seedComponent } from '../support/seeded-streams.ts'
import { assertAccessible, openStudio, type StudioTest, shoot } from '../support/studio.ts'

const skip = browserSkip()
const HOUR = 3_600_000
/** Midnight in Berlin, before the hour that comes twice. */
const T0 = Date.parse('2026-10-24T22:00:00Z')
let studio: StudioTest
let hall: SeededComponent
let place: string

before(async () => {
  if (skip !== false) return
  studio = await openStudio()
  const about = { id: 'hall', name: 'Hall', timeZoneId: 'Europe/Berlin' }
  hall = await seedComponent(studio.service, about, [
    { id: 'temp', name: 'Temperature', valueType: 'DOUBLE' },
  ])
  const samples = Array.from({ length: 12 }, (_, at) => {
    return ['temp', T0 + (at * HOUR) / 2, at] as const
  })
  await putSamples(studio.service, 'hall', samples)
  place = `${hall.pageOf('temp')}?from=${T0}&until=${T0 + 6 * HOUR}`
})
after(() => studio?.[Symbol.asyncDispose]())

test('samples and statistics of an hour that comes twice tell their offset', { skip }, async () => {
  const { page, complaints } = await studio.open(place)
  const samples = page.getByRole('region', { name: 'Samples of Temperature' })
  for (const time of ['01:30:00', '02:30:00 UTC+2', '02:30:00 UTC+1', '03:30:00']) {
    await samples.getByRole('cell', { name: `2026-10-25 ${time}`, exact: true }).waitFor()
  }
  const edit = { name: 'Edit the sample of 2026-10-25 02:30:00 UTC+1', exact: true }
  await samples.getByRole('button', edit).waitFor()
  await shoot(page, 'stream-clocks-back')
  await page.getByLabel('Cycle').selectOption('hour')
  const table = page.getByRole('region', { name: 'Temperature, what the chart shows' })
  const row = (times: string) => table.getByRole('row', { name: times }).waitFor()
  await row('2026-10-25 01:00 2026-10-25 02:00 UTC+2 2.5 2 2 3')
  await row('2026-10-25 02:00 UTC+2 2026-10-25 02:00 UTC+1 4.5 2 4 5')
  await row('2026-10-25 02:00 UTC+1 2026-10-25 03:00 6.5 2 6 7')
  await assertAccessible(page)
  assert.deepEqual(complaints, [])
})
