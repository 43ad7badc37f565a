/** The headers of responses for browsers, and the information that unauthenticated clients must not get. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createLog, MemoryBudget, refuse, systemClock } from '../../../src/base/index.ts'
import { readContentType } from '../../../src/http/files/file-headers.ts'
import { buildServer, httpOperation } from '../../../src/http/index.ts'
import { type Service, startService } from '../../support/service.ts'

async function serviceWith(t: TestContext, settings: Record<string, string>): Promise<Service> {
  const service = await startService({ settings })
  t.after(() => service.close())
  return service
}

/** Where a proxy finds a service that announces another address. */
function plainUrl({ app }: Service): string {
  const { port } = app.server
  return `http://127.0.0.1:${port}`
}

const TOKEN = 'a-token-of-the-scraper'

test('nosniff is on every answer, also of the fast path; HSTS is not sent without TLS', async (t) => {
  const service = await serviceWith(t, {})
  const feed = `/api/comp/nobody/feed?api_key=${service.feedKey}`
  for (const path of ['/healthz', '/nowhere', '/%ff', feed, '/api/feed']) {
    const { headers } = await fetch(service.url + path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    assert.ok(headers.has('weir-version') && headers.has('x-request-id'), path)
    assert.equal(headers.get('strict-transport-security'), null, path)
  }
})

test('a file that is not there is a 404, whatever its folder serves', async (t) => {
  const service = await serviceWith(t, {})
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await fetch(`${service.url}/assets/nothing.js`, { method })
    assert.deepEqual([status, headers.get('allow')], [404, null], method)
  }
  const { status } = await fetch(`${service.url}/assets/nothing.js`, { method: 'POST' })
  assert.equal(status, 405)
})

test('HSTS is sent when people come over TLS that a proxy ends', async (t) => {
  const service = await serviceWith(t, { WEIR_PUBLIC_URL: 'https://weir.example.com' })
  for (const path of ['/healthz', `/api/comp/nobody/feed?api_key=${service.feedKey}`]) {
    const { headers } = await fetch(plainUrl(service) + path)
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000', path)
  }
  const plain = await serviceWith(t, { WEIR_PUBLIC_URL: 'http://weir.example.com' })
  assert.equal(
    (await fetch(`${plainUrl(plain)}/healthz`)).headers.get('strict-transport-security'),
    null,
  )
})

test('JSON answers run nothing and are in no frame; an empty one says nothing of a body', async (t) => {
  const service = await serviceWith(t, {})
  const feed = `/api/comp/nobody/feed?api_key=${service.feedKey}`
  const policy = "default-src 'none'; frame-ancestors 'none'"
  for (const path of ['/healthz', '/nowhere', '/%ff', feed, '/api/feed', '/openapi.json']) {
    const { headers } = await fetch(service.url + path)
    assert.match(headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(headers.get('content-security-policy'), policy, path)
  }
  assert.notEqual(
    (await fetch(`${service.url}/docs`)).headers.get('content-security-policy'),
    policy,
  )
  const put = `${service.url}/api/feed?compId=c&s=1&api_key=${service.feedKey}`
  const { status, headers } = await fetch(put, { method: 'PUT' })
  assert.deepEqual([status, headers.get('content-length')], [200, '0'])
  assert.equal(headers.get('content-type'), null)
  assert.equal(headers.get('content-security-policy'), null)
})

test('/metrics is for this machine, for all, or for who has the token', async (t) => {
  const status = async (settings: Record<string, string>, headers: Record<string, string>) => {
    const service = await startService({ settings })
    const answer = await fetch(`${service.url}/metrics`, { headers })
    await service.close()
    return answer.status
  }
  const proxied = { 'x-forwarded-for': '203.0.113.7' }
  assert.equal(await status({}, {}), 200)
  assert.equal(await status({}, proxied), 403)
  for (const header of ['via', 'x-real-ip', 'forwarded', 'x-forwarded-host']) {
    assert.equal(await status({}, { [header]: '1.1 proxy' }), 403, header)
  }
  assert.equal(await status({ WEIR_METRICS: 'open' }, proxied), 200)
  const locked = { WEIR_METRICS: `token:${TOKEN}` }
  assert.equal(await status(locked, {}), 401)
  assert.equal(await status(locked, { authorization: 'Bearer wrong' }), 401)
  assert.equal(await status(locked, { authorization: `Bearer ${TOKEN}` }), 200)
  await assert.rejects(serviceWith(t, { WEIR_METRICS: 'token:short' }))
})

test('a 503 of a failed disk names no folder, and the log has the whole reason', async (t) => {
  const problem = 'cannot prepare /srv/weir data/journal/00000007: EIO'
  const lines: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } })
  const fail = () => refuse('read_only', { what: problem, retryAfterSeconds: 5 })
  const server = buildServer({
    budget: new MemoryBudget(1e9),
    clock: systemClock,
    log,
    trustedProxies: [],
    readiness: [{ name: 'samples', findProblem: () => problem }],
    operations: () =>
      [true, false].map((isHot) =>
        httpOperation({
          methods: ['GET'],
          path: isHot ? '/hot' : '/route',
          callers: 'anyone',
          isHot,
          run: fail,
        }),
      ),
  })
  t.after(() => server.close(0))
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  for (const path of ['/readyz', '/hot', '/route']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    assert.equal(answer.status, 503)
    const { message } = (await answer.json()) as { message: string }
    assert.doesNotMatch(message, /\//)
    assert.match(message, /cannot prepare .*00000007: EIO/)
    const line = lines.find((each) => (JSON.parse(each) as { url: string }).url === path)
    assert.ok(line?.includes(problem), `the log lacks the reason of ${path}`)
  }
})

test('readContentType() keeps no line feed, which no header can carry', () => {
  assert.equal(readContentType('text/plain\n; charset=utf-8'), 'application/octet-stream')
  assert.equal(readContentType('text/plain\r\n; a=b'), 'application/octet-stream')
  assert.equal(readContentType('text/plain \t; charset=utf-8'), 'text/plain \t; charset=utf-8')
})
