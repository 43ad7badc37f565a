import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { eventually, settlesTo, shows } from '../../support/settle.ts'
import { assertAccessible, assertFits, complaintsOtherThan, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const LOOKS = [
  { name: '1440', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { name: '1024-dark', viewport: { width: 1024, height: 768 }, colorScheme: 'dark' },
  { name: '390', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { name: '390-dark', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
] as const
const WIDE = { viewport: { width: 1440, height: 900 } }
const COUNT = 3_000
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)
let feed: FeedClient

before(async () => {
  if (skip !== false) return
  const { service } = studio
  feed = new FeedClient(service)
})

async function make(component: object): Promise<string> {
  const made = await owner('PUT', '/api/component', { component })
  assert.equal(made.status, 200, made.text)
  return made.body.component.uid
}

async function put(rows: readonly object[]): Promise<void> {
  const { status, text } = await feed.putJson(rows)
  assert.equal(status, 200, text)
}

test('the home page asks for the first sample, also beside components that have none', {
  skip,
}, async () => {
  await make({ id: 'quiet', name: 'Quiet device', folder: '/Components/Hall B' })
  const { page, complaints } = await studio.open('/')
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  const now = Date.now()
  const rows = Array.from({ length: 96 }, (_, at) => ({
    compId: 'boiler',
    streamId: 'temp',
    time: now - (96 - at) * 900_000,
    data: 60 + 8 * Math.sin(at / 9),
  }))
  await put(rows)
  await page.getByText('First samples received').waitFor()
  assert.deepEqual(complaints, [])
})

test('the overview shows figures and all devices, whatever the width and the theme', {
  skip,
}, async () => {
  const names = Array.from({ length: COUNT }, (_, at) => `zone ${String(at).padStart(4, '0')}`)
  await put(names.map((compId, at) => ({ compId, streamId: 's', data: at })))
  for (const { name, viewport, colorScheme } of LOOKS) {
    const { page, complaints } = await studio.open('/', { viewport, colorScheme })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const figures = page.locator('dl')
    await figures.getByText('3,002').first().waitFor()
    await figures.getByText('Silent for 1 hour').waitFor()
    await figures.getByRole('link', { name: 'Create alert' }).waitFor()
    const list = page.getByRole('list', { name: 'Devices' })
    const boiler = list.getByRole('link', { name: /^boiler/ })
    await boiler.getByText('OK').waitFor()
    await boiler
      .getByText(/^\d+\.?\d*/)
      .first()
      .waitFor()
    await eventually(async () => assert.ok((await list.getByRole('listitem').count()) < 60))
    await assertFits(page)
    await assertAccessible(page)
    await shoot(page, `overview-${name}`)
    // On a phone the list begins higher.
    if (viewport.width === 390) await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Folder', { exact: true }).waitFor()
    assert.deepEqual(complaints, [])
  }
})

test('the list scrolls to any device, sorts, and filters; the address holds what is seen', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/c', WIDE)
  const list = page.getByRole('list', { name: 'Devices' })
  await list.getByRole('link', { name: /^boiler/ }).waitFor()
  const scrolled = `document.querySelector('ul[aria-label="Devices"]').parentElement`
  const heads = `${scrolled}.previousElementSibling`
  assert.equal(await page.evaluate(`${scrolled}.clientWidth - ${heads}.clientWidth`), 0)
  await page.evaluate(`${scrolled}.scrollTop = 1e9`)
  await list.getByRole('link', { name: /^zone 2999/ }).waitFor()
  await page.getByRole('button', { name: 'Sort by last contact' }).click()
  await page.waitForURL('**/c?sort=lastContact')
  await list.getByRole('link', { name: /^Quiet device.*never.*Silent/ }).waitFor()
  await page.getByRole('button', { name: 'Last contact, sorted ascending' }).click()
  await page.waitForURL('**/c?sort=lastContact&order=desc')
  await list.getByRole('link', { name: /^zone/ }).first().waitFor()
  await page.getByLabel('State').selectOption('Silent for 1 hour')
  await page.waitForURL('**/c?*silent=3600000')
  await shows(list.getByRole('listitem'), 1)
  await page.getByText('1 matching device').waitFor()
  await assertAccessible(page)
  await shoot(page, 'devices-silent')
  await page.reload()
  await list.getByRole('link', { name: /^Quiet device/ }).waitFor()
  await settlesTo(() => page.getByLabel('State').inputValue(), '3600000')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('Search', { exact: true }).fill('ZONE 1705')
  await page.waitForURL('**/c?*text=ZONE*')
  await list.getByRole('link', { name: /^zone 1705/ }).waitFor()
  await shows(list.getByRole('listitem'), 1)
  await page.getByLabel('Search', { exact: true }).fill('')
  await page.getByLabel('Folder', { exact: true }).fill('/Components/Hall B')
  await list.getByRole('link', { name: /^Quiet device/ }).waitFor()
  await shows(list.getByRole('listitem'), 1)
  await page.getByLabel('Folder', { exact: true }).fill('nowhere')
  await page.getByText('must start with /Components').first().waitFor()
  await page.getByLabel('Folder', { exact: true }).fill('')
  await page.getByLabel('Label', { exact: true }).fill('component=boiler')
  await list.getByRole('link', { name: /^boiler/ }).click()
  await page.getByRole('heading', { name: 'boiler' }).waitFor()
  assert.deepEqual(complaintsOtherThan(complaints, 400), [])
})

test('the tree scrolls to the open component and marks it, however many there are', {
  skip,
}, async () => {
  const { body } = await owner('GET', '/api/component?id=zone%202345')
  const { page } = await studio.open(`/c/${body.component[0].uid}`, WIDE)
  const item = page.getByRole('treeitem', { name: 'zone 2345', selected: true })
  await item.waitFor()
  const isSeen = `(() => {
    const item = document.querySelector('[role="treeitem"][aria-selected="true"]')
    return item !== null && item.getBoundingClientRect().top < innerHeight
  })()`
  await settlesTo(() => page.evaluate(isSeen), true)
  await shoot(page, 'tree-scrolled')
  const quiet = await owner('GET', '/api/component?id=quiet')
  await page.goto(`${studio.service.url}/c/${quiet.body.component[0].uid}`)
  await page.getByRole('treeitem', { name: 'Quiet device', selected: true }).waitFor()
})
