/** Every operation that changes a record is called, and must leave an entry in the audit log. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { before, test } from 'node:test'
import { totpCode } from '../../../src/auth/proof/totp.ts'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { callSink } from '../../support/connector-home.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'
import { eventually } from '../../support/settle.ts'

/** Operations that leave no entry, and why. Everything else that is no GET must leave one. */
const WITHOUT_ENTRY: Readonly<Record<string, string>> = {
  putFeed: 'samples are data of devices; components and streams that a put creates are not audited',
  putFile: 'a file is a sample',
  putFileByUid: 'a file is a sample',
  putInfluxLines: 'as putFeed',
  putInfluxLinesToBucket: 'as putFeed',
  putInfluxLinesToDatabase: 'as putFeed',
  putRemoteWrite: 'as putFeed',
  putOtlpMetrics: 'as putFeed',
  answerInfluxQuery: 'reads',
  answerPrometheusQuery: 'reads',
  answerPrometheusQueryRange: 'reads',
  answerPrometheusLabels: 'reads',
  answerPrometheusSeries: 'reads',
  answerPrometheusExemplars: 'reads',
  getAddressPreview: 'a preview changes nothing',
  getPlots: 'reads',
  getBoardAlerts: 'reads',
  putConnectorSink: 'the call of a device; its payload is kept in the list of payloads',
  putConnectorSinkByPost: 'as putConnectorSink',
  putConnectorSinkByDelete: 'as putConnectorSink',
  startGqlRun: 'stores samples as a put does; it changes no record',
  beginChannelTest: 'a test changes nothing',
  beginConnectionTest: 'a test changes nothing',
  getScheduleCheck: 'a check changes nothing',
  getImportPreview: 'a preview changes nothing',
  getPayloadTrial: 'a dry run changes nothing',
  getConnectorTrial: 'a dry run changes nothing',
  getCyclePeriods: 'a preview changes nothing',
  getExpressionCheck: 'a check changes nothing',
  getGqlCheck: 'a check changes nothing',
  getAlertPreview: 'a preview changes nothing',
  getDerivationPreview: 'a preview changes nothing',
  getCorrectionPreview: 'a preview changes nothing',
  beginSecondFactor: 'protects nothing until it is confirmed, which is audited',
  getOAuthTokens: 'a token belongs to a grant, which is audited when it begins and ends',
  introspectOAuthToken: 'reads',
  oauthLogin: 'gives a code that is worth nothing until it is exchanged; the grant is audited then',
  revokeOAuthToken: 'a client ends a token of its own; the grant stays, and its end is audited',
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
type Json = any

const clock = new ManualClock(Date.UTC(2026, 0, 15))
const PASSWORD = 'a long enough sentence'
const SQL = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
  SELECT 'hook', 'n', NULL, CAST(@HTTP_BODY AS DOUBLE)`
const audited = new Set<string>()
const service = serviceOfFile({ clock, settings: { WEIR_OUTBOUND_ALLOW: '127.0.0.1' } })
let owner: Call
let ownerUid: string
before(async () => {
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session, { 'Weir-Password': service.ownerPassword })
  ownerUid = (await owner('GET', '/api/org_user')).body.org_user[0].uid
})

async function entries(call = owner): Promise<Json[]> {
  return (await call('GET', '/api/audit?limit=1000')).body.audit
}

/** Calls, and expects a new entry of an act about what the call was about. */
async function leaves(
  [operationId, act]: readonly [operationId: string, act: string],
  perform: () => ReturnType<Call>,
  { target, log = owner, isLater = false }: { target?: string; log?: Call; isLater?: boolean } = {},
): Promise<Json> {
  const known = new Set((await entries(log)).map(({ uid }) => uid))
  const answer = await perform()
  assert.equal(String(answer.status)[0], '2', `${operationId}: ${answer.text}`)
  const check = async () => {
    const fresh = (await entries(log)).filter(({ uid }) => !known.has(uid))
    const found = fresh.find((one) => one.act === act)
    const acts = fresh.map((one) => one.act).join(', ')
    assert.ok(found, `${operationId} must leave ${act}; it left: ${acts || 'nothing'}`)
    assert.match(found.actor, /^user:/)
    assert.equal(found.address, '127.0.0.1')
    if (target !== undefined) assert.equal(found.target, target)
  }
  await (isLater ? eventually(check) : check())
  audited.add(operationId)
  return answer.body
}

/** Insert, update and delete of a resource. */
async function exercise(
  noun: string,
  [operation, act]: readonly [operation: string, act: string],
  record: object,
  path = `/api/${noun}`,
): Promise<void> {
  const insert = () => owner('PUT', path, { [noun]: record })
  const { uid } = (await leaves([`insert${operation}`, `${act}_created`], insert))[noun]
  const one = `${path}/${uid}`
  const change = noun === 'component_folder' ? { path: '/Components/Other' } : { name: 'Other' }
  const update = () => owner('POST', one, { [noun]: change })
  await leaves([`update${operation}`, `${act}_updated`], update, { target: uid })
  const known = (await entries()).length
  assert.equal((await owner('POST', one, { [noun]: { name: 5, path: 5 } })).status, 400)
  assert.equal((await entries()).length, known, 'a refused change leaves no entry')
  const remove = () => owner('DELETE', one)
  const gone = [`delete${operation}`, `${act}_deleted`] as const
  await leaves(gone, remove, { target: uid })
}

test('a change of a record of the catalog leaves an entry', async () => {
  const stream = [{ id: 'i', valueType: 'DOUBLE' }]
  await exercise('component', ['Component', 'component'], { id: 'made', stream })
  await exercise('component_template', ['ComponentTemplate', 'template'], { id: 't', stream })
  await exercise('component_folder', ['ComponentFolder', 'folder'], { path: '/Components/Some' })
  await exercise('cycle', ['Cycle', 'cycle'], { id: 'shift', sizeType: 'HOUR', count: 8 })
  await exercise('unit', ['Unit', 'unit'], { id: 'mbar', symbol: ' mbar' })
  const profile = { id: 'short', sizeType: 'DAY', count: 2 }
  await exercise('delete_profile', ['DeleteProfile', 'delete_profile'], profile)
  await exercise('dashboard', ['Dashboard', 'dashboard'], { name: 'Board' })
  const watching = { labels: { site: 'x' }, silentForMs: 60_000, runningUser: { uid: ownerUid } }
  await exercise('alert', ['Alert', 'alert'], { name: 'Silent', ...watching })
  await exercise('query', ['QueryRecord', 'query'], { name: 'q', sql: 'SELECT 1 AS a' })
  const connection = { name: 'plant', kind: 'POSTGRESQL', host: 'db', database: 'd', user: 'u' }
  await exercise('connection', ['Connection', 'connection'], { ...connection, password: 'secret' })
  const proc = { procs: [{ timeZoneId: 'UTC', sql: SQL }] }
  const channel = { name: 'ops', url: 'https://hooks.example.com/secret' }
  await exercise('channel', ['Channel', 'channel'], channel)
  const connector = { id: 'other', runningUser: { uid: ownerUid }, ...proc }
  await exercise('connector', ['Connector', 'connector'], connector)
  assert.doesNotMatch(JSON.stringify(await entries()), /secret"|sealed/)
})

test('a change of a component by another path leaves an entry', async () => {
  const made = await owner('PUT', '/api/component', { component: { id: 'kept' } })
  const { uid } = made.body.component
  const streams = `/api/component/${uid}/stream`
  await exercise('stream', ['Stream', 'stream'], { id: 'more' }, streams)
  const headers = { 'X-Api-Key': service.feedKey }
  const body = 'air,host=kept temperature=1'
  assert.equal((await fetch(`${service.url}/write`, { method: 'POST', headers, body })).status, 204)
  const [{ uid: ofSeries }] = (await owner('GET', streams)).body.stream
  const detach = () => owner('DELETE', `${streams}/${ofSeries}/series`)
  await leaves(['deleteStreamSeries', 'stream_updated'], detach, { target: ofSeries })
  const about = { target: uid }
  const named = { component: { uid, name: 'Kept' } }
  const byBody = () => owner('POST', '/api/component', named)
  await leaves(['updateComponentByBody', 'component_updated'], byBody, about)
  const folder = { component_folder: { path: '/Components/Hall' } }
  const hall = (await owner('PUT', '/api/component_folder', folder)).body.component_folder
  const filing = `contentType=component&parentFolderUid=${hall.uid}`
  const file = () => owner('PUT', `/api/component_folder/${uid}?${filing}`)
  await leaves(['fileComponent', 'component_updated'], file, about)
  const properties = [{ component: { name: 'P' } }]
  const set = () => owner('POST', '/api/comp/kept/property', properties)
  await leaves(['setProperties', 'component_updated'], set, about)
  const board = (await owner('PUT', '/api/dashboard', { dashboard: { name: 'Board' } })).body
  const exported = (await owner('GET', `/api/dashboard/${board.dashboard.uid}/export`)).body
  const bring = () => owner('PUT', '/api/dashboard/import', exported)
  await leaves(['insertExportedDashboard', 'dashboard_created'], bring)
})

test('an alert that is muted or acknowledged leaves an entry', async () => {
  await owner('PUT', '/api/feed?compId=watched&s=1')
  const streams = [{ componentId: 'watched', streamId: 's' }]
  const alert = { name: 'A', streams, condition: 'value > 2', runningUser: { uid: ownerUid } }
  const { uid } = (await owner('PUT', '/api/alert', { alert })).body.alert
  await service.app.alertWorker.settle()
  await owner('PUT', '/api/feed?compId=watched&s=3')
  await service.app.alertWorker.settle()
  const about = { target: uid }
  const acknowledge = () =>
    owner('POST', `/api/alert/${uid}/acknowledge`, { acknowledge: { comment: 'c' } })
  await leaves(['acknowledgeAlert', 'alert_acknowledged'], acknowledge, about)
  const mute = (untilMs: null) => () =>
    owner('POST', `/api/alert/${uid}/mute`, { mute: { untilMs } })
  await leaves(['muteAlert', 'alert_muted'], mute(null), about)
  const end = () => owner('POST', `/api/alert/${uid}/mute`, { mute: null })
  await leaves(['muteAlert', 'alert_unmuted'], end, about)
})

test('deleted samples leave an entry', async () => {
  const stream = [{ id: 's', valueType: 'DOUBLE' }]
  const made = await owner('PUT', '/api/component', { component: { id: 'fed', stream } })
  const { component } = made.body
  const [{ uid }] = component.stream
  const byId = () => owner('DELETE', '/api/comp/fed/stream/s/feed?sd=1&ed=2')
  await leaves(['deleteFeed', 'samples_deleted'], byId, { target: uid })
  const place = `/api/component/${component.uid}/stream/${uid}/feed`
  const byUid = () => owner('DELETE', `${place}?sd=1&ed=2`)
  await leaves(['deleteFeedByUid', 'samples_deleted'], byUid, { target: uid })
})

test('corrected and restored samples leave an entry', async () => {
  const stream = [{ id: 's', valueType: 'DOUBLE' }]
  const made = await owner('PUT', '/api/component', { component: { id: 'wrong', stream } })
  const { component } = made.body
  const [{ uid }] = component.stream
  const path = `/api/component/${component.uid}/stream/${uid}/correction`
  await owner('PUT', '/api/feed', [
    { compId: 'wrong', streamId: 's', time: 1_000, data: 1 },
  ] as Json)
  const correction = { action: 'set', value: 2, from: 0, until: 2_000 }
  let job = ''
  const start = async () => {
    const answer = await owner('POST', path, { correction })
    job = answer.body.job?.uid
    return answer
  }
  await leaves(['startCorrection', 'samples_corrected'], start, { target: uid })
  await eventually(async () => {
    assert.equal((await owner('GET', `/api/job/${job}`)).body.job.status, 'DONE')
  })
  const undo = () => owner('POST', `${path}/${job}/undo`)
  await leaves(['startCorrectionUndo', 'samples_restored'], undo, { target: uid })
})

test('a job that is started and ended leaves entries', async () => {
  const stream = [
    { id: 'a', valueType: 'DOUBLE' },
    { id: 'd', derivation: { expression: 'a', variables: [{ name: 'a', streamId: 'a' }] } },
  ]
  const made = await owner('PUT', '/api/component', { component: { id: 'jobs', stream } })
  const { component } = made.body
  const derived = component.stream.find(({ id }: { id: string }) => id === 'd')
  const path = `/api/component/${component.uid}/stream/${derived.uid}/derive`
  // The job waits for its component, so that there is a job to be cancelled.
  const { locks } = service.app.derivation
  assert.equal(await locks.lock(component.uid), true)
  const start = () => owner('POST', path, { from: 1, until: 2 })
  const { job } = await leaves(['startDerivation', 'job_started'], start)
  const end = () => owner('DELETE', `/api/job/${job.uid}`)
  await leaves(['endJob', 'job_cancelled'], end, { target: job.uid })
  await locks.unlock(component.uid)
})

test('a payload that is run again, and an import that is run by hand, leave entries', async () => {
  const proc = { runningUser: { uid: ownerUid }, procs: [{ timeZoneId: 'UTC', sql: SQL }] }
  const hook = await owner('PUT', '/api/connector', { connector: { id: 'hook', ...proc } })
  const place = { orgUid: service.orgUid, id: 'hook' }
  assert.equal((await callSink(service, place, { key: service.feedKey, body: '7' })).status, 200)
  const path = `/api/connector/${hook.body.connector.uid}/payload`
  const [payload] = (await owner('GET', path)).body.payload
  const again = () => owner('POST', `${path}/${payload.uid}/run?force=true`)
  await leaves(['startPayloadRun', 'payload_run'], again, { target: hook.body.connector.uid })
  // A database that says nothing, so that there is a run to be called off.
  const silent = createServer((socket) => socket.resume())
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const at = { kind: 'POSTGRESQL', host: '127.0.0.1', port, tls: 'off' }
  const connection = { ...at, database: 'd', user: 'u' }
  const { uid } = (await owner('PUT', '/api/connection', { connection })).body.connection
  const made = await owner('PUT', '/api/connector', {
    connector: {
      id: 'import',
      connType: 'DB_IMPORT',
      connection: { uid },
      externalSql: 'SELECT 1',
      runningUser: { uid: ownerUid },
      procs: [{ sql: "SET @a = 'b'" }],
    },
  })
  assert.equal(made.status, 200, made.text)
  const about = { target: made.body.connector.uid }
  const runs = `/api/connector/${about.target}/run`
  await leaves(['startRun', 'import_started'], () => owner('POST', runs), about)
  await leaves(['endRun', 'import_cancelled'], () => owner('DELETE', runs), about)
  silent.close()
})

test('acts on keys, people, organizations and clients leave entries', async () => {
  const capabilities = [{ resource: 'component/*/feed', methods: ['GET'] }]
  const key = () => owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  const { api_key } = await leaves(['insertApiKey', 'key_created'], key)
  const ofKey = `/api/api_key/${api_key.uid}`
  const rename = () => owner('POST', ofKey, { api_key: { name: 'l' } })
  await leaves(['updateApiKey', 'key_updated'], rename, { target: api_key.uid })
  await leaves(['deleteApiKey', 'key_revoked'], () => owner('DELETE', ofKey))
  const person = { email: 'friend@example.com', password: PASSWORD, role: 'MEMBER' }
  const add = () => owner('PUT', '/api/org_user', { org_user: person })
  const { org_user } = await leaves(['insertOrgUser', 'user_added'], add)
  const ofUser = `/api/org_user/${org_user.uid}`
  const demote = () => owner('POST', ofUser, { org_user: { role: 'GUEST' } })
  await leaves(['updateOrgUser', 'role_changed'], demote, { target: org_user.uid })
  const organization = { name: 'Second' }
  const found = () => owner('PUT', '/api/organization', { organization })
  const made = await owner('PUT', '/api/organization', { organization: { name: 'Third' } })
  const { uid } = made.body.organization
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const proof = { 'Weir-Password': service.ownerPassword }
  const there = caller(service, `${session}; org=${uid}`, proof)
  const other = { organization: { name: 'Other' } }
  const change = () => there('POST', `/api/organization/${uid}`, other)
  await leaves(['updateOrganization', 'organization_updated'], change, { log: there })
  const invited = { org_user: { email: person.email, role: 'GUEST' } }
  assert.equal((await there('PUT', '/api/org_user', invited)).status, 200)
  const friend = caller(service, await signIn(service, person.email, PASSWORD))
  const [invitation] = (await friend('GET', '/api/invitation')).body.invitation
  const accept = () => friend('POST', `/api/invitation/${invitation.uid}`, { accept: true })
  await leaves(['answerInvitation', 'user_added'], accept, { log: there })
  const remove = () => there('DELETE', `/api/organization/${uid}`)
  await leaves(['deleteOrganization', 'organization_deleted'], remove)
  await leaves(['deleteOrgUser', 'user_removed'], () => owner('DELETE', ofUser))
  const second = (await found()).body.organization
  const inSecond = caller(service, `${session}; org=${second.uid}`, proof)
  assert.equal((await entries(inSecond))[0].act, 'organization_created')
  audited.add('insertOrganization')
})

test('acts on OAuth clients and grants leave entries', async () => {
  const oauth_client = { name: 'R', redirectUris: ['https://r.example/cb'], type: 'confidential' }
  const make = () => owner('PUT', '/api/oauth_client', { oauth_client })
  const made = await leaves(['insertOAuthClient', 'client_created'], make)
  const path = `/api/oauth_client/${made.oauth_client.uid}`
  const rename = () => owner('POST', path, { oauth_client: { name: 'S' } })
  await leaves(['updateOAuthClient', 'client_updated'], rename)
  const renew = () => owner('POST', `${path}/secret`)
  await leaves(['renewOAuthClientSecret', 'client_secret_renewed'], renew)
  await leaves(['deleteOAuthClient', 'client_deleted'], () => owner('DELETE', path))
  const person = { email: service.ownerEmail, password: service.ownerPassword }
  const asked = { ...person, client_id: 'c1', response_type: 'code' }
  const anyone = caller(service, '')
  const { oauthCode } = (await anyone('POST', '/api/oauth_login', asked)).body
  const fields = { grant_type: 'authorization_code', client_id: 'c1', code: oauthCode }
  const body = new URLSearchParams(fields)
  await fetch(`${service.url}/api/oauth_access_token`, { method: 'POST', body })
  const [grant] = (await owner('GET', '/api/oauth_grant')).body.oauth_grant
  const end = () => owner('DELETE', `/api/oauth_grant/${grant.uid}`)
  await leaves(['deleteOAuthGrant', 'grant_revoked'], end)
})

test('what people do about themselves, and a scrub, leave entries', async () => {
  const email = 'self@example.com'
  await owner('PUT', '/api/org_user', { org_user: { email, password: PASSWORD } })
  const anyone = caller(service, '')
  const login = () => anyone('POST', '/api/login', { email, password: PASSWORD })
  // Nobody who signs in waits for the entry.
  const { sessionUid } = await leaves(['login', 'sign_in'], login, { isLater: true })
  const self = caller(service, `session=${sessionUid}`, { 'Weir-Password': PASSWORD })
  const begun = (await self('PUT', '/api/second_factor', {})).body
  const code = () => totpCode(begun.second_factor.secret, Math.floor(clock.now() / 30_000))
  const otp = { second_factor: { otp: code() } }
  const confirm = () => self('POST', '/api/second_factor', otp)
  await leaves(['confirmSecondFactor', 'second_factor_on'], confirm)
  clock.advance(60_000)
  const proof = { 'Weir-Password': PASSWORD, 'Weir-Otp': code() }
  const proven = caller(service, `session=${sessionUid}`, proof)
  const off = () => proven('DELETE', '/api/second_factor')
  await leaves(['endSecondFactor', 'second_factor_off'], off)
  await signIn(service, email, PASSWORD)
  const { session } = (await self('GET', '/api/session')).body
  const other = session.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
  const end = () => self('DELETE', `/api/session/${other.uid}`)
  await leaves(['endSession', 'session_ended'], end)
  await leaves(['logout', 'sign_out'], () => self('DELETE', '/api/login'))
  const scrub = () => owner('POST', '/api/storage/scrub')
  await leaves(['startScrub', 'scrub_started'], scrub)
})

test('every operation that is no GET leaves an entry, or has a reason not to', async () => {
  const described = (await owner('GET', '/openapi.json')).body
  const operations = Object.values<Record<string, { operationId: string }>>(described.paths)
    .flatMap((path) => Object.entries(path))
    .filter(([method]) => ['put', 'post', 'delete', 'patch'].includes(method))
    .map(([, { operationId }]) => operationId)
  const missed = operations.filter((id) => !audited.has(id) && !(id in WITHOUT_ENTRY))
  assert.deepEqual(missed, [], 'neither seen to leave an entry nor excepted')
  const known = new Set(operations)
  const unknown = [...audited, ...Object.keys(WITHOUT_ENTRY)].filter((id) => !known.has(id))
  assert.deepEqual(unknown, [], 'not in the description any more')
})
