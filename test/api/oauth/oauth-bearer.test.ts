import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOrganization } from '../../../src/auth/administer/index.ts'
import { ManualClock } from '../../../src/base/index.ts'
import {
  type Answer,
  type OAuthService,
  registerClient,
  startOAuthService,
} from '../../support/oauth-service.ts'
import { sendRaw } from '../../support/raw-http.ts'

function call(
  service: OAuthService,
  token: string,
  path: string,
  method = 'GET',
  body?: unknown,
): Promise<Answer> {
  return service.send(method, path, body, { authorization: `Bearer ${token}` })
}

test('a bearer token is refused when unknown, expired, repeated or taken back', async () => {
  const clock = new ManualClock(1.7e12)
  await using service = await startOAuthService({ clock })
  const { access_token } = await service.tokens()
  const grants = (token: string, query = '') => call(service, token, `/api/oauth_grant${query}`)
  const unknown = await grants('00000000-0000-0000-0000-000000000000')
  assert.equal(unknown.status, 401)
  assert.equal(unknown.body.code, 'invalid_token')
  assert.match(unknown.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
  const none = await service.send('GET', '/api/oauth_grant')
  assert.equal(none.status, 401)
  assert.equal(none.headers.get('www-authenticate'), 'Bearer realm="Weir"')
  const twice = await grants(access_token, `?access_token=${access_token}`)
  assert.equal(twice.status, 400)
  assert.equal(twice.body.code, 'bearer_repeated')
  assert.match(twice.headers.get('www-authenticate') ?? '', /error="invalid_request"/)
  const alone = await service.send('GET', `/api/oauth_grant?access_token=${access_token}`)
  assert.equal(alone.status, 401)
  clock.advance(86_399_999)
  assert.equal((await grants(access_token)).status, 200)
  clock.advance(1)
  assert.equal((await grants(access_token)).status, 401)
})

test('an access token works wherever a session token does, with its own scope and end', async () => {
  const clock = new ManualClock(1.7e12)
  await using service = await startOAuthService({ clock })
  const { access_token } = await service.tokens({ scope: 'feed:write' })
  const put = (query: string, headers = {}) =>
    service.send('PUT', `/api/feed?compId=c&a=1${query}`, undefined, headers)
  assert.equal((await put(`&session=${access_token}`)).status, 200)
  assert.equal((await put('', { cookie: `session=${access_token}` })).status, 200)
  const read = await service.send('GET', `/api/comp/c/feed?session=${access_token}`)
  assert.equal(read.status, 403)
  clock.advance(86_400_000)
  assert.equal((await put(`&session=${access_token}`)).status, 401)
})

test('two Authorization headers with tokens are refused', async () => {
  await using service = await startOAuthService()
  const { access_token } = await service.tokens()
  const header = `Authorization: Bearer ${access_token}\r\n`
  const port = Number(new URL(service.url).port)
  const head = `GET /api/oauth_grant HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${header}`
  assert.equal((await sendRaw(port, `${head}\r\n`)).status, 200)
  const twice = await sendRaw(port, `${head}${header}\r\n`)
  assert.equal(twice.status, 400)
  assert.match(twice.body, /bearer_repeated/)
})

test('org picks the organization of a token, and a strict one keeps foreign clients out', async () => {
  await using service = await startOAuthService()
  const { identity } = service.service.app
  const second = await createOrganization(identity, {
    name: 'Second',
    ownerEmail: service.owner.email,
    ownerTimeZone: 'UTC',
    actor: 'test',
  })
  const first = service.service.orgUid
  const other = second.organization.uid
  const { access_token } = await service.tokens()
  await registerClient(service, { name: 'Of the first' })
  const names = async (query: string) => {
    const { status, body } = await call(service, access_token, `/api/oauth_client${query}`)
    return status === 200 ? body.oauth_client.map(({ name }: { name: string }) => name) : status
  }
  assert.deepEqual(await names(''), ['Of the first'])
  assert.deepEqual(await names(`?org=${first}`), ['Of the first'])
  assert.deepEqual(await names(`?org=${other}`), [])
  assert.equal(await names('?org=unknown'), 404)
  await identity.organizations.update(second.organization, { oauth: 'strict' })
  assert.equal(await names(`?org=${other}`), 403)
  assert.deepEqual(await names(''), ['Of the first'])
})

test('a token ends with the membership and the rights of its user', async () => {
  await using service = await startOAuthService()
  const { users } = service.service.app.identity
  const { access_token } = await service.tokens()
  const { orgUid } = service.service
  const change = async (memberships: Parameters<typeof users.update>[1]['memberships']) => {
    const user = await users.findByEmail(service.owner.email)
    assert.ok(user)
    await users.update(user, { memberships })
  }
  const status = async (path: string) => (await call(service, access_token, path)).status
  assert.equal(await status('/api/oauth_client'), 200)
  await change([{ orgUid, role: 'MEMBER' }])
  assert.equal(await status('/api/oauth_client'), 403)
  assert.equal(await status('/api/oauth_grant'), 200)
  await change([])
  assert.equal(await status('/api/oauth_grant'), 403)
})
