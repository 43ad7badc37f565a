/** Who may run GS SQL over HTTP and what they see; queries that are saved; answers that are long. */
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'
import { settlesTo } from '../../support/settle.ts'

const service = serviceOfFile()
let session: string
let owner: Call
const uids = new Map<string, string>()

before(async () => {
  session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session)
  for (const id of ['a', 'b']) {
    const stream = ['s', 't'].map((name) => ({ id: name, valueType: 'DOUBLE' }))
    const { body, text } = await owner('PUT', '/api/component', { component: { id, stream } })
    uids.set(id, body.component.uid)
    for (const own of body.component.stream) uids.set(`${id}/${own.id}`, own.uid)
    const samples = ['s', 't'].flatMap((streamId) =>
      [1, 2, 3].map((time) => ({ compId: id, streamId, time, data: time })),
    )
    const put = await owner('PUT', '/api/feed', samples)
    assert.equal(put.status, 200, `${text}${put.text}`)
  }
})

const run = (by: Call, sql: string) => by('GET', `/api/gql?s=${encodeURIComponent(sql)}`)

async function rowsOf(by: Call, sql: string): Promise<unknown[][]> {
  const { status, body, text } = await run(by, sql)
  assert.equal(status, 200, `${sql}\n${text}`)
  return body.rows
}

async function keyWith(...capabilities: [resource: string, methods: string[]][]): Promise<Call> {
  const api_key = {
    name: 'k',
    capabilities: capabilities.map(([resource, methods]) => ({ resource, methods })),
  }
  const { status, body, text } = await owner('PUT', '/api/api_key', {
    api_key,
    currentPassword: service.ownerPassword,
  })
  assert.equal(status, 200, text)
  return caller(service, `api_key=${body.api_key.secretKey}`)
}

const STREAMS = 'SELECT cid, id FROM STREAM ORDER BY cid, id'
const COUNTS = 'SELECT cid, id, count(*) FROM SAMPLE GROUP BY cid, id ORDER BY cid, id'
const RAW = 'SELECT cid, id, time * 2 FROM SAMPLE WHERE time = 1 ORDER BY cid, id'

test('a narrow key sees the streams and components that it may read, and no others', async () => {
  const query: [string, string[]] = ['query', ['GET']]
  const one = await keyWith(query, [`component/${uids.get('a')}/feed`, ['GET']])
  assert.deepEqual(await rowsOf(one, STREAMS), [
    ['a', 's'],
    ['a', 't'],
  ])
  assert.deepEqual(await rowsOf(one, COUNTS), [
    ['a', 's', 3],
    ['a', 't', 3],
  ])
  assert.deepEqual(await rowsOf(one, RAW), [
    ['a', 's', 2],
    ['a', 't', 2],
  ])
  assert.deepEqual(await rowsOf(one, "SELECT cid FROM SAMPLE WHERE cid = 'b'"), [])
  const uid = uids.get('b/s')
  assert.deepEqual(await rowsOf(one, `SELECT cid FROM SAMPLE WHERE uid = '${uid}'`), [])
  // Its records are not open to it: neither columns nor conditions reveal them.
  assert.deepEqual(await rowsOf(one, 'SELECT cid, name FROM STREAM'), [])
  assert.deepEqual(await rowsOf(one, "SELECT cid FROM STREAM WHERE folderPath = '/Components'"), [])
  assert.deepEqual(await rowsOf(one, 'SELECT cid FROM COMPONENT'), [])
  const stream = await keyWith(query, [
    `component/${uids.get('a')}/stream/${uids.get('a/t')}/feed`,
    ['GET'],
  ])
  assert.deepEqual(await rowsOf(stream, STREAMS), [['a', 't']])
  const hidden = await keyWith(query, ['component', ['GET']], [`component/${uids.get('b')}`, []])
  assert.deepEqual(await rowsOf(hidden, 'SELECT cid, cname FROM COMPONENT'), [['a', 'a']])
  assert.deepEqual(await rowsOf(hidden, 'SELECT DISTINCT cname FROM STREAM'), [['a']])
  const records = await keyWith(query, ['component', ['GET']])
  assert.deepEqual((await rowsOf(records, STREAMS)).length, 4)
  const none = await keyWith(query)
  assert.deepEqual(await rowsOf(none, STREAMS), [])
  assert.deepEqual(await rowsOf(none, 'SELECT 1'), [[1]])
})

