import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { settlesTo, shows } from '../../support/settle.ts'
import { assertAccessible, assertFits, shoot, showsToast } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const START = Date.UTC(2026, 0, 10)
const LOOKS = [
  { name: '1440', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { name: '390-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)
let feed: FeedClient

before(async () => {
  if (skip !== false) return
  const { service } = studio
  feed = new FeedClient(service)
})

/** The values of a stream, the earliest first. */
async function valuesOf(compId: string): Promise<unknown[]> {
  const { body } = await owner('GET', `/api/comp/${compId}/stream/temp/feed`)
  return body.map(({ data }: { data: unknown }) => data).reverse()
}

/** Where an element begins, in pixels from the top of the window. */
async function topOf(part: Locator): Promise<number> {
  const box = await part.boundingBox()
  assert.ok(box !== null)
  return box.y
}

for (const { name, viewport, colorScheme } of LOOKS) {
  test(`a range is changed with a preview, and undone after a reload (${name})`, {
    skip,
  }, async () => {
    const compId = `boiler-${name}`
    const rows = [1, 2, 3, 4, 5].map((data, at) => ({
      compId,
      streamId: 'temp',
      time: START + at * 60_000,
      data,
    }))
    const put = await feed.putJson(rows)
    assert.equal(put.status, 200, put.text)
    const { page, complaints } = await studio.open(`/c/${compId}/temp`, { viewport, colorScheme })
    await page.getByRole('button', { name: 'Correct …' }).click()
    const dialog = page.getByRole('dialog', { name: 'Correct samples' })
    assert.equal(await dialog.getByLabel('Change').inputValue(), 'offset')
    assert.ok(await dialog.getByRole('button', { name: 'Change', exact: true }).isDisabled())
    await dialog.getByLabel('Value').fill('0.5')
    await dialog.getByText('5 samples. Can be undone for 24 hours.').waitFor()
    await dialog.getByRole('cell', { name: '5.5' }).waitFor()
    await assertAccessible(page)
    await assertFits(page)
    await shoot(page, `correction-${name}`)
    await dialog.getByRole('button', { name: 'Change 5 samples' }).click()
    await dialog.waitFor({ state: 'detached' })
    await showsToast(page, '5 samples changed.')
    await settlesTo(async () => (await valuesOf(compId)).join(), '1.5,2.5,3.5,4.5,5.5')
    await page.reload()
    const list = page.getByRole('region', { name: 'Corrections' })
    await list
      .getByText(/^Add 0\.5, 5 samples: 2026-01-09 23:59:55 – 2026-01-10 00:04:05 UTC/)
      .waitFor()
    await list.getByText(/^Corrected 20/).waitFor()
    const samples = page.getByRole('region', { name: 'Samples of temp' })
    assert.ok((await topOf(list)) < (await topOf(samples)), 'corrections are above the samples')
    await assertAccessible(page)
    await shoot(page, `correction-list-${name}`)
    await list.getByRole('button', { name: 'Undo' }).click()
    await list.getByText('The samples are as they were.').waitFor()
    await shows(list.getByRole('button', { name: 'Undo' }), 0)
    assert.deepEqual(await valuesOf(compId), [1, 2, 3, 4, 5])
    await page.getByRole('button', { name: 'Correct …' }).click()
    await dialog.getByLabel('Change').selectOption('Delete')
    await dialog.getByRole('button', { name: 'Delete 5 samples' }).click()
    await dialog.waitFor({ state: 'detached' })
    await showsToast(page, '5 samples deleted.')
    await settlesTo(async () => (await valuesOf(compId)).join(), '')
    const toast = page.getByRole('status').filter({ hasText: '5 samples deleted.' })
    await toast.getByRole('button', { name: 'Undo' }).click()
    await showsToast(page, 'The samples are as they were.')
    await settlesTo(async () => (await valuesOf(compId)).join(), '1,2,3,4,5')
    await samples.getByRole('cell', { name: '5', exact: true }).waitFor()
    assert.deepEqual(complaints, [])
  })
}
