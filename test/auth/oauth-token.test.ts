import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  answerTokenRequest,
  findBearer,
  insertClient,
  listGrants,
  OAuthError,
} from '../../src/auth/oauth/index.ts'
import { newUid } from '../../src/base/index.ts'
import type { CatalogStore } from '../../src/store/index.ts'
import { type OAuthModel, openOAuthModel } from '../support/oauth-model.ts'

const CODE = { grant_type: 'authorization_code', client_id: 'c1' }
const REFRESH = { grant_type: 'refresh_token', client_id: 'c1' }
const SECRET_SHAPE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function refused(error: string, description: RegExp): (thrown: unknown) => boolean {
  return (thrown) => {
    assert.ok(thrown instanceof OAuthError, String(thrown))
    assert.equal(thrown.error, error, thrown.message)
    assert.match(thrown.message, description)
    return true
  }
}

async function tokensOf(model: OAuthModel, params: Record<string, string> = {}) {
  return model.ask({ ...CODE, code: await model.issue(), ...params })
}

test('answerTokenRequest() gives exactly the four fields of the contract for a code', async () => {
  await using model = await openOAuthModel()
  const answer = await tokensOf(model)
  assert.deepEqual(Object.keys(answer), [
    'access_token',
    'token_type',
    'expires_in',
    'refresh_token',
  ])
  assert.match(answer.access_token, SECRET_SHAPE)
  assert.match(answer.refresh_token, SECRET_SHAPE)
  assert.notEqual(answer.access_token, answer.refresh_token)
  assert.equal(answer.token_type, 'bearer')
  assert.equal(answer.expires_in, 86_400)
  const bearer = await findBearer(model.base, answer.access_token)
  assert.equal(bearer?.grant.userUid, 'u1')
  assert.equal(bearer?.scope, undefined)
})

test('answerTokenRequest() keeps only hashes of what it gives', async () => {
  await using model = await openOAuthModel()
  const code = await model.issue()
  const answer = await model.ask({ ...CODE, code, client_secret: 'a client secret' })
  const kinds = ['oauth_code', 'oauth_grant', 'oauth_token', 'oauth_refresh']
  const pages = await Promise.all(
    kinds.map((kind) => model.base.store.list({ orgUid: '', kind, start: 0, limit: 10 })),
  )
  const kept = JSON.stringify(pages)
  assert.equal(pages.flatMap(({ documents }) => documents).length, 4)
  for (const secret of [code, answer.access_token, answer.refresh_token, 'a client secret']) {
    assert.ok(!kept.includes(secret), secret)
  }
})

test('answerTokenRequest() names the parameter that is missing or wrong', async () => {
  await using model = await openOAuthModel()
  const code = await model.issue()
  const check = async (params: Record<string, string>, error: string, description: RegExp) =>
    assert.rejects(model.ask(params), refused(error, description))
  await check({}, 'invalid_request', /grant_type is missing/)
  await check({ grant_type: 'password' }, 'unsupported_grant_type', /authorization_code or/)
  await check({ grant_type: 'client_credentials' }, 'unsupported_grant_type', /refresh_token/)
  await check({ grant_type: 'authorization_code', code }, 'invalid_request', /client_id is missing/)
  await check(CODE, 'invalid_request', /code is missing/)
  await check(REFRESH, 'invalid_request', /refresh_token is missing/)
  await check({ ...CODE, code: 'nothing' }, 'invalid_grant', /unknown/)
  await check({ ...REFRESH, refresh_token: 'nothing' }, 'invalid_grant', /unknown/)
  await check({ ...CODE, code, client_id: 'c2' }, 'invalid_grant', /another client/)
  const other = 'https://client.example/cb/'
  await check({ ...CODE, code, redirect_uri: other }, 'invalid_grant', /redirect_uri differs/)
  // None of these tries has spent the code.
  await model.ask({ ...CODE, code, redirect_uri: 'https://client.example/cb' })
})

test('exchangeCode() refuses a code after ten minutes, to the millisecond', async () => {
  await using model = await openOAuthModel()
  const code = await model.issue()
  const late = await model.issue()
  model.clock.advance(599_999)
  await model.ask({ ...CODE, code })
  model.clock.advance(1)
  await assert.rejects(model.ask({ ...CODE, code: late }), refused('invalid_grant', /expired/))
})

test('exchangeCode() takes back what a code gave when it comes again, even late', async () => {
  await using model = await openOAuthModel()
  const code = await model.issue()
  const first = await model.ask({ ...CODE, code })
  const second = await model.ask({ ...REFRESH, refresh_token: first.refresh_token })
  model.clock.advance(3_600_000)
  await assert.rejects(model.ask({ ...CODE, code }), refused('invalid_grant', /already used/))
  for (const { access_token, refresh_token } of [first, second]) {
    assert.equal(await findBearer(model.base, access_token), undefined)
    await assert.rejects(
      model.ask({ ...REFRESH, refresh_token }),
      refused('invalid_grant', /revoked/),
    )
  }
})

