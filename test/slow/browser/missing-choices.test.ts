import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { assertAccessible, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const REFUSAL = 'Not at the moment.'
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)

/** Makes lists of a page fail until it is called again. */
async function refuseLists(page: Page): Promise<{ isRefused: boolean }> {
  const state = { isRefused: true }
  const lists = /\/api\/(?:unit|cycle|delete_profile|component_folder|component_template)\?/
  await page.route(lists, async (route) => {
    if (!state.isRefused) return await route.continue()
    const body = JSON.stringify({ code: 'forbidden', message: REFUSAL })
    return await route.fulfill({ status: 403, contentType: 'application/json', body })
  })
  return state
}

/** Sees a refusal at its field, asks again, and waits for it to go. */
async function askAgain(page: Page, what: string): Promise<void> {
  const reported = page.getByRole('alert').filter({ hasText: `Cannot load ${what}: ${REFUSAL}` })
  await reported.getByRole('button', { name: 'Retry' }).click()
  await reported.waitFor({ state: 'detached' })
}

test('choices of a component that fail to load are reported at their fields, and loaded again', {
  skip,
}, async () => {
  const template = { name: 'Like others', stream: [] }
  const made = await owner('PUT', '/api/component_template', { component_template: template })
  assert.equal(made.status, 200, made.text)
  const { page } = await studio.open('/build')
  const lists = await refuseLists(page)
  await page.goto(`${studio.service.url}/build/component/new`)
  const folder = page.getByLabel('Folder')
  await folder.fill('/Components/Typed')
  await page.getByText('Cannot load templates').waitFor()
  await assertAccessible(page)
  await shoot(page, 'missing-choices')
  lists.isRefused = false
  await askAgain(page, 'templates')
  await askAgain(page, 'folders')
  const like = page.getByLabel('Template').locator('option', { hasText: 'Like others' })
  await like.waitFor({ state: 'attached' })
  assert.equal(await folder.inputValue(), '/Components/Typed')
})

test('choices of a stream that fail to load are reported at their fields, and loaded again', {
  skip,
}, async () => {
  const made = await owner('PUT', '/api/component', { component: { id: 'c' } })
  assert.equal(made.status, 200, made.text)
  const { page } = await studio.open('/build')
  const lists = await refuseLists(page)
  await page.goto(`${studio.service.url}/build/component/${made.body.component.uid}/stream/new`)
  await page.getByLabel('Kind').selectOption('intvl_stream')
  const fields = [
    ['units', 'Unit', 'celsius'],
    ['cycles', 'Base cycle', 'day'],
    ['delete profiles', 'Retention', 'Forever'],
  ]
  for (const [what] of fields) await page.getByText(`Cannot load ${what}`).waitFor()
  await assertAccessible(page)
  lists.isRefused = false
  for (const [what, label, choice] of fields) {
    await askAgain(page, what)
    const one = page.getByLabel(label).locator('option', { hasText: new RegExp(choice, 'i') })
    await one.first().waitFor({ state: 'attached' })
  }
})

test('cycles of a panel that fail to load are reported at their field, and loaded again', {
  skip,
}, async () => {
  const made = await owner('PUT', '/api/dashboard', { dashboard: { name: 'Board' } })
  assert.equal(made.status, 200, made.text)
  const { page } = await studio.open('/build')
  const lists = await refuseLists(page)
  await page.goto(`${studio.service.url}/boards/${made.body.dashboard.uid}?edit=1`)
  await page
    .getByRole('button', { name: /Add panel/ })
    .first()
    .click()
  await page.getByText('Cannot load cycles').waitFor()
  await assertAccessible(page)
  lists.isRefused = false
  await askAgain(page, 'cycles')
  const cycle = page.getByLabel('Aggregate per').locator('option', { hasText: /day/i })
  await cycle.first().waitFor({ state: 'attached' })
})
