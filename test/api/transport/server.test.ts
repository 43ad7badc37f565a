import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { createLog, MemoryBudget, systemClock } from '../../../src/base/index.ts'
import {
  buildServer,
  type HttpOperation,
  httpOperation,
  json,
  type ReadinessCheck,
  type WeirServer,
} from '../../../src/http/index.ts'
import { sendRaw } from '../../support/raw-http.ts'

const SECRET = '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0'
const lines: string[] = []
const closers: Array<() => Promise<void>> = []
after(async () => {
  for (const close of closers) await close()
})

const open = { methods: ['GET'], callers: 'anyone' } as const

async function start(options: {
  readonly readiness?: readonly ReadinessCheck[]
  readonly gate?: Promise<void>
  readonly operations?: readonly HttpOperation[]
}): Promise<{ server: WeirServer; port: number; url: string }> {
  const log = createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } })
  const server = buildServer({
    budget: new MemoryBudget(1e9),
    clock: systemClock,
    log,
    trustedProxies: [],
    readiness: options.readiness ?? [],
    operations: () => [
      httpOperation({
        ...open,
        methods: ['PUT'],
        path: '/api/echo',
        input: json(),
        run: ({ body }) => ({ body: body ?? null }),
      }),
      httpOperation({ ...open, name: 'getEcho', path: '/api/echo/:id', run: ({ ids }) => ids }),
      httpOperation({
        ...open,
        path: '/api/boom',
        run: () => {
          throw new Error(`disk at /secret/place?api_key=${SECRET}`)
        },
      }),
      httpOperation({
        ...open,
        path: '/api/slow',
        run: async () => {
          await options.gate
          return { done: true }
        },
      }),
      ...(options.operations ?? []),
    ],
  })
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  closers.push(() => server.close(0))
  return { server, port, url: `http://127.0.0.1:${port}` }
}

let port = 0
let url = ''
before(async () => {
  const started = await start({})
  port = started.port
  url = started.url
})

async function envelopeOf(answer: Response): Promise<{ code: string; message: string }> {
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  const body = (await answer.json()) as { success: boolean; code: string; message: string }
  assert.equal(body.success, false)
  return body
}

test('every answer carries the version and a request id, given or made', async () => {
  const made = await fetch(`${url}/healthz`)
  assert.match(made.headers.get('weir-version') ?? '', /^\d+\.\d+\.\d+/)
  assert.match(made.headers.get('x-request-id') ?? '', /^[\w-]+$/)
  const given = await fetch(`${url}/nowhere`, { headers: { 'X-Request-Id': 'abc.1' } })
  assert.equal(given.headers.get('x-request-id'), 'abc.1')
  assert.ok(lines.some((line) => line.includes('"requestId":"abc.1"')))
})

test('unknown paths, wrong methods and broken URLs get the envelope', async () => {
  const check = async (method: string, path: string, status: number, code: string) => {
    const answer = await fetch(`${url}${path}`, { method })
    assert.equal(answer.status, status, path)
    assert.equal((await envelopeOf(answer)).code, code, path)
    return answer
  }
  await check('GET', '/nowhere', 404, 'not_found')
  const wrong = await check('POST', '/api/echo', 405, 'method_not_allowed')
  assert.equal(wrong.headers.get('allow'), 'PUT')
  await check('DELETE', '/api/echo/a%2Fb', 405, 'method_not_allowed')
  await check('GET', '/api/echo/%zz', 400, 'bad_input')
  for (const body of ['no JSON', 'x'.repeat(2e6)]) {
    const wrongToo = await fetch(`${url}/api/echo`, { method: 'POST', body })
    assert.equal((await envelopeOf(wrongToo)).code, 'method_not_allowed', 'whatever the body is')
    const nowhere = await fetch(`${url}/nowhere`, { method: 'PUT', body })
    assert.equal((await envelopeOf(nowhere)).code, 'not_found', 'whatever the body is')
  }
  const broken = await fetch(`${url}/api/echo/%ff?api_key=${SECRET}`)
  assert.ok(!(await broken.text()).includes(SECRET))
})

