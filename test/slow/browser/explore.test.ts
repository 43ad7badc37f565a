import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { keepablePort } from '../../support/port.ts'
import { eventually, settlesLike, shows } from '../../support/settle.ts'
import {
  assertAccessible,
  assertFits,
  openStudio,
  type StudioTest,
  shoot,
} from '../../support/studio.ts'

const skip = browserSkip()
const PHONE = { viewport: { width: 390, height: 844 } }
const LONG = `${'Sehr lange Bezeichnung 漢字 مضخة '.repeat(20)}`.slice(0, 512).trim()
let studio: StudioTest
let owner: Call
let feed: FeedClient
const uids: Record<string, string> = {}

before(async () => {
  if (skip !== false) return
  const WEIR_PORT = String(await keepablePort())
  studio = await openStudio({ settings: { WEIR_LIVE: 'perSecond=20', WEIR_PORT } })
  const { service } = studio
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  feed = new FeedClient(service)
  const units = await owner('GET', '/api/unit?limit=1000')
  const celsius = units.body.unit.find(({ id }: { id: string }) => id === 'celsius').uid
  await make(
    'boiler',
    { name: 'Boiler 7', folder: '/Components/Hall A', timeZoneId: 'Asia/Tokyo' },
    [
      { id: 'temp', name: 'Flow temperature', valueType: 'DOUBLE', unit: { uid: celsius } },
      { id: 'state', name: 'State', valueType: 'STRING' },
      { id: 'on', name: 'Burner', valueType: 'BOOLEAN' },
      { id: 'unused', name: 'Not used yet', valueType: 'DOUBLE' },
      { id: 'long', name: LONG, valueType: 'STRING' },
    ],
  )
  await make('pump', { name: 'Pump', folder: '/Components/Hall A/Cellar' }, [])
  await make('mast', { name: LONG, folder: '/Components/Far away' }, [
    { id: 's', valueType: 'DOUBLE' },
  ])
  await make('bare', { name: 'Bare component' }, [])
  const now = Date.now()
  const rows = Array.from({ length: 288 }, (_, at) => ({
    compId: 'boiler',
    streamId: 'temp',
    time: now - (288 - at) * 300_000,
    data: 60 + 8 * Math.sin(at / 20),
  }))
  await put([...rows, { compId: 'boiler', streamId: 'state', data: 'heating' }])
  await put([{ compId: 'boiler', streamId: 'on', data: true }])
  await put([{ compId: 'boiler', streamId: 'long', data: LONG }])
})
after(() => studio?.[Symbol.asyncDispose]())

async function make(id: string, fields: object, stream: object[]): Promise<void> {
  const made = await owner('PUT', '/api/component', { component: { id, ...fields, stream } })
  assert.equal(made.status, 200, made.text)
  uids[id] = made.body.component.uid
}

async function put(rows: readonly object[]): Promise<void> {
  const { status, text } = await feed.putJson(rows)
  assert.equal(status, 200, text)
}

