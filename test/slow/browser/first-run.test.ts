import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { caller, signIn } from '../../support/caller.ts'
import { eventually, settlesLike, settlesTo } from '../../support/settle.ts'
import {
  assertAccessible,
  assertFits,
  complaintsOtherThan,
  inBothThemes,
  shoot,
  shootAll,
} from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const widths = [1280, 390] as const
const studio = studioOfFile()

test('the first run is accessible in both themes and at phone width', { skip }, async () => {
  for (const width of widths) {
    const { page, complaints } = await studio.open('/', { viewport: { width, height: 900 } })
    await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
    await inBothThemes(page, async (theme) => {
      await shoot(page, `first-run-${theme}-${width}`)
      await assertFits(page)
    })
    assert.deepEqual(complaints, [])
    await page.close()
  }
})

test('the same code is under Connect for those who have data already', { skip }, async () => {
  const { page } = await studio.open('/connect/send?with=home-assistant')
  const code = page.getByRole('tabpanel').locator('pre')
  await code.getByText(`port: ${studio.service.port}`).waitFor()
  await page.getByRole('tab', { name: 'Home Assistant' }).focus()
  await page.keyboard.press('ArrowRight')
  await code.getByText('influxdb out').waitFor()
  await shootAll(page, 'send')
})

test('the first run makes a key, shows it on demand, and turns into the chart of what arrives', {
  skip,
}, async () => {
  const { page, complaints } = await studio.open('/', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.clock.install()
  await page.getByRole('button', { name: 'Create key' }).click()
  const step = page.getByRole('region', { name: 'Create an API key' })
  // Gone when the page is loaded again, it can still be seen; nowhere stands a word in its place.
  await step.getByRole('button', { name: 'Show the key' }).waitFor()
  await page.reload()
  await step.getByText(/“[^”]+” can send samples/).waitFor()
  await step.getByRole('link', { name: 'API keys' }).waitFor()
  const code = page.getByRole('tabpanel').locator('pre')
  await settlesLike(async () => (await code.textContent()) ?? '', /X-Api-Key: •+"/)
  await step.getByRole('button', { name: 'View secret key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm your password' })
  await dialog.getByLabel('Password').fill(studio.service.ownerPassword)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await step.getByRole('button', { name: 'Hide the key' }).waitFor()
  const secret = (await step.locator('code').textContent()) ?? ''
  assert.match(secret, /^[\w-]{20,}$/)
  const programs = [
    'curl',
    'ESP32',
    'Home Assistant',
    'Node-RED',
    'Python',
    'JavaScript',
    'Telegraf',
  ]
  for (const program of programs) {
    await page.getByRole('tab', { name: program }).click()
    await eventually(async () => {
      const text = await page.getByRole('tabpanel').locator('pre').textContent()
      assert.ok(
        text?.includes(secret) && text.includes(`${studio.service.port}`),
        `${program}: ${text}`,
      )
    })
  }
  await page.waitForURL(/with=telegraf/)
  await page.getByText('start the service with WEIR_HOST=0.0.0.0').waitFor()
  await page.clock.runFor(61_000)
  await step.getByRole('button', { name: 'Show the key' }).waitFor()
  await eventually(async () => {
    const hidden = await page.getByRole('tabpanel').locator('pre').textContent()
    assert.ok(!hidden?.includes(secret), 'the key is hidden after a minute')
  })
  await page.getByRole('tab', { name: 'curl' }).click()
  await page.getByRole('tabpanel').getByRole('button', { name: 'Copy the code' }).click()
  const copied = await eventually(async () => {
    const text = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.ok(text.includes(secret), 'what is copied has the key')
    return text
  })

  const [, address = ''] = /"(http[^"]+)"$/.exec(copied) ?? []
  const answer = await fetch(address, { method: 'PUT', headers: { 'X-Api-Key': secret } })
  assert.equal(answer.status, 200, await answer.text())
  await page.clock.runFor(3_000)
  await page.getByRole('heading', { name: 'Your data' }).waitFor()
  await page.getByRole('group', { name: 'Chart of temp, humidity' }).waitFor()
  const temperature = page.getByRole('row', { name: /^temp/ })
  await page.clock.runFor(1_000)
  await temperature.getByText('21.5').first().waitFor()
  await fetch(address.replace('21.5', '22.25'), { method: 'PUT', headers: { 'X-Api-Key': secret } })
  await temperature.getByText('22.25').first().waitFor()
  await assertAccessible(page)
  await shoot(page, 'arrival')
  // The password is asked for by an answer of 401.
  assert.deepEqual(complaintsOtherThan(complaints, 401), [])
})

test('a key is asked for with the password after a reload, and no page shows a word in its place', {
  skip,
}, async () => {
  const { service } = studio
  const cookie = await signIn(service, service.ownerEmail, service.ownerPassword)
  const owner = caller(service, cookie)
  const made = await owner('PUT', '/api/component', { component: { id: 'bare', name: 'Bare' } })
  assert.equal(made.status, 200, made.text)
  const { page, complaints } = await studio.open(`/c/${made.body.component.uid}`)
  const line = page.getByText(/^curl -X PUT .*compId=bare/)
  await settlesLike(async () => (await line.textContent()) ?? '', /X-Api-Key: •+"/)
  await page.getByRole('link', { name: 'API keys' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'bare-component')
  await page.getByRole('button', { name: 'View secret key' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm your password' })
  await dialog.getByLabel('Password').fill(service.ownerPassword)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await settlesLike(async () => (await line.textContent()) ?? '', /X-Api-Key: [\w-]{20,}"/)
  const [, secret = ''] = /X-Api-Key: ([\w-]+)"/.exec((await line.textContent()) ?? '') ?? []
  const sent = await fetch(`${service.url}/api/feed?compId=bare&temp=1`, {
    method: 'PUT',
    headers: { 'X-Api-Key': secret },
  })
  assert.equal(sent.status, 200, await sent.text())
  await page.getByRole('link', { name: /^temp/ }).waitFor()
  assert.deepEqual(complaintsOtherThan(complaints, 401), [])
})

test('an ended session is asked for over the page, which goes on where it was', {
  skip,
}, async () => {
  const { service } = studio
  const sent = await fetch(`${service.url}/api/feed?compId=shed&temp=4`, {
    method: 'PUT',
    headers: { 'X-Api-Key': service.feedKey },
  })
  assert.equal(sent.status, 200, await sent.text())
  const { page } = await studio.open('/build')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.context().clearCookies()
  await page.getByRole('link', { name: 'Explore' }).click()
  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await assertAccessible(page)
  await shoot(page, 'session-over')
  await settlesTo(() => dialog.getByLabel('Email').inputValue(), service.ownerEmail)
  // The password has the focus.
  await settlesTo(() => page.evaluate('document.activeElement.type'), 'password')
  await page.keyboard.type(service.ownerPassword)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('shed').first().waitFor()
  await settlesTo(() => new URL(page.url()).pathname, '/c')
})
