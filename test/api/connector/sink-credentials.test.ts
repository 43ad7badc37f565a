import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { caller } from '../../support/caller.ts'
import {
  type ConnectorHome,
  type SinkOptions,
  startConnectorHome,
  VALUES_SQL,
} from '../../support/connector-home.ts'

const WRONG = '11111111-2222-4333-8444-555555555555'
let home: ConnectorHome
let key: string
before(async () => {
  home = await startConnectorHome({ settings: { WEIR_RATE_LIMITS: 'failed=1000/1m' } })
  key = home.service.feedKey
  await home.make('hook', VALUES_SQL)
  await home.make('hook/b', VALUES_SQL)
})
after(() => home.service.close())

const basic = (decoded: string) => ({
  Authorization: `Basic ${Buffer.from(decoded).toString('base64')}`,
})

async function statusOf(options: SinkOptions, id = 'hook'): Promise<number> {
  return (await home.send(id, { key: undefined, ...options })).status
}

async function keyWith(capabilities: object[]): Promise<string> {
  const made = await home.owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  assert.equal(made.status, 200, made.text)
  return made.body.api_key.secretKey
}

test('the key is taken from query, cookie or Basic authorization in its three forms', async () => {
  assert.equal(await statusOf({ key }), 200)
  assert.equal(await statusOf({ query: `a=1&api_key=${key}` }), 200)
  assert.equal(await statusOf({ headers: { Cookie: `org=x;api_key=${key}` } }), 200)
  for (const decoded of [`${key}:`, `:${key}`, key]) {
    assert.equal(await statusOf({ headers: basic(decoded) }), 200, decoded)
  }
  const lower = { Authorization: basic(key).Authorization.replace('Basic', 'basic') }
  assert.equal(await statusOf({ headers: lower }), 200)
})

test('what is no key of these places is a 401', async () => {
  assert.equal(await statusOf({}), 401)
  assert.equal(await statusOf({ key: WRONG }), 401)
  assert.equal(await statusOf({ key: '' }), 401)
  for (const decoded of [`${key}:${key}`, `user:${key}`, `${key}:x`, ':', '', WRONG, `::${key}`]) {
    assert.equal(await statusOf({ headers: basic(decoded) }), 401, decoded)
  }
  assert.equal(await statusOf({ headers: { Authorization: 'Basic %%%' } }), 401)
  assert.equal(await statusOf({ headers: { Authorization: `Token ${key}` } }), 401)
  const session = caller(home.service, '')
  const login = await session('POST', '/api/login', {
    email: home.service.ownerEmail,
    password: home.service.ownerPassword,
  })
  const { sessionUid } = login.body
  assert.equal(await statusOf({ query: `session=${sessionUid}` }), 401)
  assert.equal(await statusOf({ headers: { Cookie: `session=${sessionUid}` } }), 401)
})

test('a key in query or cookie counts alone, right or wrong', async () => {
  const right = basic(`${key}:`)
  assert.equal(await statusOf({ key: WRONG, headers: right }), 401)
  assert.equal(await statusOf({ headers: { ...right, Cookie: `api_key=${WRONG}` } }), 401)
  const wrong = basic(`${WRONG}:`)
  assert.equal(await statusOf({ key, headers: wrong }), 200)
  assert.equal(await statusOf({ headers: { ...wrong, Cookie: `api_key=${key}` } }), 200)
  assert.equal(await statusOf({ key: WRONG, headers: { Cookie: `api_key=${key}` } }), 401)
  assert.equal(await statusOf({ key, headers: { Cookie: `api_key=${WRONG}` } }), 200)
})

