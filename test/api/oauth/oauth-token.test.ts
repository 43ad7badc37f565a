import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  newPkce,
  type OAuthService,
  REDIRECT,
  registerClient,
  startOAuthService,
} from '../../support/oauth-service.ts'

const CODE = { grant_type: 'authorization_code', client_id: 'c1' }

// One service for the tests that leave it as they found it.
let service: OAuthService
before(async () => {
  service = await startOAuthService()
})
after(() => service[Symbol.asyncDispose]())

test('POST /api/oauth_access_token answers exactly what the contract says', async () => {
  const { status, headers, body } = await service.token({ ...CODE, code: await service.code() })
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'application/json')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('pragma'), 'no-cache')
  assert.deepEqual(Object.keys(body), ['access_token', 'token_type', 'expires_in', 'refresh_token'])
  assert.equal(body.token_type, 'bearer')
  assert.equal(body.expires_in, 86_400)
})

test('POST /api/oauth_access_token takes a form, JSON, URL parameters and a Basic header', async () => {
  const path = '/api/oauth_access_token'
  const send = async (given: {
    query?: string
    body?: unknown
    headers?: Record<string, string>
  }) => {
    const answer = await service.send('POST', path + (given.query ?? ''), given.body, given.headers)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }
  const params = async () => ({ ...CODE, code: await service.code() })
  await send({ body: new URLSearchParams(await params()) })
  await send({ body: { ...(await params()), state: 'x' } })
  await send({ query: `?${new URLSearchParams(await params())}` })
  const json = { 'content-type': 'application/json' }
  await send({ query: `?${new URLSearchParams(await params())}`, body: '', headers: json })
  const authorization = `Basic ${Buffer.from('c1:s%C3%BC+1').toString('base64')}`
  const { client_id, ...nameless } = await params()
  assert.equal(client_id, 'c1')
  const first = await service.token(nameless, { authorization })
  assert.equal(first.status, 200)
  // The secret of the header is the one the refresh needs, wherever it is given.
  const refresh = { grant_type: 'refresh_token', refresh_token: first.body.refresh_token }
  const second = await service.token({ ...refresh, client_id: 'c1', client_secret: 'sü 1' })
  assert.equal(second.status, 200)
})

test('POST /api/oauth_access_token refuses in the words of RFC 6749', async () => {
  const code = await service.code({ redirect_uri: REDIRECT })
  const check = async (params: Record<string, string>, status: number, error: string) => {
    const answer = await service.token(params)
    assert.equal(answer.status, status, JSON.stringify(params))
    assert.deepEqual(Object.keys(answer.body), ['error', 'error_description'])
    assert.equal(answer.body.error, error, answer.body.error_description)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  }
  await check({}, 400, 'invalid_request')
  await check({ client_id: 'c1', code }, 400, 'invalid_request')
  await check({ grant_type: 'authorization_code', code }, 400, 'invalid_request')
  await check(CODE, 400, 'invalid_request')
  await check({ ...CODE, grant_type: 'refresh_token' }, 400, 'invalid_request')
  await check({ ...CODE, grant_type: 'password', code }, 400, 'unsupported_grant_type')
  await check({ ...CODE, code: 'x' }, 400, 'invalid_grant')
  await check({ ...CODE, client_id: 'c2', code }, 400, 'invalid_grant')
  await check({ ...CODE, code, redirect_uri: `${REDIRECT}/` }, 400, 'invalid_grant')
  await check({ ...CODE, code, code_verifier: 'x'.repeat(43) }, 400, 'invalid_grant')
  assert.equal((await service.token({ ...CODE, code, redirect_uri: REDIRECT })).status, 200)
})

test('POST /api/oauth_access_token refuses every parameter that is given twice', async () => {
  const params = { ...CODE, code: await service.code(), redirect_uri: REDIRECT, state: 's' }
  for (const [name, value] of Object.entries(params)) {
    const body = new URLSearchParams({ ...params })
    body.append(name, value)
    const answer = await service.send('POST', '/api/oauth_access_token', body)
    assert.equal(answer.status, 400, name)
    assert.equal(answer.body.error, 'invalid_request', name)
    assert.match(answer.body.error_description, new RegExp(`^${name} is given more than once`))
  }
  const twice = `?client_id=c1`
  const across = await service.send(
    'POST',
    `/api/oauth_access_token${twice}`,
    new URLSearchParams(params),
  )
  assert.equal(across.body.error, 'invalid_request')
})

