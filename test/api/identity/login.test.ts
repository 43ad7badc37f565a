import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { startService } from '../../support/service.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const clock = new ManualClock(Date.UTC(2026, 0, 15))
const service = serviceOfFile({ clock })

function login(email: string, password: string, headers: Record<string, string> = {}) {
  return fetch(`${service.url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ email, password }),
  })
}

test('POST /api/login answers the session and its user, and sets a safe cookie', async () => {
  const answer = await login(service.ownerEmail.toUpperCase(), service.ownerPassword)
  assert.equal(answer.status, 200)
  const body = (await answer.json()) as Record<string, unknown>
  assert.match(String(body.sessionUid), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  assert.equal(body.success, true)
  assert.deepEqual(body.organization, [
    { uid: service.orgUid, name: 'My organization', role: 'OWNER' },
  ])
  const cookie = answer.headers.get('set-cookie') ?? ''
  assert.match(cookie, new RegExp(`^session=${body.sessionUid}; Path=/; HttpOnly; SameSite=Lax`))
})

test('a sign-in ends the session of the same user that it carries, and none of another', async () => {
  const { ownerEmail, ownerPassword } = service
  const isOpen = async (cookie: string) =>
    (await caller(service, cookie)('GET', '/api/organization')).status === 200
  const [first, other] = [
    await signIn(service, ownerEmail, ownerPassword),
    await signIn(service, ownerEmail, ownerPassword),
  ]
  assert.equal((await login(ownerEmail, 'wrong', { Cookie: first })).status, 401)
  assert.ok(await isOpen(first), 'who does not get in ends nothing')
  const again = await login(ownerEmail, ownerPassword, { Cookie: first })
  const { sessionUid } = (await again.json()) as { sessionUid: string }
  assert.ok(!(await isOpen(first)))
  assert.ok((await isOpen(`session=${sessionUid}`)) && (await isOpen(other)))
  const org_user = { email: 'next@example.com', password: 'a long enough sentence' }
  const added = await caller(service, other)('PUT', '/api/org_user', { org_user })
  assert.equal(added.status, 200, added.text)
  assert.equal((await login(org_user.email, org_user.password, { Cookie: other })).status, 200)
  assert.ok(await isOpen(other), 'a program may hold sessions of several people')
})

test('a wrong password and an unknown account get the same answer', async () => {
  const wrong = await login(service.ownerEmail, 'not the password')
  const unknown = await login('nobody@nowhere.example', 'not the password')
  assert.equal(wrong.status, 401)
  assert.equal(unknown.status, 401)
  assert.deepEqual(await wrong.json(), await unknown.json())
})

test('POST /api/login names a field that is missing or of the wrong type', async () => {
  const post = (body: string) =>
    fetch(`${service.url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    })
  const check = async (body: string, expected: RegExp) => {
    const answer = await post(body)
    assert.equal(answer.status, 400, body)
    assert.match(((await answer.json()) as { message: string }).message, expected, body)
  }
  await check('{"email":"a@b"}', /password/)
  await check('{"email":1,"password":"x"}', /email must be string/)
  await check('[]', /must be object/)
  await check('', /must be object/)
})

test('a client that closes its side after the request still gets the answer', async () => {
  const body = JSON.stringify({ email: service.ownerEmail, password: service.ownerPassword })
  const type = 'Content-Type: application/json'
  const head = `POST /api/login HTTP/1.1\r\nHost: x\r\n${type}\r\nContent-Length: ${body.length}\r\n\r\n`
  const answer = await sendRaw(service.port, head + body, { isEnding: true })
  assert.equal(answer.status, 200, answer.text)
})

test('a weak WEIR_OWNER_PASSWORD is taken with a warning, a weak password by the API is not', async () => {
  const weak = await startService({ settings: { WEIR_OWNER_PASSWORD: 'password' } })
  try {
    const logged = weak.logLines.filter((line) => line.includes('WEIR_OWNER_PASSWORD'))
    assert.equal(logged.length, 1)
    const owner = caller(weak, await signIn(weak, weak.ownerEmail, 'password'))
    const org_user = { email: 'new@example.com', password: 'Password2026!' }
    const { status, body } = await owner('PUT', '/api/org_user', { org_user })
    assert.equal(status, 400)
    assert.match(body.message, /org_user\.password is too easy to guess/)
  } finally {
    await weak.close()
  }
})
