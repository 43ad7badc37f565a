import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, type OAuthService, startOAuthService } from '../../support/oauth-service.ts'

// One service for the tests that leave it as they found it.
let service: OAuthService
before(async () => {
  service = await startOAuthService()
})
after(() => service[Symbol.asyncDispose]())

const PUT_FEED = 'PUT /api/feed?compId=boiler&temp=20.5'
const GET_LAST = 'GET /api/comp/boiler/last_value'
const GET_STATISTIC = 'GET /api/comp/boiler/stream/temp/cycle/day/stat/max/last_value'
const GET_PROPERTY = 'GET /api/comp/boiler/property?name'
const POST_PROPERTY = 'POST /api/comp/boiler/property'
const PUT_FILE = 'PUT /api/comp/boiler/stream/photo/feed/file/a.txt'
const GET_FILE = 'GET /api/comp/boiler/stream/photo/feed/file/a.txt'
const GET_COMPONENTS = 'GET /api/component'
const GET_KEYS = 'GET /api/api_key'

const bodies: Readonly<Record<string, { type: string; text: string }>> = {
  [POST_PROPERTY]: { type: 'application/json', text: '[{"component":{"description":"warm"}}]' },
  [PUT_FILE]: { type: 'text/plain', text: 'a file' },
}

function call(token: string, request: string): Promise<Answer> {
  const [method, path] = request.split(' ')
  const body = bodies[request]
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': body.type }
  return service.send(method, path, body?.text, { authorization: `Bearer ${token}`, ...type })
}

const EVERYTHING = [
  PUT_FEED,
  GET_LAST,
  GET_STATISTIC,
  GET_PROPERTY,
  POST_PROPERTY,
  PUT_FILE,
  GET_FILE,
  GET_COMPONENTS,
  GET_KEYS,
]

async function checkAllowed(scope: string, allowed: readonly string[]): Promise<void> {
  const { access_token } = await service.tokens({ scope })
  for (const request of EVERYTHING) {
    const { status, headers, body } = await call(access_token, request)
    const isAllowed = allowed.includes(request)
    assert.equal(status, isAllowed ? 200 : 403, `${scope}: ${request} ${JSON.stringify(body)}`)
    if (isAllowed) continue
    assert.equal(body.code, 'insufficient_scope', `${scope}: ${request}`)
    assert.match(headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
  }
}

test('a bearer token has the rights of its user on every kind of call', async () => {
  await checkAllowed('', EVERYTHING)
  const { access_token } = await service.tokens()
  const last = await call(access_token, `${GET_LAST}?retStreamId`)
  const temp = last.body.find(({ streamId }: { streamId: string }) => streamId === 'temp')
  assert.equal(temp.data, 20.5)
})

test('a scope narrows a token to what its words say', async () => {
  await checkAllowed('', EVERYTHING)
  const reads = [GET_LAST, GET_STATISTIC, GET_PROPERTY, GET_FILE]
  const writes = [PUT_FEED, POST_PROPERTY, PUT_FILE]
  await checkAllowed('feed:read', reads)
  await checkAllowed('feed:write', writes)
  await checkAllowed('feed:write unknown feed:read', [...reads, ...writes])
  await checkAllowed('admin', [GET_COMPONENTS, GET_KEYS])
  await checkAllowed('profile email', EVERYTHING)
})

test('a token gains nothing by keys or users that it makes', async () => {
  const put = async (scope: string, noun: string, fields: object) => {
    const { access_token } = await service.tokens({ scope })
    const headers = { authorization: `Bearer ${access_token}` }
    const currentPassword = service.owner.password
    return service.send('PUT', `/api/${noun}`, { [noun]: fields, currentPassword }, headers)
  }
  const feedKey = { name: 'f', capabilities: [{ resource: 'component/c/feed', methods: ['GET'] }] }
  const refused = await put('admin', 'api_key', feedKey)
  assert.equal(refused.status, 403)
  assert.match(refused.body.message, /token does not allow GET on component\/c\/feed, so it cannot/)
  assert.equal((await put('admin feed:read', 'api_key', feedKey)).status, 200)
  assert.equal((await put('', 'api_key', feedKey)).status, 200)
  const unitKey = { name: 'u', capabilities: [{ resource: 'unit', methods: ['GET'] }] }
  assert.equal((await put('admin', 'api_key', unitKey)).status, 200)
  const person = (role: string) => ({
    role,
    email: `${role}@example.com`,
    password: 'a long enough password',
  })
  for (const role of ['ADMIN', 'OWNER']) {
    const { status, body } = await put('admin', 'org_user', person(role))
    assert.equal(status, 403)
    assert.match(body.message, /access token cannot add/)
  }
  assert.equal((await put('', 'org_user', person('ADMIN'))).status, 403)
  assert.equal((await put('', 'org_user', person('MEMBER'))).status, 200)
})

test('a parameter access_token beside a token is a stream when it holds a value', async () => {
  const { access_token } = await service.tokens()
  const put = await call(access_token, 'PUT /api/feed?compId=c&access_token=7')
  assert.equal(put.status, 200)
  const last = await call(access_token, 'GET /api/comp/c/last_value?retStreamId')
  assert.equal(last.body[0].streamId, 'access_token')
})
