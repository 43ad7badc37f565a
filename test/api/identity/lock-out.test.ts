import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type Answer, caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'

const clock = new ManualClock(Date.UTC(2026, 0, 15))
const PASSWORD = 'a long enough password'
let service: Service
before(async () => {
  const settings = { WEIR_RATE_LIMITS: 'failed=3/1m', WEIR_TRUSTED_PROXIES: '127.0.0.1' }
  service = await startService({ clock, settings })
})
after(() => service.close())

/** A sign-in that comes through the trusted proxy from an address. */
function login(
  from: string,
  given: { email?: string; password?: string; device?: string } = {},
): Promise<Answer> {
  const { email = service.ownerEmail, password = service.ownerPassword, device } = given
  const cookie = device === undefined ? '' : `device=${device}`
  const call = caller(service, cookie, { 'X-Forwarded-For': from })
  return call('POST', '/api/login', { email, password })
}

function deviceOf({ headers, text }: Answer): string {
  const cookie = headers.getSetCookie().find((one) => one.startsWith('device='))
  assert.ok(cookie !== undefined, text)
  assert.match(cookie, /; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/)
  return cookie.slice('device='.length).split(';')[0]
}

/** Unknown clients from many networks use up all tries of an account. */
async function attack(email: string): Promise<void> {
  let last = 0
  for (let host = 1; host <= 14 && last !== 429; host += 1) {
    for (let at = 0; at < 3; at += 1) {
      last = (await login(`203.0.113.${host}`, { email, password: 'wrong password' })).status
    }
  }
  assert.equal((await login('203.0.113.200', { email, password: 'wrong password' })).status, 429)
}

test('failures of unknown clients lock out no address or device that signed in before', async () => {
  const first = await login('198.51.100.7')
  assert.equal(first.status, 200, first.text)
  const device = deviceOf(first)
  await service.restart()
  await attack(service.ownerEmail)
  assert.equal(
    (await login('198.51.100.8')).status,
    429,
    'an unknown address with the right password',
  )
  assert.equal((await login('198.51.100.7')).status, 200, 'a known address')
  const known = await login('192.0.2.55', { device })
  assert.equal(known.status, 200, 'a known device')
  assert.deepEqual(
    known.headers.getSetCookie().filter((cookie) => cookie.startsWith('device=')),
    [],
  )
})

test('a known device and address have few tries of their own', async () => {
  clock.advance(600_000)
  const device = deviceOf(await login('198.51.100.20'))
  const statuses: number[] = []
  for (let at = 0; at < 5; at += 1) {
    statuses.push((await login(`192.0.2.${at}`, { device, password: 'wrong password' })).status)
  }
  assert.deepEqual(statuses, [401, 401, 401, 429, 429])
  assert.equal((await login('198.51.100.20')).status, 200)
})

test('the device of one user is unknown to another, and after a change of password', async () => {
  clock.advance(600_000)
  const ownersDevice = deviceOf(await login('198.51.100.7'))
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const email = 'ann@example.com'
  const made = await owner('PUT', '/api/org_user', { org_user: { email, password: PASSWORD } })
  assert.equal(made.status, 200, made.text)
  const device = deviceOf(await login('198.51.100.30', { email, password: PASSWORD }))
  await attack(email)
  const from = '198.51.100.31'
  const ann = { email, password: PASSWORD }
  assert.equal((await login(from, { ...ann, device: ownersDevice })).status, 429)
  assert.equal((await login(from, { ...ann, device: `${device}x` })).status, 429)
  assert.equal((await login(from, { ...ann, device })).status, 200)
  const { uid } = made.body.org_user
  const changed = await owner('POST', `/api/org_user/${uid}`, {
    org_user: { password: 'another password', currentPassword: service.ownerPassword },
  })
  assert.equal(changed.status, 200, changed.text)
  const again = { email, password: 'another password', device }
  assert.equal((await login(from, again)).status, 429)
  assert.equal((await login('198.51.100.30', again)).status, 429, 'its address is forgotten too')
})

test('one customer has one set of tries, however many IPv6 addresses they take', async () => {
  clock.advance(600_000)
  const statuses: number[] = []
  for (let at = 1; at <= 5; at += 1) {
    statuses.push((await login(`2001:db8:1:2::${at}`, { password: 'wrong password' })).status)
  }
  assert.deepEqual(statuses, [401, 401, 401, 429, 429])
  assert.equal((await login('2001:db8:1:3::1', { password: 'wrong password' })).status, 401)
})

test('many who send a wrong currentPassword at once hold up nobody else', async () => {
  clock.advance(600_000)
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const owner = caller(service, session)
  const email = 'gus@example.com'
  const fields = { email, password: PASSWORD, role: 'GUEST' }
  const made = await owner('PUT', '/api/org_user', { org_user: fields })
  const guest = caller(service, await signIn(service, email, PASSWORD))
  const path = `/api/org_user/${made.body.org_user.uid}`
  const wrong = { org_user: { password: 'another password', currentPassword: 'wrong' } }
  const flood = Array.from({ length: 60 }, () => guest('POST', path, wrong))
  const right = Array.from({ length: 10 }, (_, at) => login(`198.51.100.${100 + at}`))
  assert.deepEqual(
    (await Promise.all(right)).map(({ status }) => status),
    Array(10).fill(200),
  )
  const statuses = new Set((await Promise.all(flood)).map(({ status }) => status))
  assert.deepEqual(statuses, new Set([401, 429]))
  const { body } = await owner('GET', '/api/audit?limit=1000')
  const failed = body.audit.filter(
    ({ act, detail }: Record<string, string>) => act === 'sign_in_failed' && detail === email,
  )
  assert.equal(failed.length, 3)
})

test('tries are not won back by signing in to many accounts that do not exist', async () => {
  clock.advance(600_000)
  for (let at = 0; at < 3; at += 1) {
    await login('203.0.113.9', { password: 'wrong password' })
  }
  const { failures } = service.app.identity
  for (let at = 0; at < 150_000; at += 1) failures.take([{ name: `made up ${at}`, factor: 1 }])
  assert.equal((await login('203.0.113.9', { password: 'wrong password' })).status, 429)
})
