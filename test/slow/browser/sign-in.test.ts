import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totpCode } from '../../../src/auth/proof/totp.ts'
import { browserSkip } from '../../support/browser.ts'
import { settlesTo } from '../../support/settle.ts'
import { assertAccessible, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const step = () => Math.floor(Date.now() / 30_000)
const studio = studioOfFile()

test('the sign-in shows the error, keeps the input, and leads to the requested page', {
  skip,
}, async () => {
  const { ownerEmail, ownerPassword } = studio.service
  const { page } = await studio.open('/?from=colleague', { isSignedIn: false })
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'sign-in')
  await page.getByLabel('Email').fill(ownerEmail)
  await page.getByLabel('Password').fill('not this one')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').filter({ hasText: /./ }).waitFor()
  await settlesTo(() => page.getByLabel('Email').inputValue(), ownerEmail)
  await page.getByLabel('Password').fill(ownerPassword)
  await page.getByLabel('Password').press('Enter')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  await settlesTo(() => new URL(page.url()).search, '?from=colleague')
  await assertAccessible(page)
  await shoot(page, 'home')
})

test('a signed-out user is asked to sign in, also after a reload', { skip }, async () => {
  const { page } = await studio.open('/')
  await page.getByRole('button', { name: 'Account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Account' })
  await dialog.getByText(studio.service.ownerEmail).waitFor()
  await assertAccessible(page)
  await shoot(page, 'account')
  await dialog.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('an account with a second factor is asked for its code', { skip }, async () => {
  const { service } = studio
  const email = 'factor@example.com'
  const password = 'a long enough sentence'
  const signIn = async (who: object) => {
    const answer = await fetch(`${service.url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(who),
    })
    return `session=${((await answer.json()) as { sessionUid: string }).sessionUid}`
  }
  const send = async (method: string, path: string, cookie: string, body: object) => {
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', Cookie: cookie },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text)
  }
  const owner = await signIn({ email: service.ownerEmail, password: service.ownerPassword })
  await send('PUT', '/api/org_user', owner, { org_user: { email, password, role: 'MEMBER' } })
  const self = await signIn({ email, password })
  const begun = await send('PUT', '/api/second_factor', self, { currentPassword: password })
  const { secret } = begun.second_factor
  await send('POST', '/api/second_factor', self, {
    second_factor: { otp: totpCode(secret, step()) },
    currentPassword: password,
  })
  const { page } = await studio.open('/', { isSignedIn: false })
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  const code = page.getByLabel('Code from your authenticator app')
  await code.waitFor()
  await assertAccessible(page)
  await code.fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').filter({ hasText: 'The code is wrong' }).waitFor()
  await settlesTo(() => code.getAttribute('aria-invalid'), 'true')
  await settlesTo(() => code.inputValue(), '')
  await code.fill(totpCode(secret, step() + 1))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
})