test('X-Api-Key, then Bearer come last; the first place that is filled counts alone', async () => {
  const [header, bearer] = [{ 'X-Api-Key': key }, { Authorization: `Bearer ${key}` }]
  const wrongHeader = { 'X-Api-Key': WRONG }
  assert.equal(await statusOf({ headers: header }), 200)
  assert.equal(await statusOf({ headers: bearer }), 200)
  assert.equal(await statusOf({ headers: { ...bearer, 'X-Api-Key': '' } }), 200)
  assert.equal(await statusOf({ headers: { ...bearer, ...wrongHeader } }), 401)
  assert.equal(await statusOf({ headers: { ...header, Authorization: `Bearer ${WRONG}` } }), 200)
  for (const right of [header, bearer]) {
    assert.equal(await statusOf({ key: WRONG, headers: right }), 401)
    assert.equal(await statusOf({ headers: { ...right, Cookie: `api_key=${WRONG}` } }), 401)
  }
  assert.equal(await statusOf({ key, headers: wrongHeader }), 200)
  assert.equal(await statusOf({ headers: { ...wrongHeader, Cookie: `api_key=${key}` } }), 200)
  assert.equal(await statusOf({ headers: { ...wrongHeader, ...basic(`${key}:`) } }), 200)
  for (const decoded of [`${WRONG}:`, 'user:password', 'x']) {
    assert.equal(await statusOf({ headers: { ...header, ...basic(decoded) } }), 401, decoded)
  }
  assert.equal(await statusOf({ headers: { ...header, ...basic(':') } }), 200)
})

test('the key needs the right conn_sink, by method and by connector', async () => {
  const all = ['GET', 'PUT', 'POST', 'DELETE']
  const none = await keyWith([{ resource: 'component/*/feed', methods: all }])
  assert.equal(await statusOf({ key: none }), 403)
  assert.equal(await statusOf({ key: none }, 'nosuch'), 403)
  const posts = await keyWith([{ resource: 'conn_sink', methods: ['POST'] }])
  assert.equal(await statusOf({ key: posts }), 200)
  assert.equal(await statusOf({ key: posts, method: 'GET' }), 403)
  const other = await keyWith([{ resource: 'conn_sink/other', methods: all }])
  assert.equal(await statusOf({ key: other }), 403)
  const own = await keyWith([{ resource: 'conn_sink/hook', methods: all }])
  assert.equal(await statusOf({ key: own }), 200)
  assert.equal(await statusOf({ key: own }, 'hook/b'), 403)
  const slashed = await keyWith([{ resource: 'conn_sink/hook%2Fb', methods: all }])
  assert.equal(await statusOf({ key: slashed }, 'hook/b'), 200)
  const sinkOnly = await keyWith([{ resource: 'conn_sink', methods: all }])
  const call = caller(home.service, `api_key=${sinkOnly}`)
  assert.equal((await call('GET', '/api/connector')).status, 403)
})

test('a page of another site cannot call a sink by a cookie, nor by Basic', async () => {
  for (const credential of [{ Cookie: `api_key=${key}` }, basic(`${key}:`)]) {
    const headers = { ...credential, Origin: 'https://evil.example' }
    assert.equal(await statusOf({ headers }), 403)
    assert.equal(await statusOf({ headers, method: 'GET' }), 403)
  }
  assert.equal(await statusOf({ key, headers: { Origin: 'https://shop.example' } }), 200)
})

test('sinks are not counted by rate limits, and keys stand in no log line and no payload', async () => {
  const sent = await home.send('hook', { query: 'a=1' })
  assert.equal(sent.status, 200, sent.text)
  assert.equal(sent.headers.get('ratelimit-limit'), null)
  const connectors = await home.owner('GET', '/api/connector')
  const { uid } = connectors.body.connector.find(({ id }: { id: string }) => id === 'hook')
  const list = await home.owner('GET', `/api/connector/${uid}/payload?limit=1`)
  const one = await home.owner('GET', `/api/connector/${uid}/payload/${list.body.payload[0].uid}`)
  assert.equal(one.body.payload.query, 'api_key=***&a=1')
  assert.ok(!one.text.includes(key))
  assert.ok(!home.service.logLines.some((line) => line.includes(key)))
})
