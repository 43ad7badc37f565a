import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { type Service, startService } from '../../support/service.ts'

interface World {
  readonly service: Service
  readonly device: FeedClient
  readonly owner: Call
  usage(): Promise<Record<string, number>>
}

async function startWith(t: TestContext, quotas: string): Promise<World> {
  const service = await startService({ settings: { WEIR_QUOTAS: quotas } })
  t.after(() => service.close())
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const owner: Call = (method, path, body) => caller(service, session)(method, path, body)
  const usage = async () => {
    const { body } = await owner('GET', `/api/organization/${service.orgUid}`)
    return body.organization.usage
  }
  return { service, device: new FeedClient(service), owner, usage }
}

function assertExceeded({ status, text }: { status: number; text: string }, counted: RegExp): void {
  assert.equal(status, 403, text)
  const { code, message } = JSON.parse(text)
  assert.equal(code, 'quota_exceeded')
  assert.match(message, counted)
  assert.match(message, /WEIR_QUOTAS/)
}

test('every way to create stops at the components and streams of an organization', async (t) => {
  const { service, device, owner, usage } = await startWith(t, 'components=2,streams=3')
  assert.equal((await device.put('compId=a&s=1')).status, 200)
  assert.equal((await device.put('compId=b&s=1')).status, 200)
  const batch = {
    feed: { component: [{ componentId: 'c', stream: [{ streamId: 's', data: [1] }] }] },
  }
  const template = { id: 'tmpl', name: 'tmpl', component: { stream: [{ id: 'x' }, { id: 'y' }] } }
  assertExceeded(await device.put('compId=c&s=1'), /2 components/)
  assertExceeded(await device.putJson([{ compId: 'c', streamId: 's', data: 1 }]), /2 components/)
  assertExceeded(await device.putJson(batch), /2 components/)
  assertExceeded(await owner('PUT', '/api/component', { component: { id: 'c' } }), /2 components/)
  const file = await device.call('PUT', '/comp/c/stream/f/feed/file/n', { body: 'bytes' })
  assertExceeded(file, /2 components/)
  assertExceeded(await device.put('compId=a&t=1&u=1'), /3 streams/)
  assert.equal(
    (await owner('PUT', '/api/component_template', { component_template: template })).status,
    200,
  )
  assert.deepEqual(await device.get('c', 's'), [])
  const { components, streams } = await usage()
  assert.deepEqual([components, streams], [2, 2])
  const uid = service.app.catalog.index.resolveComponent(service.orgUid, 'b')?.uid
  assert.equal((await owner('DELETE', `/api/component/${uid}`)).status, 200)
  assert.equal((await device.put('compId=c&s=1')).status, 200)
})

test('parallel puts never create more than the quota together', async (t) => {
  const { service, device, usage } = await startWith(t, 'components=7')
  const puts = Array.from({ length: 40 }, (_, at) => device.put(`compId=p${at}&s=1`))
  const answers = await Promise.all(puts)
  assert.equal(answers.filter(({ status }) => status === 200).length, 7)
  assert.equal((await usage()).components, 7)
  assert.equal(service.app.catalog.index.streamCount, 7)
})

test('catalogBytes bounds records of every kind; what gets smaller is taken', async (t) => {
  const { service, owner, usage } = await startWith(t, 'off')
  const quota = { WEIR_QUOTAS: `catalogBytes=${(await usage()).catalogBytes + 6_000}` }
  await service.restart(quota)
  const insert = (id: string, length = 2_000) =>
    owner('PUT', '/api/component', { component: { id, description: 'x'.repeat(length) } })
  const first = await insert('a')
  assert.equal(first.status, 200, first.text)
  assert.equal((await insert('b')).status, 200)
  assertExceeded(await insert('c'), /\d bytes of components/)
  const units = []
  for (let at = 0; at < 50; at += 1) {
    units.push(await owner('PUT', '/api/unit', { unit: { id: `u${at}`, name: 'x'.repeat(90) } }))
  }
  assertExceeded(units[49], /\d bytes of components/)
  const { uid } = first.body.component
  const update = (description: string) =>
    owner('POST', `/api/component/${uid}`, { component: { description } })
  assertExceeded(await update('x'.repeat(4_000)), /\d bytes of components/)
  const before = (await usage()).catalogBytes
  await service.restart(quota)
  assert.equal((await usage()).catalogBytes, before)
  assert.equal((await update('x')).status, 200)
  assert.equal((await usage()).catalogBytes, before - 1_999)
  assert.equal((await insert('c', 1_000)).status, 200)
})

