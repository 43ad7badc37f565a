/** Calls every operation and checks the response against /openapi.json. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { before, test } from 'node:test'
import { totpCode } from '../../src/auth/proof/totp.ts'
import { ManualClock } from '../../src/base/index.ts'
import { DescribedAnswers } from '../support/described-answers.ts'
import { packSnappy, writeRequest1 } from '../support/remote-write.ts'
import { serviceOfFile } from '../support/service-of-file.ts'
import { eventually } from '../support/settle.ts'

const clock = new ManualClock(Date.UTC(2026, 0, 15))
const FRIEND = { email: 'friend@example.com', password: 'a long enough sentence' }
const DAY = 86_400_000
const service = serviceOfFile({ clock, settings: { WEIR_OUTBOUND_ALLOW: '127.0.0.1' } })
let described: DescribedAnswers
let owner: Call
let device: Call
before(async () => {
  described = await DescribedAnswers.of(service.url)
  owner = await signedIn(service.ownerEmail, service.ownerPassword)
  device = callerWith({ 'X-Api-Key': service.feedKey })
})

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
type Json = any
type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Json>

/** Calls; fails unless the answer is described and, without `expect` in the headers, a success. */
function callerWith(credential: Record<string, string>): Call {
  return async (method, path, body, { expect, ...more } = {}) => {
    const isText =
      typeof body === 'string' || body instanceof URLSearchParams || body instanceof Blob
    const isPlain = body === undefined || isText || body instanceof FormData
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        ...(isPlain ? {} : { 'Content-Type': 'application/json' }),
        ...credential,
        ...more,
      },
      body: isPlain ? (body as string | undefined) : JSON.stringify(body),
    })
    const { status, headers } = answer
    const text = await answer.text()
    const contentType = headers.get('content-type')
    described.check({ method, path, status, contentType, text })
    assert.equal(String(status)[0], expect ?? '2', `${method} ${path}: ${status} ${text}`)
    return contentType?.startsWith('application/json') && text !== '' ? JSON.parse(text) : text
  }
}

async function signedIn(email: string, password: string): Promise<Call> {
  const { sessionUid } = await callerWith({})('POST', '/api/login', { email, password })
  return callerWith({ Cookie: `session=${sessionUid}` })
}

/** Insert, list, get, new, update and delete of a resource. */
async function exercise(noun: string, record: object, path = `/api/${noun}`): Promise<void> {
  const made = await owner('PUT', path, { [noun]: record })
  const { uid } = made[noun]
  await owner('GET', `${path}?start=0&limit=10`)
  await owner('GET', `${path}/new`)
  await owner('GET', `${path}/${uid}`)
  const change = noun === 'component_folder' ? { path: '/Components/Other' } : { name: 'Other' }
  await owner('POST', `${path}/${uid}`, { [noun]: change })
  await owner('PUT', path, { [noun]: 5 }, { expect: '4' })
  await owner('GET', `${path}/none`, undefined, { expect: '4' })
  await owner('DELETE', `${path}/${uid}`)
}

/** States, events, and acts of an alert that fires. */
async function exerciseAlert(record: object): Promise<void> {
  const { alert } = await owner('PUT', '/api/alert', { alert: record })
  const path = `/api/alert/${alert.uid}`
  await service.app.alertWorker.settle()
  await owner('POST', `${path}/acknowledge`, { acknowledge: {} }, { expect: '4' })
  await owner('PUT', '/api/feed?compId=hot&s=31')
  await service.app.alertWorker.settle()
  await owner('POST', `${path}/acknowledge`, { acknowledge: { comment: 'seen' } })
  await owner('POST', `${path}/mute`, { mute: { untilMs: clock.now() + DAY } })
  await owner('POST', `${path}/mute`, { mute: { untilMs: 1 } }, { expect: '4' })
  const { state } = await owner('GET', `${path}/state`)
  assert.equal(state.length, 1)
  const { event } = await owner('GET', `${path}/event`)
  assert.equal(event.length, 1)
  const asked = [{ streamUid: state[0].streamUid, from: 0, until: clock.now() + DAY }]
  assert.equal((await owner('POST', '/api/alert/board', { event: asked })).event.length, 1)
  const { list } = await owner('POST', '/api/alert/board', { list: [{ state: 'ALL' }] })
  assert.equal(list[0].firingCount, 1)
  await owner('POST', '/api/alert/board', { list: [{ state: 'OK' }] }, { expect: '4' })
  await owner('GET', `${path}/state?state=none`, undefined, { expect: '4' })
  await owner('POST', '/api/alert/preview', { alert: record })
  await owner('POST', '/api/alert/preview', { alert: {} }, { expect: '4' })
}

