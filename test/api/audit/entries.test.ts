/** What entries of changed records say, and which changes have none. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { caller } from '../../support/caller.ts'
import { type ConnectorHome, startConnectorHome, VALUES_SQL } from '../../support/connector-home.ts'

let home: ConnectorHome
before(async () => {
  home = await startConnectorHome()
})
after(() => home.service.close())

type Entry = Readonly<Record<'act' | 'actor' | 'target' | 'detail', string>>

async function entries(): Promise<Entry[]> {
  return (await home.owner('GET', '/api/audit?limit=1000')).body.audit
}

async function made(noun: string, record: object, path = `/api/${noun}`): Promise<string> {
  const answer = await home.owner('PUT', path, { [noun]: record })
  assert.equal(answer.status, 200, answer.text)
  return answer.body[noun].uid
}

async function save(path: string, body: object): Promise<void> {
  const answer = await home.owner('POST', path, body)
  assert.equal(answer.status, 200, answer.text)
}

test('an entry names the record and the fields that changed, and no secret', async () => {
  const at = { kind: 'POSTGRESQL', host: 'db', database: 'd', user: 'u', password: 'one' }
  const uid = await made('connection', { name: 'The "plant"', ...at })
  const changes = { host: 'other', password: 'two' }
  await save(`/api/connection/${uid}`, { connection: changes })
  const [updated, created] = await entries()
  assert.deepEqual([created.act, created.target], ['connection_created', uid])
  assert.equal(created.detail, 'The "plant"')
  assert.deepEqual([updated.act, updated.target], ['connection_updated', uid])
  assert.equal(updated.detail, '"The \\"plant\\"": host, password')
})

test('a connector that runs as another user has an entry of its own', async () => {
  const { service, owner, ownerUid } = home
  const person = { email: 'm@example.com', password: 'a long enough sentence', role: 'MEMBER' }
  const org_user = { org_user: person, currentPassword: service.ownerPassword }
  const { uid: member } = (await owner('PUT', '/api/org_user', org_user)).body.org_user
  const uid = await home.make('hook', VALUES_SQL)
  await save(`/api/connector/${uid}`, { connector: { runningUser: { uid: member } } })
  const ofConnector = (await entries()).filter(({ target }) => target === uid)
  assert.deepEqual(
    ofConnector.map(({ act, detail }) => [act, detail]),
    [
      ['connector_running_user_changed', `"hook": user:${ownerUid} to user:${member}`],
      ['connector_updated', '"hook": runningUser'],
      ['connector_created', 'hook'],
    ],
  )
})

test('a stream and a folder are named with what they are in', async () => {
  const component = await made('component', { id: 'c', name: 'C', folder: '/Components/a/b' })
  const stream = await made('stream', { id: 's' }, `/api/component/${component}/stream`)
  await save(`/api/component/${component}/stream/${stream}`, { stream: { name: 'S', id: 's2' } })
  const { component_folder } = (await home.owner('GET', '/api/component_folder')).body
  const folder = component_folder.find(({ path }: { path: string }) => path === '/Components/a')
  await save(`/api/component_folder/${folder.uid}`, { component_folder: { path: '/Components/z' } })
  const [moved, renamed, added] = await entries()
  assert.deepEqual([added.act, added.detail], ['stream_created', '"c" / "s"'])
  assert.deepEqual([renamed.act, renamed.detail], ['stream_updated', '"c" / "s": id, name'])
  const move = '"/Components/a" to "/Components/z"'
  assert.deepEqual([moved.act, moved.detail], ['folder_updated', move])
})

test('a save that changes no field, a refused save and a put of a device have no entry', async () => {
  const uid = await made('component', { id: 'same', name: 'Same', stream: [{ id: 's' }] })
  const unit = await made('unit', { id: 'inHg', symbol: ' inHg' })
  const known = (await entries()).length
  await save(`/api/component/${uid}`, { component: { name: 'Same' } })
  await save(`/api/unit/${unit}`, { unit: { symbol: ' inHg' } })
  const stale = await home.owner('POST', `/api/unit/${unit}`, { unit: { id: 'x', revision: 9 } })
  assert.equal(stale.status, 409)
  const taken = await home.owner('PUT', '/api/component', { component: { id: 'same' } })
  assert.equal(taken.status, 409, taken.text)
  const device = caller(home.service, `api_key=${home.service.feedKey}`)
  assert.equal((await device('PUT', '/api/feed?compId=fresh&a=1&b=on')).status, 200)
  assert.equal((await device('PUT', '/api/feed?compId=same&s=1')).status, 200)
  assert.equal((await entries()).length, known)
})

test('the entry of an API key names the key', async () => {
  const capabilities = [{ resource: 'unit', methods: ['PUT', 'POST', 'DELETE', 'GET'] }]
  const api_key = { name: 'k', capabilities }
  const key = (await home.owner('PUT', '/api/api_key', { api_key })).body.api_key
  const byKey = caller(home.service, `api_key=${key.secretKey}`)
  assert.equal(
    (await byKey('PUT', '/api/unit', { unit: { id: 'psi', symbol: 'psi' } })).status,
    200,
  )
  const [{ act, actor }] = await entries()
  assert.deepEqual([act, actor], ['unit_created', `api_key:${key.uid}`])
})
