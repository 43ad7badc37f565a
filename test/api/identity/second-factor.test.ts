import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totpCode } from '../../../src/auth/proof/totp.ts'
import { ManualClock } from '../../../src/base/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const clock = new ManualClock(Date.UTC(2026, 0, 15))
const service = serviceOfFile({ clock, settings: { WEIR_RATE_LIMITS: 'failed=3/1m' } })
const owner = ownerOfFile(service)

const nowCode = (secret: string) => totpCode(secret, Math.floor(clock.now() / 30_000))

/** A person with a second factor. */
async function enrol(email: string) {
  const password = 'a long enough sentence'
  const org_user = { email, password, role: 'GUEST' }
  const added = await owner('PUT', '/api/org_user', { org_user })
  assert.equal(added.status, 200)
  const { uid } = added.body.org_user
  const cookie = await signIn(service, email, password)
  const call = caller(service, cookie)
  const begun = await call('PUT', '/api/second_factor', { currentPassword: password })
  assert.equal(begun.status, 200, begun.text)
  const { secret, address } = begun.body.second_factor
  assert.match(address, new RegExp(`^otpauth://totp/Weir.*secret=${secret}`))
  const confirm = (otp: string) => call('POST', '/api/second_factor', { second_factor: { otp } })
  const on = await confirm(nowCode(secret))
  assert.equal(on.status, 200, on.text)
  const login = (otp?: string) =>
    caller(service, '')('POST', '/api/login', { email, password, otp })
  const { recoveryCodes } = on.body.second_factor as { recoveryCodes: string[] }
  return { call, cookie, uid, secret, recoveryCodes, login, email, password }
}

test('a second factor begins with the password and is in force after its first code', async () => {
  const email = 'ann@example.com'
  const password = 'a long enough sentence'
  await owner('PUT', '/api/org_user', { org_user: { email, password } })
  const call = caller(service, await signIn(service, email, password))
  assert.equal((await call('PUT', '/api/second_factor', {})).body.code, 'reauthenticate')
  const begun = await call('PUT', '/api/second_factor', { currentPassword: password })
  const { secret } = begun.body.second_factor
  await signIn(service, email, password)
  const confirm = (otp: string) => call('POST', '/api/second_factor', { second_factor: { otp } })
  assert.equal((await confirm('000000')).status, 400)
  assert.equal((await call('GET', '/api/second_factor')).body.second_factor.isOn, false)
  const on = await confirm(nowCode(secret))
  assert.equal(on.body.second_factor.recoveryCodes.length, 10)
  const state = (await call('GET', '/api/second_factor')).body.second_factor
  assert.deepEqual(state, { isOn: true, recoveryCodesLeft: 10 })
  assert.equal((await confirm(nowCode(secret))).status, 409)
  const again = await call('PUT', '/api/second_factor', { currentPassword: password })
  assert.equal(again.status, 409)
})

test('a second factor that was begun waits an hour for its first code', async () => {
  const email = 'slow@example.com'
  const password = 'a long enough sentence'
  await owner('PUT', '/api/org_user', { org_user: { email, password } })
  const call = caller(service, await signIn(service, email, password))
  const begin = () => call('PUT', '/api/second_factor', { currentPassword: password })
  const confirm = (otp: string) => call('POST', '/api/second_factor', { second_factor: { otp } })
  const { secret } = (await begin()).body.second_factor
  clock.advance(3_600_000)
  const late = await confirm(nowCode(secret))
  assert.deepEqual([late.status, late.body.code], [409, 'conflict'])
  const again = (await begin()).body.second_factor
  clock.advance(3_599_999)
  assert.equal((await confirm(nowCode(again.secret))).status, 200)
  clock.advance(7_200_000)
  assert.equal((await call('GET', '/api/second_factor')).body.second_factor.isOn, true)
})

test('a sign-in asks for the code, takes each once, and wrong ones are throttled', async () => {
  const { login, secret } = await enrol('bob@example.com')
  const missing = await login()
  assert.deepEqual([missing.status, missing.body.code], [401, 'second_factor'])
  assert.equal((await login(nowCode(secret))).status, 401, 'spent by the confirmation')
  clock.advance(60_000)
  const code = nowCode(secret)
  assert.equal((await login(code)).status, 200)
  assert.equal((await login(code)).status, 401)
  clock.advance(60_000)
  const statuses: number[] = []
  for (let at = 0; at < 5; at += 1) statuses.push((await login('123456')).status)
  assert.deepEqual(statuses, [401, 401, 401, 429, 429])
  assert.equal((await login(nowCode(secret))).status, 429)
  clock.advance(120_000)
  assert.equal((await login(nowCode(secret))).status, 200)
})