test('the feed answers as described', async () => {
  await device('PUT', '/api/feed?compId=c1&s1=1.5&s2=on')
  await device('PUT', '/api/feed?compId=c1&s1=2&rsid=s2&rsid=fresh')
  await device('GET', '/api/feed?asPut&compId=c1&s1=3&rsid=s1')
  await device('PUT', '/api/feed', [{ compId: 'c1', streamId: 's1', data: 4, time: DAY * 20_000 }])
  const all = 'retFData&retUnit&retStreamId&retCompId&retIntvlSd'
  for (const place of ['c1', 'c1/stream/s1']) {
    for (const what of ['', '/cycle/day/stat/max', '/cycle/day/stat/gapcount']) {
      for (const end of ['feed', 'last_value']) {
        await device('GET', `/api/comp/${place}${what}/${end}?${all}&limit=2`)
        await device('GET', `/api/comp/${place}${what}/${end}`)
        await device('GET', `/api/comp/${place}${what}/${end}?format=csv`)
        await device('GET', `/api/comp/${place}${what}/${end}?sd=1`, undefined, { expect: '4' })
      }
    }
  }
  await device('PUT', '/api/feed', '[', { expect: '4' })
  await device('GET', '/api/comp/c1/stream/s1/plot')
  await device('GET', '/api/comp/c1/stream/s1/plot?points=1')
  await device('GET', '/api/comp/c1/stream/s1/plot?points=0', undefined, { expect: '4' })
  await device('GET', '/api/comp/none/feed', undefined, { expect: '4' })
  await device('GET', '/api/comp/c1/cycle/none/stat/max/feed', undefined, { expect: '4' })
  await owner('DELETE', '/api/comp/c1/stream/s1/feed?sd=0&ed=5')
})

test('small lines answer as described', async () => {
  const { component } = await owner('GET', '/api/component?id=c1')
  const path = `/api/component/${component[0].uid}/spark`
  const { spark } = await owner('GET', `${path}?from=0&until=${DAY}&points=4`)
  assert.ok(spark.totalCount > 1)
  await owner('GET', path)
  await device('PUT', '/api/feed?compId=c1&line=1&time=1000')
  const most = await owner('GET', `${path}?from=0&until=${DAY}&points=201`)
  assert.equal(most.spark.streams.at(-1).mean.length, 200)
  await owner('GET', `${path}?points=0`, undefined, { expect: '4' })
  await owner('GET', `${path}?from=5&until=5`, undefined, { expect: '4' })
})

test('live events answer as described', async () => {
  const headers = { 'X-Api-Key': service.feedKey }
  const answer = await fetch(`${service.url}/api/live?comp=c1`, { headers })
  const { value } = (await answer.body?.getReader().read()) ?? {}
  const text = new TextDecoder().decode(value)
  const contentType = answer.headers.get('content-type')
  const given = { method: 'GET', path: '/api/live', status: answer.status, contentType, text }
  described.check(given)
  await device('GET', '/api/live', undefined, { expect: '4' })
})

