import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createOrganization } from '../../../src/auth/administer/index.ts'
import { ManualClock } from '../../../src/base/index.ts'
import {
  newPkce,
  type OAuthService,
  REDIRECT,
  registerClient,
  startOAuthService,
} from '../../support/oauth-service.ts'

const ASK = { response_type: 'code', client_id: 'c1', redirect_uri: REDIRECT, state: 's 1' }

async function begin(service: OAuthService, query: string | Record<string, string>) {
  const text = typeof query === 'string' ? query : new URLSearchParams(query).toString()
  return (await service.send('POST', '/alt/begin', { query: text })).body
}

function without(name: keyof typeof ASK): Record<string, string> {
  return Object.fromEntries(Object.entries(ASK).filter(([key]) => key !== name))
}

// One service for the tests that leave it as they found it.
let service: OAuthService
before(async () => {
  service = await startOAuthService()
})
after(() => service[Symbol.asyncDispose]())

test('the page asks, and consent sends the browser back with code, state and iss', async () => {
  const asked = await begin(service, { ...ASK, email: 'ada@example.com' })
  assert.deepEqual(asked, {
    step: 'sign_in',
    email: 'ada@example.com',
    client: { name: 'c1', logo: '', isVouchedFor: false, redirectHost: 'client.example' },
  })
  const to = await service.authorize(ASK)
  assert.equal(to.origin + to.pathname, REDIRECT)
  assert.deepEqual([...to.searchParams.keys()], ['code', 'state', 'iss'])
  assert.equal(to.searchParams.get('state'), 's 1')
  assert.equal(to.searchParams.get('iss'), service.url)
  const code = to.searchParams.get('code') ?? ''
  const params = { grant_type: 'authorization_code', client_id: 'c1', code }
  assert.equal((await service.token({ ...params, redirect_uri: REDIRECT })).status, 200)
})

test('a refusal sends the browser back with access_denied, state and iss', async () => {
  const { searchParams } = await service.authorize(ASK, false)
  assert.equal(searchParams.get('error'), 'access_denied')
  assert.equal(searchParams.get('state'), 's 1')
  assert.equal(searchParams.get('iss'), service.url)
  assert.equal(searchParams.get('code'), null)
})

test('a client_id or redirect_uri that may not be used is shown and never redirected to', async () => {
  const { clientId } = await registerClient(service, {})
  const check = async (query: string | Record<string, string>, message: RegExp) => {
    const step = await begin(service, query)
    assert.equal(step.step, 'show', JSON.stringify(step))
    assert.match(step.message, message)
    assert.equal(step.to, undefined)
  }
  await check('', /client_id is missing/)
  await check(without('client_id'), /client_id is missing/)
  await check(without('redirect_uri'), /redirect_uri is missing/)
  await check({ ...ASK, client_id: 'ä' }, /client_id must have/)
  await check({ ...ASK, redirect_uri: 'http://client.example/cb' }, /must use https/)
  await check({ ...ASK, redirect_uri: 'HTTP://client.example/cb' }, /must use https/)
  await check({ ...ASK, redirect_uri: 'javascript:alert(1)' }, /must not use javascript/)
  await check({ ...ASK, redirect_uri: 'MS-MSDT:/id' }, /must not use ms-msdt/)
  await check({ ...ASK, redirect_uri: 'search-ms:query=x' }, /must not use search-ms/)
  await check({ ...ASK, redirect_uri: 'HTTPS://evil.test/#x', response_type: 'token' }, /fragment/)
  await check({ ...ASK, redirect_uri: `${REDIRECT}#x` }, /fragment/)
  await check({ ...ASK, client_id: clientId, redirect_uri: `${REDIRECT}/` }, /not registered/)
  const twice = (name: string) => `${new URLSearchParams(ASK)}&${name}=x`
  await check(twice('client_id'), /client_id is given more than once/)
  await check(twice('redirect_uri'), /redirect_uri is given more than once/)
  // Errors of the first kind win over those that would be redirected.
  await check({ ...without('client_id'), response_type: 'token' }, /client_id is missing/)
})

