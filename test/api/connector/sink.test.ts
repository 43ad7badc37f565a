import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import {
  type ConnectorHome,
  startConnectorHome,
  VALUES_SQL,
  valuesBody,
} from '../../support/connector-home.ts'

let home: ConnectorHome
before(async () => {
  home = await startConnectorHome()
  await home.make('values', VALUES_SQL)
  await home.make('echo', ECHO_SQL)
})
after(() => home.service.close())

/** Stores what SQL sees of a call. */
const ECHO_SQL = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT 'echo', 'body', 1000, ifNull(@HTTP_BODY, 'NULL')
UNION ALL SELECT 'echo', 'query', 1000, @HTTP_QUERY_STRING
UNION ALL SELECT 'echo', 'method', 1000, @HTTP_METHOD
UNION ALL SELECT 'echo', 'connector', 1000, @CONNECTOR_ID`

async function seen(): Promise<Record<string, unknown>> {
  const names = ['body', 'query', 'method', 'connector']
  const found = await Promise.all(names.map((name) => home.samples('echo', name)))
  return Object.fromEntries(names.map((name, at) => [name, found[at][0]?.[1]]))
}

test('a webhook becomes samples, of components that it creates', async () => {
  const body = valuesBody('d1', { s: 'temp', x: 21.5, t: 1_700_000_000_000 }, { s: 'hum', x: 40 })
  const sent = await home.send('values', { body })
  assert.equal(sent.status, 200, sent.text)
  assert.equal(sent.text, '{"success":true,"message":"","samples":2}')
  assert.deepEqual(await home.samples('d1', 'temp'), [[1_700_000_000_000, 21.5]])
  assert.equal((await home.samples('d1', 'hum')).length, 1)
})

test('a text that is no number is not counted as a stored sample', async () => {
  const body = valuesBody('d2', { s: 'temp', x: 'abc', t: 1_700_000_000_000 }, { s: 'hum', x: 40 })
  const sent = await home.send('values', { body })
  assert.equal(sent.text, '{"success":true,"message":"","samples":1}')
  assert.deepEqual(await home.samples('d2', 'temp'), [])
  assert.equal((await home.samples('d2', 'hum')).length, 1)
})

test('all four methods hand over body, query and method', async () => {
  for (const method of ['PUT', 'POST', 'GET', 'DELETE']) {
    const isGet = method === 'GET'
    const sent = await home.send('echo', {
      method,
      query: 'a=x+y%2Bz&b=%C3%A4%zz',
      ...(isGet ? {} : { body: 'text' }),
    })
    assert.equal(sent.status, 200, sent.text)
    assert.deepEqual(await seen(), {
      method,
      connector: 'echo',
      body: isGet ? 'NULL' : 'text',
      query: `api_key=${home.service.feedKey}&a=x y+z&b=ä%zz`,
    })
  }
  const other = await home.send('echo', { method: 'PATCH' })
  assert.equal(other.status, 405, other.text)
})

test('any type of body is text: forms, none, gzip, latin1, marks, unknown encodings', async () => {
  const f = async (body: string | Uint8Array, headers: Record<string, string>, text: string) => {
    const sent = await home.send('echo', { body, headers })
    assert.equal(sent.status, 200, sent.text)
    assert.equal((await seen()).body, text)
  }
  await f('a=1&b=%20x', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=1&b=%20x')
  await f('{"broken', { 'Content-Type': 'application/json' }, '{"broken')
  await f('x', { 'Content-Type': 'no type at all' }, 'x')
  const latin1 = { 'Content-Type': 'text/plain; charset=iso-8859-1' }
  await f(Buffer.from('22 °C', 'latin1'), latin1, '22 °C')
  await f(Buffer.from('\ufeffmark'), { 'Content-Type': 'text/csv' }, 'mark')
  await f(gzipSync('packed ü'), { 'Content-Encoding': 'gzip' }, 'packed ü')
  await f(brotliCompressSync('packed'), { 'Content-Encoding': 'br' }, 'packed')
  await f('plain', { 'Content-Encoding': 'utf-8' }, 'plain')
  await f(gzipSync('listed'), { 'Content-Encoding': 'identity, utf-8, GZIP' }, 'listed')
  const twice = await home.send('echo', {
    body: gzipSync(gzipSync('x')),
    headers: { 'Content-Encoding': 'gzip, gzip' },
  })
  assert.equal(twice.status, 400, twice.text)
  await f('', {}, 'NULL')
  const broken = await home.send('echo', { body: 'x', headers: { 'Content-Encoding': 'gzip' } })
  assert.equal(broken.status, 400, broken.text)
})

test('a body beyond the bound is a 413, sent or inflated, and nothing is kept of it', async () => {
  const uid = await home.make('large', ECHO_SQL)
  const body = Buffer.alloc(10_000_001, 'x')
  assert.equal((await home.send('large', { body })).status, 413)
  const headers = { 'Content-Encoding': 'gzip' }
  assert.equal((await home.send('large', { body: gzipSync(body), headers })).status, 413)
  const kept = await home.owner('GET', `/api/connector/${uid}/payload`)
  assert.equal(kept.body.totalCount, 0)
})

test('a connector that is unknown, disabled or of another organization is a 404', async () => {
  const uid = await home.make('off', VALUES_SQL, { isEnabled: false })
  for (const options of [{}, { method: 'GET' }]) {
    assert.equal((await home.send('off', options)).status, 404)
    assert.equal((await home.send('nosuch', options)).status, 404)
  }
  const orgUid = '00000000-0000-4000-8000-000000000000'
  assert.equal((await home.send('values', { orgUid })).status, 404)
  await home.owner('POST', `/api/connector/${uid}`, { connector: { isEnabled: true } })
  assert.equal((await home.send('off', { body: valuesBody('on') })).status, 200)
  await home.owner('POST', `/api/connector/${uid}`, { connector: { isEnabled: false } })
  assert.equal((await home.send('off', { body: valuesBody('on') })).status, 404)
})

/** Refuses an answer that shows the sender of a webhook something of the connector's SQL. */
function assertHidesSql({ body, text }: { body: Record<string, unknown>; text: string }): void {
  for (const field of ['line', 'column', 'pointer', 'field']) assert.equal(body[field], undefined)
  assert.doesNotMatch(text, /SELECT|INSERT|TOEPOCHMILLIS|procs|[Ll]ine \d/)
  assert.equal(body.success, false)
}

test('SQL that fails is a 422 without the SQL, nothing is stored, and the payload is kept with its place', async () => {
  const sql = `${VALUES_SQL};\nINSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)\nSELECT 'd2', 'x', TOEPOCHMILLIS('no date', 'yyyy'), 1`
  const uid = await home.make('fails', sql)
  const sent = await home.send('fails', { body: valuesBody('d2', { s: 'x', x: 1 }) })
  assert.equal(sent.status, 422, sent.text)
  assert.equal(sent.body.code, 'sql_error')
  assertHidesSql(sent)
  assert.deepEqual(await home.samples('d2', 'x'), [])
  const broken = await home.send('values', { body: '{"d":' })
  assert.equal(broken.status, 422, broken.text)
  const { body } = await home.owner('GET', `/api/connector/${uid}/payload`)
  assert.equal(body.totalCount, 1)
  assert.equal(body.payload[0].status, 'FAILED')
  assert.match(body.payload[0].message, /^Line 5/)
})

test('several procs run in their order, in one call; a mistake names the proc', async () => {
  const insert = (stream: string, value: string) =>
    `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'procs', '${stream}', 5, ${value} -- end`
  const procs = [{ sql: insert('a', '1') }, { sql: `-- two\n${insert('b', '@HTTP_BODY')}` }]
  await home.make('procs', '', { procs })
  const sent = await home.send('procs', { body: '7' })
  assert.equal(sent.status, 200, sent.text)
  assert.equal(sent.body.samples, 2)
  const second = { sql: `-- two\n${insert('c', "TOEPOCHMILLIS(@HTTP_BODY, 'yyyy')")}` }
  const uid = await home.make('procs2', '', { procs: [{ sql: insert('c', '1') }, second] })
  const failed = await home.send('procs2', { body: 'no year' })
  assert.equal(failed.status, 422, failed.text)
  assertHidesSql(failed)
  const kept = await home.owner('GET', `/api/connector/${uid}/payload`)
  assert.match(kept.body.payload[0].message, /^procs\[1\], line 2/)
  assert.deepEqual(await home.samples('procs', 'c'), [])
})

test('samples that are refused are a 4xx without the SQL; the payload keeps the reason', async () => {
  const insert = 'INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT'
  const cases = {
    'bad-time': `${insert} 'secret-name', 'x', -99999999999999999, 1`,
    'bad-id': `${insert} '', 'x', 1, 1`,
  }
  for (const [id, sql] of Object.entries(cases)) {
    const uid = await home.make(id, sql)
    const refused = await home.send(id, { body: '{}' })
    assert.ok(refused.status >= 400 && refused.status < 500, refused.text)
    assertHidesSql(refused)
    assert.doesNotMatch(refused.text, /secret-name/)
    const { body } = await home.owner('GET', `/api/connector/${uid}/payload`)
    assert.notEqual(body.payload[0].message, refused.body.message)
  }
})

test('the rights of the running user hold, and its leaving ends the connector', async () => {
  const password = 'correct horse battery staple'
  const made = await home.owner('PUT', '/api/org_user', {
    org_user: {
      email: 'guest@example.com',
      role: 'GUEST',
      password,
      firstName: 'G',
      lastName: 'T',
    },
    currentPassword: home.service.ownerPassword,
  })
  assert.equal(made.status, 200, made.text)
  const { uid } = made.body.org_user
  const connectorUid = await home.make('guest', VALUES_SQL, { runningUser: { uid } })
  const refused = await home.send('guest', { body: valuesBody('g1', { s: 'x', x: 1 }) })
  assert.equal(refused.status, 403, refused.text)
  assert.equal(refused.body.code, 'forbidden')
  assert.match(refused.body.message, /^The runningUser of the connector lacks a permission/)
  assertHidesSql(refused)
  assert.deepEqual(await home.samples('g1', 'x'), [])
  const kept = await home.owner('GET', `/api/connector/${connectorUid}/payload`)
  assert.match(kept.body.payload[0].message, /It needs PUT on component/)
  const gone = await home.owner('DELETE', `/api/org_user/${uid}`, {
    currentPassword: home.service.ownerPassword,
  })
  assert.equal(gone.status, 200, gone.text)
  const orphan = await home.send('guest', { body: valuesBody('g1', { s: 'x', x: 1 }) })
  assert.equal(orphan.status, 403, orphan.text)
  assert.match(orphan.body.message, /runningUser/)
})

test('calls at once keep a sample each, at times of their own when they bring none', async () => {
  const sent = await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      home.send('values', { body: valuesBody('many', { s: 'n', x: at }) }),
    ),
  )
  for (const { status, text } of sent) assert.equal(status, 200, text)
  const samples = await home.samples('many', 'n')
  assert.equal(samples.length, 60)
  assert.deepEqual(new Set(samples.map(([, value]) => value)).size, 60)
})

test('a call that comes byte by byte, or with what the front leaves to others, is the same', async () => {
  const body = valuesBody('raw', { s: 'x', x: 3, t: 77 })
  const head = [
    `POST /api/conn_sink/${home.service.orgUid}/values?api_key=${home.service.feedKey} HTTP/1.1`,
    'Host: x',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ].join('\r\n')
  const socket = connect(home.service.port, '127.0.0.1')
  const text = `${head}\r\n\r\n${body}`
  for (let at = 0; at < text.length; at += 40) socket.write(text.slice(at, at + 40))
  const answered = Buffer.concat(await socket.toArray()).toString()
  assert.match(answered, /^HTTP\/1\.1 200/)
  assert.match(answered, /"samples":1\}$/)
  assert.deepEqual(await home.samples('raw', 'x'), [[77, 3]])
})
