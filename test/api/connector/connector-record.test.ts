import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type ConnectorHome, startConnectorHome, VALUES_SQL } from '../../support/connector-home.ts'

const PASSWORD = 'correct horse battery staple'
let home: ConnectorHome
let owner: Call
before(async () => {
  home = await startConnectorHome()
  owner = home.owner
})
after(() => home.service.close())

const record = (id: string, more: object = {}) => ({
  connector: {
    id,
    name: `Name of ${id}`,
    connType: 'HTTP',
    runningUser: { uid: home.ownerUid },
    isEnabled: true,
    procs: [{ timeZoneId: 'Europe/Berlin', sql: VALUES_SQL }],
    ...more,
  },
})

async function userOf(role: string): Promise<{ uid: string; call: Call }> {
  const email = `${role.toLowerCase()}-${Math.random().toString(36).slice(2)}@example.com`
  const made = await owner('PUT', '/api/org_user', {
    org_user: { email, role, password: PASSWORD, firstName: 'F', lastName: role },
    currentPassword: home.service.ownerPassword,
  })
  assert.equal(made.status, 200, made.text)
  const call = caller(home.service, await signIn(home.service, email, PASSWORD))
  return { uid: made.body.org_user.uid, call }
}

async function keyWith(capabilities: object[]): Promise<Call> {
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  assert.equal(made.status, 200, made.text)
  return caller(home.service, `api_key=${made.body.api_key.secretKey}`)
}

test('a connector is made, read, listed, changed and deleted', async () => {
  const blank = await owner('GET', '/api/connector/new')
  assert.equal(blank.body.connector.runningUser.uid, home.ownerUid)
  assert.equal(blank.body.connector.sinkUrl, '')
  const made = await owner('PUT', '/api/connector', record('model12'))
  assert.equal(made.status, 200, made.text)
  const { uid, sinkUrl, runningUser } = made.body.connector
  assert.equal(sinkUrl, `${home.service.url}/api/conn_sink/${home.service.orgUid}/model12`)
  assert.equal(runningUser.uid, home.ownerUid)
  assert.ok(runningUser.name.length > 0)
  const read = await owner('GET', `/api/connector/${uid}`)
  assert.deepEqual(read.body.connector, made.body.connector)
  const list = await owner('GET', '/api/connector')
  assert.equal(list.body.totalCount, 1)
  assert.deepEqual(list.body.connector, [made.body.connector])
  const changed = await owner('POST', `/api/connector/${uid}`, {
    connector: { isEnabled: false, name: 'Other', sinkUrl: 'ignored' },
  })
  assert.equal(changed.status, 200, changed.text)
  assert.equal(changed.body.connector.isEnabled, false)
  assert.deepEqual(changed.body.connector.procs, made.body.connector.procs)
  const gone = await owner('DELETE', `/api/connector/${uid}`)
  assert.equal(gone.status, 200, gone.text)
  assert.equal((await owner('GET', `/api/connector/${uid}`)).status, 404)
  const audit = await owner('GET', '/api/audit')
  assert.ok(audit.text.includes('connector_deleted'))
})

test('the sink URL holds any ID, encoded, behind the public address', async () => {
  const id = 'a/b ü?#%'
  const made = await owner('PUT', '/api/connector', record(id))
  assert.equal(made.status, 200, made.text)
  const { sinkUrl } = made.body.connector
  assert.ok(sinkUrl.endsWith(`/${encodeURIComponent(id)}`), sinkUrl)
  const { pathname } = new URL(sinkUrl)
  const sent = await home.send(id, { body: '{"d":"any","v":[{"s":"x","x":1}]}' })
  assert.equal(sent.status, 200, sent.text)
  assert.ok(pathname.startsWith('/api/conn_sink/'))
})

test('fields that cannot be are refused with their name, and nothing is saved', async () => {
  const before = await owner('GET', '/api/connector')
  const f = async (more: object, status: number, field: string | undefined, text: RegExp) => {
    const answer = await owner('PUT', '/api/connector', record('bad', more))
    assert.equal(answer.status, status, answer.text)
    assert.equal(answer.body.field, field, answer.text)
    assert.match(answer.body.message, text)
  }
  await f({ id: '' }, 400, 'connector.id', /not be blank/)
  await f({ id: 7 }, 400, 'connector.id', /a string/)
  await f({ runningUser: undefined }, 400, 'connector.runningUser', /Set the user/)
  await f({ runningUser: null }, 400, 'connector.runningUser', /Set the user/)
  await f({ runningUser: { uid: 'nobody' } }, 400, 'connector.runningUser', /not a user of this/)
  await f({ connType: 'FTP' }, 400, 'connector.connType', /one of HTTP/)
  await f({ procs: [] }, 400, 'connector.procs', /at least one/)
  await f({ procs: [{ sql: ' ' }] }, 400, 'connector.procs[0].sql', /blank/)
  const zone = { timeZoneId: 'Mars/Base', sql: VALUES_SQL }
  await f({ procs: [zone] }, 400, 'connector.procs[0].timeZoneId', /IANA/)
  const zones = ['UTC', 'Europe/Berlin'].map((timeZoneId) => ({ timeZoneId, sql: VALUES_SQL }))
  await f({ procs: zones }, 400, 'connector.procs[1].timeZoneId', /must be UTC/)
  await f({ isEnabled: 'yes' }, 400, 'connector.isEnabled', /boolean/)
  const after = await owner('GET', '/api/connector')
  assert.deepEqual(after.body, before.body)
})

