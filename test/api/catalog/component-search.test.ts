import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
let cookie = ''
before(async () => {
  const { ownerEmail: email, ownerPassword: password } = service
  const { sessionUid } = await send('POST', '/api/login', { email, password })
  cookie = `session=${sessionUid}`
})

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
type Json = any

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { Cookie: cookie },
): Promise<Json> {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  return text === '' ? { status: answer.status } : { status: answer.status, ...JSON.parse(text) }
}

async function make(component: object): Promise<string> {
  return (await send('PUT', '/api/component', { component })).component.uid
}

/** The IDs that a search finds, in order. */
async function find(search: string, more = '', headers?: Record<string, string>): Promise<string> {
  const path = `/api/component?search=${encodeURIComponent(search)}${more}`
  const { component } = await send('GET', path, undefined, headers)
  return component.map(({ id }: { id: string }) => id).join()
}

test('a search finds components by words of folder, name and ID, whatever their case', async () => {
  await make({ id: 'SN-1001', name: 'Boiler, cellar', folder: '/Components/Hall 1' })
  await make({ id: 'SN-1002', name: 'Pump', folder: '/Components/Hall 1' })
  await make({ id: 'SN-2001', name: 'Wärmepumpe 高温', folder: '/Components/Hall 2' })
  assert.equal(await find('boiler'), 'SN-1001')
  assert.equal(await find('sn-100'), 'SN-1001,SN-1002')
  assert.equal(await find('hall PUMP'), 'SN-1002,SN-2001')
  assert.equal(await find('  pump   hall sn-1 '), 'SN-1002')
  assert.equal(await find('WÄRME'), 'SN-2001')
  assert.equal(await find('高温'), 'SN-2001')
  assert.equal(await find('%'), '')
  assert.equal(await find('pump', '&folder=/Components/Hall 2'), 'SN-2001')
  const paged = await send('GET', '/api/component?search=sn&start=1&limit=1')
  assert.equal(paged.totalCount, 3)
  assert.equal(paged.component[0].id, 'SN-1002')
})

test('a search takes letters for what they are without marks, in folder, name and ID', async () => {
  await make({ id: 'uml-1', name: 'Ünïcode', folder: '/Components/Łódź' })
  await make({ id: 'uml-2', name: 'U\u0308ni\u0308code two', folder: '/Components/Große Straße' })
  for (const text of ['unicode', 'UNICODE', 'ünïcode', 'U\u0308NI\u0308CODE', 'ｕｎｉｃｏｄｅ'])
    assert.equal(await find(text), 'uml-2,uml-1', text)
  assert.equal(await find('lodz'), 'uml-1')
  assert.equal(await find('STRASSE grosse'), 'uml-2')
})

test('a search follows what is made, renamed, moved and deleted', async () => {
  assert.equal(await find('follow'), '')
  const uid = await make({ id: 'f1', name: 'Follow me', folder: '/Components/Z' })
  assert.equal(await find('follow'), 'f1')
  const headers = { 'X-Api-Key': service.feedKey }
  await send('PUT', '/api/feed?compId=follower&s=1', undefined, headers)
  assert.equal(await find('follow'), 'follower,f1')
  await send('POST', `/api/component/${uid}`, { component: { name: 'Left behind' } })
  assert.equal(await find('follow me'), '')
  assert.equal(await find('behind'), 'f1')
  const { component_folder: folders } = await send('GET', '/api/component_folder')
  const folder = folders.find(({ path }: { path: string }) => path === '/Components/Z')
  await send('POST', `/api/component_folder/${folder.uid}`, {
    component_folder: { path: '/Components/Zebra' },
  })
  assert.equal(await find('zebra behind'), 'f1')
  await send('DELETE', `/api/component/${uid}`)
  assert.equal(await find('behind'), '')
})

test('a search finds only what the caller may see, and refuses a text without end', async () => {
  const uid = await make({ id: 'secret-1', name: 'Kept apart' })
  await make({ id: 'open-1', name: 'Kept open' })
  const { api_key } = await send('PUT', '/api/api_key', {
    api_key: {
      name: 'reader',
      capabilities: [
        { resource: 'component', methods: ['GET'] },
        { resource: `component/${uid}`, methods: [] },
      ],
    },
  })
  const headers = { 'X-Api-Key': api_key.secretKey as string }
  assert.equal(await find('kept'), 'secret-1,open-1')
  assert.equal(await find('kept', '', headers), 'open-1')
  const long = await send('GET', `/api/component?search=${'x'.repeat(1_001)}`)
  assert.equal(long.status, 400)
  assert.match(long.message, /search has 1001 characters: at most 1000/)
  const twice = await send('GET', '/api/component?search=a&search=b')
  assert.equal(twice.status, 400)
})

test('a search after a bulk load finds all new streams, in order', async () => {
  const fleet = Array.from({ length: 3_000 }, (_, at) => ({
    compId: `fleet-${String(at).padStart(5, '0')}`,
    streamId: 's',
    data: at,
  }))
  await find('fleet')
  const headers = { 'X-Api-Key': service.feedKey }
  assert.equal((await send('PUT', '/api/feed', fleet, headers)).status, 200)
  const { totalCount, component } = await send('GET', '/api/component?search=FLEET&start=2990')
  assert.equal(totalCount, 3_000)
  assert.deepEqual(
    component.map(({ id }: { id: string }) => id),
    fleet.slice(2_990).map(({ compId }) => compId),
  )
})