test('POST /api/oauth_access_token refuses bodies it cannot read, and other methods', async () => {
  const path = '/api/oauth_access_token'
  const type = (value: string) => ({ 'content-type': value })
  const check = async (body: string, headers: Record<string, string>, status: number) => {
    const answer = await service.send('POST', path, body, headers)
    assert.equal(answer.status, status, body.slice(0, 20))
    assert.equal(answer.body.error, 'invalid_request')
  }
  await check('{', type('application/json'), 400)
  await check('["code"]', type('application/json'), 400)
  await check('<a/>', type('application/xml'), 400)
  await check(`code=${'x'.repeat(20_000)}`, type('application/x-www-form-urlencoded'), 413)
  await check(
    'x',
    { ...type('application/x-www-form-urlencoded'), 'content-encoding': 'gzip' },
    400,
  )
  assert.equal((await service.send('GET', path)).status, 405)
})

test('POST /api/oauth_access_token answers a wrong secret with the way to authenticate', async () => {
  const { clientId, clientSecret = '' } = await registerClient(service, {})
  const basic = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
  })
  const { challenge, verifier } = newPkce()
  const to = await service.authorize({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const code = to.searchParams.get('code') ?? ''
  const params = { grant_type: 'authorization_code', code, code_verifier: verifier }
  const wrong = await service.token(params, basic('wrong'))
  assert.equal(wrong.status, 401)
  assert.equal(wrong.body.error, 'invalid_client')
  assert.match(wrong.headers.get('www-authenticate') ?? '', /^Basic /)
  const without = await service.token({ ...params, client_id: clientId })
  assert.equal(without.status, 401)
  assert.equal(without.headers.get('www-authenticate'), null)
  assert.equal((await service.token(params, basic(clientSecret))).status, 200)
})

test('a code works once over HTTP, and its second use revokes the tokens', async () => {
  const code = await service.code()
  const first = await service.token({ ...CODE, code })
  const bearer = { authorization: `Bearer ${first.body.access_token}` }
  assert.equal((await service.send('GET', '/api/oauth_grant', undefined, bearer)).status, 200)
  const second = await service.token({ ...CODE, code })
  assert.equal(second.body.error, 'invalid_grant')
  assert.equal((await service.send('GET', '/api/oauth_grant', undefined, bearer)).status, 401)
})

test('a refresh token works once over HTTP, and its second use revokes the family', async () => {
  const first = await service.tokens()
  const refresh = (refresh_token: string) =>
    service.token({ grant_type: 'refresh_token', client_id: 'c1', refresh_token })
  const second = await refresh(first.refresh_token)
  assert.equal(second.status, 200)
  assert.equal((await refresh(first.refresh_token)).body.error, 'invalid_grant')
  assert.equal((await refresh(second.body.refresh_token)).body.error, 'invalid_grant')
  for (const { access_token } of [first, second.body]) {
    const headers = { authorization: `Bearer ${access_token}` }
    assert.equal((await service.send('GET', '/api/oauth_grant', undefined, headers)).status, 401)
  }
})