test('other mistakes of registered clients are redirected as RFC 6749 says', async () => {
  const loopback = 'http://127.0.0.1:9/cb'
  const { clientId } = await registerClient(service, { redirectUris: [loopback] })
  const ask = { ...ASK, client_id: clientId, redirect_uri: loopback }
  const check = async (query: string | Record<string, string>, error: string, about: RegExp) => {
    const step = await begin(service, query)
    assert.equal(step.step, 'redirect', JSON.stringify(step))
    const to = new URL(step.to)
    assert.equal(to.origin + to.pathname, loopback)
    assert.equal(to.searchParams.get('error'), error)
    assert.match(to.searchParams.get('error_description') ?? '', about)
    assert.equal(to.searchParams.get('iss'), service.url)
    return to.searchParams.get('state')
  }
  const { challenge } = newPkce()
  const { response_type, ...untyped } = ask
  assert.equal(response_type, 'code')
  assert.equal(await check(untyped, 'invalid_request', /response_type/), 's 1')
  const token = { ...ask, response_type: 'token' }
  assert.equal(await check(token, 'unsupported_response_type', /must be code/), 's 1')
  await check({ ...ask, code_challenge: challenge }, 'invalid_request', /S256/)
  const plain = { code_challenge: challenge, code_challenge_method: 'plain' }
  await check({ ...ask, ...plain }, 'invalid_request', /S256/)
  await check({ ...ask, response_mode: 'fragment' }, 'invalid_request', /response_mode/)
  const twice = (name: string) => `${new URLSearchParams(ask)}&${name}=x`
  assert.equal(await check(twice('response_type'), 'invalid_request', /more than once/), 's 1')
  assert.equal(await check(twice('state'), 'invalid_request', /state is given/), null)
})

test('a mistake sends nobody by itself to an address that no administrator vouches for', async () => {
  const check = async (redirect_uri: string, host: string) => {
    const open = await begin(service, { ...ASK, redirect_uri, response_type: 'token' })
    assert.equal(open.step, 'show', JSON.stringify(open))
    assert.equal(open.to, undefined)
    assert.equal(open.back.host, host)
    const { searchParams } = new URL(open.back.to)
    assert.equal(searchParams.get('error'), 'unsupported_response_type')
  }
  await check(REDIRECT, 'client.example')
  await check('HTTPS://evil.test/', 'evil.test')
  await check('hTTps:evil.test', 'evil.test')
  await check('http://127.0.0.1:9/cb', '127.0.0.1:9')
  await check('HTTP://LocalHost:9/cb', 'localhost:9')
  await check('com.example.app:/cb', 'com.example.app:')
  const { clientId: client_id } = await registerClient(service, {})
  const known = await begin(service, { ...ASK, client_id, response_type: 'token' })
  assert.equal(known.step, 'redirect')
})

test('only an administrator of the user vouches for a client, its logo included', async () => {
  const { identity } = service.service.app
  const logo = 'https://a.example/logo.png'
  const { clientId: client_id } = await registerClient(service, { logo })
  await createOrganization(identity, {
    name: 'Others',
    ownerEmail: 'other@example.com',
    ownerPassword: 'another password',
    ownerTimeZone: 'UTC',
    actor: 'test',
  })
  const query = new URLSearchParams({ ...ASK, client_id }).toString()
  const clientFor = async (who: { email: string; password: string }) =>
    (await service.send('POST', '/alt/sign_in', { query, ...who })).body.client
  const own = await clientFor(service.owner)
  assert.deepEqual([own.isVouchedFor, own.logo], [true, logo])
  const foreign = await clientFor({ email: 'other@example.com', password: 'another password' })
  assert.deepEqual([foreign.isVouchedFor, foreign.logo], [false, ''])
})

test('the authorization endpoint answers no script of another origin', async () => {
  const headers = { origin: 'https://evil.example' }
  const cors = async (method: string, path: string) =>
    (await service.send(method, path, undefined, headers)).headers.get(
      'access-control-allow-origin',
    )
  assert.equal(await cors('GET', '/alt/'), null)
  assert.equal(await cors('POST', '/alt/'), null)
  assert.equal(await cors('POST', '/alt/begin'), null)
  assert.equal(await cors('OPTIONS', '/alt/begin'), null)
  assert.equal(await cors('POST', '/api/oauth_access_token'), '*')
})

test('the ticket between sign-in and consent works once, and for ten minutes', async () => {
  const clock = new ManualClock(1.7e12)
  await using service = await startOAuthService({ clock })
  const query = new URLSearchParams(ASK).toString()
  const ticket = async () =>
    (await service.send('POST', '/alt/sign_in', { query, ...service.owner })).body.ticket
  const decide = async (given: string) =>
    (await service.send('POST', '/alt/decide', { ticket: given, isAllowed: true })).body.step
  const first = await ticket()
  assert.equal(await decide(first), 'redirect')
  assert.equal(await decide(first), 'show')
  assert.equal(await decide('guess'), 'show')
  const second = await ticket()
  clock.advance(600_000)
  assert.equal(await decide(second), 'show')
})

