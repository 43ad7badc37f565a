/** Queries in links: the text behind the `#`, saved ones that run, the history, and how many rows come. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, seedComponent } from '../../support/seeded-streams.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { shows } from '../../support/settle.ts'
import { assertAccessible, assertFits, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const T0 = Date.parse('2026-03-01T00:00:00Z')
const SAMPLES = 1_500
const SQL = "SELECT time, sample FROM SAMPLE WHERE cid = 'boiler' AND id = 'flow' ORDER BY time"
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)

before(async () => {
  if (skip !== false) return
  const { service } = studio
  await seedComponent(service, { id: 'boiler', name: 'Boiler' }, [
    { id: 'flow', valueType: 'DOUBLE' },
  ])
  const samples = Array.from({ length: SAMPLES }, (_, at) => ['flow', T0 + at, at] as const)
  await putSamples(service, 'boiler', samples)
})

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const editor = (page: Page) => page.getByRole('textbox', { name: 'GS SQL' })
const line = (page: Page) => page.getByRole('region', { name: 'Result' }).getByRole('status')

async function write(page: Page, text: string): Promise<void> {
  await editor(page).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

test('the text of a query is in the address, and no server sees it', { skip }, async () => {
  const { page, complaints } = await studio.open('/query')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await write(page, SQL)
  await page.waitForURL((url) => decodeURIComponent(url.hash.slice(1)) === SQL)
  const address = page.url()
  const other = await studio.open('/boards')
  await other.page.goto(address)
  await other.page.locator('.cm-content').filter({ hasText: "id = 'flow'" }).waitFor()
  await shows(other.page.getByText('Choose a table or a stream'), 0)
  await shows(other.page.getByRole('region', { name: 'Result' }), 0)
  await assertAccessible(other.page)
  assert.ok(asked.every((url) => !url.includes('#') && !url.includes('boiler')))
  assert.deepEqual(complaints, [])
})

test('a run returns a thousand rows unless all are asked for, and stays in the history', {
  skip,
}, async () => {
  const { page } = await studio.open('/query')
  await write(page, SQL)
  await button(page, 'Run').click()
  await line(page).getByText('1,000 and more rows').waitFor()
  await assertAccessible(page)
  await shoot(page, 'query-rows')
  await button(page, 'Show all rows').click()
  await line(page).getByText('1,500 rows').waitFor()
  await page.getByLabel('Row limit').selectOption('First 100 rows')
  await page.waitForURL(/rows=100/)
  await line(page).getByText('100 and more rows').waitFor()
  await write(page, 'SELECT cid FROM STREAM')
  await page.keyboard.press('ControlOrMeta+Enter')
  await line(page).getByText('1 row').waitFor()
  const history = page.getByRole('region', { name: 'History' })
  await shows(history.getByRole('listitem'), 2)
  await page.reload()
  await history.getByRole('button', { name: /^SELECT time, sample/ }).click()
  await page.locator('.cm-content').filter({ hasText: "id = 'flow'" }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await assertFits(page)
})

test('a saved query that is opened through a link runs', { skip }, async () => {
  const made = await owner('PUT', '/api/query', { query: { name: 'Flow', sql: SQL } })
  assert.equal(made.status, 200, made.text)
  const { uid } = made.body.query
  const { page } = await studio.open(`/query/${uid}`)
  await line(page).getByText('1,000 and more rows').waitFor()
  // A text of somebody else in the link waits until it is run.
  await page.goto(`${studio.service.url}/boards`)
  await page.goto(
    `${studio.service.url}/query/${uid}#${encodeURIComponent('SELECT cid FROM STREAM')}`,
  )
  await page.locator('.cm-content').filter({ hasText: 'SELECT cid FROM STREAM' }).waitFor()
  await shows(page.getByRole('region', { name: 'Result' }), 0)
})

test('suggestions close when a text runs', { skip }, async () => {
  const { page } = await studio.open('/query')
  await editor(page).click()
  await page.keyboard.type('SELECT cid FROM STREA')
  await page
    .getByRole('option', { name: /^STREAM/ })
    .first()
    .waitFor()
  await page.keyboard.type('M')
  await page
    .getByRole('option', { name: /^STREAM/ })
    .first()
    .waitFor()
  await page.keyboard.press('ControlOrMeta+Enter')
  await line(page).getByText('1 row').waitFor()
  await shows(page.getByRole('listbox'), 0)
})
