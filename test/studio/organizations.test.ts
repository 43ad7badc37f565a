import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { browserSkip } from '../support/browser.ts'
import { assertAccessible, openStudio, type StudioTest, shoot } from '../support/studio.ts'

const skip = browserSkip()
let studio: StudioTest
before(async () => {
  if (skip === false) studio = await openStudio()
})
after(() => studio?.[Symbol.asyncDispose]())

test('a person of two organizations chooses one; all calls are in it, also after loading anew', {
  skip,
}, async () => {
  const { service } = studio
  const sent = await fetch(`${service.url}/api/feed?compId=boiler&temp=71`, {
    method: 'PUT',
    headers: { 'X-Api-Key': service.feedKey },
  })
  assert.equal(sent.status, 200)
  const { page } = await studio.open('/admin')
  const made = await page.request.put(`${service.url}/api/organization`, {
    data: { organization: { name: 'Second house' } },
  })
  const { organization } = (await made.json()) as { organization: { uid: string } }
  await page.reload()
  await page.getByRole('button', { name: 'Account' }).click()
  await assertAccessible(page)
  await shoot(page, 'organizations')
  await page.getByLabel('Organization').selectOption({ label: 'Second house' })
  // The second one has no component yet, so its beginning is the first run.
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByText('owner of Second house').waitFor()

  // Whoever has lost the organization that is remembered comes back to another of theirs.
  const gone = await page.request.delete(`${service.url}/api/organization/${organization.uid}`, {
    headers: { 'Weir-Password': service.ownerPassword },
  })
  assert.equal(gone.status(), 200, await gone.text())
  await page.reload()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByText('owner of My organization').waitFor()
})
