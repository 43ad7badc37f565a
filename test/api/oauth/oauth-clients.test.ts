import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  newPkce,
  type OAuthService,
  REDIRECT,
  registerClient,
  startOAuthService,
} from '../../support/oauth-service.ts'

async function asOwner(service: OAuthService) {
  const session = await service.session()
  const proof = { 'Weir-Password': service.owner.password }
  return (method: string, path: string, body?: unknown) => {
    const url = `/api/${path}${path.includes('?') ? '&' : '?'}session=${session}`
    return service.send(method, url, body, proof)
  }
}

test('oauth_client is registered, listed, changed and removed by administrators', async () => {
  await using service = await startOAuthService()
  const call = await asOwner(service)
  const blank = await call('GET', 'oauth_client/new')
  assert.equal(blank.body.oauth_client.type, 'confidential')
  const fields = { name: 'Dashboard', redirectUris: [REDIRECT], mayUseLogin: true }
  const made = await call('PUT', 'oauth_client', { oauth_client: fields })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const { uid, clientId, clientSecret } = made.body.oauth_client
  assert.equal(uid, clientId)
  assert.match(clientSecret, /^[0-9a-f-]{36}$/)
  await call('PUT', 'oauth_client', { oauth_client: { ...fields, name: 'Another' } })
  const list = await call('GET', 'oauth_client?start=1&limit=1')
  assert.equal(list.body.totalCount, 2)
  assert.deepEqual(
    list.body.oauth_client.map(({ name }: { name: string }) => name),
    ['Dashboard'],
  )
  assert.ok(!JSON.stringify(list.body).includes(clientSecret), 'the secret is shown once')
  const one = await call('GET', `oauth_client/${uid}`)
  assert.equal(one.body.oauth_client.clientSecret, undefined)
  const renamed = await call('POST', `oauth_client/${uid}`, { oauth_client: { name: 'Renamed' } })
  assert.equal(renamed.body.oauth_client.name, 'Renamed')
  assert.deepEqual(renamed.body.oauth_client.redirectUris, [REDIRECT])
  assert.equal((await call('DELETE', `oauth_client/${uid}`)).body.success, true)
  assert.equal((await call('GET', `oauth_client/${uid}`)).status, 404)
  assert.equal((await call('GET', 'oauth_client')).body.totalCount, 1)
})

test('oauth_client refuses what cannot be used, naming the field, and keeps nothing', async () => {
  await using service = await startOAuthService()
  const call = await asOwner(service)
  const check = async (fields: Record<string, unknown>, expected: RegExp) => {
    const good = { name: 'x', redirectUris: [REDIRECT] }
    const { status, body } = await call('PUT', 'oauth_client', {
      oauth_client: { ...good, ...fields },
    })
    assert.equal(status, 400, JSON.stringify(fields))
    assert.match(body.message, expected)
  }
  await check({ name: ' ' }, /oauth_client.name is missing/)
  await check({ name: 'x'.repeat(101) }, /oauth_client.name/)
  await check({ name: 'a\u202eb' }, /formatting character/)
  await check({ name: 7 }, /oauth_client.name/)
  await check({ logo: 'javascript:alert(1)' }, /oauth_client.logo/)
  await check({ logo: 'http://a.example/x.png' }, /oauth_client.logo/)
  await check({ logo: `data:image/png;base64,${'A'.repeat(70_000)}` }, /oauth_client.logo/)
  await check({ redirectUris: [] }, /oauth_client.redirectUris/)
  await check({ redirectUris: [REDIRECT, 'http://a.example/'] }, /redirectUris\[1\]: .*https/)
  await check({ redirectUris: Array(21).fill(REDIRECT) }, /more than 20/)
  await check({ type: 'secret' }, /oauth_client.type must be one of confidential, public/)
  assert.equal((await call('PUT', 'oauth_client', {})).status, 400)
  assert.equal((await call('GET', 'oauth_client')).body.totalCount, 0)
})

