import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totpCode } from '../../../src/auth/proof/totp.ts'
import { ManualClock } from '../../../src/base/index.ts'
import { browserSkip } from '../../support/browser.ts'
import { openPage, startCallbackServer } from '../../support/oauth-page.ts'
import { startOAuthService } from '../../support/oauth-service.ts'
import { settlesLike, settlesTo } from '../../support/settle.ts'

const skip = browserSkip()
const FOCUSED = 'document.activeElement.id'

/** The authorization page of a client, for an owner who has a second factor. */
async function openWithFactor() {
  await using opened = new AsyncDisposableStack()
  const clock = new ManualClock(Date.UTC(2026, 0, 15))
  const service = opened.use(await startOAuthService({ clock }))
  const client = opened.use(await startCallbackServer())
  const { page, complaints } = opened.use(await openPage())
  const { owner } = service
  const cookie = { Cookie: `session=${await service.session()}` }
  const path = '/api/second_factor'
  const currentPassword = owner.password
  const begun = await service.send('PUT', path, { currentPassword }, cookie)
  const { secret } = begun.body.second_factor
  const nowCode = () => totpCode(secret, Math.floor(clock.now() / 30_000))
  const confirm = { second_factor: { otp: nowCode() } }
  const on = await service.send('POST', path, confirm, cookie)
  assert.equal(on.status, 200, JSON.stringify(on.body))
  const recoveryCodes: string[] = on.body.second_factor.recoveryCodes
  clock.advance(60_000)
  const goTo = () => {
    const given = { response_type: 'code', client_id: 'c1', redirect_uri: client.redirectUri }
    return page.goto(`${service.url}/alt/?${new URLSearchParams(given)}`)
  }
  const giveOwner = async () => {
    await page.getByLabel('Email').fill(owner.email)
    await page.getByLabel('Password', { exact: true }).fill(owner.password)
    await page.keyboard.press('Enter')
    await page.getByLabel(/Code from your authenticator app/).waitFor()
    await settlesTo(() => page.evaluate(FOCUSED), 'otp')
  }
  const disposal = opened.move()
  return {
    service,
    client,
    page,
    complaints,
    clock,
    nowCode,
    recoveryCodes,
    goTo,
    giveOwner,
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

test('the page asks for a code after the password, rejects a wrong one, and accepts the right one', {
  skip,
}, async () => {
  await using tab = await openWithFactor()
  const { page } = tab
  await tab.goTo()
  const code = page.getByLabel(/Code from your authenticator app/)
  await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor()
  await code.waitFor({ state: 'hidden' })
  await tab.giveOwner()
  await settlesTo(() => page.evaluate(FOCUSED), 'otp')
  assert.equal(await page.locator('#sign-in-problem').textContent(), '', 'nothing went wrong yet')
  await page.keyboard.type('000000')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'code is wrong' }).waitFor()
  await settlesTo(() => page.evaluate(FOCUSED), 'otp')
  await settlesTo(() => code.inputValue(), '')
  const password = page.getByLabel('Password', { exact: true })
  assert.equal(await password.inputValue(), tab.service.owner.password, 'the password stays')
  await page.keyboard.type(tab.nowCode())
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /use your account/ }).waitFor()
  await page.getByRole('button', { name: 'Allow' }).click()
  const { searchParams } = await tab.client.next()
  const exchanged = await tab.service.token({
    grant_type: 'authorization_code',
    client_id: 'c1',
    code: searchParams.get('code') ?? '',
  })
  assert.equal(exchanged.status, 200, JSON.stringify(exchanged.body))
  assert.deepEqual(tab.complaints, [])
})

test('a recovery code lets in on the page, once', { skip }, async () => {
  await using tab = await openWithFactor()
  const { page } = tab
  const [recovery, another] = tab.recoveryCodes
  await tab.goTo()
  await tab.giveOwner()
  await page.keyboard.type(recovery)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Allow' }).click()
  assert.ok((await tab.client.next()).searchParams.get('code'))
  await page.getByRole('heading', { name: 'Back' }).waitFor()
  await tab.goTo()
  await tab.giveOwner()
  await page.keyboard.type(recovery)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'code is wrong' }).waitFor()
  await settlesTo(() => page.getByLabel(/Code from your/).inputValue(), '')
  await settlesTo(() => page.evaluate(FOCUSED), 'otp')
  await page.keyboard.type(another)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /use your account/ }).waitFor()
  assert.deepEqual(tab.complaints, [])
})

test('another account is not asked for the code of the first', { skip }, async () => {
  await using tab = await openWithFactor()
  const { page, service } = tab
  const cookie = { Cookie: `session=${await sessionByRecovery()}` }
  const member = { email: 'plain@example.com', password: 'a long enough sentence' }
  const added = await service.send('PUT', '/api/org_user', { org_user: member }, cookie)
  assert.equal(added.status, 200, JSON.stringify(added.body))
  await tab.goTo()
  await tab.giveOwner()
  await page.keyboard.type(tab.nowCode())
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Use another account' }).click()
  await page.getByRole('heading', { name: 'Sign in to Weir' }).waitFor()
  const code = page.getByLabel(/Code from your authenticator app/)
  await code.waitFor({ state: 'hidden' })
  await page.getByLabel('Email').fill(member.email)
  await page.getByLabel('Password', { exact: true }).fill(member.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /use your account/ }).waitFor()
  const user = page.locator('#consent-user')
  await settlesLike(async () => (await user.textContent()) ?? '', /plain@example.com/)
  assert.deepEqual(tab.complaints, [])

  async function sessionByRecovery(): Promise<string> {
    const otp = tab.recoveryCodes[0]
    const { body } = await service.send('POST', '/api/login', { ...service.owner, otp })
    return body.sessionUid
  }
})
