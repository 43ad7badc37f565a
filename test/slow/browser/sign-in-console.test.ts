/** The sign-in page asks nothing that browsers log as an error. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { caller } from '../../support/caller.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()

test('the console stays empty on the sign-in page, and until someone has signed in', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/', { isSignedIn: false })
  await page.getByLabel('Password').waitFor()
  assert.deepEqual(complaints, [])
  await page.getByLabel('Email').fill(studio.service.ownerEmail)
  await page.getByLabel('Password').fill(studio.service.ownerPassword)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('a session that has ended leads to the sign-in page without an error', { skip }, async () => {
  const { service } = studio
  const { page, complaints } = await studio.open('/')
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  const [session] = (await page.context().cookies()).filter(({ name }) => name === 'session')
  const out = await caller(service, `session=${session?.value}`)('DELETE', '/api/login')
  assert.equal(out.status, 200, out.text)
  await page.goto(`${service.url}/`)
  await page.getByLabel('Password').waitFor()
  assert.deepEqual(complaints, [])
})
