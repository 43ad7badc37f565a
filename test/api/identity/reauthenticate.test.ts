import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, type OAuthService, startOAuthService } from '../../support/oauth-service.ts'

let home: OAuthService
let session: string
let token: string
before(async () => {
  home = await startOAuthService()
  session = await home.session()
  token = (await home.tokens()).access_token
})
after(() => home[Symbol.asyncDispose]())

type Send = (method: string, path: string, body?: object, password?: string) => Promise<Answer>

const bySession: Send = (method, path, body, password) =>
  send(method, path, body, { Cookie: `session=${session}`, ...headerOf(password) })
const byToken: Send = (method, path, body, password) =>
  send(method, path, body, { Authorization: `Bearer ${token}`, ...headerOf(password) })

function send(method: string, path: string, body: object | undefined, headers: object) {
  return home.send(method, path, body, headers as Record<string, string>)
}

function headerOf(password: string | undefined): Record<string, string> {
  return password === undefined ? {} : { 'Weir-Password': password }
}

function refusedAs({ status, body }: Answer, expected: number, code: string): void {
  assert.equal(status, expected, JSON.stringify(body))
  assert.equal(body.code, code, body.message)
}

const all = [{ resource: '*', methods: ['GET', 'PUT', 'POST', 'DELETE'] }]
const member = { email: 'member@example.com', password: 'a long enough password', role: 'MEMBER' }

test('a key is shown to people who give their password, and to nobody else', async () => {
  const made = await bySession('PUT', '/api/api_key', { api_key: { name: 'k', capabilities: all } })
  assert.equal(made.status, 200)
  const { uid, secretKey } = made.body.api_key
  const path = `/api/api_key/${uid}/secret`
  refusedAs(await bySession('GET', path), 401, 'reauthenticate')
  refusedAs(await bySession('GET', path, undefined, 'wrong'), 401, 'reauthenticate')
  const byKey = await send('GET', path, undefined, { Cookie: `api_key=${secretKey}` })
  refusedAs(byKey, 401, 'reauthenticate')
  const shown = await bySession('GET', path, undefined, home.owner.password)
  assert.equal(shown.body.api_key.secretKey, secretKey)
  const { audit } = (await bySession('GET', '/api/audit')).body
  assert.ok(audit.some(({ act }: { act: string }) => act === 'sign_in_failed'))
})

test('e-mail addresses, passwords and owners require the password of the person who changes them', async () => {
  const added = await bySession('PUT', '/api/org_user', { org_user: member })
  assert.equal(added.status, 200)
  const path = `/api/org_user/${added.body.org_user.uid}`
  const { password: currentPassword } = home.owner
  for (const change of [
    { email: 'other@example.com' },
    { password: 'a different password' },
    { role: 'OWNER' },
  ]) {
    refusedAs(await bySession('POST', path, { org_user: change }), 401, 'reauthenticate')
    const wrong = { org_user: change, currentPassword: 'wrong' }
    refusedAs(await bySession('POST', path, wrong), 401, 'reauthenticate')
    const right = await bySession('POST', path, { org_user: change, currentPassword })
    assert.equal(right.status, 200, JSON.stringify(right.body))
  }
  refusedAs(await bySession('DELETE', path), 401, 'reauthenticate')
  assert.equal((await bySession('DELETE', path, undefined, currentPassword)).status, 200)
  const owner = { ...member, email: 'second@example.com', role: 'OWNER' }
  refusedAs(await bySession('PUT', '/api/org_user', { org_user: owner }), 401, 'reauthenticate')
})

test('a record that is sent back as it was asks for no password', async () => {
  const { org_user } = (await bySession('GET', '/api/org_user')).body
  const { uid, email, role } = org_user[0]
  const same = { org_user: { email, role, firstName: 'Ada' } }
  assert.equal((await bySession('POST', `/api/org_user/${uid}`, same)).status, 200)
})

test('what a full token would make to outlive it needs the person', async () => {
  const key = { api_key: { name: 'outlives', capabilities: all } }
  refusedAs(await byToken('PUT', '/api/api_key', key), 401, 'reauthenticate')
  const { api_key } = (await bySession('GET', '/api/api_key')).body
  assert.ok(!api_key.some(({ name }: { name: string }) => name === 'outlives'))
  refusedAs(
    await byToken('POST', `/api/api_key/${api_key[0].uid}`, { api_key: { capabilities: all } }),
    401,
    'reauthenticate',
  )
  refusedAs(await byToken('PUT', '/api/org_user', { org_user: member }), 401, 'reauthenticate')
  const client = { name: 'c', redirectUris: ['https://client.example/cb'] }
  refusedAs(
    await byToken('PUT', '/api/oauth_client', { oauth_client: client }),
    401,
    'reauthenticate',
  )
  const further = { organization: { name: 'further' } }
  refusedAs(await byToken('PUT', '/api/organization', further), 401, 'reauthenticate')
  const { password } = home.owner
  assert.equal((await byToken('PUT', '/api/api_key', key, password)).status, 200)
})