test('properties and files answer as described', async () => {
  await device('PUT', '/api/feed?compId=p1&s1=1')
  await device('POST', '/api/comp/p1/property', [{ component: { name: 'P' } }])
  await device('GET', '/api/comp/p1/property')
  await device('GET', '/api/comp/p1/property?name&description')
  const form = new FormData()
  form.set('file', new Blob(['12 bar'], { type: 'text/plain' }), 'a.txt')
  const path = '/api/comp/p1/stream/files/feed/file'
  const { time } = await device('PUT', `${path}/a.txt`, form)
  await device('PUT', `${path}/b.json?time=${DAY}`, '{}', { 'Content-Type': 'application/json' })
  await device('GET', `${path}/a.txt`)
  await device('GET', `${path}/${time}/a.txt`, undefined, { Range: 'bytes=0-1' })
  await device('GET', `${path}/${time}/a.txt?start=0&limit=3`)
  await device('GET', `${path}/${DAY}/b.json`)
  await device('GET', `${path}/a.txt`, undefined, { Range: 'bytes=99-', expect: '4' })
  await device('GET', `${path}/5/a.txt`, undefined, { expect: '4' })
  const { component } = await owner('GET', '/api/component?id=p1')
  const { stream } = await owner('GET', `/api/component/${component[0].uid}/stream`)
  const { uid } = stream.find(({ id }: { id: string }) => id === 'files')
  const feed = `/api/component/${component[0].uid}/stream/${uid}/feed`
  await device('PUT', `${feed}/file/c.txt`, '13 bar', { 'Content-Type': 'text/plain' })
  await device('GET', `${feed}/file/c.txt`)
  await device('GET', `${feed}/file/${time}/a.txt`)
  await device('GET', `${feed}?limit=1&retFData`)
  await owner('DELETE', `${feed}?sd=0&ed=5`)
  await owner('DELETE', `${feed}?sd=5&ed=0`, undefined, { expect: '4' })
})

test('the catalog answers as described', async () => {
  const baseCycle = { id: 'hour' }
  const location = { latitude: 1, longitude: 2 }
  const stream = [{ id: 'i', streamType: 'intvl_stream', valueType: 'DOUBLE', baseCycle, location }]
  await exercise('component', { id: 'made', stream, location, folder: '/Components/A' })
  await exercise('component_template', { id: 't', stream })
  await exercise('component_folder', { path: '/Components/Some' })
  await exercise('cycle', { id: 'shift', sizeType: 'HOUR', count: 8 })
  const intervals = [{ from: '2024-01-01', until: '2024-02-01' }]
  await exercise('cycle', { id: 'own', sizeType: 'CUSTOM', intervals })
  await exercise('unit', { id: 'mbar', symbol: ' mbar' })
  await exercise('delete_profile', { id: 'short', sizeType: 'DAY', count: 2 })
  await owner('POST', '/api/cycle/preview', { cycle: { sizeType: 'DAY' }, count: 2 })
  await owner('POST', '/api/cycle/preview', { cycle: { count: 0 } }, { expect: '4' })
  const variables = [{ name: 'a', valueType: 'DOUBLE' }]
  await owner('POST', '/api/expression/check', { expression: 'a + 1', variables })
  await owner('POST', '/api/expression/check', { expression: 'a +', variables })
  await owner('POST', '/api/expression/check', { expression: 1 }, { expect: '4' })
  await owner('GET', '/api/expression/function')
  const { component } = await owner('PUT', '/api/component', { component: { id: 'kept', stream } })
  await exercise('stream', { id: 'more' }, `/api/component/${component.uid}/stream`)
  const [{ uid: streamUid }] = component.stream
  await owner('DELETE', `/api/component/${component.uid}/stream/${streamUid}/series`)
  const extents = `/api/component/${component.uid}`
  await owner('GET', `${extents}/extent`)
  await owner('GET', `${extents}/stream/${streamUid}/plot?points=10`)
  await owner('GET', `${extents}/stream/${streamUid}/extent`)
  await owner('GET', `${extents}/stream/${streamUid}/graph`)
  await owner('POST', `${extents}/stream/preview`, {
    stream: { derivation: { expression: 'x', variables: [{ name: 'x', streamUid }] } },
  })
  await owner('GET', `${extents}/stream/none/extent`, undefined, { expect: '4' })
  const shown = [{ componentUid: component.uid, streamUid }]
  const panels = [{ kind: 'chart', x: 0, y: 0, width: 6, height: 4, streams: shown }]
  const { uid: runningUser } = (await owner('GET', '/api/org_user')).org_user[0]
  await device('PUT', '/api/feed?compId=hot&s=1')
  const streams = [{ componentId: 'hot', streamId: 's' }]
  const watching = { streams, condition: 'value > 30', runningUser: { uid: runningUser } }
  await exercise('alert', { id: 'hot', ...watching })
  await exerciseAlert({ name: 'Hot', ...watching })
  await exercise('dashboard', { id: 'board', panels })
  const board = { dashboard: { name: 'Board', panels } }
  const made = await owner('PUT', '/api/dashboard', board)
  const file = await owner('GET', `/api/dashboard/${made.dashboard.uid}/export`)
  await owner('PUT', '/api/dashboard/import', file)
  await owner('PUT', '/api/dashboard/import', board, { expect: '4' })
  await owner('POST', '/api/component', { component: { uid: component.uid, name: 'Kept' } })
  const filing = 'contentType=component&parentFolderUid='
  await owner('PUT', `/api/component_folder/${component.uid}?${filing}`)
  await owner('PUT', '/api/component', { component: { id: 'kept' } }, { expect: '4' })
})

