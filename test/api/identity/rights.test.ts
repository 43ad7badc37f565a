import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { type Method, methods } from '../../../src/access/index.ts'
import { type Call, caller } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)
let uid: string
let streamUid: string
before(async () => {
  const made = await owner('PUT', '/api/component', {
    component: { id: 'c1', stream: [{ id: 's1', valueType: 'DOUBLE' }] },
  })
  assert.equal(made.status, 200, made.text)
  uid = made.body.component.uid
  streamUid = made.body.component.stream[0].uid
  const written = await fetch(`${service.url}/write`, {
    method: 'POST',
    headers: { Authorization: `Token ${service.feedKey}` },
    body: 'm,host=c1 value=1 1',
  })
  assert.equal(written.status, 204)
})

interface Operation {
  readonly method: string
  readonly path: string
  readonly capability: string | undefined
  readonly isOpen: boolean
}

/** A series of the component. */
const SERIES = encodeURIComponent('{"__name__":"m","host":"c1"}')

/** Calls that carry no capability: they are about the caller's own credential. */
const OWN = new Set(['DELETE /api/login'])

/** Writes of other protocols, whose bodies are no JSON. `test/api/door` has the tests of their rights. */
const WRITES_OF_DOORS = new Set(['influx', 'remote_write', 'opentelemetry'])

/** Calls of InfluxDB's clients that answer every caller alike. */
const ALIKE = new Set(['POST /query', 'GET /influx/query'])

/** A key is never enough for these: they are for people, of a certain role where it matters. */
const FOR_PEOPLE = new Set([
  'GET /api/login',
  'GET /api/invitation',
  ...['GET', 'PUT', 'POST', 'DELETE'].map((method) => `${method} /api/second_factor`),
  'GET /api/session',
  'DELETE /api/session/{uid}',
  'POST /api/invitation/{uid}',
  'GET /api/oauth_grant',
  'DELETE /api/oauth_grant/{uid}',
  'PUT /api/oauth_client',
  'POST /api/oauth_client/{uid}',
  'POST /api/oauth_client/{uid}/secret',
  'DELETE /api/oauth_client/{uid}',
  'PUT /api/organization',
  'DELETE /api/organization/{uid}',
])

async function operations(): Promise<Operation[]> {
  const { body } = await owner('GET', '/openapi.json')
  const found: Operation[] = []
  for (const [path, item] of Object.entries(body.paths as Record<string, object>)) {
    for (const [method, operation] of Object.entries(item)) {
      const { security, tags, 'x-capability': capability } = operation
      if (tags.some((tag: string) => WRITES_OF_DOORS.has(tag)) && capability !== undefined) continue
      const isOpen = Array.isArray(security) && security.length === 0
      found.push({ method: method.toUpperCase(), path, capability, isOpen })
    }
  }
  return found
}

async function keyWith(capabilities: object[]): Promise<Call> {
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'r', capabilities } })
  assert.equal(made.status, 200, made.text)
  return caller(service, `api_key=${made.body.api_key.secretKey}`)
}

function resourceOf(capability: string): { method: Method; resource: string } {
  const [method, resource] = capability.split(' ')
  return { method: method as Method, resource: resource.replaceAll(/\{\w+\}/g, '*') }
}

/** Calls an operation with IDs that are there and a body that can be read. */
function perform(call: Call, { method, path }: Operation) {
  const filled = path
    .replace('{compId}', 'c1')
    .replace('{streamId}', 's1')
    .replace('{cycleId}', 'day')
    .replace('{statId}', 'max')
    .replace('{fileName}', 'a.txt')
    .replace('{time}', '1')
    .replace('{componentUid}', uid)
    .replace('{uid}', path.startsWith('/api/component/') ? uid : service.orgUid)
  const asPut = path === '/api/feed' && method === 'GET' ? '?asPut&compId=c1&s1=1' : ''
  const range = path.endsWith('/feed') && method === 'DELETE' ? '?sd=1&ed=2' : ''
  const series = path === '/api/door/stream' ? `?series=${SERIES}` : ''
  const noun = path.includes('/stream') ? 'stream' : (path.split('/')[2] ?? '')
  const account = { email: 'x@example.com', password: 'a long enough password', otp: '1' }
  const record = { name: 'x', ...(noun === 'api_key' ? {} : account) }
  const body =
    path === '/api/feed'
      ? [{ compId: 'c1', streamId: 's1', data: '1' }]
      : path === '/api/plot'
        ? { plot: [{ componentUid: uid, streamUid }] }
        : { [noun]: record, accept: true }
  return call(
    method,
    `${filled}${asPut}${range}${series}`,
    // Calls of Prometheus take forms, and need none.
    (method === 'PUT' || method === 'POST') && !path.startsWith('/api/v1/') ? body : undefined,
  )
}

