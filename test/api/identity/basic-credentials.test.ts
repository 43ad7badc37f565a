/** API keys as `Authorization: Token` and Basic: on the strict front, through Node's parser, and in browsers. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sendRaw } from '../../support/raw-http.ts'
import { type Service, startService } from '../../support/service.ts'

const NOBODY = '11111111-2222-4333-8444-555555555555'
let service: Service
let key: string
before(async () => {
  // Two failures a minute: a third one shows as 429.
  service = await startService({ settings: { WEIR_RATE_LIMITS: 'failed=2/1m' } })
  key = service.feedKey
})
after(() => service.close())

const basic = (decoded: string) => `Basic ${Buffer.from(decoded).toString('base64')}`

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
}

async function send(authorization: string, { method = 'PUT', path, headers }: Sent = {}) {
  const answer = await fetch(`${service.url}${path ?? '/api/feed?compId=c&s=1'}`, {
    method,
    headers: { Authorization: authorization, ...headers },
  })
  await answer.bytes()
  return answer
}

const statusOf = async (authorization: string, sent?: Sent) =>
  (await send(authorization, sent)).status

/** A path of the fast path, one with an unusual spelling, and one that the front leaves to Node's parser. */
const READS = ['/api/comp/c/stream/s/feed', '/api/comp/c/stream/%73/feed', '/api/comp/c/property']

test('a key is taken as Token, and as Basic in each form', async () => {
  assert.equal(await statusOf(`Token ${key}`), 200)
  const forms = [`${key}:`, `:${key}`, `anyone:${key}`, `${NOBODY}:${key}`].map(basic)
  for (const authorization of [`Token ${key}`, `token ${key}`, ...forms]) {
    assert.equal(await statusOf(authorization), 200, authorization)
    for (const path of READS) {
      assert.equal(await statusOf(authorization, { method: 'GET', path }), 200, path)
    }
  }
})

test('a value that is not shaped like a key counts as absent, and as no failure', async () => {
  const others = [':', '', 'proxy:secret', 'proxy:', ':secret', `${key}:secret`, `${key}x:`]
  const values = [...others.map(basic), 'Basic %%%', 'Basic', 'Token', 'Token x', `Token ${key}x`]
  for (const authorization of values) {
    const answer = await send(authorization)
    assert.equal(answer.status, 401, authorization)
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="Weir"')
    const headers = { 'X-Api-Key': key }
    assert.equal(await statusOf(authorization, { headers }), 200, authorization)
  }
})

test('everything that was taken before beats Token and Basic', async () => {
  for (const authorization of [`Token ${NOBODY}`, basic(`:${NOBODY}`)]) {
    const path = `/api/feed?compId=c&s=1&api_key=${key}`
    assert.equal(await statusOf(authorization, { path }), 200)
    assert.equal(await statusOf(authorization, { headers: { Cookie: `api_key=${key}` } }), 200)
    assert.equal(await statusOf(authorization, { headers: { 'X-Api-Key': key } }), 200)
  }
})

test('a page of another site cannot write by Basic, which browsers attach by themselves', async () => {
  const authorization = basic(`:${key}`)
  const foreign: Record<string, string>[] = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { Origin: 'https://evil.example' },
  ]
  const calls = [
    { method: 'PUT', path: '/api/feed?compId=c&s=1' },
    { method: 'GET', path: '/api/feed?asPut&compId=c&s=1' },
    { method: 'PUT', path: '/api/comp/c/stream/f/feed/file/a.txt' },
    { method: 'POST', path: '/api/comp/c/property' },
  ]
  for (const call of calls) {
    for (const headers of foreign) {
      assert.equal(await statusOf(authorization, { ...call, headers }), 403, call.path)
    }
  }
  assert.equal(await statusOf(`Token ${key}`, { headers: foreign[1] }), 200)
  assert.equal(await statusOf(authorization, { headers: { 'Sec-Fetch-Site': 'same-origin' } }), 200)
})

test('requests that share one head are all let in, on the strict front', async () => {
  const head = [
    'PUT /api/feed?compId=c&s=1 HTTP/1.1',
    `Host: 127.0.0.1:${service.port}`,
    `Authorization: ${basic(`:${key}`)}`,
    'Content-Length: 0',
  ]
  const request = `${head.join('\r\n')}\r\n\r\n`
  const last = `${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n`
  const { text } = await sendRaw(service.port, request + request + last)
  assert.equal(text.match(/HTTP\/1\.1 200/g)?.length, 3, text)
})

test('keys of these headers stand in no log line', () => {
  const encoded = Buffer.from(`:${key}`).toString('base64')
  for (const secret of [key, encoded]) {
    assert.ok(!service.logLines.some((line) => line.includes(secret)))
  }
})

test('a wrong key of the right shape is a failed sign-in', async () => {
  const statuses = []
  for (const authorization of [`Token ${NOBODY}`, basic(`${NOBODY}:`), basic(`x:${NOBODY}`)]) {
    statuses.push(await statusOf(authorization))
  }
  assert.deepEqual(statuses, [401, 401, 429])
})