test('imports answer as described', async () => {
  // A database that says nothing, so that there is a run to be called off.
  const silent = createServer((socket) => socket.resume())
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const fields = {
    kind: 'POSTGRESQL',
    host: '127.0.0.1',
    port,
    database: 'd',
    user: 'u',
    tls: 'off',
  }
  const { connection } = await owner('PUT', '/api/connection', { connection: fields })
  const { org_user: people } = await owner('GET', '/api/org_user')
  const { connector } = await owner('PUT', '/api/connector', {
    connector: {
      id: 'import',
      connType: 'DB_IMPORT',
      connection: { uid: connection.uid },
      runningUser: { uid: people[0].uid },
      externalSql: 'SELECT 1',
      procs: [{ sql: "SET @a = 'b'" }],
      schedule: { everyMinutes: 1_000 },
    },
  })
  const { schedule } = connector
  const { check } = await owner('POST', '/api/connector/schedule_check', { schedule })
  assert.equal(check.nextRuns.length, 3)
  await owner('POST', '/api/connector/schedule_check', { schedule: { cron: 'x' } })
  const path = `/api/connector/${connector.uid}/run`
  const { run } = await owner('POST', path)
  await owner('POST', path, undefined, { expect: '4' })
  await owner('DELETE', path)
  const { run: runs } = await owner('GET', path)
  assert.deepEqual([runs[0].uid, runs[0].status], [run.uid, 'FAILED'])
  await owner('DELETE', path, undefined, { expect: '4' })
  silent.close()
})

test('connections answer as described', async () => {
  const fields = { kind: 'POSTGRESQL', host: '127.0.0.2', database: 'd', user: 'u' }
  await exercise('connection', { id: 'made', ...fields })
  const { connection } = await owner('PUT', '/api/connection', { connection: fields })
  const { test: tried } = await owner('POST', `/api/connection/${connection.uid}/test`)
  assert.equal(tried.reason, 'not_allowed')
  await owner('POST', '/api/connection/none/test', undefined, { expect: '4' })
  const asked = { connection: { uid: connection.uid }, externalSql: 'SELECT 1' }
  const path = '/api/connector/import_preview'
  const { preview } = await owner('POST', path, { preview: asked })
  assert.deepEqual([preview.reason, preview.rows], ['not_allowed', []])
  await owner('POST', path, { preview: {} }, { expect: '4' })
})

test('channels answer as described', async () => {
  const fields = { name: 'ops', url: 'http://127.0.0.2/hook' }
  await exercise('channel', { id: 'made', ...fields })
  const { channel } = await owner('PUT', '/api/channel', { channel: fields })
  const { test: tried } = await owner('POST', `/api/channel/${channel.uid}/test`)
  assert.equal(tried.reason, 'not_allowed')
  await owner('GET', `/api/channel/${channel.uid}/attempt`)
  await owner('GET', '/api/channel/none/attempt', undefined, { expect: '4' })
})

