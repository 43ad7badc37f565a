/** What the browser still has of a person who signed out, or whose session ended. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { caller, signIn } from '../../support/caller.ts'
import { settlesTo } from '../../support/settle.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const OTHER = { email: 'other@example.com', password: 'a long enough sentence' }
const SECRET = 'only the first person knows'
const studio = studioOfFile()
let unit: string
let component: string

before(async () => {
  if (skip !== false) return
  const { service } = studio
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const made = await owner('PUT', '/api/unit', { unit: { id: 'own', symbol: ' own' } })
  unit = made.body.unit.uid
  const folder = '/Components/Hall'
  const stream = [{ id: 's', valueType: 'DOUBLE' }]
  const tank = await owner('PUT', '/api/component', { component: { id: 'tank', folder, stream } })
  component = tank.body.component.uid
  const org_user = { ...OTHER, role: 'ADMIN' }
  const body = { org_user, currentPassword: service.ownerPassword }
  assert.equal((await owner('PUT', '/api/org_user', body)).status, 200)
})

/** What the browser has beyond the types of Node. */
interface BrowserStores {
  readonly indexedDB: { databases(): Promise<{ name?: string }[]> }
  readonly caches: { keys(): Promise<string[]> }
}

/** Everything that the page has in the browser, and its scripts can read. */
async function keptBy(page: Page): Promise<string[]> {
  return await page.evaluate(async () => {
    const { indexedDB, caches } = globalThis as unknown as BrowserStores
    const found = [
      ...Object.keys(localStorage).map((key) => `local ${key}=${localStorage.getItem(key)}`),
      ...Object.keys(sessionStorage).map((key) => `session ${key}=${sessionStorage.getItem(key)}`),
      ...(await indexedDB.databases()).map(({ name }) => `database ${name}`),
      ...(await caches.keys()).map((name) => `cache ${name}`),
    ]
    return found.sort()
  })
}

/** Opens the form of a unit, and types what is not saved. */
async function leaveDraft(page: Page): Promise<void> {
  await page.goto(`${studio.service.url}/build/unit/${unit}`)
  await page.getByLabel('Name').fill(SECRET)
  await settlesTo(async () => JSON.stringify(await keptBy(page)).includes(SECRET), true)
}

/** Looks at a component, so that its folder is open. */
async function look(page: Page): Promise<void> {
  await page.goto(`${studio.service.url}/c/${component}`)
  await settlesTo(async () => /weir\.tree/.test(JSON.stringify(await keptBy(page))), true)
}

async function typeCredentials(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('a sign-out clears drafts and view state, in every window', { skip }, async () => {
  const { page } = await studio.open('/')
  await page.evaluate(() => localStorage.setItem('weir.theme', 'dark'))
  await look(page)
  const other = await page.context().newPage()
  await look(other)
  await leaveDraft(other)
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  for (const window of [page, other]) {
    await window.getByRole('heading', { name: 'Sign in' }).waitFor()
    await settlesTo(() => keptBy(window), ['local weir.theme=dark'])
    await settlesTo(async () => new URL(window.url()).pathname, '/')
    assert.doesNotMatch(await window.content(), new RegExp(SECRET))
  }
  await other.goBack()
  await other.getByRole('heading', { name: 'Sign in' }).waitFor()
  const { ownerEmail, ownerPassword } = studio.service
  await typeCredentials(other, ownerEmail, ownerPassword)
  await other.getByRole('button', { name: 'Account' }).waitFor()
  assert.doesNotMatch(JSON.stringify(await keptBy(other)), new RegExp(SECRET))
})

test('a person who signs in again keeps the draft; another person sees nothing of it', {
  skip,
}, async () => {
  const { ownerEmail, ownerPassword, url } = studio.service
  const { page } = await studio.open('/')
  await look(page)
  await leaveDraft(page)
  const { request } = page.context()
  assert.equal((await request.delete(`${url}/api/login`)).status(), 200)
  await page.reload()
  await typeCredentials(page, ownerEmail, ownerPassword)
  await settlesTo(() => page.getByLabel('Name').inputValue(), SECRET)
  assert.equal((await request.delete(`${url}/api/login`)).status(), 200)
  await page.reload()
  await typeCredentials(page, OTHER.email, OTHER.password)
  await page.getByRole('button', { name: 'Account' }).waitFor()
  const kept = JSON.stringify(await keptBy(page))
  assert.doesNotMatch(kept, new RegExp(`${SECRET}|weir.tree`))
  await page.goto(`${url}/build/unit/${unit}`)
  await settlesTo(() => page.getByLabel('ID').inputValue(), 'own')
  assert.notEqual(await page.getByLabel('Name').inputValue(), SECRET)
})

test('another person who signs in over an ended session starts with nothing of it', {
  skip,
}, async () => {
  const { url } = studio.service
  const { page } = await studio.open('/')
  await look(page)
  await leaveDraft(page)
  const other = await page.context().newPage()
  await leaveDraft(other)
  const { request } = page.context()
  assert.equal((await request.delete(`${url}/api/login`)).status(), 200)
  await page.getByRole('link', { name: 'Boards' }).first().click()
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  await typeCredentials(page, OTHER.email, OTHER.password)
  for (const window of [page, other]) {
    await settlesTo(async () => new URL(window.url()).pathname, '/')
    await window.getByRole('button', { name: 'Account' }).waitFor()
    assert.doesNotMatch(JSON.stringify(await keptBy(window)), new RegExp(SECRET))
  }
})
