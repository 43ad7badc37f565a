import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createOrganization } from '../../../src/auth/administer/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import {
  type ConnectorHome,
  callSink,
  startConnectorHome,
  VALUES_SQL,
  valuesBody,
} from '../../support/connector-home.ts'
import { onCluster } from '../../support/service.ts'

let home: ConnectorHome
before(async () => {
  home = await startConnectorHome()
})
after(() => home.service.close())

const BROKEN_SQL = `${VALUES_SQL} WHERE TOEPOCHMILLIS(s, 'yyyy') > 0`

async function payloadsOf(uid: string) {
  const { status, text, body } = await home.owner('GET', `/api/connector/${uid}/payload`)
  assert.equal(status, 200, text)
  return body.payload
}

const pathOf = (uid: string, payload: { uid: string }) =>
  `/api/connector/${uid}/payload/${payload.uid}`

test('payloads of a sink are kept, with their outcome', async () => {
  const uid = await home.make('kept', VALUES_SQL)
  const body = valuesBody('kept', { s: 'ü', x: 1 }, { s: 'b', x: 2 })
  assert.equal((await home.send('kept', { body, query: 'x=1' })).status, 200)
  assert.equal((await home.send('kept', { body: '{', method: 'PUT' })).status, 422)
  const [failed, done] = await payloadsOf(uid)
  assert.deepEqual(
    { ...done, uid: '', time: 0 },
    {
      uid: '',
      time: 0,
      method: 'POST',
      size: Buffer.byteLength(body),
      status: 'DONE',
      samples: 2,
      message: '',
    },
  )
  assert.equal(failed.status, 'FAILED')
  assert.equal(failed.method, 'PUT')
  const whole = await home.owner('GET', pathOf(uid, done))
  assert.equal(whole.body.payload.body, body)
  assert.equal(whole.body.payload.query, 'api_key=***&x=1')
  const runs = await home.owner('GET', `/api/connector/${uid}/run`)
  assert.equal(runs.body.totalCount, 2)
  const run = runs.body.run[1]
  assert.deepEqual([run.status, run.samples, run.rowsIngested], ['DONE', 2, 2])
  assert.ok(run.end >= run.start)
  const nowhere = pathOf(uid, { uid: '018bcfe5-6800-8000-8000-000000999999' })
  assert.equal((await home.owner('GET', nowhere)).status, 404)
  const [first] = await payloadsOf(await home.make('other', VALUES_SQL))
  assert.equal(first, undefined)
})

