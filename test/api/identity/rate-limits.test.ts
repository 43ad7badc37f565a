import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { startService } from '../../support/service.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const clock = new ManualClock(Date.UTC(2026, 0, 15))
const NOBODY = '00000000-0000-0000-0000-000000000000'
const service = serviceOfFile({
  clock,
  settings: {
    WEIR_RATE_LIMITS: 'feed=5/10s,admin=5/10s,failed=3/60s',
    WEIR_RATE_CEILING: 'off',
  },
})
let session: string
let owner: Call
before(async () => {
  session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session)
})

async function calls(count: number, headers: Record<string, string>): Promise<number[]> {
  const found: number[] = []
  for (let at = 0; at < count; at += 1) {
    const answer = await fetch(`${service.url}/api/organization`, {
      headers: { Cookie: session, ...headers },
    })
    found.push(answer.status)
  }
  return found
}

test('calls beyond the limit get 429 with Retry-After and the limit in headers', async () => {
  clock.advance(60_000)
  for (let left = 4; left >= 0; left -= 1) {
    const answer = await owner('GET', '/api/organization')
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('ratelimit-limit'), '5')
    assert.equal(answer.headers.get('ratelimit-remaining'), String(left))
    assert.equal(answer.headers.get('ratelimit-reset'), String((5 - left) * 2))
  }
  const refused = await owner('GET', '/api/organization')
  assert.equal(refused.status, 429)
  assert.equal(refused.body.code, 'rate_limited')
  assert.equal(refused.headers.get('retry-after'), '2')
  assert.equal(refused.headers.get('ratelimit-remaining'), '0')
  clock.advance(2_000)
  assert.equal((await owner('GET', '/api/organization')).status, 200)
  assert.equal((await owner('GET', '/api/organization')).status, 429)
})

test('X-Forwarded-For distinguishes devices, and the credential has ten times the limit', async () => {
  clock.advance(600_000)
  const macs = ['AA:BB', 'CC:DD', 'any text, really']
  for (const mac of macs) {
    assert.deepEqual(await calls(6, { 'X-Forwarded-For': mac }), [200, 200, 200, 200, 200, 429])
  }
  clock.advance(600_000)
  const statuses: number[] = []
  for (let device = 0; device < 11; device += 1) {
    statuses.push(...(await calls(5, { 'X-Forwarded-For': `device ${device}` })))
  }
  assert.deepEqual(statuses.indexOf(429), 50)
})

test('feed PUTs and properties are counted apart, reads of samples never', async () => {
  clock.advance(600_000)
  const device = caller(service, `api_key=${service.feedKey}`)
  const statuses = async (count: number, method: string, path: string) => {
    const found: number[] = []
    for (let at = 0; at < count; at += 1) found.push((await device(method, path)).status)
    return found
  }
  const put = '/api/feed?compId=limited&a=1'
  assert.deepEqual(await statuses(6, 'PUT', put), [200, 200, 200, 200, 200, 429])
  assert.equal((await device('GET', `${put}&asPut`)).status, 429)
  const property = '/api/comp/limited/property?name'
  assert.deepEqual(await statuses(6, 'GET', property), [200, 200, 200, 200, 200, 429])
  for (const path of ['last_value', 'feed', 'cycle/day/stat/max/feed']) {
    const found = await statuses(12, 'GET', `/api/comp/limited/${path}`)
    assert.deepEqual(found, Array(12).fill(200), path)
  }
  clock.advance(2_000)
  const answer = await device('PUT', put)
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('ratelimit-limit'), '5')
  assert.equal(answer.headers.get('ratelimit-remaining'), '0')
})

test('failed credentials are throttled per address; right ones and missing ones are not', async () => {
  clock.advance(600_000)
  const wrong = caller(service, `api_key=${NOBODY}`)
  const statuses: number[] = []
  for (let at = 0; at < 5; at += 1) statuses.push((await wrong('GET', '/api/organization')).status)
  assert.deepEqual(statuses, [401, 401, 401, 429, 429])
  assert.equal((await owner('GET', '/api/organization')).status, 200)
  assert.equal((await caller(service, '')('GET', '/api/organization')).status, 401)
})

test('failed sign-ins are throttled per account, known or not, and right ones are not', async () => {
  clock.advance(600_000)
  const login = async (email: string, password: string) =>
    (await caller(service, '')('POST', '/api/login', { email, password })).status
  const { ownerEmail, ownerPassword } = service
  for (let at = 0; at < 5; at += 1) assert.equal(await login(ownerEmail, ownerPassword), 200)
  for (const email of [ownerEmail, 'nobody@example.com']) {
    const statuses: number[] = []
    for (let at = 0; at < 5; at += 1) statuses.push(await login(email, 'wrong password'))
    assert.deepEqual(statuses, [401, 401, 401, 429, 429], email)
  }
  assert.equal(await login(ownerEmail, ownerPassword), 429)
  clock.advance(20_000)
  assert.equal(await login(ownerEmail, ownerPassword), 200)
})

test('an organization can have figures of its own', async () => {
  clock.advance(600_000)
  const path = `/api/organization/${service.orgUid}`
  const change = async (rateLimits: string) => owner('POST', path, { organization: { rateLimits } })
  assert.equal((await change('fast')).status, 400)
  const changed = await change('admin=2/1m')
  assert.equal(changed.body.organization.rateLimits, 'admin=2/1m')
  clock.advance(600_000)
  assert.deepEqual(await calls(3, {}), [200, 200, 429])
  clock.advance(600_000)
  assert.equal((await change('off')).status, 200)
  assert.deepEqual(await calls(12, {}), Array(12).fill(200))
})

test("an organization widens its limits up to the operator's ceiling, and no further", async (t) => {
  const check = async (settings: Record<string, string>, rateLimits: string, limit: string) => {
    const own = await startService({ clock, settings })
    t.after(() => own.close())
    const call = caller(own, await signIn(own, own.ownerEmail, own.ownerPassword))
    const path = `/api/organization/${own.orgUid}`
    const changed = await call('POST', path, { organization: { rateLimits } })
    assert.equal(changed.status, 200, changed.text)
    const { headers } = await call('GET', '/api/organization')
    assert.equal(headers.get('ratelimit-limit') ?? 'none', limit, rateLimits)
  }
  const service350 = { WEIR_RATE_LIMITS: 'default' }
  await check(service350, 'off', '350')
  await check(service350, 'admin=1000/1s', '350')
  await check(service350, 'admin=20/1m', '20')
  await check({ ...service350, WEIR_RATE_CEILING: 'admin=1000/1m' }, 'off', '1000')
  await check({ ...service350, WEIR_RATE_CEILING: 'off' }, 'off', 'none')
})