test('keys, users and organizations answer as described', async () => {
  const password = { 'Weir-Password': service.ownerPassword }
  const capabilities = [{ resource: 'component/*/feed', methods: ['GET'] }]
  await exercise('api_key', { name: 'k', capabilities })
  const { api_key } = await owner('PUT', '/api/api_key', { api_key: { name: 'n', capabilities } })
  await owner('GET', `/api/api_key/${api_key.uid}/secret`, undefined, password)
  await owner('GET', `/api/api_key/${api_key.uid}/secret`, undefined, { expect: '4' })
  const org_user = { ...FRIEND, role: 'MEMBER' }
  const added = await owner('PUT', '/api/org_user', { org_user })
  await owner('GET', '/api/org_user')
  await owner('GET', '/api/org_user/new')
  await owner('GET', `/api/org_user/${added.org_user.uid}`)
  await owner('POST', `/api/org_user/${added.org_user.uid}`, { org_user: { role: 'GUEST' } })
  await owner('PUT', '/api/org_user', { org_user: {} }, { expect: '4' })
  const made = await owner('PUT', '/api/organization', { organization: { name: 'Second' } })
  const { uid } = made.organization
  await owner('GET', '/api/organization')
  await owner('GET', '/api/organization/new')
  await owner('GET', `/api/organization/${uid}`)
  const second = `/api/organization/${uid}?org=${uid}`
  await owner('POST', second, { organization: { name: 'Other' } })
  const invited = { org_user: { email: FRIEND.email, role: 'GUEST' } }
  await owner('PUT', `/api/org_user?org=${uid}`, invited)
  await owner('GET', `/api/org_user?org=${uid}`)
  const friend = await signedIn(FRIEND.email, FRIEND.password)
  const [invitation] = (await friend('GET', '/api/invitation')).invitation
  await friend('POST', `/api/invitation/${invitation.uid}`, { accept: true })
  await owner('DELETE', second, undefined, password)
  await owner('DELETE', `/api/org_user/${added.org_user.uid}`)
  await owner('GET', '/api/audit')
  await owner('GET', '/api/stream?label=site=north')
  await owner('GET', '/api/device?sort=lastContact&sparkPoints=4')
  await owner('GET', '/api/device?sort=x', undefined, { expect: '4' })
  await owner('GET', '/api/overview')
  await device('PUT', '/api/feed?compId=wrong&s1=1')
  const [{ uid: wrong }] = (await owner('GET', '/api/component?id=wrong')).component
  const listed = await owner('GET', `/api/component/${wrong}/stream`)
  const corrections = `/api/component/${wrong}/stream/${listed.stream[0].uid}/correction`
  const correction = { action: 'delete', from: 0, until: 4_102_444_800_000 }
  await owner('POST', `${corrections}/preview`, { correction })
  const { job } = await owner('POST', corrections, { correction })
  await eventually(async () => {
    assert.equal((await owner('GET', `/api/job/${job.uid}`)).job.status, 'DONE')
  })
  await owner('POST', `${corrections}/${job.uid}/undo`)
  await owner('POST', corrections, { correction: { action: 'x' } }, { expect: '4' })
  await owner('POST', `${corrections}/none/undo`, undefined, { expect: '4' })
  await owner('GET', corrections)
  await owner('GET', '/api/stream?label=site', undefined, { expect: '4' })
  await owner('POST', '/api/plot', { plot: [{ componentUid: uid, streamUid: uid }] })
  await owner('POST', '/api/plot', { plot: 1 }, { expect: '4' })
  await owner('GET', '/api/door/refused')
  await owner('POST', '/api/door/preview', { door: { lines: 'm,a=b v=1\nbad' } })
  await owner('POST', '/api/door/preview', { door: { lines: 1 } }, { expect: '4' })
  await fetch(`${service.url}/write`, {
    method: 'POST',
    headers: { Authorization: `Token ${service.feedKey}` },
    body: 'sought,host=a value=1 1',
  })
  const series = encodeURIComponent('{"__name__":"sought","host":"a"}')
  await owner('GET', `/api/door/stream?series=${series}`)
  await owner('GET', '/api/storage')
  await owner('GET', '/api/storage/metrics')
  await owner('POST', '/api/storage/scrub')
  await device('GET', '/api/storage', undefined, { expect: '4' })
})