test('of two sign-ins with one code at once only one is let in', async () => {
  const { login, secret } = await enrol('cat@example.com')
  clock.advance(60_000)
  const both = await Promise.all([login(nowCode(secret)), login(nowCode(secret))])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
})

test('each recovery code lets in once', async () => {
  const { login, recoveryCodes, call } = await enrol('dan@example.com')
  const [first, second] = recoveryCodes
  assert.equal((await login(first)).status, 200)
  assert.equal((await login(first)).status, 401)
  assert.equal((await login(`${second.slice(0, 8)}-${second.slice(8).toUpperCase()}`)).status, 200)
  const { recoveryCodesLeft } = (await call('GET', '/api/second_factor')).body.second_factor
  assert.equal(recoveryCodesLeft, 8)
})

test('oauth_login and the authorization page ask for the code too', async () => {
  const { secret, email, password } = await enrol('eve@example.com')
  clock.advance(60_000)
  const call = caller(service, '')
  const asked = { email, password, client_id: 'c', response_type: 'code' }
  const login = (more: object) => call('POST', '/api/oauth_login', { ...asked, ...more })
  assert.equal((await login({})).body.code, 'second_factor')
  assert.equal((await login({ otp: nowCode(secret) })).status, 200)
  clock.advance(60_000)
  const query = 'client_id=c&response_type=code&redirect_uri=https%3A%2F%2Fclient.example%2Fcb'
  const page = (more: object) => call('POST', '/alt/sign_in', { query, email, password, ...more })
  assert.equal((await page({})).body.code, 'second_factor')
  const consent = await page({ otp: nowCode(secret) })
  assert.equal(consent.body.step, 'consent', consent.text)
})

test('a second factor ends by the password and a code; its secret is sealed at rest', async () => {
  const { secret, login, email, password } = await enrol('fay@example.com')
  clock.advance(60_000)
  const session = `session=${(await login(nowCode(secret))).body.sessionUid}`
  clock.advance(60_000)
  const end = (headers: Record<string, string>) =>
    caller(service, session, headers)('DELETE', '/api/second_factor')
  assert.equal((await end({})).body.code, 'reauthenticate')
  assert.equal((await end({ 'Weir-Password': password })).body.code, 'second_factor')
  const both = { 'Weir-Password': password, 'Weir-Otp': nowCode(secret) }
  assert.equal((await end(both)).status, 200)
  await signIn(service, email, password)
  assert.equal((await end(both)).status, 404)
  const { audit } = (await owner('GET', '/api/audit?limit=1000')).body
  const acts = new Set(audit.map(({ act }: { act: string }) => act))
  assert.ok(acts.has('second_factor_on') && acts.has('second_factor_off'))
  assert.ok(!JSON.stringify(audit).includes(secret))
  assert.ok(!service.logLines.join('\n').includes(secret))
})

test('the operator of the machine lets in a user who lost authenticator and codes', async () => {
  const { email } = await enrol('gus@example.com')
  const { runCommand } = await import('../../../src/auth/administer/index.ts')
  const password = 'set on the machine'
  const options = { email: [email], password: [password] }
  await runCommand(service.app.identity, { name: 'user reset-password', options })
  await signIn(service, email, password)
})

test('a confirmation by password requires a code, too', async () => {
  const person = await enrol('twice@example.com')
  const { call, cookie, uid, secret, email, password, recoveryCodes } = person
  const change = (proofs: object) =>
    call('POST', `/api/org_user/${uid}`, { org_user: { email: `new-${email}` }, ...proofs })
  assert.equal((await change({})).body.code, 'reauthenticate')
  const missing = await change({ currentPassword: password })
  assert.deepEqual([missing.status, missing.body.code], [401, 'second_factor'])
  const spent = await change({ currentPassword: password, currentOtp: nowCode(secret) })
  assert.equal(spent.body.code, 'second_factor')
  clock.advance(30_000)
  const done = await change({ currentPassword: password, currentOtp: nowCode(secret) })
  assert.equal(done.status, 200, done.text)
  const proofs = { 'Weir-Password': password, 'Weir-Otp': recoveryCodes[0] }
  const proving = caller(service, cookie, proofs)
  const back = await proving('POST', `/api/org_user/${uid}`, { org_user: { email } })
  assert.equal(back.status, 200, back.text)
})
