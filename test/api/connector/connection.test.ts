import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'
import { comesTrue, eventually } from '../../support/settle.ts'

const PASSWORD = 'a-password-to-be-kept'

const service = serviceOfFile()
let owner: Call
before(async () => {
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})

const fields = {
  name: 'Plant',
  kind: 'POSTGRESQL',
  host: 'db.example.com',
  database: 'plant',
  user: 'reader',
  password: PASSWORD,
}

async function insert(more: object = {}): Promise<{ uid: string; revision: number }> {
  const made = await owner('PUT', '/api/connection', { connection: { ...fields, ...more } })
  assert.equal(made.status, 200, made.text)
  return made.body.connection
}

test('a connection is saved, shown without its password, changed and deleted', async () => {
  const blank = await owner('GET', '/api/connection/new')
  assert.equal(blank.body.connection.tls, 'verify')
  const { uid } = await insert()
  const shown = await owner('GET', `/api/connection/${uid}`)
  assert.deepEqual(shown.body.connection, {
    uid,
    id: '',
    name: 'Plant',
    kind: 'POSTGRESQL',
    host: 'db.example.com',
    port: 5432,
    database: 'plant',
    user: 'reader',
    tls: 'verify',
    hasPassword: true,
    revision: 1,
  })
  const changed = await owner('POST', `/api/connection/${uid}`, { connection: { name: 'Mill' } })
  assert.equal(changed.body.connection.name, 'Mill')
  const list = await owner('GET', '/api/connection')
  assert.equal(list.body.totalCount, 1)
  for (const { text } of [shown, changed, list]) assert.doesNotMatch(text, /"password"|sealed|kept/)
  assert.equal((await owner('DELETE', `/api/connection/${uid}`)).status, 200)
  assert.equal((await owner('GET', `/api/connection/${uid}`)).status, 404)
})

test('the password lies encrypted on disk, and in no log', async () => {
  const { uid } = await insert()
  await service.restart()
  for (const file of ['catalog.db', 'catalog.db-wal']) {
    try {
      assert.equal(readFileSync(join(service.dataDir, file)).includes(PASSWORD), false, file)
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT')
    }
  }
  assert.equal(service.logLines.join('').includes(PASSWORD), false)
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  assert.equal((await owner('DELETE', `/api/connection/${uid}`)).status, 200)
})

test('a password does not follow to another server: it is given again, or stays', async () => {
  const { uid } = await insert()
  const path = `/api/connection/${uid}`
  const moves = [
    { host: 'evil.example' },
    { port: 6000 },
    { user: 'x' },
    { tls: 'off' },
    { kind: 'MYSQL' },
    { database: 'other' },
  ]
  for (const connection of moves) {
    const refused = await owner('POST', path, { connection })
    assert.equal(refused.status, 400, refused.text)
    assert.equal(refused.body.field, 'connection.password')
  }
  const same = await owner('POST', path, { connection: { database: 'plant', name: 'Mill' } })
  assert.equal(same.status, 200, same.text)
  const given = { database: 'other', password: PASSWORD }
  assert.equal((await owner('POST', path, { connection: given })).status, 200)
  const moved = await owner('POST', path, {
    connection: { kind: 'MYSQL', host: 'other.example', password: 'another' },
  })
  assert.equal(moved.status, 200, moved.text)
  assert.equal(moved.body.connection.port, 3306)
  await owner('DELETE', path)
})

test('mistakes name their field', async () => {
  const check = async (more: object, field: string) => {
    const refused = await owner('PUT', '/api/connection', { connection: { ...fields, ...more } })
    assert.equal(refused.status, 400, `${JSON.stringify(more)}: ${refused.text}`)
    assert.equal(refused.body.field, `connection.${field}`)
  }
  await check({ host: '' }, 'host')
  await check({ host: 'https://db.example.com' }, 'host')
  await check({ host: 'db.example.com:5432' }, 'host')
  await check({ host: 'db.example.com/x' }, 'host')
  await check({ host: 'a)(HOST=b' }, 'host')
  await check({ host: 'fe80::1%eth0' }, 'host')
  await check({ host: '-flag' }, 'host')
  await check({ host: 'x'.repeat(300) }, 'host')
  await check({ port: 0 }, 'port')
  await check({ port: 65536 }, 'port')
  await check({ port: '5432' }, 'port')
  await check({ user: '' }, 'user')
  await check({ user: 'a\u0000b' }, 'user')
  await check({ database: '' }, 'database')
  await check({ kind: 'ORACLE', database: 'x)(y=' }, 'database')
  await check({ kind: 'SQLITE' }, 'kind')
  await check({ tls: 'maybe' }, 'tls')
  await check({ password: 'x'.repeat(2_000) }, 'password')
  assert.equal((await owner('GET', '/api/connection')).body.totalCount, 0)
})

