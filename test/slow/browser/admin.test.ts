import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { totpCode } from '../../../src/auth/proof/totp.ts'
import { browserSkip } from '../../support/browser.ts'
import { eventually, restingPlace, settlesTo, shows } from '../../support/settle.ts'
import { assertAccessible, assertFits, shoot, shootAll, showsToast } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()

/** Answers the dialog that asks for the password. */
async function givePassword(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm your password' })
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
}

const status = async (url: string, init: RequestInit) => (await fetch(url, init)).status

const PASSWORD = 'a long enough sentence'

/** Adds a person to the organization, and opens a page signed in as them. */
async function openAs(email: string, path: string, role = 'MEMBER') {
  const { url } = studio.service
  const { page: admin } = await studio.open('/admin')
  const org_user = { email, password: PASSWORD, role }
  const added = await admin.context().request.put(`${url}/api/org_user`, { data: { org_user } })
  assert.equal(added.status(), 200, await added.text())
  await admin.close()
  return await studio.open(path, { as: { email, password: PASSWORD } })
}

test('a key is made from a sentence, puts what it says, is seen with the password, and revoked', {
  skip,
}, async () => {
  const { url, ownerPassword } = studio.service
  const { page } = await studio.open('/admin/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const form = page.getByRole('dialog', { name: 'Create API key' })
  await form.getByLabel('Name').fill('Boiler room')
  await form.getByText('Can send samples of every component.').waitFor()
  await form.getByRole('button', { name: 'Add permission' }).click()
  await form.getByLabel('Resource of permission 2').selectOption('unit')
  await form.getByText('Can send samples of every component; can see units.').waitFor()
  await form.getByLabel('Allowed IP addresses').fill('not an address')
  await form.getByRole('button', { name: 'Create' }).click()
  await form
    .getByRole('alert')
    .filter({ hasText: /^IP address 1 / })
    .waitFor()
  await assertAccessible(page)
  await shoot(page, 'admin-key-form')
  await form.getByLabel('Allowed IP addresses').fill('')
  await form.getByRole('button', { name: 'Create' }).click()
  const made = page.getByRole('dialog', { name: 'Secret of “Boiler room”' })
  await made.getByText('You can view it again with your password.').waitFor()
  const secret = await made.locator('code').innerText()
  await made.getByRole('button', { name: 'Done' }).click()
  const put = `${url}/api/feed?compId=boiler&temp=71.5`
  assert.equal(await status(put, { method: 'PUT', headers: { 'X-Api-Key': secret } }), 200)
  const get = `${url}/api/comp/boiler/last_value`
  assert.equal(await status(get, { headers: { 'X-Api-Key': secret } }), 403)

  await page.getByRole('button', { name: 'View secret key of Boiler room' }).click()
  await givePassword(page, 'a wrong password')
  const asking = page.getByRole('dialog', { name: 'Confirm your password' })
  await asking.getByRole('alert').filter({ hasText: 'Your password is wrong' }).waitFor()
  await assertAccessible(page)
  await givePassword(page, ownerPassword)
  const shown = page.getByRole('dialog', { name: 'Secret of “Boiler room”' })
  assert.equal(await shown.locator('code').innerText(), secret)
  await shown.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'Revoke Boiler room' }).click()
  await page.getByLabel('Type “Boiler room” to revoke it').fill('Boiler room')
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await showsToast(page, 'revoked')
  assert.equal(await status(put, { method: 'PUT', headers: { 'X-Api-Key': secret } }), 401)
  await assertAccessible(page)
  await shoot(page, 'admin-keys')
})

