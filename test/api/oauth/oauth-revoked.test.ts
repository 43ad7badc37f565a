/** Tokens that were used before, and so are in memory, are refused from the moment they end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../../../src/auth/administer/index.ts'
import {
  type OAuthService,
  registerClient,
  startOAuthService,
} from '../../support/oauth-service.ts'

const TOKENS_PER_GRANT = 10

async function statusOf(service: OAuthService, token: string): Promise<number> {
  const path = '/api/comp/none/feed'
  return (await service.send('GET', path, undefined, { authorization: `Bearer ${token}` })).status
}

/** A 404 is an answer of the feed: the caller was let in. */
async function use(service: OAuthService, token: string): Promise<void> {
  for (let times = 0; times < 2; times += 1) assert.equal(await statusOf(service, token), 404)
}

test('a token that its client or its user takes back is refused at once', async () => {
  await using service = await startOAuthService()
  const session = await service.session()
  const giveBack = (token: string) =>
    service.send('POST', '/api/oauth_revoke', new URLSearchParams({ token, client_id: 'c1' }))
  const first = await service.tokens()
  const second = await service.tokens()
  await use(service, first.access_token)
  await use(service, second.access_token)
  assert.equal((await giveBack(first.access_token)).status, 200)
  assert.equal(await statusOf(service, first.access_token), 401)
  assert.equal(await statusOf(service, second.access_token), 404)
  assert.equal((await giveBack(second.refresh_token)).status, 200)
  assert.equal(await statusOf(service, second.access_token), 401)
  const third = await service.tokens()
  await use(service, third.access_token)
  const { body } = await service.send('GET', `/api/oauth_grant?session=${session}`)
  for (const { uid } of body.oauth_grant) {
    await service.send('DELETE', `/api/oauth_grant/${uid}?session=${session}`)
  }
  assert.equal(await statusOf(service, third.access_token), 401)
})

test('calls in flight while a token is revoked keep nothing of it', async () => {
  await using service = await startOAuthService()
  for (let round = 0; round < 5; round += 1) {
    const { access_token: token } = await service.tokens()
    const form = new URLSearchParams({ token, client_id: 'c1' })
    const calls = Array.from({ length: 20 }, () => statusOf(service, token))
    const revoked = service.send('POST', '/api/oauth_revoke', form)
    assert.equal((await revoked).status, 200)
    assert.equal(await statusOf(service, token), 401)
    await Promise.all(calls)
    assert.equal(await statusOf(service, token), 401)
  }
})

test('a used refresh token takes the tokens in memory along, and old ones are crowded out', async () => {
  await using service = await startOAuthService()
  const refresh = (refresh_token: string) =>
    service.token({ grant_type: 'refresh_token', client_id: 'c1', refresh_token })
  const first = await service.tokens()
  const all = [first]
  while (all.length <= TOKENS_PER_GRANT) {
    const { body } = await refresh(all[all.length - 1].refresh_token)
    all.push(body)
    await use(service, body.access_token)
  }
  assert.equal(await statusOf(service, first.access_token), 401)
  assert.equal(await statusOf(service, all[1].access_token), 404)
  assert.equal((await refresh(all[5].refresh_token)).status, 400)
  for (const { access_token } of all) assert.equal(await statusOf(service, access_token), 401)
})

test('a token ends with a new password, with its user and with its client', async () => {
  await using service = await startOAuthService()
  const { identity } = service.service.app
  const command = (name: string, options: Record<string, string[]>) =>
    runCommand(identity, { name, options })
  const who = { email: 'ada@example.com', password: 'correct horse battery' }
  await command('user add', { email: [who.email], password: [who.password] })
  const before = await service.tokens(who)
  await use(service, before.access_token)
  await command('user reset-password', { email: [who.email], password: [who.password] })
  assert.equal(await statusOf(service, before.access_token), 401)
  const after = await service.tokens(who)
  await use(service, after.access_token)
  const session = await service.session()
  const user = await identity.users.findByEmail(who.email)
  const removed = await service.send('DELETE', `/api/org_user/${user?.uid}?session=${session}`)
  assert.equal(removed.status, 200)
  assert.ok([401, 403].includes(await statusOf(service, after.access_token)))
  const client = await registerClient(service, { mayUseLogin: true, type: 'public' })
  const given = await service.tokens({ client_id: client.clientId })
  await use(service, given.access_token)
  await service.send('DELETE', `/api/oauth_client/${client.uid}?session=${session}`)
  assert.equal(await statusOf(service, given.access_token), 401)
})

test('a token given as a session is refused at once too', async () => {
  await using service = await startOAuthService()
  const { access_token: token } = await service.tokens()
  const status = async () =>
    (await service.send('GET', `/api/comp/none/feed?session=${token}`)).status
  assert.deepEqual([await status(), await status()], [404, 404])
  const form = new URLSearchParams({ token, client_id: 'c1' })
  await service.send('POST', '/api/oauth_revoke', form)
  assert.equal(await status(), 401)
})
