/** Many windows of one browser over HTTP/1.1, of whose connections there are six for all of them. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { caller, signIn } from '../../support/caller.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { settlesLike } from '../../support/settle.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const WINDOWS = 8
const PLACES = 4
const studio = studioOfFile()
let feed: FeedClient
let owner: ReturnType<typeof caller>
let path: string

before(async () => {
  if (skip !== false) return
  const { service } = studio
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const stream = [{ id: 's', name: 'Level', valueType: 'DOUBLE' }]
  const made = await owner('PUT', '/api/component', { component: { id: 'tank', stream } })
  assert.equal(made.status, 200, made.text)
  path = `/c/${made.body.component.uid}`
  feed = new FeedClient(service)
})

async function put(data: number): Promise<void> {
  const { status, text } = await feed.putJson([{ compId: 'tank', streamId: 's', data }])
  assert.equal(status, 200, text)
}

async function metrics(): Promise<string> {
  return await (await fetch(`${studio.service.url}/metrics`)).text()
}

async function create(id: string): Promise<void> {
  const { status, text } = await owner('PUT', '/api/component', { component: { id } })
  assert.equal(status, 200, text)
}

async function showsValue(page: Page, value: number): Promise<void> {
  await page.getByRole('link', { name: new RegExp(`^Level ${value}`) }).waitFor()
}

test('more windows than a browser has connections all open, show what comes, and take the places of those that close', {
  skip,
}, async () => {
  await put(1)
  const first = await studio.open(path)
  const pages = [first.page]
  const live = first.page.getByRole('status').filter({ hasText: 'Live' })
  await live.waitFor()
  while (pages.length < WINDOWS) {
    const page = await first.page.context().newPage()
    pages.push(page)
    await page.goto(`${studio.service.url}${path}`)
    await showsValue(page, 1)
    const word = pages.length <= PLACES ? 'Live' : 'Every 5 seconds'
    await page.getByRole('status').filter({ hasText: word }).waitFor()
  }
  await put(2)
  await Promise.all(pages.map((page) => showsValue(page, 2)))
  for (const page of pages.splice(0, PLACES)) await page.close()
  for (const page of pages) {
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  }
  await put(3)
  await Promise.all(pages.map((page) => showsValue(page, 3)))
  assert.deepEqual(first.complaints, [])
})

test('a window that moves on before a connection is open leaves none behind', {
  skip,
}, async () => {
  const { page } = await studio.open(path)
  await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
  await settlesLike(metrics, /^weir_live_connections 1$/m)
  const held = Promise.withResolvers<void>()
  const asked = page.waitForRequest('**/api/live?**')
  await page.route('**/api/live?**', async (route) => {
    await held.promise
    // The page has given the call up.
    await route.continue().catch(() => {})
  })
  await page.getByRole('link', { name: /^Level/ }).click()
  await asked
  await page.getByRole('link', { name: 'Query', exact: true }).click()
  await page.getByRole('heading', { name: 'Query' }).first().waitFor()
  held.resolve()
  await settlesLike(metrics, /^weir_live_connections 0$/m)
})

test('a window that hears late of others that were there first gives its place back', {
  skip,
}, async () => {
  await put(4)
  const { page, complaints } = await studio.open(path)
  const status = page.getByRole('status')
  await status.filter({ hasText: 'Live' }).waitFor()
  await page.evaluate(`
    const channel = new BroadcastChannel('weir-live-places')
    for (const from of ['a', 'b', 'c', 'd']) channel.postMessage({ says: 'holds', from, askedAtMs: 1 })
    channel.onmessage = ({ data }) => {
      if (data.says !== 'asks') return
      for (const from of ['a', 'b', 'c', 'd']) channel.postMessage({ says: 'holds', from, askedAtMs: 1 })
    }
    globalThis.others = channel
  `)
  await status.filter({ hasText: 'Every 5 seconds' }).waitFor()
  await put(5)
  await showsValue(page, 5)
  await page.evaluate(`
    others.onmessage = null
    others.postMessage({ says: 'leaves', from: 'a', askedAtMs: 1 })
  `)
  await status.filter({ hasText: 'Live' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('what changes in the catalog while a page connects is shown', { skip }, async () => {
  const { page, complaints } = await studio.open('/')
  const opened = Promise.withResolvers<void>()
  await page.route('**/api/live?**', async (route) => {
    await opened.promise
    await route.continue().catch(() => {})
  })
  const asked = page.waitForRequest('**/api/live?**')
  await page.goto(`${studio.service.url}${path}`)
  const tree = page.getByRole('tree')
  await tree.getByRole('treeitem', { name: 'tank' }).waitFor()
  await page.getByRole('link', { name: /^Level/ }).waitFor()
  await asked
  await create('pump')
  const valve = { stream: { id: 'valve', name: 'Valve', valueType: 'BOOLEAN' } }
  const made = await owner('PUT', `/api/component/${path.slice('/c/'.length)}/stream`, valve)
  assert.equal(made.status, 200, made.text)
  opened.resolve()
  await tree.getByRole('treeitem', { name: 'pump' }).waitFor()
  await page.getByRole('link', { name: /^Valve/ }).waitFor()
  assert.deepEqual(complaints, [])
})

test('a window without a live connection shows what changes in the catalog', { skip }, async () => {
  const first = await studio.open('/')
  await first.page.evaluate(`
    globalThis.others = new BroadcastChannel('weir-live-places')
    others.onmessage = ({ data }) => {
      if (data.says !== 'asks') return
      for (const from of ['a', 'b', 'c', 'd']) others.postMessage({ says: 'holds', from, askedAtMs: 1 })
    }
  `)
  const page = await first.page.context().newPage()
  const looked = page.waitForResponse(/live\?catalog&compUid/)
  await page.goto(`${studio.service.url}${path}`)
  await page.getByRole('treeitem', { name: 'tank' }).waitFor()
  await page.getByRole('status').filter({ hasText: 'Every 5 seconds' }).waitFor()
  await looked
  // The next look begins five seconds after this one has ended.
  await settlesLike(metrics, /^weir_live_connections 0$/m)
  await create('fan')
  await page.getByRole('treeitem', { name: 'fan' }).waitFor()
  assert.deepEqual(first.complaints, [])
})
