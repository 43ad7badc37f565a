import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
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

async function saveUnit(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New unit' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Make it' }).click()
  await page.getByText('The unit is saved.').waitFor()
}

test('a tab stays in the organization that it shows, whatever another tab chooses', {
  skip,
}, async () => {
  const { service } = studio
  const { page: first } = await studio.open('/admin')
  const made = await first.request.put(`${service.url}/api/organization`, {
    data: { organization: { name: 'Third house' } },
  })
  const { organization } = (await made.json()) as { organization: { uid: string } }
  await first.goto(`${service.url}/build/unit`)
  await first.getByRole('button', { name: 'Account My organization' }).waitFor()

  const second = await first.context().newPage()
  await second.goto(service.url)
  await second.getByRole('button', { name: 'Account' }).click()
  await second.getByLabel('Organization').selectOption({ label: 'Third house' })
  await second.getByRole('button', { name: 'Account Third house' }).waitFor()

  // What the first tab reads and writes is in its own organization, before and after loading anew.
  const strays: string[] = []
  first.on('request', (asked) => {
    const { pathname, searchParams } = new URL(asked.url())
    const org = searchParams.get('org')
    if (pathname.startsWith('/api/') && (org === null || org === organization.uid)) {
      strays.push(asked.url())
    }
  })
  await saveUnit(first, 'first_tab')
  await first.goto(`${service.url}/build/unit`)
  await first.getByRole('button', { name: 'Account My organization' }).waitFor()
  await saveUnit(first, 'loaded_anew')
  await first.goto(`${service.url}/c`)
  await first.getByRole('treeitem', { name: 'boiler' }).waitFor()
  assert.deepEqual(strays, [])
  const unitsIn = async (org: string) => {
    const answer = await first.request.get(`${service.url}/api/unit?limit=1000&org=${org}`)
    return ((await answer.json()) as { unit: { name: string }[] }).unit.map(({ name }) => name)
  }
  const login = await first.request.get(`${service.url}/api/login`)
  const { organization: all } = (await login.json()) as { organization: { uid: string }[] }
  const own = all.find(({ uid }) => uid !== organization.uid)
  const kept = await unitsIn(own?.uid ?? '')
  assert.ok(kept.includes('first_tab') && kept.includes('loaded_anew'), String(kept))
  const others = await unitsIn(organization.uid)
  assert.ok(!others.includes('first_tab') && !others.includes('loaded_anew'), String(others))

  // A tab that is opened later begins with the choice that was made last.
  await second.reload()
  await second.getByRole('button', { name: 'Account Third house' }).waitFor()
  await second.getByRole('heading', { name: 'Your first sample' }).waitFor()
  await assertAccessible(second)
  await shoot(second, 'organizations-bar')
})