test('the steps of the page answer its own script only', async () => {
  const query = new URLSearchParams(ASK).toString()
  const check = async (headers: Record<string, string>, status: number) => {
    const body = JSON.stringify({ query })
    const answer = await service.send('POST', '/alt/begin', body, headers)
    assert.equal(answer.status, status, JSON.stringify(headers))
  }
  const json = { 'content-type': 'application/json' }
  await check(json, 200)
  await check({ ...json, 'sec-fetch-site': 'same-origin' }, 200)
  await check({ ...json, 'sec-fetch-site': 'cross-site' }, 403)
  await check({ ...json, 'sec-fetch-site': 'same-site' }, 403)
  await check({ ...json, 'sec-fetch-site': 'none' }, 403)
  await check({ ...json, origin: 'https://evil.example' }, 403)
  await check({ ...json, origin: 'null' }, 403)
  await check({ ...json, origin: service.service.url.replace('//', '//evil@') }, 403)
  await check({ ...json, origin: service.service.url }, 200)
  await check({ 'content-type': 'text/plain' }, 403)
})

test('GET and POST /alt/ serve the page under a strict policy, a form carried in escaped', async () => {
  await using service = await startOAuthService({
    settings: { WEIR_BRANDS: '{"127.0.0.1":{"name":"Acme <b>","logo":"https://a.example/l\\"x"}}' },
  })
  const evil = `client_id=c1&state="><script>alert(1)</script>&x='`
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const got = await service.send('GET', '/alt/?client_id=c1')
  const posted = await service.send('POST', '/alt/', evil, form)
  for (const { status, headers, body } of [got, posted]) {
    assert.equal(status, 200)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    const policy = headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
      assert.ok(policy.includes(part), part)
    }
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.ok(!body.includes('<script>alert') && !body.includes('<b>') && !body.includes('l"x'))
    assert.ok(body.includes('Acme &#60;b&#62;'))
  }
  assert.ok(posted.body.includes('state=&#34;&#62;&#60;script&#62;'))
  const odd = { client_id: { toString: 1 }, state: null }
  assert.equal((await service.send('POST', '/alt/', odd)).status, 200)
  const json = await service.send('POST', '/alt/', { client_id: 'c1', state: '<i>' })
  assert.ok(json.body.includes('data-posted="client_id=c1&#38;state=%3Ci%3E"'))
  for (const asset of ['/alt/authorize.js', '/alt/authorize.css']) {
    assert.equal((await service.send('GET', asset)).status, 200, asset)
  }
  const bare = await service.send('GET', '/alt?client_id=c1')
  assert.equal(bare.status, 301)
  assert.equal(bare.headers.get('location'), 'alt/?client_id=c1')
  assert.equal((await service.send('POST', '/alt/', 'x'.repeat(20_000), form)).status, 413)
})

test('strict mode lets in registered clients only, and those without a secret with PKCE', async () => {
  await using service = await startOAuthService({ settings: { WEIR_OAUTH: 'strict' } })
  const unknown = await begin(service, ASK)
  assert.equal(unknown.step, 'show')
  assert.match(unknown.message, /not registered/)
  const confidential = await registerClient(service, {})
  assert.equal((await begin(service, { ...ASK, client_id: confidential.clientId })).step, 'sign_in')
  const { clientId: client_id } = await registerClient(service, { type: 'public' })
  const step = await begin(service, { ...ASK, client_id })
  assert.match(new URL(step.to).searchParams.get('error_description') ?? '', /must use PKCE/)
  const { challenge, verifier } = newPkce()
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  const to = await service.authorize({ ...ASK, client_id, ...pkce })
  const code = to.searchParams.get('code') ?? ''
  const params = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier }
  assert.equal((await service.token(params)).status, 200)
})

test('a strict organization in an open service lets in only its own registered clients', async () => {
  await using service = await startOAuthService()
  const { organizations } = service.service.app.identity
  const before = await service.tokens()
  const marked = await registerClient(service, { type: 'public', mayUseLogin: true })
  const organization = organizations.find(service.service.orgUid)
  assert.ok(organization)
  await organizations.update(organization, { oauth: 'strict' })
  const open = await service.login()
  assert.equal(open.status, 403)
  assert.match(open.body.message, /None of your organizations/)
  const query = new URLSearchParams(ASK).toString()
  const page = await service.send('POST', '/alt/sign_in', { query, ...service.owner })
  assert.equal(page.body.step, 'show')
  const grants = (token: string) =>
    service.send('GET', '/api/oauth_grant', undefined, { authorization: `Bearer ${token}` })
  assert.equal((await grants(before.access_token)).status, 403)
  const own = await service.tokens({ client_id: marked.clientId })
  assert.equal((await grants(own.access_token)).status, 200)
  const { clientId: client_id } = await registerClient(service, { type: 'public' })
  const step = await begin(service, { ...ASK, client_id })
  assert.match(new URL(step.to).searchParams.get('error_description') ?? '', /must use PKCE/)
})