test('the component of a right is searched for among very many, by keyboard', {
  skip,
}, async () => {
  const { url, feedKey } = studio.service
  const samples = Array.from({ length: 1_100 }, (_, at) => ({
    compId: `device-${at}`,
    streamId: 'x',
    time: 1_000,
    data: at,
  }))
  const headers = { 'X-Api-Key': feedKey, 'Content-Type': 'application/json' }
  const init = { method: 'PUT', headers, body: JSON.stringify(samples) }
  assert.equal(await status(`${url}/api/feed`, init), 200)
  const { page } = await studio.open('/admin/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const form = page.getByRole('dialog', { name: 'Create API key' })
  await form.getByLabel('Name').fill('One device')
  await form.getByLabel('Component of permission 1').selectOption({ label: 'of one component …' })
  await form.getByRole('button', { name: 'Create' }).click()
  await form.getByRole('alert').filter({ hasText: 'Choose a component' }).waitFor()
  await form.getByLabel('Find the component of permission 1').fill('device-1099')
  await form.getByRole('listitem').filter({ hasText: 'device-1099' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'admin-key-component')
  await form.getByLabel('Find the component of permission 1').press('Tab')
  await page.keyboard.press('Enter')
  await form.getByText('Can send samples of device-1099.').waitFor()
  await form.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row').filter({ hasText: 'One device' })
  await row.getByText('Can send samples of device-1099.').waitFor()
})

test('a person is added, changed and removed; what is wrong stands at its field', {
  skip,
}, async () => {
  const { page } = await studio.open('/admin')
  await page.getByRole('button', { name: 'Add person' }).click()
  const form = page.getByRole('dialog', { name: 'Add person' })
  await form.getByLabel('Email').fill('grace@example.com')
  await form.getByLabel('First name').fill('Grace')
  await form.getByLabel('Password').fill('short')
  await form.getByRole('button', { name: 'Add' }).click()
  await form
    .getByRole('alert')
    .filter({ hasText: /password/i })
    .waitFor()
  await assertAccessible(page)
  await form.getByLabel('Password').fill('a long enough sentence')
  await form.getByRole('button', { name: 'Add' }).click()
  const row = page.getByRole('row').filter({ hasText: 'grace@example.com' })
  await row.getByText('Member').waitFor()
  await row.getByRole('button', { name: 'Edit grace@example.com' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit grace@example.com' })
  await edit.getByLabel('Role').selectOption('GUEST')
  await edit.getByRole('button', { name: 'Save' }).click()
  await row.getByText('Guest').waitFor()
  await shoot(page, 'admin-people')
  await row.getByRole('button', { name: 'Remove grace@example.com' }).click()
  await page.getByLabel(/^Type “grace/).fill('grace@example.com')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await showsToast(page, 'removed')
  await shows(row, 0)
})

test('an OAuth client is registered with its secret, and removed', { skip }, async () => {
  const { page } = await studio.open('/admin/apps')
  await page.getByText('No OAuth clients.').waitFor()
  await page.getByRole('button', { name: 'Register client' }).click()
  const form = page.getByRole('dialog', { name: 'Register client' })
  await form.getByLabel('Name').fill('Report')
  await form.getByLabel('Redirect URIs').fill('javascript:alert(1)')
  await form.getByRole('button', { name: 'Register' }).click()
  await form
    .getByRole('alert')
    .filter({ hasText: /^Redirect URI 1: / })
    .waitFor()
  await assertAccessible(page)
  await form.getByLabel('Redirect URIs').fill('https://report.example/cb')
  await form.getByRole('button', { name: 'Register' }).click()
  const made = page.getByRole('dialog', { name: 'Secret of “Report”' })
  await made.getByText('It cannot be viewed again').waitFor()
  const secret = await made.locator('code').innerText()
  assert.match(secret, /\S{20}/)
  await made.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('row').filter({ hasText: 'https://report.example/cb' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Rotate the secret of Report' }).click()
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await givePassword(page, studio.service.ownerPassword)
  assert.notEqual(await made.locator('code').innerText(), secret)
  await made.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Remove Report' }).click()
  await page.getByLabel('Type “Report” to remove it').fill('Report')
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('No OAuth clients.').waitFor()
})

test('the organization has a name and limits; a wrong limit is shown at its field', {
  skip,
}, async () => {
  const { page } = await studio.open('/admin/organization')
  await page.getByLabel('Rate limits').fill('as many as I like')
  await page.getByRole('button', { name: 'Save' }).click()
  await page
    .getByRole('alert')
    .filter({ hasText: /rateLimits|rate limit/i })
    .waitFor()
  assert.equal(await page.getByLabel('Rate limits').inputValue(), 'as many as I like')
  await assertAccessible(page)
  await page.getByLabel('Rate limits').fill('')
  await page.getByLabel('Name').fill('Greenhouses 温室')
  await page.getByRole('button', { name: 'Save' }).click()
  await showsToast(page, 'saved')
  await page.reload()
  await settlesTo(() => page.getByLabel('Name').inputValue(), 'Greenhouses 温室')
  await page.getByRole('row').filter({ hasText: 'Components' }).waitFor()
  await shoot(page, 'admin-organization')
})

test('the audit log names people and keys, and pages by the URL', { skip }, async () => {
  const { page } = await studio.open('/admin')
  const { request } = page.context()
  const { url } = studio.service
  const send = async (noun: string, record: object) => {
    const made = await request.put(`${url}/api/${noun}`, { data: { [noun]: record } })
    assert.equal(made.status(), 200, await made.text())
    return (await made.json())[noun]
  }
  const capabilities = [{ resource: 'component', methods: ['GET', 'DELETE'] }]
  const { secretKey } = await send('api_key', { name: 'Cleaner', capabilities })
  const { uid } = await send('component', { name: 'Old' })
  const headers = { 'X-Api-Key': secretKey }
  assert.equal(await status(`${url}/api/component/${uid}`, { method: 'DELETE', headers }), 200)
  await page.goto(`${url}/admin/audit`)
  const deleted = page.getByRole('row').filter({ hasText: 'component deleted' })
  await deleted.getByRole('cell', { name: 'key “Cleaner”' }).first().waitFor()
  await page.getByRole('cell', { name: studio.service.ownerEmail }).first().waitFor()
  await page.getByRole('button', { name: 'Older' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'admin-audit')
})

test('the audit log is filtered by the URL, searched, and saved as CSV', { skip }, async () => {
  const { page } = await studio.open('/admin/audit')
  const { url } = studio.service
  const unit = { id: 'torr', symbol: ' Torr', name: 'Torricelli' }
  const made = await page.context().request.put(`${url}/api/unit`, { data: { unit } })
  assert.equal(made.status(), 200, await made.text())
  const rows = page.getByRole('region', { name: 'Audit log' }).locator('tbody tr')
  await page.getByLabel('Search').fill('torricelli')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.waitForURL(/search=torricelli/)
  await rows.filter({ hasText: 'unit created' }).waitFor()
  await shows(rows, 1)
  await page.getByLabel('Action', { exact: true }).selectOption('API keys')
  await page.getByText('No matching entries.').waitFor()
  await page
    .getByLabel('Action', { exact: true })
    .selectOption('Templates, cycles, units, delete profiles')
  await page.getByLabel('By', { exact: true }).selectOption(studio.service.ownerEmail)
  await shows(rows, 1)
  // What is typed counts as soon as it is a whole day.
  await page.getByLabel('To').fill('01/01/2001')
  await page.getByLabel('To').blur()
  await page.getByText('Enter a day such as 2026-11-15.').waitFor()
  await page.getByLabel('To').fill('2001-01-01')
  await page.getByText('No matching entries.').waitFor()
  await page.getByLabel('To').fill('')
  await shows(rows, 1)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV' }).click()
  const file = await (await downloading).path()
  const lines = readFileSync(file, 'utf8').trim().split('\r\n')
  assert.deepEqual([lines.length, lines[0].split(',')[2]], [2, 'act'])
  await assertAccessible(page)
  await shootAll(page, 'admin-audit-filtered')
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.waitForURL((address) => !address.search.includes('torricelli'))
  await rows.filter({ hasText: 'audit exported' }).first().waitFor()
})

test('the health page draws what the service counts', { skip }, async () => {
  const { page } = await studio.open('/admin/health')
  const figure = page.locator('dl > div').filter({ hasText: 'Process memory' })
  await figure.getByText(/\d+ MB/).waitFor()
  await page
    .locator('dl > div')
    .filter({ hasText: 'Requests per second' })
    .getByText(/\d/)
    .waitFor()
  await page.getByRole('button', { name: 'Check storage' }).click()
  await page.getByText(/Last checked|Check in progress/).waitFor()
  await assertAccessible(page)
  await shoot(page, 'admin-health')
})

test('a second factor is switched on and off, and another session ended', { skip }, async () => {
  const as = { email: 'factor@example.com', password: PASSWORD }
  const { page } = await openAs(as.email, '/account/second-factor')
  const other = await studio.open('/account/sessions', { as })
  await page.getByRole('button', { name: 'Turn on' }).click()
  await givePassword(page, PASSWORD)
  const form = page.getByRole('dialog', { name: 'Turn on the second factor' })
  const secret = await form.locator('code').innerText()
  await assertAccessible(page)
  const step = Math.floor(Date.now() / 30_000)
  await form.getByLabel('Code from the app').fill(totpCode(secret, step))
  await form.getByRole('button', { name: 'Turn on' }).click()
  const codes = page.getByRole('dialog', { name: 'Recovery codes' })
  const first = await codes.getByRole('listitem').first().innerText()
  await shows(codes.getByRole('listitem'), 10)
  await codes.getByRole('button', { name: 'Done' }).click()
  await page.getByText('10 recovery codes left').waitFor()
  await page.getByRole('button', { name: 'Turn off' }).click()
  const ending = page.getByRole('dialog', { name: 'Turn off the second factor' })
  await ending.getByLabel('Code from your authenticator app').fill('falsch 假')
  await ending.getByRole('button', { name: 'Turn off' }).click()
  await givePassword(page, PASSWORD)
  const asking = page.getByRole('dialog', { name: 'Confirm your password' })
  const code = asking.getByLabel('Code from your authenticator app')
  await asking.getByRole('alert').filter({ hasText: 'The code is wrong' }).waitFor()
  await settlesTo(() => code.getAttribute('aria-invalid'), 'true')
  await shows(page.getByText(/\botp\b/i), 0)
  await assertAccessible(page)
  await code.fill(first)
  await asking.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Off. Signing in needs only your password.').waitFor()
  await shoot(page, 'admin-you')

  await page.getByRole('link', { name: 'Sessions' }).click()
  const sessions = page.getByRole('region', { name: 'Sessions' })
  const own = sessions.getByRole('row', { name: /This session/ })
  await own.getByRole('button', { name: 'End this session' }).waitFor()
  await own.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC[+−]\d/).waitFor()
  await shows(own, 1)
  await sessions.getByRole('button', { name: 'End the session from 127.0.0.1' }).click()
  await showsToast(page, 'Session ended.')
  await other.page.reload()
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('on a phone e-mails stay whole words, and the current place is in sight', {
  skip,
}, async () => {
  const { page } = await studio.open('/admin/audit', { viewport: { width: 390, height: 800 } })
  const cell = page.getByRole('cell', { name: studio.service.ownerEmail }).first()
  const { width } = await restingPlace(cell)
  assert.ok(width >= 100, `${width} px`)
  await assertFits(page)
  const places = page.getByRole('navigation', { name: 'Administration pages' })
  await eventually(async () => {
    const place = await restingPlace(places.getByRole('link', { name: 'Audit log' }))
    assert.ok(place.x >= 0 && place.x + place.width <= 390, `${place.x} px`)
  })
  await page.goto(`${studio.service.url}/account/sessions`)
  await page.getByRole('button', { name: 'End this session' }).waitFor()
  await assertFits(page)
  await assertAccessible(page)
  await shoot(page, 'admin-you-phone')
  for (const [path, region] of [
    ['/admin', 'People'],
    ['/admin/keys', 'API keys'],
  ] as const) {
    await page.goto(`${studio.service.url}${path}`)
    await page.getByRole('region', { name: region }).getByRole('row').nth(1).waitFor()
    await assertFits(page)
    await shoot(page, `admin-phone-${region}`)
  }
})

test('a member sees people and their own account, and nothing to administer', {
  skip,
}, async () => {
  const { service } = studio
  const email = 'member@example.com'
  const { page } = await openAs(email, '/admin')
  await page.getByRole('row').filter({ hasText: email }).waitFor()
  const places = page.getByRole('navigation', { name: 'Administration pages' })
  await settlesTo(() => places.getByRole('link').allInnerTexts(), ['People'])
  await shows(page.getByRole('button', { name: 'Add person' }), 0)
  await page.goto(`${service.url}/admin/keys`)
  await page.getByText('Only owners and admins').waitFor()
  await page.goto(`${service.url}/account`)
  await page.getByLabel('First name').fill('Mem')
  await page.getByLabel('Time zone').fill('Europe/Nowhere')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').filter({ hasText: /zone/i }).waitFor()
  await page.getByLabel('Time zone').fill('Europe/Paris')
  await page.getByLabel('New password').fill('quite another sentence')
  await page.getByRole('button', { name: 'Save' }).click()
  await givePassword(page, PASSWORD)
  await showsToast(page, 'Account saved.')
  const login = { method: 'POST', headers: { 'Content-Type': 'application/json' } }
  const body = JSON.stringify({ email, password: 'quite another sentence' })
  assert.equal(await status(`${service.url}/api/login`, { ...login, body }), 200)
})