test('the key of a call is in nothing that is kept, whichever way it stands there', async () => {
  const { feedKey: key } = home.service
  const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
    SELECT 'masked', 's', TOEPOCHMILLIS(@HTTP_QUERY_STRING + @HTTP_BODY, 'yyyy'), 1`
  const uid = await home.make('masked', sql)
  const queries = [
    `x=api_key%3D${key}&api_key=${key}`,
    `a=%26api_key=${key}&api_key=${key}`,
    `api_key=${key}&k=${key}&API_KEY=${key}`,
    `api_key=${key}&${'x'.repeat(20)}=${key}`,
  ]
  for (const query of queries) {
    const sent = await home.send('masked', { query, key: undefined, body: `{"key":"${key}"}` })
    assert.equal(sent.status, 422, sent.text)
  }
  const payloads = await payloadsOf(uid)
  assert.equal(payloads.length, queries.length)
  const runs = await home.owner('GET', `/api/connector/${uid}/run`)
  const texts = [JSON.stringify(payloads), runs.text]
  for (const payload of payloads) texts.push((await home.owner('GET', pathOf(uid, payload))).text)
  for (const text of texts) {
    assert.ok(!text.includes(key.slice(0, 8)), text)
    assert.ok(!text.includes(key.slice(-8)), text)
  }
  assert.match(texts[1], /\*\*\*/, 'a message quotes what was masked')
})

test('a failed payload is run again once the SQL is fixed, with the time of its arrival', {
  skip: onCluster(
    'a cluster assigns times up to 15 ms after the arrival, and 16 ms apart in a call',
  ),
}, async () => {
  const uid = await home.make('mended', BROKEN_SQL)
  const body = valuesBody('mended', { s: 'x', x: 5 })
  assert.equal((await home.send('mended', { body })).status, 422)
  const [payload] = await payloadsOf(uid)
  const still = await home.owner('POST', `${pathOf(uid, payload)}/run`)
  assert.equal(still.status, 422, still.text)
  await home.owner('POST', `/api/connector/${uid}`, { connector: { procs: [{ sql: VALUES_SQL }] } })
  const again = await home.owner('POST', `${pathOf(uid, payload)}/run`)
  assert.equal(again.status, 200, again.text)
  assert.deepEqual([again.body.payload.status, again.body.payload.samples], ['DONE', 1])
  assert.deepEqual(await home.samples('mended', 'x'), [[payload.time, 5]])
  const refused = await home.owner('POST', `${pathOf(uid, payload)}/run`)
  assert.equal(refused.status, 409, refused.text)
  assert.equal((await home.owner('POST', `${pathOf(uid, payload)}/run?force=false`)).status, 409)
  const forced = await home.owner('POST', `${pathOf(uid, payload)}/run?force=true`)
  assert.equal(forced.status, 200, forced.text)
  assert.deepEqual(await home.samples('mended', 'x'), [[payload.time, 5]], 'stored once')
  assert.equal((await payloadsOf(uid)).length, 1)
})

test('of several runs of one payload at once one goes on', async () => {
  const uid = await home.make('atonce', BROKEN_SQL)
  assert.equal((await home.send('atonce', { body: valuesBody('o', { s: 'x', x: 1 }) })).status, 422)
  const [payload] = await payloadsOf(uid)
  await home.owner('POST', `/api/connector/${uid}`, { connector: { procs: [{ sql: VALUES_SQL }] } })
  const runs = await Promise.all(
    Array.from({ length: 5 }, () => home.owner('POST', `${pathOf(uid, payload)}/run`)),
  )
  assert.equal(runs.filter(({ status }) => status === 200).length, 1)
  assert.equal(runs.filter(({ status }) => status === 409).length, 4)
})

test('a dry run lists what would be stored and created, and changes nothing', async () => {
  const uid = await home.make('dry', BROKEN_SQL)
  const body = valuesBody('dry', { s: 'x', x: 1.5 }, { s: 'y', x: 2, t: 99 })
  assert.equal((await home.send('dry', { body })).status, 422)
  const [payload] = await payloadsOf(uid)
  assert.equal((await home.owner('POST', `${pathOf(uid, payload)}/dry_run`)).status, 422)
  await home.owner('POST', `/api/connector/${uid}`, { connector: { procs: [{ sql: VALUES_SQL }] } })
  const tried = await home.owner('POST', `${pathOf(uid, payload)}/dry_run`)
  assert.equal(tried.status, 200, tried.text)
  assert.deepEqual(tried.body.samples, [
    { cid: 'dry', id: 'x', time: payload.time, sample: 1.5 },
    { cid: 'dry', id: 'y', time: 99, sample: 2 },
  ])
  assert.equal(tried.body.sampleCount, 2)
  assert.equal(tried.body.created.length, 2)
  assert.deepEqual(await home.samples('dry', 'x'), [])
  const [after] = await payloadsOf(uid)
  assert.equal(after.status, 'FAILED')
  assert.equal((await home.owner('GET', '/api/component?id=dry')).body.totalCount, 0)
})

test('SQL that is not saved is tried on a body that is given', async () => {
  const tried = await home.owner('POST', '/api/connector/dry_run', {
    connector: { id: 'nx', procs: [{ sql: VALUES_SQL }] },
    body: valuesBody('unsaved', { s: 'x', x: 3, t: 7 }),
  })
  assert.equal(tried.status, 200, tried.text)
  assert.deepEqual(tried.body.samples, [{ cid: 'unsaved', id: 'x', time: 7, sample: 3 }])
  assert.deepEqual(await home.samples('unsaved', 'x'), [])
  const variables = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
    SELECT @CONNECTOR_ID, @HTTP_METHOD, 1, @HTTP_QUERY_STRING`
  const given = await home.owner('POST', '/api/connector/dry_run', {
    connector: { id: 'nx', procs: [{ sql: variables }], runningUser: { uid: home.ownerUid } },
    method: 'GET',
    query: 'a=b c',
    body: null,
  })
  assert.deepEqual(given.body.samples, [{ cid: 'nx', id: 'GET', time: 1, sample: 'a=b c' }])
  const f = async (body: object, status: number, field: string | undefined) => {
    const answer = await home.owner('POST', '/api/connector/dry_run', body)
    assert.equal(answer.status, status, answer.text)
    assert.equal(answer.body.field, field, answer.text)
  }
  await f({ connector: { procs: [{ sql: 'SELEC 1' }] } }, 400, 'connector.procs[0].sql')
  await f({ connector: {} }, 400, 'connector.procs')
  await f({ connector: { procs: [{ sql: 'SELECT 1' }] }, body: 7 }, 400, 'body')
  await f({ connector: { procs: [{ sql: VALUES_SQL }] }, body: '{' }, 422, undefined)
})

