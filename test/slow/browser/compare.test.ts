/** A stream beside an earlier period, another device, and a statistic. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, type SeededComponent, seedComponent } from '../../support/seeded-streams.ts'
import { settlesTo } from '../../support/settle.ts'
import { assertAccessible, shoot, shootAll } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const HOUR = 3_600_000
const T0 = Date.parse('2026-03-02T00:00:00Z')
const studio = studioOfFile()
let north: SeededComponent
let south: SeededComponent
let bare: SeededComponent

before(async () => {
  if (skip !== false) return
  const { service } = studio
  const streams = [{ id: 'temp', name: 'Temperature', valueType: 'DOUBLE' }]
  north = await seedComponent(service, { id: 'north', name: 'North', timeZoneId: 'UTC' }, streams)
  south = await seedComponent(service, { id: 'south', name: 'South', timeZoneId: 'UTC' }, streams)
  bare = await seedComponent(service, { id: 'bare', name: 'Bare', timeZoneId: 'UTC' }, [
    { id: 'other', valueType: 'DOUBLE' },
  ])
  const hours = Array.from({ length: 48 }, (_, at) => T0 - 24 * HOUR + at * HOUR)
  await putSamples(
    service,
    'north',
    hours.map((time, at) => ['temp', time, at] as const),
  )
  await putSamples(
    service,
    'south',
    hours.map((time, at) => ['temp', time, at * 10] as const),
  )
})

const today = `from=${T0}&until=${T0 + 24 * HOUR}`

async function figures(page: Page, name: string): Promise<string[]> {
  const row = page.getByRole('row').filter({ hasText: name })
  return (await row.getByRole('cell').allTextContents()).slice(-4)
}

async function compare(page: Page) {
  await page.getByRole('button', { name: 'Compare with' }).click()
  return page.getByRole('dialog', { name: 'Compare with' })
}

test('a stream is compared with the day before, a statistic, and another device; all is in the address', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open(`${north.pageOf('temp')}?${today}`)
  const dialog = await compare(page)
  await dialog.getByRole('button', { name: 'Previous year' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'compare-dialog')
  await dialog.getByRole('button', { name: 'Previous day' }).click()
  await page.waitForURL(({ searchParams }) => {
    const isNamed = searchParams.get('s')?.endsWith('~day') === true
    return isNamed && searchParams.get('from') === String(T0)
  })
  const before = 'North / Temperature, one day earlier'
  await settlesTo(() => figures(page, before), ['23', '0', '23', '11.5'])
  await compare(page)
  await page.getByRole('dialog').getByLabel('For each').selectOption('day')
  await page.getByRole('dialog').getByRole('button', { name: 'Add statistic' }).click()
  await settlesTo(
    () => figures(page, 'North / Temperature, average by day'),
    ['35.5', '35.5', '35.5', '35.5'],
  )
  await compare(page)
  await page.getByRole('dialog').getByLabel('Device').fill('bare')
  await page.getByRole('dialog').getByRole('button', { name: /^Bare/ }).click()
  await page.getByRole('alert').getByText('Bare has no stream like Temperature.').waitFor()
  await page.getByRole('dialog').getByLabel('Device').fill('south')
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^South/ })
    .click()
  await settlesTo(() => figures(page, 'South / Temperature'), ['470', '240', '470', '355'])
  await page.mouse.move(0, 0)
  await page.reload()
  await settlesTo(() => figures(page, before), ['23', '0', '23', '11.5'])
  await shootAll(page, 'compare')
  await page.getByRole('button', { name: 'Remove Temperature, one day earlier' }).click()
  await page.waitForURL(({ searchParams }) => !searchParams.get('s')?.includes('~day'))
  assert.deepEqual(complaints, [])
  assert.ok(bare.uid !== south.uid)
})