/** All that calls could have changed, as the owner sees it. */
async function stateOf(): Promise<string> {
  const nouns = ['organization', 'org_user', 'api_key', 'oauth_client', 'audit', 'component']
  const more = [
    'component_template',
    'component_folder',
    'cycle',
    'unit',
    'delete_profile',
    'dashboard',
    'alert',
    'connection',
    'channel',
  ]
  const paths = [...nouns, ...more].map((noun) => `/api/${noun}?limit=1000`)
  const texts: string[] = []
  for (const path of [...paths, `/api/component/${uid}/stream`, '/api/comp/c1/feed']) {
    texts.push((await owner('GET', path)).text)
  }
  return texts.join('\n')
}

test('every route names its capability, or that it needs no credential', async () => {
  const all = await operations()
  assert.ok(all.length > 60, `${all.length} operations`)
  const unnamed = all
    .filter(({ capability, isOpen }) => capability === undefined && !isOpen)
    .map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(new Set(unnamed), OWN.union(ALIKE))
})

test('every route refuses a key that has all but its capability, and changes nothing', async () => {
  const named = (await operations()).filter(({ capability }) => capability !== undefined)
  const calls = new Map<string, Call>()
  for (const { capability = '' } of named) {
    if (
      calls.has(capability) ||
      /oauth_grant|invitation|login|second_factor|session/.test(capability)
    )
      continue
    const { method, resource } = resourceOf(capability)
    const others = methods.filter((other) => other !== method)
    const capabilities = [
      { resource: '*', methods },
      { resource, methods: others },
    ]
    calls.set(capability, await keyWith(capabilities))
  }
  const anyKey = await keyWith([{ resource: '*', methods }])
  const before = await stateOf()
  for (const operation of named) {
    const call = calls.get(operation.capability ?? '') ?? anyKey
    const answer = await perform(call, operation)
    const name = `${operation.method} ${operation.path}: ${answer.text}`
    assert.equal(answer.status, 403, name)
    assert.equal(answer.body.code ?? answer.body.errorType, 'forbidden', name)
  }
  assert.equal(await stateOf(), before)
})

test('every route lets a key on that has its capability alone', async () => {
  const named = (await operations()).filter(({ capability }) => capability !== undefined)
  // What deletes comes last, so that the rest finds what it is about.
  named.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
  for (const operation of named) {
    if (FOR_PEOPLE.has(`${operation.method} ${operation.path}`)) continue
    const { method, resource } = resourceOf(operation.capability ?? '')
    const call = await keyWith([{ resource, methods: [method] }])
    const answer = await perform(call, operation)
    const isRefused = answer.status === 401 || answer.status === 403
    const isBeyond = isRefused && /so it cannot/.test(answer.text)
    assert.ok(!isRefused || isBeyond, `${operation.method} ${operation.path}: ${answer.text}`)
    assert.ok(answer.status < 500, answer.text)
  }
})

test('no file under src/http asks for rights itself', () => {
  const asking = globSync('src/http/**/*.ts').filter((file) =>
    /\b(?:requirePermit|requireCovers|allows|feedCoverage)\(/.test(readFileSync(file, 'utf8')),
  )
  assert.deepEqual(asking, [])
})

test('a refusal names a component as the caller did, and reveals no UID', async () => {
  const make = async (id: string) => {
    const stream = [{ id: 's1', valueType: 'DOUBLE' }]
    const made = await owner('PUT', '/api/component', { component: { id, stream } })
    assert.equal(made.status, 200, made.text)
    return made.body.component
  }
  const own = `component/${(await make('own')).uid}`
  const hidden = await make('hidden')
  const secret = [hidden.uid, ...hidden.stream.map((stream: { uid: string }) => stream.uid)]
  assert.ok(secret.length > 1)
  const call = await keyWith([
    { resource: `${own}/feed`, methods },
    { resource: `${own}/property`, methods },
  ])
  for (const [method, path] of [
    ['GET', '/api/comp/hidden/feed'],
    ['GET', '/api/comp/hidden/stream/s1/feed'],
    ['GET', '/api/comp/hidden/last_value'],
    ['DELETE', '/api/comp/hidden/stream/s1/feed?sd=1&ed=2'],
    ['PUT', '/api/feed?compId=hidden&s1=1'],
    ['PUT', '/api/feed?compId=hidden&another=1'],
    ['GET', '/api/comp/hidden/property'],
    ['POST', '/api/comp/hidden/property?name=x'],
  ]) {
    const { status, text } = await call(method, path)
    assert.equal(status, 403, `${method} ${path}: ${text}`)
    for (const hidden of secret) assert.ok(!text.includes(hidden), `${method} ${path}: ${text}`)
  }
  const named = await call('GET', '/api/comp/hidden/feed')
  assert.match(named.body.message, /does not allow GET on the feed of component "hidden"/)
})