test('SQL with a mistake is refused with field, line and column', async () => {
  const sql =
    'SET @a = 1;\nINSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)\nSELECT nosuch(1), 2, 3, 4'
  const answer = await owner('PUT', '/api/connector', record('bad', { procs: [{ sql }] }))
  assert.equal(answer.status, 400, answer.text)
  const { code, field, line, column, pointer } = answer.body
  assert.deepEqual(
    { code, field, line },
    { code: 'bad_sql', field: 'connector.procs[0].sql', line: 3 },
  )
  assert.equal(column, 8)
  assert.match(pointer, /\^/)
  const uid = await home.make('good', VALUES_SQL)
  const changed = await owner('POST', `/api/connector/${uid}`, {
    connector: { procs: [{ sql: VALUES_SQL }, { sql: 'SELEKT 1' }] },
  })
  assert.equal(changed.status, 400, changed.text)
  assert.equal(changed.body.field, 'connector.procs[1].sql')
  assert.equal((await owner('GET', `/api/connector/${uid}`)).body.connector.procs.length, 1)
})

test('procs that are too much for one program together are refused when they are saved', async () => {
  const sql = Array.from({ length: 60 }, () => 'SELECT 1').join(';\n')
  const one = await owner('PUT', '/api/connector', record('sixty', { procs: [{ sql }] }))
  assert.equal(one.status, 200, one.text)
  const two = await owner('PUT', '/api/connector', record('more', { procs: [{ sql }, { sql }] }))
  assert.equal(two.status, 400, two.text)
  assert.equal(two.body.field, 'connector.procs')
})

test('an ID that another connector has is a 409, in one organization only', async () => {
  await home.make('taken', VALUES_SQL)
  const again = await owner('PUT', '/api/connector', record('taken'))
  assert.equal(again.status, 409, again.text)
  assert.match(again.body.message, /is taken. Choose another$/)
  assert.equal(again.body.field, 'connector.id')
  const other = await home.make('free', VALUES_SQL)
  const renamed = await owner('POST', `/api/connector/${other}`, { connector: { id: 'taken' } })
  assert.equal(renamed.status, 409, renamed.text)
})

test('members let connectors run as themselves, administrators as anyone', async () => {
  const member = await userOf('MEMBER')
  const admin = await userOf('ADMIN')
  const asOwner = await member.call('PUT', '/api/connector', record('m1'))
  assert.equal(asOwner.status, 403, asOwner.text)
  assert.equal(asOwner.body.field, 'connector.runningUser')
  const own = { runningUser: { uid: member.uid } }
  const made = await member.call('PUT', '/api/connector', record('m1', own))
  assert.equal(made.status, 200, made.text)
  const asMember = await admin.call('PUT', '/api/connector', record('m2', own))
  assert.equal(asMember.status, 200, asMember.text)
  // Who changes the SQL of a connector decides what is done with the rights of its user.
  const ofOwner = await home.make('m3', VALUES_SQL)
  for (const change of [{ name: 'x' }, { procs: [{ sql: 'SELECT 1' }] }, { isEnabled: false }]) {
    const refused = await member.call('POST', `/api/connector/${ofOwner}`, { connector: change })
    assert.equal(refused.status, 403, refused.text)
  }
  const taken = await member.call('POST', `/api/connector/${ofOwner}`, { connector: own })
  assert.equal(taken.status, 200, taken.text)
  const guest = await userOf('GUEST')
  assert.equal((await guest.call('PUT', '/api/connector', record('g'))).status, 403)
  assert.equal((await guest.call('GET', `/api/connector/${ofOwner}`)).status, 200)
})

test('an API key saves connectors only of users who may no more than itself', async () => {
  const all = ['GET', 'PUT', 'POST', 'DELETE']
  const narrow = await keyWith([{ resource: 'connector', methods: all }])
  const refused = await narrow('PUT', '/api/connector', record('k1'))
  assert.equal(refused.status, 403, refused.text)
  assert.equal(refused.body.field, 'connector.runningUser')
  const tried = await narrow('POST', '/api/connector/dry_run', {
    connector: { procs: [{ sql: 'SELECT 1' }], runningUser: { uid: home.ownerUid } },
  })
  assert.equal(tried.status, 403, tried.text)
  const wide = await keyWith([{ resource: '*', methods: all }])
  const made = await wide('PUT', '/api/connector', record('k1'))
  assert.equal(made.status, 200, made.text)
})

test('of two changes at once none is lost, and a stale revision is a 409', async () => {
  const uid = await home.make('twice', VALUES_SQL)
  const changes = Array.from({ length: 4 }, (_, at) =>
    owner('POST', `/api/connector/${uid}`, { connector: { description: `d${at}` } }),
  )
  for (const { status, text } of await Promise.all(changes)) assert.equal(status, 200, text)
  const stale = await owner('POST', `/api/connector/${uid}`, {
    connector: { name: 'x', revision: 1 },
  })
  assert.equal(stale.status, 409, stale.text)
})