test('deleting a connector deletes what it was given', async () => {
  const uid = await home.make('gone', VALUES_SQL)
  assert.equal((await home.send('gone', { body: valuesBody('g', { s: 'x', x: 1 }) })).status, 200)
  const [payload] = await payloadsOf(uid)
  assert.equal((await home.owner('DELETE', `/api/connector/${uid}`)).status, 200)
  assert.equal((await home.send('gone')).status, 404)
  assert.equal((await home.owner('GET', pathOf(uid, payload))).status, 404)
  const left = await home.service.app.payloads.list(uid, { start: 0, limit: 10 })
  assert.equal(left.totalCount, 0)
})

test('an organization that is deleted leaves nothing that its connectors were given', async () => {
  const password = 'correct horse battery staple'
  const { organization, owner, feedKey } = await createOrganization(home.service.app.identity, {
    name: 'Leaving',
    ownerEmail: 'leaving@example.com',
    ownerPassword: password,
    ownerTimeZone: 'UTC',
    actor: 'test',
  })
  const session = await signIn(home.service, 'leaving@example.com', password)
  const call = caller(home.service, session, { 'Weir-Password': password })
  const made = await call('PUT', '/api/connector', {
    connector: { id: 'hook', runningUser: { uid: owner.uid }, procs: [{ sql: VALUES_SQL }] },
  })
  assert.equal(made.status, 200, made.text)
  const place = { orgUid: organization.uid, id: 'hook' }
  const sent = await callSink(home.service, place, { key: feedKey, body: valuesBody('x') })
  assert.equal(sent.status, 200, sent.text)
  const known = async () =>
    (await home.service.app.payloads.listConnectors()).map(({ orgUid }) => orgUid)
  assert.ok((await known()).includes(organization.uid))
  const gone = await call('DELETE', `/api/organization/${organization.uid}`)
  assert.equal(gone.status, 200, gone.text)
  assert.ok(!(await known()).includes(organization.uid))
  assert.equal((await callSink(home.service, place, { key: feedKey })).status, 401)
})

test('payloads and outcomes are there after a start, and a restart runs nothing twice', async () => {
  const uid = await home.make('again', VALUES_SQL)
  assert.equal((await home.send('again', { body: valuesBody('r', { s: 'x', x: 1 }) })).status, 200)
  const before = await payloadsOf(uid)
  await home.service.restart()
  assert.deepEqual(await payloadsOf(uid), before)
  assert.equal((await home.samples('r', 'x')).length, 1)
  const isThere = existsSync(join(home.service.dataDir, 'payloads.db'))
  assert.equal(isThere, onCluster('payloads are in PostgreSQL') === false)
})

test('a payload that a stop has cut short is run by the next start, at the time that it came', {
  skip: onCluster(
    'a cluster assigns times up to 15 ms after the arrival, and 16 ms apart in a call',
  ),
}, async () => {
  const uid = await home.make('cut', VALUES_SQL)
  const { orgUid } = home.service
  const kept = { orgUid, connectorUid: uid, method: 'POST', query: '' }
  const time = 1_700_000_000_000 as Parameters<typeof home.service.app.payloads.put>[0]['time']
  const { payloads } = home.service.app
  const body = valuesBody('cut', { s: 'x', x: 9 })
  await payloads.put({ ...kept, time, body }).landed
  await payloads.put({ ...kept, connectorUid: 'no-such-connector', time, body }).landed
  await home.service.restart()
  assert.deepEqual(await home.samples('cut', 'x'), [[time, 9]])
  const [payload] = await payloadsOf(uid)
  assert.deepEqual([payload.status, payload.samples], ['DONE', 1])
  const known = await home.service.app.payloads.listConnectors()
  assert.ok(!known.some(({ connectorUid }) => connectorUid === 'no-such-connector'))
})