test('POST /api/oauth_revoke ends an access token alone, and with a refresh token the grant', async () => {
  const works = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await service.send('GET', '/api/oauth_grant', undefined, headers)).status === 200
  }
  const revoke = (params: Record<string, string>) =>
    service.send('POST', '/api/oauth_revoke', new URLSearchParams(params))
  const first = await service.tokens()
  assert.equal((await revoke({ token: first.access_token })).body.error, 'invalid_request')
  assert.equal((await revoke({ client_id: 'c1' })).body.error, 'invalid_request')
  const foreign = await revoke({ token: first.access_token, client_id: 'c2' })
  assert.equal(foreign.body.error, 'invalid_grant')
  assert.ok(await works(first.access_token))
  const done = await revoke({ token: first.access_token, client_id: 'c1' })
  assert.equal(done.status, 200)
  assert.deepEqual(done.body, {})
  assert.ok(!(await works(first.access_token)))
  const refresh = { grant_type: 'refresh_token', client_id: 'c1' }
  const second = await service.token({ ...refresh, refresh_token: first.refresh_token })
  const hint = { token_type_hint: 'access_token', client_id: 'c1' }
  assert.equal((await revoke({ token: second.body.refresh_token, ...hint })).status, 200)
  assert.ok(!(await works(second.body.access_token)))
  assert.equal((await revoke({ token: 'nobody knows it', client_id: 'c1' })).status, 200)
})

test('POST /api/oauth_introspect answers permitted callers, and reveals nothing to others', async () => {
  const { clientId, clientSecret = '' } = await registerClient(service, {})
  const { access_token, refresh_token } = await service.tokens({ scope: 'feed:read' })
  const ask = (params: Record<string, string>, query = '') =>
    service.send('POST', `/api/oauth_introspect${query}`, new URLSearchParams(params))
  const own = { client_id: clientId, client_secret: clientSecret }
  const { body, status } = await ask({ token: access_token, ...own })
  assert.equal(status, 200)
  assert.deepEqual(
    { ...body, iat: 0, exp: body.exp - body.iat, sub: '' },
    {
      active: true,
      scope: 'feed:read',
      client_id: 'c1',
      username: service.owner.email,
      sub: '',
      token_type: 'bearer',
      iat: 0,
      exp: 86_400,
      iss: service.url,
    },
  )
  assert.equal((await ask({ token: refresh_token, ...own })).body.token_type, 'refresh_token')
  assert.deepEqual((await ask({ token: 'unknown', ...own })).body, { active: false })
  const session = await service.session()
  assert.equal((await ask({ token: access_token }, `?session=${session}`)).body.active, true)
  assert.equal((await ask({ token: access_token })).body.error, 'invalid_request')
  assert.equal((await ask({ token: access_token, client_id: 'c1' })).body.error, 'invalid_client')
  const guess = await ask({ token: access_token, client_id: 'c1', client_secret: 'guess' })
  assert.deepEqual(guess.body, { active: false })
})

test('a client that asks by Basic is no failed sign-in, however often', async () => {
  await using service = await startOAuthService({ settings: { WEIR_RATE_LIMITS: 'failed=2/1m' } })
  const { clientId, clientSecret = '' } = await registerClient(service, {})
  const { access_token: token } = await service.tokens({})
  const Authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`
  for (let time = 0; time < 4; time++) {
    const answer = await fetch(`${service.url}/api/oauth_introspect`, {
      method: 'POST',
      headers: { Authorization },
      body: new URLSearchParams({ token }),
    })
    assert.equal(answer.status, 200)
    assert.equal(((await answer.json()) as { active: boolean }).active, true)
  }
})

test('GET /.well-known/oauth-authorization-server names every endpoint under the issuer', async () => {
  await using service = await startOAuthService({
    settings: { WEIR_PUBLIC_URL: 'https://weir.example/' },
  })
  const { body } = await service.send('GET', '/.well-known/oauth-authorization-server')
  const path = await service.send('GET', '/.well-known/oauth-authorization-server/a/path')
  assert.deepEqual(path.body, body)
  assert.equal(body.issuer, 'https://weir.example')
  assert.equal(body.authorization_endpoint, 'https://weir.example/alt/')
  assert.equal(body.token_endpoint, 'https://weir.example/api/oauth_access_token')
  assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
  assert.deepEqual(body.response_types_supported, ['code'])
  assert.equal(body.authorization_response_iss_parameter_supported, true)
  const to = await service.authorize({
    response_type: 'code',
    client_id: 'c1',
    redirect_uri: REDIRECT,
    state: 'x',
  })
  assert.equal(to.searchParams.get('iss'), 'https://weir.example')
})
