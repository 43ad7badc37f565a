import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import {
  newPkce,
  REDIRECT,
  registerClient,
  startOAuthService,
} from '../../support/oauth-service.ts'

const FAILED = { settings: { WEIR_RATE_LIMITS: 'failed=10/1m' } }

test('POST /api/oauth_login answers the five fields of the contract and echoes state and address', async () => {
  await using service = await startOAuthService()
  const given = { state: 'st/ä', redirect_uri: REDIRECT, scope: 'anything' }
  const { status, headers, body } = await service.login(given)
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.match(body.oauthCode, /^[0-9a-f-]{36}$/)
  assert.deepEqual(body, {
    success: true,
    oauthCode: body.oauthCode,
    oauthState: 'st/ä',
    message: '',
    oauthRedirectUri: REDIRECT,
  })
  const bare = await service.login()
  assert.equal(bare.body.oauthState, '')
  assert.equal(bare.body.oauthRedirectUri, '')
})

test('POST /api/oauth_login names each mandatory field that is missing, with the envelope', async () => {
  await using service = await startOAuthService()
  for (const field of ['email', 'password', 'client_id', 'response_type']) {
    for (const value of [undefined, '', null]) {
      const { status, body } = await service.login({ [field]: value })
      assert.equal(status, 400, field)
      assert.equal(body.success, false)
      assert.equal(body.code, 'bad_input')
      assert.match(body.message, new RegExp(`^${field} is missing`))
    }
  }
  const token = await service.login({ response_type: 'token' })
  assert.match(token.body.message, /response_type must be code/)
  const list = await service.login({ email: ['a', 'b'] })
  assert.match(list.body.message, /email must be one string/)
})

test('POST /api/oauth_login refuses a field that is no text, and counts no failed sign-in', async () => {
  await using service = await startOAuthService()
  const fields = ['email', 'password', 'client_id', 'response_type', 'state', 'redirect_uri']
  for (const field of [...fields, 'scope', 'otp', 'code_challenge', 'code_challenge_method']) {
    for (const value of [7, 0, true, false, {}, { a: 'b' }, [], ['a']]) {
      const { status, body } = await service.login({ [field]: value })
      assert.equal(status, 400, `${field}: ${JSON.stringify(value)}`)
      assert.equal(body.code, 'bad_input')
      assert.match(body.message, new RegExp(`^${field} must be one string`))
    }
  }
  const ignored = await service.login({ unknown: { a: [1] } })
  assert.equal(ignored.status, 200, 'a field that is not known is passed over')
})

