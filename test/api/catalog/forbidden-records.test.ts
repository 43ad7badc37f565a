import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'

const ALL = ['GET', 'PUT', 'POST', 'DELETE']
let service: Service
let owner: Call
before(async () => {
  service = await startService()
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})
after(() => service.close())

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
