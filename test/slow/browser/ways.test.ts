/** The ways between the pages of Explore, and from them to Build and back. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { eventually, settlesTo } from '../../support/settle.ts'
import { assertAccessible, assertFits, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const LONG = `${'Sehr lange Bezeichnung 漢字 مضخة '.repeat(20)}`.slice(0, 512).trim()
const themes = ['light', 'dark'] as const
const studio = studioOfFile()
const owner = ownerOfFile(studio.service)
/** UIDs of components and their streams, by their IDs. */
const uids: Record<string, string> = {}

before(async () => {
  if (skip !== false) return
  const { service } = studio
  await make('boiler', { name: 'Boiler 7', folder: '/Components/Hall A' }, [
    { id: 'temp', name: 'Flow temperature', valueType: 'DOUBLE' },
    { id: 'photo', name: 'Photo', valueType: 'FILE' },
  ])
  await make('pump', { name: 'Ünïcode pump', folder: '/Components/Hall A' }, [{ id: 'rpm' }])
  await make('mast', { name: LONG }, [{ id: 's', name: LONG, valueType: 'DOUBLE' }])
  const feed = `${service.url}/api/feed?compId=boiler&temp=61.5`
  const sent = await fetch(feed, { method: 'PUT', headers: { 'X-Api-Key': service.feedKey } })
  assert.equal(sent.status, 200, await sent.text())
})

async function make(id: string, fields: object, stream: object[]): Promise<void> {
  const made = await owner('PUT', '/api/component', { component: { id, ...fields, stream } })
  assert.equal(made.status, 200, made.text)
  const { component } = made.body
  uids[id] = component.uid
  const { body } = await owner('GET', `/api/component/${component.uid}/stream`)
  for (const one of body.stream) uids[`${id}/${one.id}`] = one.uid
}

const pathOf = (component: string, stream: string) =>
  `/c/${uids[component]}/${uids[`${component}/${stream}`]}`

const treeOf = (page: Page) => page.getByRole('tree', { name: 'Components' })

test('the tree stays beside a stream as it was, where there is room', { skip }, async () => {
  const { page, complaints } = await studio.open('/c')
  const tree = treeOf(page)
  const item = (name: string) => tree.getByRole('treeitem', { name })
  await page.getByRole('searchbox', { name: /^Search components/ }).fill('unicode')
  await item('Ünïcode pump').click()
  await page.getByRole('link', { name: /^rpm/ }).click()
  await page.waitForURL(`**${pathOf('pump', 'rpm')}*`)
  await page.getByRole('group', { name: 'Chart of rpm' }).waitFor()
  await tree.getByRole('treeitem', { name: 'Ünïcode pump', selected: true }).waitFor()
  const words = page.getByRole('searchbox', { name: /^Search components/ })
  await settlesTo(() => words.inputValue(), 'unicode')
  await words.fill('boiler')
  await item('Boiler 7').click()
  await page.getByRole('heading', { name: 'Boiler 7' }).waitFor()
  await page.goto(`${studio.service.url}${pathOf('boiler', 'temp')}`)
  await tree.getByRole('treeitem', { name: 'Boiler 7', selected: true }).waitFor()
  await page.getByRole('heading', { name: 'Boiler 7 / Flow temperature' }).waitFor()
  await assertAccessible(page)
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    await shoot(page, `stream-tree-${colorScheme}`)
  }
  for (const width of [1_000, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await tree.waitFor({ state: 'hidden' })
    await assertFits(page)
    await shoot(page, `stream-${width}`)
  }
  assert.deepEqual(complaints, [])
})

test('a name of 512 characters takes two lines, and all of them when asked', { skip }, async () => {
  const pages = [pathOf('mast', 's'), `/c/${uids.mast}`, `/build/component/${uids.mast}`]
  for (const path of pages) {
    for (const width of [1280, 390]) {
      const { page } = await studio.open(path, { viewport: { width, height: 844 } })
      const heading = page.getByRole('heading', { level: 1 })
      const more = page.getByRole('button', { name: 'Show full name' })
      await more.waitFor()
      assert.ok((await heading.getAttribute('title'))?.includes(LONG), 'all of it is the hint')
      const height = async () => (await heading.boundingBox())?.height ?? 0
      const cut = await eventually(async () => {
        const found = await height()
        assert.ok(found > 0 && found < 80, `${path} ${width}: ${found} px`)
        return found
      })
      await assertAccessible(page)
      await assertFits(page)
      await shoot(page, `long-${pages.indexOf(path)}-${width}`)
      await more.click()
      const less = page.getByRole('button', { name: 'Show less', expanded: true })
      await less.waitFor()
      await eventually(async () => assert.ok((await height()) > cut, 'it grows'))
      await assertFits(page)
      await less.click()
      await settlesTo(height, cut)
      await page.close()
    }
  }
})

test('Explore leads to Build and back, and to the upload of files', { skip }, async () => {
  const { page } = await studio.open(`/c/${uids.boiler}`)
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await page.waitForURL(`**/build/component/${uids.boiler}`)
  await page.getByRole('link', { name: 'View data' }).click()
  await page.getByRole('link', { name: /^Flow temperature/ }).click()
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await page.waitForURL(`**/build/component/${uids.boiler}/stream/*`)
  await page.getByRole('link', { name: 'View data' }).click()
  await page.waitForURL(`**${pathOf('boiler', 'temp')}`)
  await page.goto(`${studio.service.url}${pathOf('boiler', 'photo')}`)
  await page.getByRole('link', { name: 'Upload files' }).click()
  const button = page.getByRole('button', { name: /Choose files/ })
  await button.waitFor()
  await eventually(async () => {
    const place = await button.boundingBox()
    assert.ok(place !== null && place.y >= 0 && place.y + place.height <= 800, 'it is in sight')
  })
  await assertAccessible(page)
  await shoot(page, 'stream-upload')
})

test('a mistyped address shows a page that says so, and leads on', { skip }, async () => {
  for (const path of [
    '/nonsense',
    '/queries',
    '/view/deeper',
    '/admin/nope',
    '/build/nope',
    '/build/nope/new',
  ]) {
    const { page } = await studio.open(path)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await assertAccessible(page)
    await shoot(page, 'no-such-page')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.close()
  }
})