test('POST /api/oauth_login binds the code to client, address and PKCE challenge', async () => {
  await using service = await startOAuthService()
  const { verifier, challenge } = newPkce()
  const code = await service.code({
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const params = { grant_type: 'authorization_code', client_id: 'c1', code }
  const check = async (more: Record<string, string>, status: number) =>
    assert.equal((await service.token({ ...params, ...more })).status, status, JSON.stringify(more))
  await check({}, 400)
  await check({ code_verifier: verifier, client_id: 'c2' }, 400)
  await check({ code_verifier: verifier, redirect_uri: `${REDIRECT}?x` }, 400)
  await check({ code_verifier: verifier }, 200)
})

test('POST /api/oauth_login refuses the addresses that the page refuses, before a password is tried', async () => {
  await using service = await startOAuthService()
  const check = async (redirect_uri: string, expected: RegExp) => {
    const { status, body } = await service.login({ redirect_uri, password: 'wrong' })
    assert.equal(status, 400, redirect_uri)
    assert.equal(body.code, 'bad_input')
    assert.match(body.message, expected)
  }
  await check('http://client.example/cb', /must use https/)
  await check('JavaScript:alert(1)', /must not use javascript/)
  await check('ms-msdt:/id', /must not use ms-msdt/)
  await check(`${REDIRECT}#x`, /fragment/)
  await check('/cb', /absolute/)
  for (const redirect_uri of ['http://127.0.0.1:9/cb', 'com.example.app:/cb', 'myapp://done']) {
    const { status, body } = await service.login({ redirect_uri })
    assert.equal(status, 200, redirect_uri)
    assert.equal(body.oauthRedirectUri, redirect_uri)
  }
})

test('20 wrong passwords are throttled alike whether the account exists or not', async () => {
  await using service = await startOAuthService({ ...FAILED, clock: new ManualClock(1.7e12) })
  const answers = async (email: string) => {
    const seen: string[] = []
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const { status, headers, body } = await service.login({ email, password: `wrong ${attempt}` })
      seen.push(`${status} ${headers.get('retry-after')} ${JSON.stringify(body)}`)
    }
    return seen
  }
  const known = await answers(service.owner.email)
  const unknown = await answers('nobody@example.com')
  assert.deepEqual(known, unknown)
  assert.equal(known.filter((answer) => answer.startsWith('401 ')).length, 10)
  assert.equal(known.filter((answer) => answer.startsWith('429 ')).length, 10)
})

test('wrong passwords at the page, oauth_login and login count together, and a minute later no more', async () => {
  const clock = new ManualClock(1.7e12)
  await using service = await startOAuthService({ ...FAILED, clock })
  const { email, password } = service.owner
  const wrong = { email, password: 'wrong' }
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'c1',
    redirect_uri: REDIRECT,
  })
  for (let round = 0; round < 4; round += 1) {
    const statuses = [
      (await service.login(wrong)).status,
      (await service.send('POST', '/api/login', wrong)).status,
      (await service.send('POST', '/alt/sign_in', { query: query.toString(), ...wrong })).status,
    ]
    assert.deepEqual(statuses, round < 3 ? [401, 401, 401] : [401, 429, 429])
  }
  assert.equal((await service.login({ email, password })).status, 429)
  clock.advance(60_000)
  assert.equal((await service.login({ email, password })).status, 200)
})

test('a wrong password costs one password hash, whether the account exists or not', async () => {
  await using service = await startOAuthService()
  const { hasher } = service.service.app.identity
  const verify = hasher.verify.bind(hasher)
  const hashes: boolean[] = []
  hasher.verify = (password, hash) => {
    hashes.push(hash !== undefined)
    return verify(password, hash)
  }
  assert.equal((await service.login({ password: 'wrong' })).status, 401)
  assert.equal((await service.login({ email: 'nobody@example.com' })).status, 401)
  assert.deepEqual(hashes, [true, false])
})

test('a registered client may use oauth_login only when it is marked for it', async () => {
  await using service = await startOAuthService()
  const plain = await registerClient(service, { type: 'public' })
  const marked = await registerClient(service, { type: 'public', mayUseLogin: true })
  const refused = await service.login({ client_id: plain.clientId })
  assert.equal(refused.status, 403)
  assert.equal((await service.login({ client_id: marked.clientId })).status, 200)
  const elsewhere = { client_id: marked.clientId, redirect_uri: `${REDIRECT}/` }
  assert.equal((await service.login(elsewhere)).status, 400)
})

test('oauth_login in strict mode refuses clients that nobody registered', async () => {
  await using service = await startOAuthService({ settings: { WEIR_OAUTH: 'strict' } })
  const refused = await service.login()
  assert.equal(refused.status, 400)
  assert.match(refused.body.message, /not registered/)
  const plain = await registerClient(service, {})
  assert.equal((await service.login({ client_id: plain.clientId })).status, 403)
  const marked = await registerClient(service, { type: 'public', mayUseLogin: true })
  assert.equal((await service.login({ client_id: marked.clientId })).status, 200)
})

test('oauth_login leaves no secret in the log', async () => {
  await using service = await startOAuthService()
  const { access_token, refresh_token } = await service.tokens()
  const query = `?email=${service.owner.email}&password=hidden-pass&client_secret=hidden-secret`
  await service.send('POST', `/api/oauth_login${query}`)
  await service.send(
    'POST',
    `/api/oauth_access_token?code=hidden-code&refresh_token=${refresh_token}`,
  )
  await service.send('GET', `/api/oauth_grant`, undefined, {
    authorization: `Bearer ${access_token}`,
  })
  const log = service.service.logLines.join('')
  assert.match(log, /oauth_login/)
  for (const secret of [access_token, refresh_token, service.owner.password, 'hidden-']) {
    assert.ok(!log.includes(secret), secret)
  }
})