test('people answer for themselves as described', async () => {
  const { email, password } = { ...FRIEND, email: 'self@example.com' }
  await owner('PUT', '/api/org_user', { org_user: { email, password } })
  const self = await signedIn(email, password)
  await self('GET', '/api/login')
  await self('GET', '/api/login/session')
  await self('GET', '/api/second_factor')
  const begun = await self('PUT', '/api/second_factor', { currentPassword: password })
  const code = () => totpCode(begun.second_factor.secret, Math.floor(clock.now() / 30_000))
  await self('POST', '/api/second_factor', { second_factor: { otp: '0' } }, { expect: '4' })
  await self('POST', '/api/second_factor', { second_factor: { otp: code() } })
  await self('GET', '/api/second_factor')
  clock.advance(60_000)
  const proof = { 'Weir-Password': password, 'Weir-Otp': code() }
  await self('DELETE', '/api/second_factor', undefined, proof)
  await signedIn(email, password)
  const { session } = await self('GET', '/api/session')
  await self('DELETE', `/api/session/${session[0].uid}`)
  const other = await signedIn(email, password)
  await other('DELETE', '/api/login')
  await other('DELETE', '/api/login', undefined, { expect: '4' })
  const stranger = callerWith({})
  await stranger('POST', '/api/login', { email, password: 'wrong' }, { expect: '4' })
  await stranger('POST', '/api/login', 'x', { expect: '4' })
})

test('OAuth answers as described', async () => {
  const oauth_client = { name: 'R', redirectUris: ['https://r.example/cb'], type: 'confidential' }
  await exercise('oauth_client', oauth_client)
  const made = await owner('PUT', '/api/oauth_client', { oauth_client })
  const password = { 'Weir-Password': service.ownerPassword }
  const { uid, clientSecret } = made.oauth_client
  const basic = { Authorization: `Basic ${btoa(`${uid}:${clientSecret}`)}` }
  const client = callerWith({})
  await client('GET', '/.well-known/oauth-authorization-server')
  const person = { email: service.ownerEmail, password: service.ownerPassword }
  const asked = { ...person, client_id: 'c1', response_type: 'code' }
  const { oauthCode } = await client('POST', '/api/oauth_login', asked)
  await client('POST', '/api/oauth_login', {}, { expect: '4' })
  const grant = { grant_type: 'authorization_code', client_id: 'c1' }
  const form = (fields: Record<string, string>) => new URLSearchParams(fields)
  const tokens = await client(
    'POST',
    '/api/oauth_access_token',
    form({ ...grant, code: oauthCode }),
  )
  await client('POST', '/api/oauth_access_token', form(grant), { expect: '4' })
  const token = tokens.access_token
  await client('POST', '/api/oauth_introspect', form({ token }), basic)
  await client('POST', '/api/oauth_introspect', form({ token: 'x' }), basic)
  await client('POST', '/api/oauth_introspect', form({ token }), { expect: '4' })
  const bearer = callerWith({ Authorization: `Bearer ${token}` })
  const { oauth_grant } = await bearer('GET', '/api/oauth_grant')
  await client('POST', '/api/oauth_revoke', form({ token, client_id: 'c1' }))
  await bearer('GET', '/api/oauth_grant', undefined, { expect: '4' })
  await owner('DELETE', `/api/oauth_grant/${oauth_grant[0].uid}`)
  await owner('POST', `/api/oauth_client/${uid}/secret`, undefined, password)
})