test('exchangeCode() lets one of many concurrent exchanges win, and takes back its tokens', async () => {
  await using model = await openOAuthModel()
  const code = await model.issue()
  const tries = await Promise.allSettled(
    Array.from({ length: 8 }, () => model.ask({ ...CODE, code })),
  )
  const won = tries.filter((result) => result.status === 'fulfilled')
  assert.equal(won.length, 1)
  for (const result of tries) {
    if (result.status === 'rejected') refused('invalid_grant', /already used/)(result.reason)
  }
  assert.equal(await findBearer(model.base, won[0].value.access_token), undefined)
})

test('refreshTokens() rotates, and the return of an old token ends the family', async () => {
  await using model = await openOAuthModel()
  const first = await tokensOf(model)
  const second = await model.ask({ ...REFRESH, refresh_token: first.refresh_token })
  assert.notEqual(second.refresh_token, first.refresh_token)
  assert.equal(second.expires_in, 86_400)
  assert.ok(await findBearer(model.base, first.access_token))
  assert.ok(await findBearer(model.base, second.access_token))
  await assert.rejects(
    model.ask({ ...REFRESH, refresh_token: first.refresh_token }),
    refused('invalid_grant', /already used/),
  )
  assert.equal(await findBearer(model.base, second.access_token), undefined)
  await assert.rejects(
    model.ask({ ...REFRESH, refresh_token: second.refresh_token }),
    refused('invalid_grant', /revoked/),
  )
})

test('refreshTokens() lets one of many concurrent refreshes win', async () => {
  await using model = await openOAuthModel()
  const { refresh_token } = await tokensOf(model)
  const tries = await Promise.allSettled(
    Array.from({ length: 8 }, () => model.ask({ ...REFRESH, refresh_token })),
  )
  assert.equal(tries.filter((result) => result.status === 'fulfilled').length, 1)
})

test('refreshTokens() refuses another client, an expired token and a wider scope', async () => {
  await using model = await openOAuthModel()
  const code = await model.issue({
    scope: 'feed:read feed:write',
    askedScope: 'feed:read feed:write',
  })
  const { refresh_token } = await model.ask({ ...CODE, code })
  const check = (params: Record<string, string>, error: string, description: RegExp) =>
    assert.rejects(model.ask({ ...REFRESH, refresh_token, ...params }), refused(error, description))
  await check({ client_id: 'c2' }, 'invalid_grant', /another client/)
  await check({ scope: 'admin' }, 'invalid_scope', /within feed:read feed:write/)
  const narrowed = await model.ask({ ...REFRESH, refresh_token, scope: 'feed:read' })
  assert.equal((await findBearer(model.base, narrowed.access_token))?.token.scope, 'feed:read')
  const whole = await model.ask({ ...REFRESH, refresh_token: narrowed.refresh_token })
  assert.equal(
    (await findBearer(model.base, whole.access_token))?.token.scope,
    'feed:read feed:write',
  )
  model.clock.advance(864_000_000)
  await assert.rejects(
    model.ask({ ...REFRESH, refresh_token: whole.refresh_token }),
    refused('invalid_grant', /expired/),
  )
})

test('refreshTokens() needs the secret again that was passed with the code', async () => {
  await using model = await openOAuthModel()
  const { refresh_token } = await tokensOf(model, { client_secret: 's1' })
  const check = (params: Record<string, string>, description: RegExp) =>
    assert.rejects(
      model.ask({ ...REFRESH, refresh_token, ...params }),
      refused('invalid_client', description),
    )
  await check({}, /client_secret is missing/)
  await check({ client_secret: 's2' }, /differs/)
  const basic = `Basic ${Buffer.from('c1:s1').toString('base64')}`
  await model.ask({ grant_type: 'refresh_token', refresh_token }, basic)
})

test('refreshTokens() does not bring back a grant that was taken back meanwhile', async () => {
  await using model = await openOAuthModel()
  const { refresh_token, access_token } = await tokensOf(model)
  const { grants } = await listGrants(model.base, { userUid: 'u1', start: 0, limit: 10 })
  const key = { orgUid: '', kind: 'oauth_grant', uid: grants[0].uid }
  const { store } = model.base
  // The user takes the grant back between the look at it and the commit.
  const racing = {
    get: (wanted) => store.get(wanted),
    list: (query) => store.list(query),
    commit: async (writes) => {
      await store.commit([{ ...key, op: 'delete', expectedRevision: 'any' }])
      return store.commit(writes)
    },
  } as CatalogStore
  const source = {
    query: new URLSearchParams({ ...REFRESH, refresh_token }).toString(),
    contentType: '',
    body: '',
  }
  await assert.rejects(
    answerTokenRequest({ ...model.base, store: racing }, { source, authorization: undefined }),
    refused('invalid_grant', /revoked/),
  )
  assert.equal(await findBearer(model.base, access_token), undefined)
})

