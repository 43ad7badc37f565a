import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { callApi, countBodies, putFile } from '../../support/file-client.ts'
import { startService } from '../../support/service.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const FILE = '/comp/c/stream/s/feed/file/f'
const service = serviceOfFile()
const owner = ownerOfFile(service)

before(async () => {
  await putFile(service, FILE, 'content')
})

/** A key of its own with the given rights, to be used in the place of the feed key. */
async function keyWith(
  resource: string,
  methods: readonly string[],
): Promise<{ url: string; feedKey: string }> {
  const api_key = { name: resource, capabilities: [{ resource, methods }] }
  const made = await owner('PUT', '/api/api_key', { api_key })
  assert.equal(made.status, 200, made.text)
  return { url: service.url, feedKey: made.body.api_key.secretKey }
}

async function statusOf(target: { url: string; feedKey: string }, path: string, method = 'GET') {
  const body = method === 'PUT' ? 'x' : undefined
  return (await callApi(target, path, { method, body })).status
}

test('files need no other right than the feed: GET to read, PUT to store', async () => {
  const reader = await keyWith('component/*/feed', ['GET'])
  const writer = await keyWith('component/*/feed', ['PUT'])
  const other = await keyWith('component/*/property', ['GET', 'POST'])
  const bodies = countBodies(service.dataDir)
  assert.equal(await statusOf(reader, FILE), 200)
  assert.equal(await statusOf(reader, FILE, 'PUT'), 403)
  assert.equal(await statusOf(reader, '/comp/new/stream/s/feed/file/f', 'PUT'), 403)
  assert.equal(countBodies(service.dataDir), bodies)
  assert.equal(await statusOf(writer, FILE, 'PUT'), 200)
  assert.equal(await statusOf(writer, FILE), 403)
  assert.equal(await statusOf(other, FILE), 403)
})

test('a key for one component stores files there, in streams it creates, and nowhere else', async () => {
  const { index } = service.app.catalog
  const uid = index.resolveComponent(service.orgUid, 'c')?.uid
  const narrow = await keyWith(`component/${uid}/feed`, ['GET', 'PUT'])
  assert.equal(await statusOf(narrow, FILE, 'PUT'), 200)
  assert.equal(await statusOf(narrow, '/comp/c/stream/new/feed/file/f', 'PUT'), 200)
  assert.equal(await statusOf(narrow, '/comp/new/stream/s/feed/file/f', 'PUT'), 403)
})

test('a call without a credential, or with an unknown one, is refused', async () => {
  const path = `${service.url}/api${FILE}`
  assert.equal((await fetch(path)).status, 401)
  assert.equal((await fetch(path, { method: 'PUT', body: 'x' })).status, 401)
  assert.equal((await fetch(`${path}?api_key=wrong`)).status, 401)
})

test('uploads count against the rate limit of the feed, downloads do not', async () => {
  const limited = await startService({ settings: { WEIR_RATE_LIMITS: 'feed=3/1h' } })
  try {
    for (let count = 0; count < 3; count += 1)
      assert.equal(await statusOf(limited, FILE, 'PUT'), 200)
    const refused = await callApi(limited, FILE, { method: 'PUT', body: 'x' })
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('ratelimit-remaining'), '0')
    assert.notEqual(refused.headers.get('retry-after'), null)
    for (let count = 0; count < 5; count += 1) assert.equal(await statusOf(limited, FILE), 200)
  } finally {
    await limited.close()
  }
})