test('a new secret replaces the old one, and a public client has none', async () => {
  await using service = await startOAuthService()
  const call = await asOwner(service)
  const { uid, clientSecret: old = '' } = await registerClient(service, { mayUseLogin: true })
  const exchange = async (client_secret: string) => {
    const code = await service.code({ client_id: uid })
    const params = { grant_type: 'authorization_code', client_id: uid, code, client_secret }
    return (await service.token(params)).status
  }
  assert.equal(await exchange(old), 200)
  const renewed = await call('POST', `oauth_client/${uid}/secret`)
  const { clientSecret } = renewed.body.oauth_client
  assert.equal(await exchange(old), 401)
  assert.equal(await exchange(clientSecret), 200)
  const open = await call('POST', `oauth_client/${uid}`, { oauth_client: { type: 'public' } })
  assert.equal(open.body.oauth_client.clientSecret, undefined)
  assert.equal((await call('POST', `oauth_client/${uid}/secret`)).status, 400)
  const back = await call('POST', `oauth_client/${uid}`, { oauth_client: { type: 'confidential' } })
  assert.equal(await exchange(back.body.oauth_client.clientSecret), 200)
  assert.equal(await exchange(clientSecret), 401)
})

test('a refresh by a registered client goes on after its secret was renewed', async () => {
  await using service = await startOAuthService()
  const call = await asOwner(service)
  const { uid, clientSecret = '' } = await registerClient(service, { mayUseLogin: true })
  const code = await service.code({ client_id: uid })
  const common = { client_id: uid, client_secret: clientSecret }
  const first = await service.token({ grant_type: 'authorization_code', code, ...common })
  const { body } = await call('POST', `oauth_client/${uid}/secret`)
  const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token }
  assert.equal((await service.token({ ...refresh, ...common })).status, 401)
  const renewed = { client_id: uid, client_secret: body.oauth_client.clientSecret }
  assert.equal((await service.token({ ...refresh, ...renewed })).status, 200)
})

test('removing a client ends its tokens, and its ID is never an open client', async () => {
  await using service = await startOAuthService()
  const call = await asOwner(service)
  const { uid } = await registerClient(service, { type: 'public', mayUseLogin: true })
  const { access_token, refresh_token } = await service.tokens({ client_id: uid })
  const bearer = { authorization: `Bearer ${access_token}` }
  assert.equal((await service.send('GET', '/api/oauth_grant', undefined, bearer)).status, 200)
  await call('DELETE', `oauth_client/${uid}`)
  assert.equal((await service.send('GET', '/api/oauth_grant', undefined, bearer)).status, 401)
  const refresh = { grant_type: 'refresh_token', client_id: uid, refresh_token }
  assert.equal((await service.token(refresh)).body.error, 'invalid_client')
  const again = await service.login({ client_id: uid })
  assert.equal(again.status, 400)
  assert.match(again.body.message, /belongs to a deleted client/)
})

test('oauth_client is closed to members, keys and other organizations', async () => {
  await using service = await startOAuthService()
  const { identity } = service.service.app
  const { uid } = await registerClient(service, {})
  const hash = await identity.hasher.hash('another password')
  const add = (email: string, memberships: { orgUid: string; role: 'MEMBER' | 'OWNER' }[]) =>
    identity.users.insert({
      email,
      firstName: '',
      lastName: '',
      timeZone: 'UTC',
      passwordHash: hash,
      memberships,
    })
  await add('member@example.com', [{ orgUid: service.service.orgUid, role: 'MEMBER' }])
  await add('stranger@example.com', [{ orgUid: 'another', role: 'OWNER' }])
  const status = async (email: string, method: string) => {
    const session = await service.session({ email, password: 'another password' })
    return (await service.send(method, `/api/oauth_client/${uid}?session=${session}`)).status
  }
  assert.equal(await status('member@example.com', 'GET'), 403)
  assert.equal(await status('member@example.com', 'DELETE'), 403)
  assert.equal(await status('stranger@example.com', 'GET'), 404)
  assert.equal(await status('stranger@example.com', 'DELETE'), 404)
  const key = `?api_key=${service.service.feedKey}`
  assert.equal((await service.send('GET', `/api/oauth_client${key}`)).status, 403)
  assert.equal((await service.send('GET', '/api/oauth_client')).status, 401)
})