test('running GS SQL needs the right to queries, and INSERT the right to put', async () => {
  const feedOnly = await keyWith(['component/*/feed', ['GET', 'PUT']])
  const refused = await run(feedOnly, 'SELECT 1')
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
  const reader = await keyWith(['query', ['GET', 'POST']], ['component/*/feed', ['GET']])
  const sql = "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'a', 's', 9, 9"
  const insert = await reader('POST', '/api/gql', { sql })
  assert.deepEqual([insert.status, insert.body.code], [403, 'forbidden'], insert.text)
  assert.deepEqual(await rowsOf(owner, 'SELECT count(*) FROM SAMPLE WHERE time = 9'), [[0]])
  const nobody = await fetch(`${service.url}/api/gql?s=SELECT%201`)
  assert.equal(nobody.status, 401)
  await nobody.body?.cancel()
})

test('an organization sees nothing of another', async () => {
  const made = await owner('PUT', '/api/organization', { organization: { name: 'Other' } })
  assert.equal(made.status, 200, made.text)
  const other = caller(service, `${session}; org=${made.body.organization.uid}`)
  for (const sql of [STREAMS, COUNTS, RAW, 'SELECT cid FROM COMPONENT']) {
    assert.deepEqual(await rowsOf(other, sql), [], sql)
  }
  for (const [name, uid] of uids) {
    const column = name.includes('/') ? 'uid' : 'cuid'
    assert.deepEqual(await rowsOf(other, `SELECT cid FROM SAMPLE WHERE ${column} = '${uid}'`), [])
  }
})

test('an organization can be switched off: stored data is not read, all else goes on', async () => {
  const path = `/api/organization/${service.orgUid}`
  const { body: before } = await owner('GET', path)
  assert.equal(before.organization.gsSql, true)
  const off = await owner('POST', path, { organization: { gsSql: false } })
  assert.deepEqual([off.status, off.body.organization.gsSql], [200, false], off.text)
  await service.restart()
  owner = caller(service, session)
  const refused = await run(owner, STREAMS)
  assert.deepEqual([refused.status, refused.body.code], [403, 'gs_sql_not_included'])
  assert.deepEqual(await rowsOf(owner, 'SELECT 1'), [[1]])
  const sql = "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'a', 's', 1, 1"
  assert.equal((await owner('POST', '/api/gql', { sql })).status, 200)
  const on = await owner('POST', path, { organization: { gsSql: true } })
  assert.equal(on.status, 200)
  assert.equal((await rowsOf(owner, STREAMS)).length, 4)
})

test('a query is saved when its text has no mistake, and run by its UID', async () => {
  const query = { id: 'all', name: 'All streams', sql: STREAMS, timeZoneId: 'Europe/Berlin' }
  const made = await owner('PUT', '/api/query', { query: { ...query, description: 'every one' } })
  assert.equal(made.status, 200, made.text)
  const { uid, revision } = made.body.query
  assert.deepEqual([made.body.query.name, revision], ['All streams', 1])
  const results = await owner('GET', `/api/query/${uid}/results?c=1`)
  assert.deepEqual([results.body.rows, results.body.more], [[['a', 's']], true], results.text)
  const twice = await owner('PUT', '/api/query', { query })
  assert.deepEqual([twice.status, twice.body.code], [409, 'claim_taken'])
  const wrong = await owner('POST', `/api/query/${uid}`, {
    query: { sql: 'SELECT\n nope FROM STREAM' },
  })
  assert.deepEqual(
    [wrong.status, wrong.body.code, wrong.body.line, wrong.body.column],
    [400, 'bad_sql', 2, 2],
  )
  const blank = await owner('PUT', '/api/query', { query: { id: 'x' } })
  assert.deepEqual([blank.status, blank.body.field], [400, 'query.sql'])
  const changed = await owner('POST', `/api/query/${uid}`, { query: { sql: 'SELECT 5 AS five' } })
  assert.equal(changed.body.query.revision, 2, changed.text)
  const path = `${service.url}/api/query/${uid}/results?format=csv`
  const again = await fetch(path, { headers: { cookie: session } })
  assert.equal(await again.text(), 'five\r\n5\r\n')
  const { body: list } = await owner('GET', '/api/query')
  assert.equal(list.totalCount, 1)
  const other = await keyWith(['query', ['GET']], [`query/${uid}`, []])
  assert.equal((await other('GET', `/api/query/${uid}/results`)).status, 403)
  assert.equal((await owner('DELETE', `/api/query/${uid}`)).status, 200)
  assert.equal((await owner('GET', `/api/query/${uid}/results`)).status, 404)
})

