import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { shows } from '../../support/settle.ts'
import { assertAccessible, assertFits, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
const studio = studioOfFile()

test('? shows shortcuts, gestures, and the guide to the page; not while somebody types', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/query')
  const dialog = page.getByRole('dialog', { name: 'Help' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('?')
  await dialog.getByRole('link', { name: 'Guide to this page: GS SQL' }).waitFor()
  await dialog.getByText('Shift and drag').waitFor()
  await assertAccessible(page)
  await shoot(page, 'help')
  await page.keyboard.press('Escape')
  await shows(dialog, 0)
  await page.goto(`${studio.service.url}/c`)
  await page.getByLabel('Search', { exact: true }).fill('a')
  await page.keyboard.press('?')
  await page.waitForURL('**/c?text=a*')
  await shows(dialog, 0)
  await page.getByRole('button', { name: 'Help' }).click()
  await dialog.getByRole('link', { name: 'Getting started: send samples' }).click()
  await page.waitForURL('**/connect/send')
  await shows(dialog, 0)
  assert.deepEqual(complaints, [])
  const phone = await studio.open('/', PHONE)
  await phone.page.getByRole('button', { name: 'Help' }).click()
  await phone.page.getByRole('dialog', { name: 'Help' }).waitFor()
  await assertFits(phone.page)
  await assertAccessible(phone.page)
  await shoot(phone.page, 'help-390-dark')
})
