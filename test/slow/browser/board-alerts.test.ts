/** A panel of alerts on a board: made, live, chosen by folder, and on a phone. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { putSamples, seedComponent } from '../../support/seeded-streams.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { shows } from '../../support/settle.ts'
import { assertFits, inBothThemes, shoot, showsToast } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)

/** Puts a value of now, and waits until alerts have seen it. */
async function put(compId: string, value: number): Promise<void> {
  await putSamples(studio.service, compId, [['temp', Date.now(), value]])
  await studio.service.app.alertWorker.settle()
}

before(async () => {
  if (skip !== false) return
  const { service } = studio
  const { runningUser } = (await owner('GET', '/api/alert/new')).body.alert
  const path = '/Components/Cellar'
  assert.equal(
    (await owner('PUT', '/api/component_folder', { component_folder: { path } })).status,
    200,
  )
  for (const [id, folder, name, severity] of [
    ['boiler', path, 'Too hot', 'critical'],
    ['freezer', '/Components', 'Too warm', 'warning'],
  ] as const) {
    const streams = [{ id: 'temp', valueType: 'DOUBLE' }]
    const { uid, uidOf } = await seedComponent(service, { id, name: id, folder }, streams)
    const watched = [{ componentUid: uid, streamUid: uidOf('temp') }]
    const alert = { name, severity, condition: 'value > 30', streams: watched, runningUser }
    const made = await owner('PUT', '/api/alert', { alert })
    assert.equal(made.status, 200, made.text)
  }
})

const rowsOf = (page: Page, title: string) =>
  page.getByRole('list', { name: title }).getByRole('listitem')

test('a panel of alerts is made, follows what fires, and is chosen by folder', {
  skip,
}, async () => {
  const dashboard = { name: 'Watch', panels: [] }
  const { uid } = (await owner('PUT', '/api/dashboard', { dashboard })).body.dashboard
  const { page, complaints } = await studio.open(`/boards/${uid}?edit=1`)
  await page.getByRole('button', { name: 'Add first panel' }).click()
  const editor = page.getByRole('dialog', { name: 'New panel' })
  await editor.getByLabel('Title').fill('Now')
  await editor.getByLabel('Panel type').selectOption({ label: 'Alerts' })
  await editor.getByText('No alert fires.').waitFor()
  await shoot(page, 'board-alerts-editor')
  await editor.getByRole('button', { name: 'Add to board' }).click()
  await page.getByRole('button', { name: 'Add panel' }).click()
  await editor.getByLabel('Title').fill('Cellar')
  await editor.getByLabel('Panel type').selectOption({ label: 'Alerts' })
  await editor.getByLabel('Show', { exact: true }).selectOption({ label: 'All enabled alerts' })
  await editor.getByLabel('Folder of the devices').fill('/Components/Cellar')
  await editor.getByText('Too hot').waitFor()
  await editor.getByRole('button', { name: 'Add to board' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await showsToast(page, 'Board saved.')
  await page.getByText('No alert fires.').waitFor()
  await rowsOf(page, 'Cellar').getByText('OK').waitFor()
  await put('freezer', 40)
  await put('boiler', 95)
  await shows(rowsOf(page, 'Now'), 2)
  await rowsOf(page, 'Now').first().getByText('Critical').waitFor()
  await rowsOf(page, 'Now').first().getByText(': 95').waitFor()
  await rowsOf(page, 'Cellar').getByText('Firing').waitFor()
  await shows(rowsOf(page, 'Cellar'), 1)
  await page.setViewportSize({ width: 1440, height: 900 })
  await inBothThemes(page, async (theme) => shoot(page, `board-alerts-${theme}-1440`))
  await page.setViewportSize({ width: 390, height: 844 })
  await inBothThemes(page, async (theme) => {
    await assertFits(page)
    await shoot(page, `board-alerts-${theme}-390`)
  })
  await put('freezer', 10)
  await shows(rowsOf(page, 'Now'), 1)
  await rowsOf(page, 'Now').getByRole('link', { name: 'Too hot' }).click()
  await page.waitForURL(/\/alerts\/[0-9a-f-]{36}$/)
  assert.deepEqual(complaints, [])
})