test('refreshTokens() keeps a busy client to ten access tokens', async () => {
  await using model = await openOAuthModel()
  let tokens = await tokensOf(model)
  const { access_token: oldest } = tokens
  for (let round = 0; round < 10; round += 1) {
    model.clock.advance(1_000)
    tokens = await model.ask({ ...REFRESH, refresh_token: tokens.refresh_token })
  }
  const query = { orgUid: '', kind: 'oauth_token', start: 0, limit: 100 }
  assert.equal((await model.base.store.list(query)).totalCount, 10)
  assert.equal(await findBearer(model.base, oldest), undefined)
  assert.ok(await findBearer(model.base, tokens.access_token))
})

test('findBearer() ends a token at its second', async () => {
  await using model = await openOAuthModel({ accessTokenSeconds: 60 })
  const { access_token, expires_in } = await tokensOf(model)
  assert.equal(expires_in, 60)
  model.clock.advance(59_999)
  assert.ok(await findBearer(model.base, access_token))
  model.clock.advance(1)
  assert.equal(await findBearer(model.base, access_token), undefined)
  assert.equal(await findBearer(model.base, 'nothing'), undefined)
})

test('findBearer() lets an access token outlive its refresh token when it is set so', async () => {
  await using model = await openOAuthModel({ accessTokenSeconds: 7_200, refreshTokenSeconds: 60 })
  const { access_token, refresh_token } = await tokensOf(model)
  model.clock.advance(60_000)
  const late = model.ask({ ...REFRESH, refresh_token })
  await assert.rejects(late, refused('invalid_grant', /expired/))
  assert.ok(await findBearer(model.base, access_token))
})

test('exchangeCode() checks PKCE, refuses a downgrade, and does not spend the code by a wrong try', async () => {
  await using model = await openOAuthModel()
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const code = await model.issue({ challenge })
  const check = (params: Record<string, string>, description: RegExp) =>
    assert.rejects(model.ask({ ...CODE, code, ...params }), refused('invalid_grant', description))
  await check({}, /code_verifier is missing/)
  await check({ code_verifier: 'x'.repeat(43) }, /does not match/)
  await model.ask({ ...CODE, code, code_verifier: verifier })
  const plain = await model.issue()
  await assert.rejects(
    model.ask({ ...CODE, code: plain, code_verifier: verifier }),
    refused('invalid_grant', /no code_challenge/),
  )
})

test('exchangeCode() says which scope was given where it differs from the asked one', async () => {
  await using model = await openOAuthModel()
  const scopeOf = async (askedScope: string, scope: string) => {
    const code = await model.issue({ askedScope, scope })
    return (await model.ask({ ...CODE, code })).scope
  }
  assert.equal(await scopeOf('feed:read', 'feed:read'), undefined)
  assert.equal(await scopeOf('feed:read openid', 'feed:read'), 'feed:read')
  assert.equal(await scopeOf('openid', 'feed:read feed:write admin'), 'feed:read feed:write admin')
})

test('authenticateClient() holds a confidential client to its secret, by parameter or Basic', async () => {
  await using model = await openOAuthModel()
  const fields = {
    name: 'Dashboard',
    logo: '',
    redirectUris: ['https://client.example/cb'],
    isConfidential: true,
    mayUseLogin: false,
  }
  const { client, secret = '' } = await insertClient(model.base, {
    ...fields,
    uid: newUid(),
    orgUid: 'o1',
  })
  const code = await model.issue({ clientId: client.uid, isRegistered: true })
  const params = { grant_type: 'authorization_code', code }
  const basic = (id: string, pass: string) =>
    `Basic ${Buffer.from(`${id}:${pass}`).toString('base64')}`
  const check = async (
    given: Record<string, string>,
    authorization: string | undefined,
    error: string,
    description: RegExp,
  ) =>
    assert.rejects(model.ask({ ...params, ...given }, authorization), refused(error, description))
  await check({ client_id: client.uid }, undefined, 'invalid_client', /missing/)
  await check({ client_id: client.uid, client_secret: 'x' }, undefined, 'invalid_client', /wrong/)
  await check({}, basic(client.uid, 'x'), 'invalid_client', /wrong/)
  await check({}, basic('', secret), 'invalid_client', /client_id:client_secret/)
  await check(
    { client_secret: secret },
    basic(client.uid, secret),
    'invalid_request',
    /given twice/,
  )
  await check({ client_id: 'c1' }, basic(client.uid, secret), 'invalid_request', /differs/)
  await model.ask(params, basic(client.uid, secret))
})

test('authenticateClient() in strict mode knows registered clients only', async () => {
  await using model = await openOAuthModel({ mode: 'strict' })
  await assert.rejects(tokensOf(model), refused('invalid_client', /not registered/))
})
