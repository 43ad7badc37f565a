import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSkip } from '../../support/browser.ts'
import { assertAccessible, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()

test('a user of two organizations chooses one; all calls use it, also after a reload', {
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

  // A user who has lost the remembered organization gets another of theirs.
  const gone = await page.request.delete(`${service.url}/api/organization/${organization.uid}`, {
    headers: { 'Weir-Password': service.ownerPassword },
  })
  assert.equal(gone.status(), 200, await gone.text())
  await page.reload()
  await page.getByRole('button', { name: 'Continue to My organization' }).click()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByText('owner of My organization').waitFor()
})

test('a link opens in its organization for a member, and tells others that they are none', {
  skip,
}, async () => {
  const { service } = studio
  const { page } = await studio.open('/admin')
  const made = await page.request.put(`${service.url}/api/organization`, {
    data: { organization: { name: 'Glass house' } },
  })
  const { organization } = (await made.json()) as { organization: { uid: string } }
  const component = await page.request.put(`${service.url}/api/component?org=${organization.uid}`, {
    data: { component: { id: 'fan', name: 'Fan', stream: [{ id: 'rpm', name: 'Speed' }] } },
  })
  assert.equal(component.status(), 200, await component.text())
  await page.reload()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByLabel('Organization').selectOption({ label: 'Glass house' })
  await page.getByRole('button', { name: 'Account Glass house' }).waitFor()
  await page.waitForURL((url) => url.searchParams.get('org') === organization.uid)
  await page.goto(`${service.url}/c/fan`)
  await page.getByRole('link', { name: /^Speed/ }).click()
  await page.getByRole('group', { name: 'Chart of Speed' }).waitFor()
  await page.waitForURL((url) => url.searchParams.get('org') === organization.uid)
  const link = page.url()

  // A tab that begins with another organization shows the one of the link, and stays in it.
  const { page: other } = await studio.open('/build/unit')
  await other.getByRole('button', { name: 'Account My organization' }).waitFor()
  await other.goto(link)
  await other.getByRole('group', { name: 'Chart of Speed' }).waitFor()
  await other.getByRole('button', { name: 'Account Glass house' }).waitFor()
  const later = await other.context().newPage()
  await later.goto(service.url)
  await later.getByRole('button', { name: 'Account My organization' }).waitFor()

  // The page says that the user is no member, before and after sign-in. It links to their own organization.
  const email = 'colleague@example.com'
  const password = 'a colleague of another house'
  const invited = await other.request.put(
    `${service.url}/api/org_user?org=${await ownOrganization(other, organization.uid)}`,
    {
      data: { org_user: { email, firstName: 'Col', role: 'MEMBER', password } },
      headers: { 'Weir-Password': service.ownerPassword },
    },
  )
  assert.equal(invited.status(), 200, await invited.text())
  const { page: stranger } = await studio.open(new URL(link).pathname + new URL(link).search, {
    isSignedIn: false,
  })
  await stranger.getByLabel('Email').fill(email)
  await stranger.getByLabel('Password').fill(password)
  await stranger.getByRole('button', { name: 'Sign in' }).click()
  const heading = 'You are not a member of this organization'
  await stranger.getByRole('heading', { name: heading }).waitFor()
  await stranger.getByText(email).waitFor()
  await assertAccessible(stranger)
  await shoot(stranger, 'elsewhere')
  await stranger.reload()
  await stranger.getByRole('heading', { name: heading }).waitFor()
  await stranger.getByRole('button', { name: 'Continue to My organization' }).click()
  await stranger.getByRole('button', { name: 'Account' }).click()
  await stranger.getByText('member of My organization').waitFor()
})

/** The organization of the owner that is not another. */
async function ownOrganization(page: Page, other: string): Promise<string> {
  const login = await page.request.get(`${studio.service.url}/api/login`)
  const { organization } = (await login.json()) as {
    organization: { uid: string; name: string }[]
  }
  const own = organization.find(({ uid, name }) => uid !== other && name === 'My organization')
  assert.ok(own !== undefined)
  return own.uid
}

async function saveUnit(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New unit' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('Unit saved.').waitFor()
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

  // The first tab reads and writes in its own organization, before and after a reload.
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
