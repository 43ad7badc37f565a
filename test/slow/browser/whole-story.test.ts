/** What somebody does with data that comes from elsewhere, from the first failed call to a board, without a reload. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { caller, signIn } from '../../support/caller.ts'
import { eventually } from '../../support/settle.ts'
import { assertAccessible, complaintsOtherThan, shoot, showsToast } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()

const OF_JSON = `INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE)
SELECT d, 'temp', t FROM JSON_TABLE(@HTTP_BODY) WITH (d String '$.device', t Double '$.temp')`
const OF_CSV = `INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE)
SELECT parseCsv(@HTTP_BODY, 1, ';'), 'temp', CAST(parseCsv(@HTTP_BODY, 2, ';') AS DOUBLE)`
const NEWEST = `SELECT id, lastValue FROM STREAM WHERE cid = 'kiln' ORDER BY id`

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const place = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true })

/** Writes in place of what an editor holds, as pasting does. */
async function write(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label, exact: true }).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

async function look(page: Page, name: string): Promise<void> {
  await assertAccessible(page)
  await shoot(page, `story-${name}`)
}

/** Makes a connector on its page; answers the URL that takes its calls. */
async function makeConnector(page: Page): Promise<string> {
  await place(page, 'Connect').click()
  await button(page, 'New connector').click()
  await page.getByLabel('ID', { exact: true }).fill('kilns')
  await write(page, 'SQL', OF_JSON)
  await button(page, 'Create').click()
  await showsToast(page, 'Connector saved.')
  await page.getByText('No payloads yet.').waitFor()
  await look(page, 'connector')
  return await page
    .getByText(/\/api\/conn_sink\/.*\/kilns$/)
    .first()
    .innerText()
}

/** Fixes the statements by a dry run on the failed payload, saves them, and runs it again. */
async function fixAndRunAgain(page: Page): Promise<void> {
  const received = page.getByRole('region', { name: 'Received payloads' })
  await received.getByText(/^Failed: Line 2, column \d+/).waitFor()
  await button(page, 'Show').click()
  await page.getByText('kiln;812.5').waitFor()
  await button(page, 'Dry run').click()
  await page.getByRole('alert').filter({ hasText: 'Line 2, column' }).waitFor()
  await look(page, 'failed')
  await write(page, 'SQL', OF_CSV)
  await button(page, 'Dry run').click()
  await page.getByText('Stores 1 sample.').waitFor()
  await button(page, 'Save').click()
  await showsToast(page, 'Connector saved.')
  await button(page, 'Run again').click()
  await showsToast(page, 'Done: 1 sample stored.')
  await received.getByText('1 sample stored').waitFor()
  await look(page, 'mended')
}

/** Looks at the chart of what came, and adds a stream that is derived from it, with its history. */
async function chartAndDerive(page: Page): Promise<void> {
  await place(page, 'Explore').click()
  await page.getByRole('treeitem', { name: 'kiln' }).click()
  await page.getByRole('link', { name: /^temp/ }).click()
  await page.getByRole('group', { name: 'Chart of temp' }).waitFor()
  await page.getByText('812.5').first().waitFor()
  await look(page, 'chart')
  await page.getByRole('treeitem', { name: 'kiln' }).click()
  await page.getByRole('main').getByRole('link', { name: 'Edit', exact: true }).click()
  await look(page, 'component')
  await button(page, 'New stream').click()
  await page.getByLabel('ID', { exact: true }).fill('fahrenheit')
  await page.getByLabel('Source').selectOption({ label: 'Calculated from other streams' })
  await button(page, 'Add variable').click()
  const row = page.getByRole('group', { name: 'Variable a' })
  await row.getByLabel('Stream', { exact: true }).selectOption({ label: 'temp' })
  await write(page, 'Formula', 'a * 1.8 + 32')
  await page.getByRole('region', { name: 'Results' }).getByText('1494.5').waitFor()
  await look(page, 'formula')
  await button(page, 'Create').click()
  await showsToast(page, 'Stream saved.')
  await button(page, 'Recalculate').click()
  await page
    .getByRole('region', { name: 'Recalculate history' })
    .getByText(/^Done · started/)
    .waitFor()
  await look(page, 'derived')
}

/** Asks for both streams, saves the question and puts it on a board. */
async function queryOnBoard(page: Page): Promise<void> {
  await place(page, 'Query').click()
  await write(page, 'GS SQL', NEWEST)
  await button(page, 'Run').click()
  const result = page.getByRole('region', { name: 'Result' })
  await result.getByRole('cell', { name: '1494.5', exact: true }).waitFor()
  await look(page, 'query')
  await button(page, 'Save').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Kilns')
  await look(page, 'save')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await showsToast(page, 'Query saved.')
  await page.waitForURL(/\/query\/[0-9a-f-]{36}$/)
  await button(page, 'Add to board').click()
  await dialog.getByLabel('Board name').fill('Hall 3')
  await look(page, 'put')
  await button(page, 'Add').click()
  await showsToast(page, 'Panel added to the board.')
  await page.waitForURL(/\/boards\/[0-9a-f-]{36}/)
  const panel = page.getByRole('region', { name: 'Kilns' })
  await panel.getByRole('cell', { name: '812.5', exact: true }).waitFor()
  await panel.getByRole('cell', { name: '1494.5', exact: true }).waitFor()
  await look(page, 'board')
}

test('a webhook fails, is fixed and run again; its samples are charted, derived from, queried, and put on a board', {
  skip,
}, async () => {
  const { service } = studio
  const { page, complaints, hosts } = await studio.open('/')
  await page.getByRole('main').waitFor()
  await look(page, 'home')
  const sink = await makeConnector(page)
  const send = (body: string) =>
    fetch(`${sink}?api_key=${service.feedKey}`, { method: 'POST', body })
  assert.equal((await send('kiln;812.5')).status, 422)
  await fixAndRunAgain(page)
  await chartAndDerive(page)
  await queryOnBoard(page)
  assert.equal((await send('kiln;900')).status, 200)
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  await eventually(async () => {
    const { body } = await owner('GET', '/api/comp/kiln/stream/fahrenheit/feed?limit=10')
    const values = body.map(({ data }: { data: string }) => Number(data))
    assert.deepEqual(values.toSorted(), [1494.5, 1652])
  })
  await page.reload()
  await page.getByRole('cell', { name: '1652', exact: true }).waitFor()
  // The browser logs the dry run that failed.
  assert.deepEqual(complaintsOtherThan(complaints, 400, 422), [])
  assert.deepEqual([...hosts], [service.url])
})
