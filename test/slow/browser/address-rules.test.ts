import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { settlesTo } from '../../support/settle.ts'
import {
  assertAccessible,
  complaintsOtherThan,
  shootAll,
  showsToast,
} from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)

/** Waits until the preview shows these components and streams. */
async function previews(page: Page, ids: ReadonlyArray<readonly [string, string]>): Promise<void> {
  const rows = page.getByRole('region', { name: 'Addresses of new series' }).getByRole('row')
  const expected = ids.map(([component, stream]) => `1\t${component}\t${stream}`)
  await settlesTo(async () => (await rows.allInnerTexts()).slice(1), expected)
}

test('the rule of a key is typed with a preview, saved, and removed', { skip }, async () => {
  const { page, complaints } = await studio.open('/admin/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create API key' })
  await dialog.getByLabel('Name', { exact: true }).fill('Roof')
  await dialog.getByText('Address rule', { exact: true }).focus()
  await page.keyboard.press('Enter')
  await previews(page, [
    ['roof', 'weather_temperature,room=1,site=north'],
    ['roof', 'weather_humidity,room=1,site=north'],
  ])
  await dialog.getByLabel('Component ID').fill('{site}-{device|host}')
  await dialog.getByLabel('Stream ID').fill('{__name__')
  await dialog.getByText(/^Stream ID has a brace without a label/).waitFor()
  await dialog.getByLabel('Stream ID').fill('')
  await dialog.getByLabel('Labels not appended').fill('room')
  await previews(page, [
    ['north-roof', 'weather_temperature'],
    ['north-roof', 'weather_humidity'],
  ])
  await page.getByRole('region', { name: 'Addresses of new series' }).scrollIntoViewIfNeeded()
  await shootAll(page, 'rule-key')
  const line = dialog.getByLabel('Preview', { exact: true })
  await line.fill(`m,site=${'s'.repeat(600)},host=h ${'f'.repeat(200)}=1\nbad\nm v`)
  await dialog.getByText('Line 2: ').waitFor()
  await dialog.getByText('Line 3: ').waitFor()
  await dialog.getByText('Line 3: ').scrollIntoViewIfNeeded()
  await shootAll(page, 'rule-key-long')
  await line.fill('')
  await dialog.getByText('No points.').waitFor()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByText('Address rule: {site}-{device|host}.').waitFor()
  const keyOf = async () =>
    (await owner('GET', '/api/api_key')).body.api_key.find(
      ({ name }: { name: string }) => name === 'Roof',
    )
  const { addressRule } = await keyOf()
  assert.deepEqual(addressRule, {
    component: '{site}-{device|host}',
    stream: '',
    uses: ['room'],
    template: '',
    folder: '',
    deleteProfile: '',
  })
  await page.getByRole('button', { name: 'Edit Roof' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit key “Roof”' })
  await edit.getByLabel('Component ID').fill('')
  await edit.getByText(/^Component ID must not be blank/).waitFor()
  await edit.getByRole('button', { name: 'Save' }).click()
  await settlesTo(() => edit.getByText(/^Component ID must not be blank/).count(), 2)
  await edit.getByLabel('Labels not appended').fill('')
  await edit.getByRole('button', { name: 'Save' }).click()
  await showsToast(page, 'Key Roof saved.')
  assert.equal((await keyOf()).addressRule, undefined)
  assert.deepEqual(complaintsOtherThan(complaints, 400), [])
})

test('the rule of the organization applies to keys without one', { skip }, async () => {
  const { page } = await studio.open('/admin/organization')
  await page.getByText('Address rule', { exact: true }).click()
  await page.getByLabel('Component ID').fill('{site}')
  await previews(page, [
    ['north', 'weather_temperature,host=roof,room=1'],
    ['north', 'weather_humidity,host=roof,room=1'],
  ])
  await shootAll(page, 'rule-organization')
  await page.getByRole('button', { name: 'Save' }).click()
  await showsToast(page, 'Organization saved.')
  await page.goto(`${studio.service.url}/admin/keys`)
  await page.getByRole('button', { name: 'Edit Feed key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit key “Feed key”' })
  await dialog.getByText('Address rule', { exact: true }).click()
  await previews(page, [
    ['north', 'weather_temperature,host=roof,room=1'],
    ['north', 'weather_humidity,host=roof,room=1'],
  ])
  await dialog.getByLabel('Component ID').fill('{host}')
  await previews(page, [
    ['roof', 'weather_temperature,room=1,site=north'],
    ['roof', 'weather_humidity,room=1,site=north'],
  ])
  await assertAccessible(page)
})