test('a full token neither changes nor deletes an organization without the person', async () => {
  const { password } = home.owner
  const { organization } = (await byToken('GET', '/api/organization')).body
  const path = `/api/organization/${organization[0].uid}`
  for (const change of [{ oauth: 'strict' }, { rateLimits: 'classic' }, { name: 'other' }]) {
    refusedAs(await byToken('POST', path, { organization: change }), 401, 'reauthenticate')
    const wrong = { organization: change, currentPassword: 'wrong' }
    refusedAs(await byToken('POST', path, wrong), 401, 'reauthenticate')
  }
  refusedAs(await byToken('DELETE', path), 401, 'reauthenticate')
  assert.deepEqual((await byToken('GET', path)).body.organization, organization[0])
  const name = { organization: { name: 'Renamed' }, currentPassword: password }
  assert.equal((await byToken('POST', path, name)).status, 200)
  assert.equal((await byToken('GET', path)).body.organization.name, 'Renamed')
})

test('an organization is deleted by an owner who gives the password, in a session too', async () => {
  const { password } = home.owner
  const made = await bySession('PUT', '/api/organization', { organization: { name: 'Doomed' } })
  const { uid } = made.body.organization
  const path = `/api/organization/${uid}?org=${uid}`
  refusedAs(await bySession('DELETE', path), 401, 'reauthenticate')
  refusedAs(await bySession('DELETE', path, undefined, 'wrong'), 401, 'reauthenticate')
  refusedAs(await byToken('DELETE', path), 401, 'reauthenticate')
  assert.equal((await bySession('GET', path)).body.organization.name, 'Doomed')
  assert.equal((await byToken('DELETE', path, undefined, password)).status, 200)
  refusedAs(await bySession('GET', path), 404, 'not_found')
})

test('a full token takes no key, client or member away without the person', async () => {
  const { password } = home.owner
  const key = await bySession('PUT', '/api/api_key', { api_key: { name: 'd', capabilities: all } })
  const client = await bySession('PUT', '/api/oauth_client', {
    oauth_client: { name: 'd', redirectUris: ['https://client.example/cb'] },
  })
  const user = { ...member, email: 'leaver@example.com' }
  const added = await bySession('PUT', '/api/org_user', { org_user: user })
  for (const path of [
    `/api/api_key/${key.body.api_key.uid}`,
    `/api/oauth_client/${client.body.oauth_client.uid}`,
    `/api/org_user/${added.body.org_user.uid}`,
  ]) {
    refusedAs(await byToken('DELETE', path), 401, 'reauthenticate')
    assert.equal((await bySession('GET', path)).status, 200, path)
    assert.equal((await byToken('DELETE', path, undefined, password)).status, 200, path)
    assert.equal((await bySession('GET', path)).status, 404, path)
  }
})

test('the secret of an OAuth client is renewed, or first given, for the password only', async () => {
  const { password } = home.owner
  const redirectUris = ['https://client.example/cb']
  const made = await bySession('PUT', '/api/oauth_client', {
    oauth_client: { name: 's', redirectUris, type: 'confidential' },
  })
  const path = `/api/oauth_client/${made.body.oauth_client.uid}`
  refusedAs(await bySession('POST', `${path}/secret`), 401, 'reauthenticate')
  refusedAs(await bySession('POST', `${path}/secret`, undefined, 'wrong'), 401, 'reauthenticate')
  const renewed = await bySession('POST', `${path}/secret`, undefined, password)
  assert.equal(renewed.status, 200, JSON.stringify(renewed.body))
  const typed = (type: string) => ({ oauth_client: { name: 's', redirectUris, type } })
  assert.equal((await bySession('POST', path, typed('public'))).status, 200)
  refusedAs(await bySession('POST', path, typed('confidential')), 401, 'reauthenticate')
  const given = await bySession('POST', path, typed('confidential'), password)
  assert.equal(given.status, 200, JSON.stringify(given.body))
  assert.ok(given.body.oauth_client.clientSecret)
})

test('a full token decides about no owner or administrator and changes no login', async () => {
  const { password } = home.owner
  for (const role of ['OWNER', 'ADMIN']) {
    const made = { org_user: { ...member, email: `${role}@example.com`, role } }
    refusedAs(await byToken('PUT', '/api/org_user', made, password), 403, 'forbidden')
  }
  const { org_user } = (await bySession('GET', '/api/org_user')).body
  const self = org_user.find(({ role }: { role: string }) => role === 'OWNER')
  const path = `/api/org_user/${self.uid}`
  const moved = { org_user: { email: 'taken@example.com' } }
  refusedAs(await byToken('POST', path, moved), 401, 'reauthenticate')
  assert.equal((await bySession('GET', path)).body.org_user.email, self.email)
})