test('an error closes the connection only when a body was left unread', async () => {
  const { text } = await sendRaw(
    port,
    'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  )
  assert.match(text, /^HTTP\/1\.1 404 [\s\S]*HTTP\/1\.1 200 /)
  const head = 'PUT /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  const large = await sendRaw(port, `${head}Content-Length: 2000000\r\n\r\n${' '.repeat(2e6)}`)
  assert.equal(large.status, 413)
  assert.equal(large.headers.connection, 'close')
})

test('a client that sends on after it was refused still reads the answer', async () => {
  const chunk = 'x'.repeat(100_000)
  const type = 'Content-Type: application/json\r\n'
  const head = `PUT /api/echo HTTP/1.1\r\nHost: x\r\n${type}`
  const sized = await sendRaw(port, `${head}Content-Length: 8000000\r\n\r\n${chunk.repeat(80)}`)
  assert.equal(sized.status, 413)
  const chunked = `186a0\r\n${chunk}\r\n`.repeat(80)
  const stream = await sendRaw(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunked}0\r\n\r\n`)
  assert.equal(stream.status, 413)
  assert.equal(JSON.parse(stream.body).code, 'body_too_large')
})

test('a hot operation is served by the front, with the same headers, and its errors are answered', async () => {
  const fast = await start({
    operations: [
      httpOperation({ ...open, path: '/api/fast', isHot: true, run: () => ({ fast: true }) }),
      httpOperation({
        ...open,
        path: '/api/fast/broken',
        isHot: true,
        run: () => {
          throw new Error('a hot operation broke')
        },
      }),
    ],
  })
  const served = await fetch(`${fast.url}/api/fast`, { headers: { Origin: 'https://o.example' } })
  assert.deepEqual(await served.json(), { fast: true })
  for (const name of ['weir-version', 'x-request-id', 'access-control-allow-origin']) {
    assert.ok(served.headers.has(name), name)
  }
  const broken = await fetch(`${fast.url}/api/fast/broken`)
  assert.equal(broken.status, 500)
  assert.equal((await envelopeOf(broken)).code, 'internal')
  assert.equal((await fetch(`${fast.url}/healthz`)).status, 200)
  const metrics = await (await fetch(`${fast.url}/metrics`)).text()
  assert.match(metrics, /weir_http_requests_total\{call="admin",status="200"\} 1/)
})

test('a failure on our side returns an incident ID and nothing else', async () => {
  const answer = await fetch(`${url}/api/boom`)
  assert.equal(answer.status, 500)
  const { message } = await envelopeOf(answer)
  const incident =
    /^Internal error\. Incident ([0-9a-f-]{36}) is in the log of the service$/.exec(message)?.[1] ??
    'none'
  assert.ok(!message.includes('place'))
  const line = lines.find((one) => one.includes(incident)) ?? ''
  assert.match(line, /disk at \/secret\/place/)
})

test('path parameters keep slashes, spaces and any script when percent-encoded', async () => {
  for (const id of ['a/b', 'a b', '1,2', 'Heizung 🔥', 'x'.repeat(512), '[0]:1']) {
    const answer = await fetch(`${url}/api/echo/${encodeURIComponent(id)}`)
    assert.deepEqual(await answer.json(), { id })
  }
})

test('request bodies may be compressed', async () => {
  const text = JSON.stringify({ a: [1, 2, 3] })
  const check = async (encoding: string, body: Uint8Array<ArrayBuffer>) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding }
    const answer = await fetch(`${url}/api/echo`, { method: 'PUT', headers, body })
    assert.deepEqual(await answer.json(), { body: { a: [1, 2, 3] } }, encoding)
  }
  await check('gzip', gzipSync(text))
  await check('deflate', deflateSync(text))
  await check('br', brotliCompressSync(text))
  await check('zstd', zstdCompressSync(text))
  await check('identity', Buffer.from(text))
})

test('bodies that cannot be taken are refused with what to change', async () => {
  const check = async (
    headers: Record<string, string>,
    body: string | Uint8Array<ArrayBuffer>,
    expected: { status: number; code: string; message: RegExp },
  ) => {
    const answer = await fetch(`${url}/api/echo`, { method: 'PUT', headers, body })
    assert.equal(answer.status, expected.status)
    const { code, message } = await envelopeOf(answer)
    assert.equal(code, expected.code)
    assert.match(message, expected.message)
  }
  const json = { 'Content-Type': 'application/json' }
  const gzip = { ...json, 'Content-Encoding': 'gzip' }
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  const broken = { status: 400, code: 'bad_input', message: /Cannot decompress the gzip body/ }
  const large = { status: 413, code: 'body_too_large', message: /At most 1048576 bytes/ }
  const media = { status: 415, code: 'unsupported_media_type', message: /./ }
  await check(json, '{"a":', { status: 400, code: 'bad_input', message: /JSON/ })
  await check(json, `${'['.repeat(70)}${']'.repeat(70)}`, {
    status: 400,
    code: 'bad_input',
    message: /64 levels/,
  })
  await check(gzip, gzipSync('{"a":1}').subarray(0, 15), broken)
  await check(gzip, 'not gzip', broken)
  await check(gzip, bomb, large)
  await check(json, `"${'x'.repeat(1_100_000)}"`, large)
  await check({ ...json, 'Content-Encoding': 'compress' }, '{}', media)
  await check({ ...json, 'Content-Encoding': 'constructor' }, '{}', media)
  await check({ 'Content-Type': 'application/xml' }, '<a/>', media)
})

test('an empty body is no body, whatever its type says', async () => {
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/xml']) {
    const head = `PUT /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n`
    const answer = await sendRaw(port, `${head}Content-Length: 0\r\nConnection: close\r\n\r\n`)
    assert.equal(answer.status, 200, answer.text)
    const bare = await sendRaw(port, `${head}Connection: close\r\n\r\n`)
    assert.equal(bare.status, 200, bare.text)
    const chunked = `${head}Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`
    const compressed = await sendRaw(port, chunked)
    assert.equal(compressed.status, 200, compressed.text)
  }
})

test('small devices: an empty or missing Host, HTTP/1.0, and a prompt close', async () => {
  const check = async (request: string) => assert.equal((await sendRaw(port, request)).status, 200)
  await check('GET /healthz HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n')
  await check('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')
  await check('GET /healthz HTTP/1.0\r\n\r\n')
  await check(
    'GET http://weir.example:8080/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  )
  await check('GET /healthz?&_=1700 HTTP/1.0\r\nHost:\r\n\r\n')
})

test('what is no HTTP, or has too long a head, is answered with the envelope', async () => {
  const noise = await sendRaw(port, 'hello there\r\n\r\n')
  assert.equal(noise.status, 400)
  assert.equal(JSON.parse(noise.body).code, 'bad_input')
  const long = await sendRaw(port, `GET /?a=${'1,'.repeat(2_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
  assert.equal(long.status, 431)
  assert.equal(JSON.parse(long.body).code, 'headers_too_large')
  const fits = `GET /healthz?a=${'1,'.repeat(120_000)} HTTP/1.1\r\nHost: x\r\n`
  assert.equal((await sendRaw(port, `${fits}Connection: close\r\n\r\n`)).status, 200)
})

test('headers are bounded by their bytes, whatever their number', async () => {
  const request = (count: number) => {
    const headers = Array.from({ length: count }, (_, at) => `x${at}: 1\r\n`).join('')
    return `GET /healthz HTTP/1.1\r\n${headers}X-Request-Id: last-of-all\r\nConnection: close\r\n\r\n`
  }
  const many = await sendRaw(port, request(20_000))
  assert.deepEqual([many.status, many.headers['x-request-id']], [200, 'last-of-all'])
  const tooMany = await sendRaw(port, request(40_000))
  assert.equal(tooMany.status, 431)
  assert.equal(JSON.parse(tooMany.body).code, 'headers_too_large')
})

test('pages of other origins may call the API, without cookies', async () => {
  const preflight = await fetch(`${url}/api/echo`, {
    method: 'OPTIONS',
    headers: { Origin: 'https://other.example', 'Access-Control-Request-Method': 'PUT' },
  })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PUT/)
  assert.equal(preflight.headers.get('access-control-allow-credentials'), null)
  const get = await fetch(`${url}/api/echo/a`, { headers: { Origin: 'https://other.example' } })
  assert.equal(get.headers.get('access-control-allow-origin'), '*')
  const metrics = await fetch(`${url}/metrics`, { headers: { Origin: 'https://other.example' } })
  assert.equal(metrics.headers.get('access-control-allow-origin'), null)
})

test('/readyz says what is wrong', async () => {
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  let problem: string | undefined = 'the disk is full'
  const other = await start({ readiness: [{ name: 'samples', findProblem: () => problem }] })
  const answer = await fetch(`${other.url}/readyz`)
  assert.equal(answer.status, 503)
  assert.equal((await envelopeOf(answer)).message, 'samples: the disk is full')
  problem = undefined
  assert.equal((await fetch(`${other.url}/readyz`)).status, 200)
})

test('log lines have durations in milliseconds with three decimals at most', async () => {
  await (await fetch(`${url}/api/echo/timed`)).text()
  const logged = lines.filter((line) => line.includes('"durationMs"'))
  assert.ok(logged.length > 0)
  for (const line of logged) assert.match(line, /"durationMs":\d+(?:\.\d{1,3})?[,}]/)
})

test('/metrics counts requests by the kind of call', async () => {
  await fetch(`${url}/api/echo/x`)
  const text = await (await fetch(`${url}/metrics`)).text()
  assert.match(text, /weir_http_requests_total\{call="admin",status="200"\} \d+/)
  assert.match(text, /weir_http_request_duration_seconds_bucket\{.*le="\+Inf"\} \d+/)
  assert.match(text, /process_resident_memory_bytes/)
})

test('/openapi.json describes the routes and /docs renders it without the internet', async () => {
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as {
    openapi: string
    paths: Record<string, unknown>
  }
  assert.equal(description.openapi, '3.1.0')
  assert.ok('/api/echo/{id}' in description.paths)
  const page = await (await fetch(`${url}/docs/`)).text()
  assert.match(page, /swagger-ui/)
  assert.doesNotMatch(page, /(?:src|href)="https?:/)
})

test('close() lets a running call finish and refuses what comes meanwhile', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const stopping = await start({ gate })
  const running = fetch(`${stopping.url}/api/slow`)
  while (stopping.server.traffic.inFlight === 0) await new Promise(setImmediate)
  const closed = stopping.server.close(10_000)
  const refused = await fetch(`${stopping.url}/healthz`)
  assert.equal(refused.status, 503)
  assert.equal(refused.headers.get('retry-after'), '5')
  assert.equal((await envelopeOf(refused)).code, 'shutting_down')
  open()
  assert.deepEqual(await (await running).json(), { done: true })
  await closed
  await assert.rejects(fetch(`${stopping.url}/healthz`))
})

test('the log holds no secret of a URL', async () => {
  await fetch(`${url}/api/echo/q?api_key=${SECRET}&session=${SECRET}`, {
    headers: { Authorization: `Bearer ${SECRET}`, Cookie: `api_key=${SECRET}` },
  })
  await fetch(`${url}/nowhere?api%5Fkey=${SECRET}`)
  assert.ok(lines.length > 10)
  assert.deepEqual(
    lines.filter((line) => line.includes(SECRET)),
    [],
  )
})
