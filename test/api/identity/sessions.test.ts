import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const HOUR = 3_600_000
const clock = new ManualClock(Date.UTC(2026, 0, 15))
const service = serviceOfFile({ clock })

async function open(client: string): Promise<{ call: Call; token: string }> {
  const login = caller(service, '', { 'User-Agent': client })
  const { ownerEmail: email, ownerPassword: password } = service
  const { body } = await login('POST', '/api/login', { email, password })
  return { call: caller(service, `session=${body.sessionUid}`), token: body.sessionUid }
}

test('GET /api/session lists own sessions with address, client and last use, and no token', async () => {
  const first = await open('first/1')
  const second = await open(`second/2 ${'x'.repeat(500)}`)
  clock.advance(HOUR)
  const answer = await first.call('GET', '/api/session')
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.totalCount, 2)
  assert.ok(!answer.text.includes(first.token) && !answer.text.includes(second.token))
  const byClient = new Map<string, Record<string, number | boolean>>(
    answer.body.session.map((one: { client: string }) => [one.client.slice(0, 5), one]),
  )
  const { address, creationDate, lastUseDate, endDate } = byClient.get('first') ?? {}
  assert.equal(String(address), '127.0.0.1')
  assert.deepEqual([creationDate, lastUseDate], [clock.now() - HOUR, clock.now()])
  assert.equal(endDate, clock.now() + 24 * HOUR)
  assert.deepEqual(
    [byClient.get('first')?.isCurrent, byClient.get('secon')?.isCurrent],
    [true, false],
  )
  assert.equal(byClient.get('secon')?.lastUseDate, clock.now() - HOUR)
  assert.equal(String(byClient.get('secon')?.client).length, 200)
})

test('DELETE /api/session/{uid} ends one session at once, and only an own one', async () => {
  const kept = await open('kept')
  const gone = await open('gone')
  assert.equal((await gone.call('GET', '/api/session')).status, 200)
  const { session } = (await kept.call('GET', '/api/session')).body
  const { uid } = session.find((one: { client: string }) => one.client === 'gone')
  assert.match(uid, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  const email = 'other@example.com'
  const org_user = { email, role: 'ADMIN', password: 'a long enough sentence' }
  assert.equal((await kept.call('PUT', '/api/org_user', { org_user })).status, 200)
  const other = caller(service, await signIn(service, email, org_user.password))
  assert.equal((await other('DELETE', `/api/session/${uid}`)).status, 404)
  assert.equal((await other('GET', '/api/session')).body.totalCount, 1)
  assert.equal((await kept.call('DELETE', `/api/session/${uid}`)).status, 200)
  assert.equal((await gone.call('GET', '/api/session')).status, 401)
  assert.equal((await kept.call('DELETE', `/api/session/${uid}`)).status, 404)
  const { audit } = (await kept.call('GET', '/api/audit')).body
  const [entry] = audit.filter(({ act }: { act: string }) => act === 'session_ended')
  assert.equal(entry.target, uid)
})

test('a session ends 30 days after its sign-in, however much it is used', async () => {
  const { call } = await open('long')
  for (let hour = 0; hour < 30 * 24; hour += 20) {
    assert.equal((await call('GET', '/api/session')).status, 200, `hour ${hour}`)
    if (hour === 400) await service.restart()
    clock.advance(20 * HOUR)
  }
  assert.equal((await call('GET', '/api/session')).status, 401)
})
