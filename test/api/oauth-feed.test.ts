import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Answer, type OAuthService, startOAuthService } from '../support/oauth-service.ts'

const FEED = '/api/feed?compId=boiler&temp=20.5'
const LAST = '/api/comp/boiler/last_value'

function call(
  service: OAuthService,
  token: string,
  path: string,
  method = 'GET',
  body?: unknown,
): Promise<Answer> {
  return service.send(method, path, body, { authorization: `Bearer ${token}` })
}

// One service for the tests that leave it as they found it.
const service = await startOAuthService()
after(() => service[Symbol.asyncDispose]())

test('a bearer token has the rights of its user on feed and administration', async () => {
  const { access_token } = await service.tokens()
  assert.equal((await call(service, access_token, FEED, 'PUT')).status, 200)
  const last = await call(service, access_token, LAST)
  assert.equal(last.body[0].data, 20.5)
  assert.equal((await call(service, access_token, '/api/oauth_client')).status, 200)
})

test('a scope narrows a token to what its words say', async () => {
  const whole = await service.tokens()
  await call(service, whole.access_token, FEED, 'PUT')
  const check = async (scope: string, statuses: Record<string, number>) => {
    const { access_token } = await service.tokens({ scope })
    for (const [request, expected] of Object.entries(statuses)) {
      const [method, path] = request.split(' ')
      const answer = await call(service, access_token, path, method)
      assert.equal(answer.status, expected, `${scope}: ${request}`)
      if (expected !== 403) continue
      assert.equal(answer.body.success, false)
      assert.match(answer.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
    }
  }
  await check('feed:read', {
    [`GET ${LAST}`]: 200,
    [`PUT ${FEED}`]: 403,
    'GET /api/oauth_client': 403,
  })
  await check('feed:write', {
    [`PUT ${FEED}`]: 200,
    [`GET ${LAST}`]: 403,
    'GET /api/oauth_client': 403,
  })
  await check('admin', {
    'GET /api/oauth_client': 200,
    [`GET ${LAST}`]: 403,
  })
  await check('profile email', {
    [`PUT ${FEED}`]: 200,
    [`GET ${LAST}`]: 200,
    'GET /api/oauth_client': 200,
  })
})

test('a parameter access_token beside a token is a stream when it holds a value', async () => {
  const { access_token } = await service.tokens()
  const put = await call(service, access_token, '/api/feed?compId=c&access_token=7', 'PUT')
  assert.equal(put.status, 200)
  const last = await call(service, access_token, '/api/comp/c/last_value?retStreamId')
  assert.equal(last.body[0].streamId, 'access_token')
})
