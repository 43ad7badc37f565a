/** One board for many devices: a device is chosen, and the panels show its streams. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { settlesTo, shows } from '../../support/settle.ts'
import { assertAccessible, shootAll, showsToast } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const GUEST = { email: 'guest@example.com', password: 'a long enough password' }
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)
const uids = new Map<string, string>()

before(async () => {
  if (skip !== false) return
  const { service } = studio
  for (const [id, streams, folder] of [
    ['boiler 1', ['temp', 'flow'], '/Components/Hall 1'],
    ['boiler 2', ['temp', 'flow'], '/Components/Hall 1'],
    ['boiler 3', ['temp'], '/Components/Hall 1'],
    ['pump', ['speed'], '/Components/Hall 2'],
  ] as const) {
    const stream = streams.map((one) => ({ id: one, valueType: 'DOUBLE' }))
    const made = await owner('PUT', '/api/component', { component: { id, folder, stream } })
    assert.equal(made.status, 200, made.text)
    const { component } = made.body
    uids.set(id, component.uid)
    for (const { id: one, uid } of component.stream) uids.set(`${id} ${one}`, uid)
  }
  const rows = [
    ['boiler 1', 'temp', 61],
    ['boiler 1', 'flow', 811],
    ['boiler 2', 'temp', 62],
    ['boiler 2', 'flow', 812],
    ['boiler 3', 'temp', 63],
    ['pump', 'speed', 1450],
  ] as const
  const put = await new FeedClient(service).putJson(
    rows.map(([compId, streamId, data]) => ({ compId, streamId, data })),
  )
  assert.equal(put.status, 200, put.text)
  const org_user = { ...GUEST, firstName: 'G', lastName: 'G', role: 'GUEST' }
  assert.equal((await owner('PUT', '/api/org_user', { org_user })).status, 200)
})

const panel = (page: Page, name: string) => page.getByRole('region', { name })

test('a board of one device shows every other device that has its streams', { skip }, async () => {
  const streamOf = (id: string, stream: string) => ({
    componentUid: uids.get(id),
    streamUid: uids.get(`${id} ${stream}`),
  })
  const box = { width: 4, height: 3, y: 0 }
  const panels = [
    { kind: 'value', title: 'Temperature', x: 0, ...box, streams: [streamOf('boiler 1', 'temp')] },
    { kind: 'value', title: 'Flow', x: 4, ...box, streams: [streamOf('boiler 1', 'flow')] },
    { kind: 'value', title: 'Pump', x: 8, ...box, streams: [streamOf('pump', 'speed')] },
    { kind: 'chart', title: 'Day', ...box, x: 0, y: 3, streams: [streamOf('boiler 1', 'temp')] },
  ]
  const made = await owner('PUT', '/api/dashboard', { dashboard: { name: 'Boiler', panels } })
  assert.equal(made.status, 200, made.text)
  const path = `/boards/${made.body.dashboard.uid}`
  const { page, complaints } = await studio.open(`${path}?edit=1`)
  await page.getByLabel('Device variable').selectOption({ label: 'boiler 1' })
  await page.getByLabel('Folder of the devices').fill('/Components/Hall 1')
  await assertAccessible(page)
  await shootAll(page, 'board-variable-edit')
  await page.getByRole('button', { name: 'Save' }).click()
  await showsToast(page, 'Board saved.')
  const device = page.getByLabel('Device', { exact: true })
  await settlesTo(
    () => device.locator('option').allInnerTexts(),
    ['boiler 1', 'boiler 2', 'boiler 3'],
  )
  await panel(page, 'Temperature').getByText(/^61\b/).waitFor()
  await page.getByRole('button', { name: 'Next device' }).click()
  await page.waitForURL(`**${path}?component=${uids.get('boiler 2')}`)
  await panel(page, 'Temperature').getByText(/^62\b/).waitFor()
  await panel(page, 'Flow')
    .getByText(/^812\b/)
    .waitFor()
  await panel(page, 'Pump')
    .getByText(/^1,?450\b/)
    .waitFor()
  await panel(page, 'Day').getByText('boiler 2 · temp').waitFor()
  await shootAll(page, 'board-variable')
  await page.reload()
  await panel(page, 'Flow')
    .getByText(/^812\b/)
    .waitFor()
  await device.selectOption({ label: 'boiler 3' })
  await panel(page, 'Temperature').getByText(/^63\b/).waitFor()
  await panel(page, 'Flow').getByText('No stream. Choose one in the panel').waitFor()
  await page.goBack()
  await panel(page, 'Temperature').getByText(/^62\b/).waitFor()

  const guest = await studio.open(`${path}?component=${uids.get('pump')}`, { as: GUEST })
  const theirs = guest.page.getByLabel('Device', { exact: true })
  await settlesTo(() => theirs.locator('option:checked').allInnerTexts(), ['pump'])
  await theirs.selectOption({ label: 'boiler 2' })
  await panel(guest.page, 'Temperature').getByText(/^62\b/).waitFor()

  // The board itself still has the streams of the first device.
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await panel(page, 'Temperature').getByText(/^61\b/).waitFor()
  await page.getByLabel('Device variable').selectOption({ label: 'None' })
  await page.getByRole('button', { name: 'Save' }).click()
  await showsToast(page, 'Board saved.')
  await shows(page.getByLabel('Device', { exact: true }), 0)
  assert.deepEqual([...complaints, ...guest.complaints], [])
})

test('of many devices words find one, and numbers in their names count', { skip }, async () => {
  const made: string[] = []
  for (let at = 1; at <= 25; at += 1) {
    const component = {
      id: `sensor ${at}`,
      folder: '/Components/Field',
      stream: [{ id: 'temp', valueType: 'DOUBLE' }],
    }
    const answer = await owner('PUT', '/api/component', { component })
    assert.equal(answer.status, 200, answer.text)
    made.push(answer.body.component.uid)
    if (at > 1) continue
    uids.set('sensor temp', answer.body.component.stream[0].uid)
  }
  const values = [1, 2, 10].map((at) => ({
    compId: `sensor ${at}`,
    streamId: 'temp',
    data: 100 + at,
  }))
  const put = await new FeedClient(studio.service).putJson(values)
  assert.equal(put.status, 200, put.text)
  const streams = [{ componentUid: made[0], streamUid: uids.get('sensor temp') }]
  const panels = [{ kind: 'value', title: 'Temperature', x: 0, y: 0, width: 4, height: 3, streams }]
  const variable = { componentUid: made[0], folder: '/Components/Field' }
  const saved = await owner('PUT', '/api/dashboard', {
    dashboard: { name: 'Field', panels, variable },
  })
  assert.equal(saved.status, 200, saved.text)
  const { page, complaints } = await studio.open(`/boards/${saved.body.dashboard.uid}`)
  await page.getByRole('button', { name: 'Next device' }).click()
  await panel(page, 'Temperature')
    .getByText(/^102\b/)
    .waitFor()
  await page.getByLabel('Filter devices').fill('10')
  await page.getByText('1 found').waitFor()
  await assertAccessible(page)
  await shootAll(page, 'board-variable-filter')
  const device = page.getByLabel('Device', { exact: true })
  await settlesTo(() => device.locator('option').allInnerTexts(), ['sensor 2', 'sensor 10'])
  await page.getByText('1 found. Press Enter to show it.').waitFor()
  await page.getByLabel('Filter devices').press('Enter')
  await panel(page, 'Temperature')
    .getByText(/^110\b/)
    .waitFor()
  await page.getByLabel('Filter devices').fill('nothing like it')
  await page.getByText('No matching devices.').waitFor()
  assert.deepEqual(complaints, [])
})