test('a trial says why a database cannot be used, and reaches nothing that is not allowed', async () => {
  const closed = createServer()
  closed.listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as AddressInfo
  closed.close()
  const { uid } = await insert({ host: '127.0.0.1', port })
  const path = `/api/connection/${uid}`
  const refused = await owner('POST', `${path}/test`)
  assert.equal(refused.status, 200, refused.text)
  assert.equal(refused.body.test.isOk, false)
  assert.equal(refused.body.test.reason, 'not_allowed')
  assert.match(refused.body.test.message, /loopback.*WEIR_OUTBOUND_ALLOW/)
  await service.restart({ WEIR_OUTBOUND_ALLOW: '127.0.0.1' })
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const allowed = await owner('POST', `${path}/test`)
  assert.equal(allowed.body.test.reason, 'refused', allowed.text)
  await owner('POST', path, { connection: { host: 'nowhere.invalid', password: 'x' } })
  const unknown = await owner('POST', `${path}/test`)
  assert.equal(unknown.body.test.reason, 'unknown_host', unknown.text)
  assert.equal((await owner('POST', '/api/connection/none/test')).status, 404)
  await owner('DELETE', path)
})

test('a preview needs the rights of a connection test as well as those of an import', async () => {
  const { uid } = await insert()
  const [writes, uses] = [
    { resource: 'connector', methods: ['POST'] },
    { resource: `connection/${uid}`, methods: ['POST'] },
  ]
  const preview = async (capabilities: object[], of = uid) => {
    const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
    const call = caller(service, `api_key=${made.body.api_key.secretKey}`)
    const asked = { connection: { uid: of }, externalSql: 'SELECT 1' }
    return await call('POST', '/api/connector/import_preview', { preview: asked })
  }
  for (const capabilities of [[writes], [uses]]) {
    const { status, text } = await preview(capabilities)
    assert.equal(status, 403, text)
  }
  assert.equal((await preview([writes], 'none')).status, 403, 'does not tell which UIDs exist')
  const { status, text } = await preview([writes, uses])
  assert.equal(status, 200, text)
  await owner('DELETE', `/api/connection/${uid}`)
})

test('mistakes of a preview name their field', async () => {
  const { uid } = await insert()
  const check = async (body: object, message: RegExp) => {
    const {
      status,
      text,
      body: answer,
    } = await owner('POST', '/api/connector/import_preview', body)
    assert.equal(status, 400, text)
    assert.match(answer.message, message)
  }
  const connection = { uid }
  await check({}, /^The body must have required properties preview/)
  await check({ preview: { connection } }, /^preview must have required properties externalSql/)
  await check({ preview: { connection, externalSql: ' ' } }, /^preview\.externalSql must not be/)
  const externalSql = `SELECT '${'x'.repeat(200_000)}'`
  await check(
    { preview: { connection, externalSql } },
    /^preview\.externalSql has 200009 characters/,
  )
  await owner('DELETE', `/api/connection/${uid}`)
})

test('a preview and a test end when their client disconnects', async () => {
  const sockets = new Set<Socket>()
  const silent = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    socket.resume()
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  await service.restart({ WEIR_OUTBOUND_ALLOW: '127.0.0.1', WEIR_RATE_LIMITS: 'off' })
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session)
  const { uid } = await insert({ host: '127.0.0.1', port, tls: 'off' })
  const leaving = new AbortController()
  const begin = async (path: string, body: object) => {
    const headers = { Cookie: session, 'Content-Type': 'application/json' }
    const { signal } = leaving
    const call = { method: 'POST', headers, body: JSON.stringify(body), signal }
    await assert.rejects(fetch(`${service.url}${path}`, call), { name: 'AbortError' })
  }
  const preview = { connection: { uid }, externalSql: 'SELECT 1' }
  const path = `/api/connection/${uid}/test`
  const left = [begin('/api/connector/import_preview', { preview }), begin(path, {})]
  await comesTrue(() => sockets.size === 2)
  assert.equal((await owner('POST', path)).status, 429)
  leaving.abort()
  await Promise.all(left)
  await comesTrue(() => sockets.size === 0)
  silent.close()
  // Both slots are free, and nothing listens any more.
  const { reason } = await eventually(async () => {
    const { status, text, body } = await owner('POST', path)
    assert.equal(status, 200, text)
    return body.test
  })
  assert.equal(reason, 'refused')
  await owner('DELETE', `/api/connection/${uid}`)
})

test('connections are those of their organization, for callers with the right', async () => {
  const { uid } = await insert()
  const key = async (methods: readonly string[]) => {
    const capabilities = [{ resource: 'connection', methods }]
    const made = await owner('PUT', '/api/api_key', { api_key: { name: 'k', capabilities } })
    return caller(service, `api_key=${made.body.api_key.secretKey}`)
  }
  const reader = await key(['GET'])
  assert.equal((await reader('GET', `/api/connection/${uid}`)).status, 200)
  assert.equal((await reader('POST', `/api/connection/${uid}/test`)).status, 403)
  assert.equal((await reader('DELETE', `/api/connection/${uid}`)).status, 403)
  const writer = await key(['PUT'])
  assert.equal((await writer('GET', '/api/connection')).status, 403)
  await owner('DELETE', `/api/connection/${uid}`)
})