test('what is there is put to and changed when catalogBytes is lowered below it, and grows little', async (t) => {
  const { service, device, owner, usage } = await startWith(t, 'off')
  const insert = (id: string, description = '') =>
    owner('PUT', '/api/component', { component: { id, description, stream: [{ id: 'untyped' }] } })
  const { uid } = (await insert('a')).body.component
  const { uid: long } = (await insert('long', 'x'.repeat(3_000))).body.component
  const capabilities = [{ resource: 'component', methods: ['GET'] }]
  const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
  await service.restart({ WEIR_QUOTAS: 'catalogBytes=1KB,components=1,streams=1' })
  const done = ({ status, text }: { status: number; text: string }) =>
    assert.equal(status, 200, text)
  done(await device.put('compId=a&untyped=7'))
  done(await device.put('compId=long&untyped=7'))
  const change = (of: string, component: object) =>
    owner('POST', `/api/component/${of}`, { component })
  done(await change(uid, { name: 'a longer name', folder: '/Components' }))
  done(await change(uid, { description: 'x'.repeat(1_000) }))
  const { stream } = (await owner('GET', `/api/component/${long}`)).body.component
  const path = `/api/component/${long}/stream/${stream[0].uid}`
  done(await owner('POST', path, { stream: { name: 'named in a long component' } }))
  const ipAddresses = ['127.0.0.1', '192.0.2.0/24']
  done(await owner('POST', `/api/api_key/${made.body.api_key.uid}`, { api_key: { ipAddresses } }))
  const { catalogBytes } = await usage()
  assertExceeded(await change(uid, { description: 'x'.repeat(2_048) }), /1000 bytes of components/)
  assertExceeded(await change(long, { description: 'x'.repeat(3_001) }), /1000 bytes of comp/)
  assertExceeded(await change(uid, { folder: '/Components/New' }), /1000 bytes of components/)
  assertExceeded(await owner('PUT', '/api/unit', { unit: { id: 'u' } }), /1000 bytes of components/)
  assertExceeded(await insert('c'), /components/)
  assert.equal((await usage()).catalogBytes, catalogBytes)
})

test('the record has quota and usage, and no organization raises its own', async (t) => {
  const { service, owner } = await startWith(t, 'components=1,streams=off')
  const path = `/api/organization/${service.orgUid}`
  const { body } = await owner('GET', path)
  const { quota, usage } = body.organization
  assert.deepEqual([quota.components, quota.streams], [1, null])
  assert.deepEqual([usage.components, usage.streams], [0, 0])
  const inferredType = { name: 'mine', quota: { components: 100 }, usage: { components: 0 } }
  const { status, body: changed } = await owner('POST', path, { organization: inferredType })
  assert.equal(status, 200)
  assert.deepEqual([changed.organization.name, changed.organization.quota], ['mine', quota])
  const { body: list } = await owner('GET', '/api/organization')
  assert.deepEqual(list.organization[0].quota, quota)
})

test('one organization at its quota leaves the others theirs', async (t) => {
  const { device, owner } = await startWith(t, 'components=1')
  assert.equal((await device.put('compId=a&s=1')).status, 200)
  const made = await owner('PUT', '/api/organization', { organization: { name: 'second' } })
  assert.equal(made.status, 200, made.text)
  const { uid } = made.body.organization
  const insert = (id: string) => owner('PUT', `/api/component?org=${uid}`, { component: { id } })
  assert.equal((await insert('a')).status, 200)
  assertExceeded(await insert('b'), /1 components/)
})

test('organizations created from one share its limit, no matter which user creates them', async (t) => {
  const { service, owner, usage } = await startWith(t, 'organizations=3')
  const insert = (by: Call, name: string, org = service.orgUid) =>
    by('PUT', `/api/organization?org=${org}`, { organization: { name } })
  const first = await insert(owner, 'first')
  assert.equal(first.status, 200, first.text)
  const { uid, quota } = first.body.organization
  assert.equal(quota.organizations, 3)
  // A further account that is OWNER, in an organization that was made, gains nothing.
  const person = { email: 'other@example.com', password: 'a long enough sentence', role: 'OWNER' }
  const body = { org_user: person, currentPassword: service.ownerPassword }
  assert.equal((await owner('PUT', `/api/org_user?org=${uid}`, body)).status, 200)
  const other = caller(service, await signIn(service, person.email, person.password))
  const answers = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => insert(other, name, uid)).concat(insert(owner, 'e')),
  )
  // Of acts of one person at once some meet each other; they may be repeated.
  for (const { status, text } of answers) assert.ok([200, 403, 409].includes(status), text)
  while ((await usage()).organizations < 3) await insert(other, 'more', uid)
  assertExceeded(await insert(owner, 'too many'), /3 additional organizations/)
  assertExceeded(await insert(other, 'too many', uid), /3 additional organizations/)
  const { organization } = (await owner('GET', `/api/organization/${uid}?org=${uid}`)).body
  assert.equal(organization.usage.organizations, 3)
  const proof = { 'Weir-Password': service.ownerPassword }
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const gone = await caller(
    service,
    session,
    proof,
  )('DELETE', `/api/organization/${uid}?org=${uid}`)
  assert.equal(gone.status, 200, gone.text)
  assert.equal((await usage()).organizations, 2)
  assert.equal((await insert(owner, 'in its place')).status, 200)
  assertExceeded(await insert(owner, 'too many'), /3 additional organizations/)
})