test('jobs answer as described', async () => {
  const stream = [
    { id: 'a', valueType: 'DOUBLE' },
    { id: 'd', derivation: { expression: 'a', variables: [{ name: 'a', streamId: 'a' }] } },
  ]
  const { component } = await owner('PUT', '/api/component', { component: { id: 'jobs', stream } })
  const derived = component.stream.find(({ id }: { id: string }) => id === 'd')
  const path = `/api/component/${component.uid}/stream/${derived.uid}/derive`
  const { job } = await owner('POST', path, { from: 1, until: 2 })
  await owner('POST', path, { from: 2, until: 1 }, { expect: '4' })
  await owner('GET', '/api/job')
  await owner('GET', `/api/job/${job.uid}`)
  await owner('DELETE', `/api/job/${job.uid}`)
})

test('GS SQL answers as described', async () => {
  const { query } = await owner('PUT', '/api/query', { query: { name: 'q', sql: 'SELECT 1 AS a' } })
  await owner('GET', '/api/query')
  await owner('GET', '/api/query/new')
  await owner('GET', `/api/query/${query.uid}`)
  await owner('POST', `/api/query/${query.uid}`, { query: { description: 'one' } })
  await owner('POST', `/api/query/${query.uid}`, { query: { sql: 'SELECT' } }, { expect: '4' })
  await owner('GET', `/api/query/${query.uid}/results?c=5`)
  await owner('GET', '/api/gql?s=SELECT%20cid,%20lastValue%20FROM%20STREAM')
  const sql = "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'sql', 's', 5, TRUE"
  await owner('POST', '/api/gql', { sql, dryRun: true })
  await owner('POST', '/api/gql', { sql })
  await owner('POST', '/api/gql/check', { sql: 'SELECT nothing FROM STREAM' })
  await owner('GET', '/api/gql/language')
  const failing = { sql: "SELECT TOEPOCHMILLIS('x', 'yyyy')" }
  await owner('POST', '/api/gql', failing, { expect: '4' })
  await owner('DELETE', `/api/query/${query.uid}`)
})