test('users see what they allowed and take it back, nobody else can', async () => {
  await using service = await startOAuthService()
  const call = await asOwner(service)
  const { challenge, verifier } = newPkce()
  const to = await service.authorize({
    response_type: 'code',
    client_id: 'my app',
    redirect_uri: REDIRECT,
    scope: 'feed:read',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  assert.equal((await call('GET', 'oauth_grant')).body.totalCount, 0)
  const { body: tokens } = await service.token({
    grant_type: 'authorization_code',
    client_id: 'my app',
    code_verifier: verifier,
    code: to.searchParams.get('code') ?? '',
  })
  const { oauth_grant, totalCount } = (await call('GET', 'oauth_grant')).body
  assert.equal(totalCount, 1)
  const { uid, creationDate, lastRefreshDate, ...shown } = oauth_grant[0]
  assert.ok(creationDate > 0 && lastRefreshDate >= creationDate)
  assert.deepEqual(shown, {
    clientId: 'my app',
    clientName: 'my app',
    isRegistered: false,
    redirectHost: 'client.example',
    scope: 'feed:read',
  })
  const narrow = { authorization: `Bearer ${tokens.access_token}` }
  const self = await service.send('DELETE', `/api/oauth_grant/${uid}`, undefined, narrow)
  assert.deepEqual([self.status, self.body.code], [403, 'insufficient_scope'])
  assert.match(self.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
  const key = await service.send('GET', `/api/oauth_grant?api_key=${service.service.feedKey}`)
  assert.equal(key.status, 403)
  const { identity } = service.service.app
  await identity.users.insert({
    email: 'guest@example.com',
    firstName: '',
    lastName: '',
    timeZone: 'UTC',
    passwordHash: await identity.hasher.hash('another password'),
    memberships: [{ orgUid: service.service.orgUid, role: 'GUEST' }],
  })
  const guest = { email: 'guest@example.com', password: 'another password' }
  const session = await service.session(guest)
  const foreign = await service.send('DELETE', `/api/oauth_grant/${uid}?session=${session}`)
  assert.equal(foreign.status, 404)
  assert.equal((await call('DELETE', `oauth_grant/${uid}`)).status, 200)
  assert.equal((await call('GET', 'oauth_grant')).body.totalCount, 0)
  const gone = await service.send('GET', '/api/oauth_grant', undefined, narrow)
  assert.equal(gone.status, 401)
})

test('a new password ends what clients have from the user, codes included', async () => {
  await using service = await startOAuthService()
  const call = await asOwner(service)
  const { access_token, refresh_token } = await service.tokens()
  const code = await service.code()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'c1',
    redirect_uri: REDIRECT,
  }).toString()
  const { ticket } = (await service.send('POST', '/alt/sign_in', { query, ...service.owner })).body
  const { org_user } = (await call('GET', 'org_user')).body
  const change = { password: 'a different password', currentPassword: service.owner.password }
  const changed = await call('POST', `org_user/${org_user[0].uid}`, { org_user: change })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const bearer = { authorization: `Bearer ${access_token}` }
  assert.equal((await service.send('GET', '/api/oauth_grant', undefined, bearer)).status, 401)
  const client = { client_id: 'c1' }
  const refresh = { grant_type: 'refresh_token', refresh_token, ...client }
  assert.equal((await service.token(refresh)).body.error, 'invalid_grant')
  const exchange = { grant_type: 'authorization_code', code, ...client }
  assert.equal((await service.token(exchange)).body.error, 'invalid_grant')
  const decided = await service.send('POST', '/alt/decide', { ticket, isAllowed: true })
  assert.equal(decided.body.step, 'show')
})

test('what administrators and users do with OAuth is in the audit log', async () => {
  await using service = await startOAuthService()
  const call = await asOwner(service)
  const { uid } = await registerClient(service, {})
  await call('POST', `oauth_client/${uid}`, { oauth_client: { name: 'Renamed' } })
  await call('POST', `oauth_client/${uid}/secret`)
  await call('DELETE', `oauth_client/${uid}`)
  await service.tokens()
  const { oauth_grant } = (await call('GET', 'oauth_grant')).body
  await call('DELETE', `oauth_grant/${oauth_grant[0].uid}`)
  const { audit } = service.service.app.identity
  const { entries } = await audit.list(service.service.orgUid, { start: 0, limit: 100 })
  const acts = new Set(entries.map(({ act }) => act))
  for (const act of [
    'client_created',
    'client_updated',
    'client_secret_renewed',
    'client_deleted',
    'grant_created',
    'grant_revoked',
  ] as const) {
    assert.ok(acts.has(act), act)
  }
})