test('a component shows its streams with last values, units, ages and a line, live', {
  skip,
}, async () => {
  const { page, complaints, hosts } = await studio.open(`/c/${uids.boiler}`)
  await page.getByRole('heading', { name: 'Boiler 7' }).waitFor()
  const temp = page.getByRole('link', { name: /Flow temperature/ })
  await temp.getByText(/^\d+(\.\d+)?.*C$/).waitFor()
  await temp.getByRole('img', { name: 'the last 24 hours' }).waitFor()
  await page.getByRole('link', { name: /^State heating/ }).waitFor()
  await page.getByRole('treeitem', { name: 'Boiler 7', selected: true }).waitFor()
  await page.getByRole('link', { name: /^Burner true/ }).waitFor()
  await page.getByRole('link', { name: 'Not used yet no samples' }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  const metrics = async () => await (await fetch(`${studio.service.url}/metrics`)).text()
  await settlesLike(metrics, /^weir_live_connections 1$/m)
  await put([{ compId: 'boiler', streamId: 'temp', data: 98.123456789012 }])
  await temp.getByText(/^98\.1235\s/).waitFor()
  await temp.getByTitle(/^98\.123456789012/).waitFor()
  await put([{ compId: 'boiler', streamId: 'temp', data: 99.5 }])
  await temp.getByText(/^99\.5/).waitFor()
  await temp.getByText(/just now|\d (?:s|min) ago/).waitFor()
  await owner('DELETE', `/api/comp/boiler/stream/state/feed?sd=0&ed=${Date.now() + 1_000}`)
  await page.getByRole('link', { name: 'State no samples' }).waitFor()
  await put([{ compId: 'boiler', streamId: 'added', data: 5 }])
  await page.getByRole('link', { name: /^added 5/ }).waitFor()
  await page.getByRole('link', { name: 'Edit' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'explore-component')
  assert.deepEqual(complaints, [])
  assert.equal(hosts.size, 1)
  await page.goto(studio.service.url)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
})

test('the tree opens and closes, is driven by keys, and finds by name and ID', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/c')
  const tree = page.getByRole('tree', { name: 'Components' })
  const item = (name: string) => tree.getByRole('treeitem', { name, exact: true })
  await item('Hall A').click()
  await item('Boiler 7').waitFor()
  await assertAccessible(page)
  await shoot(page, 'explore-tree')
  await page.getByRole('searchbox', { name: /^Search components/ }).focus()
  await page.keyboard.press('ArrowDown')
  // Letters that come slowly are words of their own: a slow machine has to try again.
  await eventually(async () => {
    await page.keyboard.press('Home')
    await page.keyboard.type('hall')
    const active =
      'document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))'
    assert.match(await page.evaluate<string>(`${active}.textContent`), /^Hall A/)
  })
  await page.keyboard.press('ArrowLeft')
  await shows(item('Boiler 7'), 0)
  await page.keyboard.press('ArrowRight')
  await item('Boiler 7').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/c/${uids.boiler}`)
  await page.getByRole('heading', { name: 'Boiler 7' }).waitFor()
  await page.reload()
  await item('Boiler 7').waitFor()
  await page.getByRole('searchbox').fill('PUMP')
  await item('Pump Hall A/Cellar').waitFor()
  await shows(tree.getByRole('treeitem'), 1)
  await page.waitForURL('**/c/*?find=PUMP')
  await page.getByRole('searchbox').fill('nothing like it')
  await page.getByText('No matching components').waitFor()
  await page.getByRole('searchbox').fill('')
  await make('late', { name: 'Aardvark' }, [])
  await item('Aardvark').waitFor()
  await assertAccessible(page)
  assert.deepEqual(complaints, [])
})

test('long names are cut, and empty components say what belongs into them', { skip }, async () => {
  const { page } = await studio.open(`/c/${uids.mast}`)
  await page.getByRole('heading', { name: LONG }).waitFor()
  await page.getByRole('link', { name: 's no samples' }).waitFor()
  await assertFits(page)
  await assertAccessible(page)
  await shoot(page, 'explore-long')
  await page.goto(`${studio.service.url}/c/bare`)
  await page.getByText('Streams appear here when their first sample arrives').waitFor()
  await page.getByText(/curl -X PUT .*compId=bare/).waitFor()
  await assertAccessible(page)
  await page.goto(`${studio.service.url}/c/none%20such`)
  await page.getByText('Component “none such” does not exist, or you do not have access.').waitFor()
  await assertAccessible(page)
})

test('on a phone the tree is a page of its own', { skip }, async () => {
  const { page } = await studio.open('/c', { ...PHONE, colorScheme: 'dark' })
  await page.getByRole('list', { name: 'Devices' }).waitFor()
  await shows(page.getByRole('tree'), 0)
  await page.getByRole('button', { name: 'Folders' }).click()
  await page.getByRole('treeitem', { name: 'Hall A' }).click()
  await shoot(page, 'explore-tree-phone-dark')
  await assertFits(page)
  await assertAccessible(page)
  await page.getByRole('treeitem', { name: 'Boiler 7' }).click()
  await page.getByRole('link', { name: /Flow temperature/ }).waitFor()
  await shows(page.getByRole('tree'), 0)
  await page.getByRole('img', { name: 'the last 24 hours' }).first().waitFor()
  await shoot(page, 'explore-component-phone-dark')
  await assertFits(page)
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Devices', exact: true }).click()
  await page.getByRole('list', { name: 'Devices' }).waitFor()
  const wide = await studio.open('/c/boiler', { colorScheme: 'dark' })
  await wide.page.getByRole('link', { name: /Flow temperature/ }).waitFor()
  await wide.page.getByRole('img', { name: 'the last 24 hours' }).first().waitFor()
  await shoot(wide.page, 'explore-component-dark')
  await assertAccessible(wide.page)
})

test('of thousands of components those that are seen are in the page, and all are reached', {
  skip,
}, async () => {
  const names = Array.from({ length: 3_000 }, (_, at) => `zone ${String(at).padStart(4, '0')}`)
  await put(names.map((compId) => ({ compId, streamId: 's', data: 1 })))
  const { page } = await studio.open('/c')
  const tree = page.getByRole('tree', { name: 'Components' })
  await tree.getByRole('treeitem', { name: 'Bare component' }).waitFor()
  await page.getByRole('searchbox').press('ArrowDown')
  await page.keyboard.press('End')
  await tree.getByRole('treeitem', { name: 'zone 2999' }).waitFor()
  await eventually(async () => assert.ok((await tree.getByRole('treeitem').count()) < 100))
  // Home shows the first row, also when only the wheel has left it.
  const first = tree.getByRole('treeitem').and(page.locator('[aria-posinset="1"]'))
  await page.keyboard.press('Home')
  await first.waitFor()
  await tree.hover()
  await page.mouse.wheel(0, 20_000)
  await first.waitFor({ state: 'detached' })
  await page.keyboard.press('Home')
  await first.waitFor()
  await page.keyboard.press('End')
  await tree.getByRole('treeitem', { name: 'zone 2999' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'zone 2999' }).waitFor()
  await page.getByRole('searchbox').fill('zone 17 5')
  await page
    .getByRole('status')
    .filter({ hasText: /^\d+ found$/ })
    .waitFor()
  await tree.getByRole('treeitem', { name: 'zone 1750' }).waitFor()
  await assertAccessible(page)
})

test('a lost connection recovers, and what was missed is there', { skip }, async () => {
  const { page } = await studio.open('/c/boiler')
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  await page.context().setOffline(true)
  // What is open stays open for a browser that is set offline: the service ends it.
  await studio.service.restart()
  await page.getByText('Cannot reach the service').waitFor()
  await put([{ compId: 'boiler', streamId: 'temp', data: 12.25 }])
  await page.context().setOffline(false)
  await page.getByRole('link', { name: /Flow temperature 12.25/ }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  await shows(page.getByText('Cannot reach the service'), 0)
})
