import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const ALL = ['GET', 'PUT', 'POST', 'DELETE']
const service = serviceOfFile()
let owner: Call
before(async () => {
  const cookie = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, cookie, { 'Weir-Password': service.ownerPassword })
})

async function insert(noun: string, fields: object): Promise<string> {
  const made = await owner('PUT', `/api/${noun}`, { [noun]: fields })
  assert.equal(made.status, 200, made.text)
  return made.body[noun].uid
}

async function keyWithout(resources: string[]): Promise<Call> {
  const none = resources.map((resource) => ({ resource, methods: [] }))
  const capabilities = [{ resource: '*', methods: ALL }, ...none]
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  return caller(service, `api_key=${made.body.api_key.secretKey}`)
}

test('a record that a key may not see is in no list, and pages stay whole', async () => {
  const uids: string[] = []
  for (const id of 'abcdefgh') uids.push(await insert('component', { id, name: id }))
  const hidden = [uids[1], uids[2], uids[6]]
  const call = await keyWithout(hidden.map((uid) => `component/${uid}`))
  const shown = 'adefh'
  for (let start = 0; start <= 6; start += 1) {
    for (const limit of [1, 2, 5, 9]) {
      const { body } = await call('GET', `/api/component?start=${start}&limit=${limit}`)
      const ids = body.component.map(({ id }: { id: string }) => id).join('')
      assert.equal(ids, shown.slice(start, start + limit), `${start} ${limit}`)
      assert.equal(body.totalCount, shown.length)
    }
  }
  const unit = await insert('unit', { id: 'secret', name: 'secret' })
  const units = (await (await keyWithout([`unit/${unit}`]))('GET', '/api/unit?limit=1000')).body
  assert.ok(!units.unit.some(({ uid }: { uid: string }) => uid === unit))
})

test('a component that a key may not touch is neither moved nor deleted through its folder', async () => {
  const uid = await insert('component', { id: 'kept', folder: '/Components/x/y' })
  await insert('component', { id: 'open', folder: '/Components/x' })
  const { component_folder } = (await owner('GET', '/api/component_folder')).body
  const folder = component_folder.find(({ path }: { path: string }) => path === '/Components/x')
  const call = await keyWithout([`component/${uid}`])
  const path = `/api/component_folder/${folder.uid}`
  const moved = { component_folder: { path: '/Components/z' } }
  assert.equal((await call('POST', path, moved)).status, 403)
  assert.equal((await call('DELETE', path)).status, 403)
  const kept = await owner('GET', `/api/component/${uid}`)
  assert.equal(kept.body.component.folder, '/Components/x/y')
  const { body } = await owner('GET', '/api/component?folder=/Components/x')
  assert.equal(body.totalCount, 2)
  assert.equal((await owner('DELETE', path)).status, 200)
})

/** Asserts that a key without some of a noun's records pages through the rest as if they were not there. */
async function hidesSome(noun: string): Promise<void> {
  const uidsIn = (body: Record<string, { uid: string }[]>) => body[noun].map(({ uid }) => uid)
  const list = `/api/${noun}?limit=1000`
  const all = uidsIn((await owner('GET', list)).body)
  const hidden = all.filter((_, at) => at % 3 === 1)
  assert.ok(hidden.length >= 2, `only ${all.length} of ${noun}`)
  const call = await keyWithout([...hidden, 'nobody'].map((uid) => `${noun}/${uid}`))
  const shown = uidsIn((await owner('GET', list)).body).filter((uid) => !hidden.includes(uid))
  for (let start = 0; start <= shown.length + 1; start += 1) {
    for (const limit of [1, 2, 100]) {
      const { body } = await call('GET', `/api/${noun}?start=${start}&limit=${limit}`)
      assert.deepEqual(uidsIn(body), shown.slice(start, start + limit), `${start} ${limit}`)
      assert.equal(body.totalCount, shown.length)
    }
  }
  for (const uid of hidden) assert.equal((await call('GET', `/api/${noun}/${uid}`)).status, 403)
}

test('keys, clients, members and invited accounts that a key may not see are in no list', async () => {
  const elsewhere = await owner('PUT', '/api/organization', { organization: { name: 'Elsewhere' } })
  const cookie = await signIn(service, service.ownerEmail, service.ownerPassword)
  const proof = { 'Weir-Password': service.ownerPassword }
  const there = caller(service, `${cookie}; org=${elsewhere.body.organization.uid}`, proof)
  const user = { firstName: 'F', lastName: 'L', timeZone: 'UTC', role: 'MEMBER' }
  for (const name of 'abcde') {
    await insert('api_key', { name, capabilities: [] })
    await insert('oauth_client', { name, redirectUris: ['https://app.example.com/'] })
    await insert('org_user', {
      ...user,
      email: `${name}@example.com`,
      password: `long-${name}-word`,
    })
    const guest = { ...user, email: `${name}@elsewhere.example`, password: `long-${name}-word` }
    const made = await there('PUT', '/api/org_user', { org_user: guest })
    assert.equal(made.status, 200, made.text)
    const { email, role } = guest
    await insert('org_user', { email, role })
  }
  for (const noun of ['api_key', 'oauth_client', 'org_user']) await hidesSome(noun)
  const call = await keyWithout([`organization/${service.orgUid}`])
  const { body } = await call('GET', '/api/organization')
  assert.deepEqual([body.organization, body.totalCount], [[], 0])
})

test('a stream that a key may not touch keeps its folder as it is', async () => {
  for (const id of ['first', 'last']) {
    const stream = [{ id: 's', valueType: 'DOUBLE' }]
    await insert('component', { id: `kept-${id}`, name: id, folder: '/Components/whole', stream })
  }
  const inside = '/api/component?folder=/Components/whole'
  const [, last] = (await owner('GET', inside)).body.component
  const [{ uid }] = (await owner('GET', `/api/component/${last.uid}/stream`)).body.stream
  const { component_folder } = (await owner('GET', '/api/component_folder')).body
  const folder = component_folder.find(({ path }: { path: string }) => path.endsWith('/whole'))
  const call = await keyWithout([`component/${last.uid}/stream/${uid}`])
  assert.equal((await call('DELETE', `/api/component_folder/${folder.uid}`)).status, 403)
  assert.equal((await owner('GET', inside)).body.totalCount, 2)
  assert.equal((await owner('DELETE', `/api/component_folder/${folder.uid}`)).status, 200)
})

test('a stream that a key may not touch is hidden, and stays with its component', async () => {
  const stream = ['a', 'b'].map((id) => ({ id, valueType: 'DOUBLE' }))
  const uid = await insert('component', { id: 'streams', stream })
  const { body } = await owner('GET', `/api/component/${uid}/stream`)
  const [open, hidden] = body.stream
  const call = await keyWithout([`component/${uid}/stream/${hidden.uid}`])
  const path = `/api/component/${uid}`
  for (const answer of [await call('GET', `${path}/stream`), await call('GET', path)]) {
    assert.equal(answer.status, 200, answer.text)
    assert.ok(answer.text.includes(open.uid) && !answer.text.includes(hidden.uid))
  }
  const renamed = { component: { stream: [{ uid: hidden.uid, name: 'taken' }] } }
  assert.equal((await call('POST', path, renamed)).status, 403)
  assert.equal((await call('DELETE', path)).status, 403)
  assert.equal((await owner('GET', `${path}/stream/${hidden.uid}`)).body.stream.name, hidden.name)
})