test('connectors answer as described', async () => {
  const { userUid, organization } = await callerWith({})('POST', '/api/login', {
    email: service.ownerEmail,
    password: service.ownerPassword,
  })
  const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
    SELECT 'hook', 'n', NULL, CAST(@HTTP_BODY AS DOUBLE)`
  const fields = { runningUser: { uid: userUid }, procs: [{ timeZoneId: 'UTC', sql }] }
  await exercise('connector', { id: 'other', ...fields })
  const { connector } = await owner('PUT', '/api/connector', {
    connector: { id: 'hook', ...fields },
  })
  const sink = `/api/conn_sink/${organization[0].uid}/hook?api_key=${service.feedKey}`
  const anyone = callerWith({})
  for (const method of ['PUT', 'POST', 'DELETE']) await anyone(method, sink, '7')
  await anyone('GET', sink)
  await anyone('POST', '/api/conn_sink/nowhere/hook', '7', { expect: '4' })
  const path = `/api/connector/${connector.uid}`
  await owner('GET', `${path}/run`)
  const { payload } = await owner('GET', `${path}/payload`)
  const one = `${path}/payload/${payload[0].uid}`
  await owner('GET', one)
  await owner('POST', `${one}/run`, undefined, { expect: '4' })
  await owner('POST', `${one}/run?force=true`)
  await owner('POST', `${one}/dry_run`)
  await owner('POST', '/api/connector/dry_run', { connector: fields, body: '7' })
  await owner('POST', '/api/connector/dry_run', { connector: {} }, { expect: '4' })
})

test('health answers as described', async () => {
  const anyone = callerWith({})
  for (const path of ['/healthz', '/readyz', '/metrics']) await anyone('GET', path)
  await anyone('GET', '/metrics', undefined, { 'X-Forwarded-For': '192.0.2.1', expect: '4' })
})

test('calls of InfluxDB clients answer as described', async () => {
  for (const path of ['/write', '/api/v2/write', '/api/v3/write_lp']) {
    await device('POST', path, 'weather,host=influx temperature=21.5')
    await device('POST', path, 'weather', { expect: '4' })
    await callerWith({})('POST', path, 'weather a=1', { expect: '4' })
  }
  for (const path of ['/ping', '/health']) await callerWith({})('GET', path)
  for (const q of ['SHOW DATABASES', 'CREATE DATABASE a', 'SHOW RETENTION POLICIES', 'SELECT 1']) {
    await device('POST', '/query', new URLSearchParams({ q }))
    await device('GET', `/influx/query?${new URLSearchParams({ q })}`)
  }
  await device('POST', '/query', '', { expect: '4' })
})

test('remote write answers as described', async () => {
  const series = [
    { labels: { __name__: 'up', job: 'a' }, samples: [[1, 1_700_000_000_000]] },
  ] as const
  const body = new Blob([new Uint8Array(packSnappy(writeRequest1(series)))])
  const headers = { 'Content-Type': 'application/x-protobuf', 'Content-Encoding': 'snappy' }
  const path = '/api/v1/write'
  await device('POST', path, body, headers)
  await device('POST', path, body, { expect: '4' })
  await callerWith({})('POST', path, body, { ...headers, expect: '4' })
})

test('queries of Prometheus answer as described', async () => {
  const range = { query: 'up', start: '1700000000', end: '1700000060', step: '15' }
  const calls: readonly (readonly [path: string, form: Record<string, string>])[] = [
    ['query', { query: 'up', time: '1700000000' }],
    ['query_range', range],
    ['labels', {}],
    ['series', { 'match[]': 'up' }],
    ['query_exemplars', { query: 'up' }],
  ]
  for (const [path, form] of calls) {
    const parameters = new URLSearchParams(form)
    await device('POST', `/api/v1/${path}`, parameters)
    await device('GET', `/api/v1/${path}?${parameters}`)
    await callerWith({})('GET', `/api/v1/${path}?${parameters}`, undefined, { expect: '4' })
  }
  for (const query of ['1', '"a"', 'up[5m]']) {
    await device('POST', '/api/v1/query', new URLSearchParams({ query, time: '1700000000' }))
  }
  for (const path of ['label/job/values', 'metadata', 'status/buildinfo', 'rules', 'alerts']) {
    await device('GET', `/api/v1/${path}`)
  }
  await device('GET', '/api/v1/query?query=(', undefined, { expect: '4' })
  for (const path of ['healthy', 'ready']) await callerWith({})('GET', `/prom/-/${path}`)
})

test('OpenTelemetry metrics answer as described', async () => {
  const gauge = { dataPoints: [{ timeUnixNano: '1700000000000000000', asDouble: 1 }, {}] }
  const metrics = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'up', gauge }] }] }] }
  const path = '/v1/metrics'
  await device('POST', path, metrics)
  await device('POST', path, {})
  await device('POST', path, [], { expect: '4' })
  await callerWith({})('POST', path, metrics, { expect: '4' })
  const headers = { 'Content-Type': 'application/x-protobuf' }
  await device('POST', path, new Blob([new Uint8Array([0x0a])]), { ...headers, expect: '4' })
})

test('an answer that is not described is found', () => {
  const given = { method: 'GET', path: '/healthz', status: 200, contentType: 'application/json' }
  const check = (text: string, more = {}) => described.check({ ...given, text, ...more })
  check('{"status":"ok"}')
  assert.throws(() => check('{"status":"well"}'), /getHealth answered 200/)
  assert.throws(() => check('{}'), /required/)
  assert.throws(() => check('{"status":"ok","more":1}'), /additional properties/)
  assert.throws(() => check('{}', { status: 418 }), /has no 418/)
  assert.throws(() => check('<p>', { contentType: 'text/html' }), /has no text\/html/)
})

test('every operation was seen to succeed', () => {
  const missed = described.operationIds.filter((id) => !described.seen.has(id))
  assert.deepEqual(missed, [])
})
