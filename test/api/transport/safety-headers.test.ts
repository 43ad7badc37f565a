/** What answers tell browsers, and what they do not tell strangers. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createLog, systemClock } from '../../../src/base/index.ts'
import { readContentType } from '../../../src/http/files/file-headers.ts'
import { buildServer } from '../../../src/http/index.ts'
import { type Service, startService } from '../../support/service.ts'

async function serviceWith(t: TestContext, settings: Record<string, string>): Promise<Service> {
  const service = await startService({ settings })
  t.after(() => service.close())
  return service
}

const TOKEN = 'a-token-of-the-scraper'

test('nosniff is on every answer, also of the fast lane; HSTS is not sent without TLS', async (t) => {
  const service = await serviceWith(t, {})
  const feed = `/api/comp/nobody/feed?api_key=${service.feedKey}`
  for (const path of ['/healthz', '/nowhere', feed, '/api/feed']) {
    const { headers } = await fetch(service.url + path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    assert.equal(headers.get('strict-transport-security'), null, path)
  }
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
  assert.equal(await status({ WEIR_METRICS: 'open' }, proxied), 200)
  const locked = { WEIR_METRICS: `token:${TOKEN}` }
  assert.equal(await status(locked, {}), 401)
  assert.equal(await status(locked, { authorization: 'Bearer wrong' }), 401)
  assert.equal(await status(locked, { authorization: `Bearer ${TOKEN}` }), 200)
  await assert.rejects(serviceWith(t, { WEIR_METRICS: 'token:short' }))
})

test('a 503 of a failed disk names no folder', async (t) => {
  const problem = 'cannot prepare /srv/weir data/journal/00000007: EIO'
  const server = await buildServer({
    ...{ clock: systemClock, log: createLog({ level: 'silent' }), trustedProxies: [] },
    readiness: [{ name: 'samples', findProblem: () => problem }],
    addRoutes: () => {},
  })
  t.after(() => server.close(0))
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
  assert.equal(answer.status, 503)
  const { message } = (await answer.json()) as { message: string }
  assert.doesNotMatch(message, /\//)
  assert.match(message, /cannot prepare .*00000007: EIO/)
})

test('readContentType() keeps no line feed, which no header can carry', () => {
  assert.equal(readContentType('text/plain\n; charset=utf-8'), 'application/octet-stream')
  assert.equal(readContentType('text/plain\r\n; a=b'), 'application/octet-stream')
  assert.equal(readContentType('text/plain \t; charset=utf-8'), 'text/plain \t; charset=utf-8')
})