test('omitted rows are marked, and samples are stored beside them', async () => {
  const insert = "INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE) SELECT 'a', 's', 4, 4"
  const sql = `${insert}; SELECT 1 UNION ALL SELECT 2`
  const { status, body, text: message } = await owner('POST', '/api/gql?c=1', { sql })
  assert.equal(status, 200, message)
  assert.deepEqual([body.rows, body.more, body.sampleCount], [[[1]], true, 1])
  assert.deepEqual(
    await rowsOf(owner, "SELECT count(*) FROM SAMPLE WHERE cid = 'a' AND id = 's'"),
    [[4]],
  )
  const { body: cut } = await owner('GET', '/api/gql?c=1&s=SELECT%201%20UNION%20ALL%20SELECT%202')
  assert.deepEqual([cut.rows, cut.more, cut.sampleCount], [[[1]], true, 0])
  const twice = await owner('GET', '/api/gql?s=SELECT%201&s=SELECT%202')
  assert.equal(twice.status, 400)
  assert.match(twice.text, /given more than once/)
})

const counting = (rows: number, more = '') =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT i, i * 2 AS two${more} FROM n`
const FILLER = 'x'.repeat(220)
/** 5,000 of its rows have more than the 1,000,000 characters that are held back before an answer begins. */
const LONG = counting(6_000, `, '${FILLER}' AS filler`)

test('a long answer comes whole, and one whose reader leaves ends its run', async () => {
  const rows = await rowsOf(owner, LONG)
  assert.equal(rows.length, 6_000)
  assert.deepEqual(rows[5_999], [6_000, 12_000, FILLER])
  const left = Promise.withResolvers<void>()
  const url = `${service.url}/api/gql?s=${encodeURIComponent(counting(900_000))}`
  const request = get(url, { headers: { cookie: session } }, (answer) => {
    answer.once('data', () => {
      answer.pause()
      request.destroy()
      left.resolve()
    })
  })
  request.on('error', () => {})
  await left.promise
  await settlesTo(async () => (await metrics()).sql, 0, 'runs')
  assert.deepEqual(await rowsOf(owner, 'SELECT 1'), [[1]])
})

/** Rows that are counted for ever, so that no answer begins. */
const ENDLESS =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'

test('a client that closes its connection before an answer begins ends its run', async () => {
  const { timedOut } = await metrics()
  const url = `${service.url}/api/gql?s=${encodeURIComponent(ENDLESS)}`
  const request = get(url, { headers: { cookie: session } })
  request.on('error', () => {})
  await settlesTo(async () => (await metrics()).sql, 1, 'runs')
  request.destroy()
  await settlesTo(async () => (await metrics()).sql, 0, 'runs')
  assert.equal((await metrics()).timedOut, timedOut)
})

test('a client that has closed its own side only has its answer', async () => {
  const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true })
  const path = `/api/gql?s=${encodeURIComponent(LONG)}&c=2`
  socket.end(`GET ${path} HTTP/1.1\r\nHost: a\r\nCookie: ${session}\r\n\r\n`)
  const answer = await text(socket)
  assert.match(answer, /^HTTP\/1\.1 200 /m)
  assert.match(answer, /"rows":\[\[1,2,"x+"\],\[2,4,"x+"\]\]/)
})

async function metrics(): Promise<{ readonly sql: number; readonly timedOut: number }> {
  const answer = await fetch(`${service.url}/metrics`)
  const message = await answer.text()
  const [, busy = '-1'] = /^weir_sql_runners_busy (\d+)$/m.exec(message) ?? []
  const [, timedOut = '-1'] = /^weir_sql_runs_total\{[^}]*"time"\} (\d+)$/m.exec(message) ?? []
  return { sql: Number(busy), timedOut: Number(timedOut) }
}

/** What comes of an answer until its connection is cut; fails where it comes to its end. */
async function brokenOff(sql: string, query = ''): Promise<string> {
  const url = `${service.url}/api/gql?s=${encodeURIComponent(sql)}${query}`
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  get(url, { headers: { cookie: session } }, async (answer) => {
    assert.equal(answer.statusCode, 200)
    let message = ''
    answer.setEncoding('utf8').on('data', (part) => {
      message += part
    })
    answer.once('end', () => reject(new Error('the answer came to its end')))
    answer.once('error', () => resolve(message))
  }).on('error', reject)
  return await promise
}

test('an answer that fails after its beginning has left is broken off, in JSON with the reason', async () => {
  // Not LONG: runners send equal texts once, and so all of its rows at once.
  const sql = `${counting(110_000)} UNION ALL SELECT i, TOEPOCHMILLIS('x', 'yyyy') FROM n WHERE i = 109999`
  const { rows, ...message } = JSON.parse(await brokenOff(sql))
  assert.deepEqual(rows[100_000], [100_001, 200_002])
  assert.deepEqual(
    [message.success, message.code, message.line],
    [false, 'sql_error', 1],
    message.message,
  )
  assert.match(message.message, /column 132: Cannot read "x" as a date/)
  assert.match(message.pointer, /\^/)
  const csv = await brokenOff(sql, '&format=csv')
  assert.match(csv, /^i,two\r\n1,2\r\n/)
})

test('more rows than an answer may have end it, and the response says so', async () => {
  const sql =
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000001) SELECT i FROM n'
  const { rows, ...message } = JSON.parse(await brokenOff(sql))
  assert.ok(rows.length > 900_000)
  assert.equal(message.success, false)
  assert.match(
    message.message,
    /Line 1, column \d+: Cannot run this: it returns more than 1000000 rows/,
  )
})

test('an answer that c cuts says so, in CSV by Weir-More before or behind its rows', async () => {
  const cut = async (count: number, form: string, version = '1.1') => {
    const socket = connect({ port: service.port, host: '127.0.0.1' })
    const path = `/api/gql?s=${encodeURIComponent(LONG)}&c=${count}&format=${form}`
    const headers = `Host: a\r\nCookie: ${session}\r\nConnection: close\r\n`
    socket.write(`GET ${path} HTTP/${version}\r\n${headers}\r\n`)
    const [head, ...rest] = (await text(socket)).split('\r\n\r\n')
    return { head, end: rest.join('\r\n\r\n').slice(-400) }
  }
  assert.match((await cut(5, 'csv')).head, /^weir-more: true$/im)
  assert.match((await cut(5, 'json')).head, /^weir-more: true$/im)
  assert.doesNotMatch((await cut(6_000, 'json')).head, /weir-more/i)
  const long = await cut(5_000, 'csv')
  assert.match(long.head, /^trailer: weir-more$/im)
  assert.match(long.end, /\r\n0\r\nweir-more: true(?:\r\n)*$/i)
  assert.match((await cut(6_000, 'csv')).end, /\r\n0\r\nweir-more: false(?:\r\n)*$/i)
  const old = await cut(5_000, 'csv', '1.0')
  assert.doesNotMatch(old.head, /trailer/i)
  assert.match(old.end, /5000,10000,x+\r\n$/)
})

test('samples that a person reads by SQL are logged as exports', async () => {
  const sql = "SELECT cid, id, sample FROM SAMPLE WHERE cid = 'b' AND id = 's' AND time >= 1"
  const url = `${service.url}/api/gql?format=csv&s=${encodeURIComponent(sql)}`
  const answer = await fetch(url, { headers: { cookie: session } })
  assert.equal((await answer.text()).split('\r\n').length, 5)
  await service.app.identity.exports.flush()
  const { body } = await owner('GET', '/api/audit?limit=50')
  const found = body.audit.filter(({ act }: { act: string }) => act === 'data_exported')
  assert.match(JSON.stringify(found), /\\"b\\".*\\"s\\"/)
})
