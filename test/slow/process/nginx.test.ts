import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Agent, fetch as fetchBy, request } from 'undici'
import { nginxSkip, startNginx } from '../../support/nginx.ts'
import { keepablePort } from '../../support/port.ts'
import { startService } from '../../support/service.ts'

/** nginx with a file of `deploy`, its ports and files replaced by others. */
async function startDeployed(t: TestContext, file: string, tlsPort: number): Promise<void> {
  const plainPort = await keepablePort()
  const site = file
    .replaceAll('/etc/ssl/weir/fullchain.pem', resolve('test/fixtures/localhost-cert.pem'))
    .replaceAll('/etc/ssl/weir/privkey.pem', resolve('test/fixtures/localhost-key.pem'))
    .replaceAll(/listen \[::\]:.*\n/g, '')
    .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${tlsPort} ssl;`)
  await startNginx(t, site, tlsPort)
}

test('deploy/nginx.conf lets every kind of call through, over TLS, with the address of the caller', {
  skip: nginxSkip(),
}, async (t) => {
  const tlsPort = await keepablePort()
  const url = `https://localhost:${tlsPort}`
  const settings = { WEIR_PUBLIC_URL: url, WEIR_TRUSTED_PROXIES: '127.0.0.1' }
  const weirPort = await keepablePort()
  const service = await startService({ settings: { ...settings, WEIR_PORT: String(weirPort) } })
  t.after(() => service.close())
  const file = readFileSync('deploy/nginx.conf', 'utf8')
  await startDeployed(t, file.replaceAll('127.0.0.1:8080;', `127.0.0.1:${weirPort};`), tlsPort)
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false }, maxHeaderSize: 300_000 })
  t.after(() => dispatcher.close())
  const call = (path: string, init: object = {}) =>
    fetchBy(`${url}${path}`, {
      dispatcher,
      ...init,
      headers: { 'X-Api-Key': service.feedKey, ...Object(init).headers },
    })
  const put = await call('/api/feed?compId=c&s=1', { method: 'PUT' })
  assert.equal(put.status, 200)
  assert.equal(put.headers.get('strict-transport-security'), 'max-age=31536000')
  const values = Array.from({ length: 20_000 }, (_, at) => at % 100).join(',')
  const long = await call(`/api/feed?compId=long&freq=1&s=${values}`, { method: 'PUT' })
  assert.equal(long.status, 200, await long.text())
  const body = new Uint8Array(20 << 20).fill(65)
  const path = '/api/comp/c/stream/f/feed/file/n.bin'
  assert.equal((await call(path, { method: 'PUT', body })).status, 200)
  assert.equal((await (await call(path)).arrayBuffer()).byteLength, body.length)
  const strange = await call('/api/comp/a%2Fb%20%C3%A9/stream/%5B0%5D/feed')
  assert.equal(strange.status, 404)
  assert.match(await strange.text(), /a\/b é/)
  assert.equal((await call('/metrics')).status, 403)
  const live = await call('/api/live?comp=c&stream=s')
  let output = ''
  for await (const part of live.body ?? []) {
    output += new TextDecoder().decode(part)
    if (/"compId":"c",.*"streamId":"s",.*"data":1\}/.test(output)) break
  }
  assert.match(output, /"data":1\}/)
  const headers = { 'Content-Type': 'application/json' }
  const login = await call('/api/login', {
    method: 'POST',
    headers,
    body: JSON.stringify({ email: service.ownerEmail, password: service.ownerPassword }),
  })
  assert.match(login.headers.get('set-cookie') ?? '', /; Secure/)
  const { sessionUid } = (await login.json()) as { sessionUid: string }
  const listed = await call(`/api/session?session=${sessionUid}`)
  const { session } = (await listed.json()) as { session: Array<{ address: string }> }
  assert.equal(session[0].address, '127.0.0.1')
})

/** A server in the place of a process of a cluster, which answers with its number. */
async function startNumbered(t: TestContext, number: number) {
  const server = createServer((_, res) => res.end(String(number)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  t.after(close)
  return { port: (server.address() as AddressInfo).port, close }
}

test('deploy/cluster-nginx.conf can keep each caller, or each host name, at one process', {
  skip: nginxSkip(),
}, async (t) => {
  const numbers = [0, 1, 2]
  const servers = await Promise.all(numbers.map((number) => startNumbered(t, number)))
  const lines = servers.map(({ port }) => `server 127.0.0.1:${port} max_fails=2 fail_timeout=5s;`)
  const file = readFileSync('deploy/cluster-nginx.conf', 'utf8')
  const [hash] = /hash \$weir_key consistent;/.exec(file) ?? assert.fail()
  const tlsPort = await keepablePort()
  const site = file
    .replace(/^ {2}least_conn;$/m, hash)
    .replace(/^ {2}server 10\.0\.0\.21:8080 .*$/m, lines.join('\n'))
    .replace(/^ {2}server 10\.0\.0\.22:8080 .*$/m, '')
  await startDeployed(t, site, tlsPort)
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  t.after(() => dispatcher.close())
  const ask = async (path: string, headers: Record<string, string>) => {
    // Unlike fetch(), request() sends the given Host header.
    const answer = await request(`https://localhost:${tlsPort}${path}`, { dispatcher, headers })
    assert.equal(answer.statusCode, 200)
    return Number(await answer.body.text())
  }
  const shared = { Host: 'weir.example.com' }
  const waysOf = (key: string) => [
    () => ask(`/api/feed?api_key=${key}`, shared),
    () => ask('/api/feed', { ...shared, 'X-Api-Key': key }),
    () => ask('/api/feed', { ...shared, Authorization: `Bearer ${key}` }),
    () => ask('/api/feed', { ...shared, Cookie: `theme=dark; session=${key}` }),
  ]
  const ways = Array.from({ length: 20 }, (_, at) => waysOf(`key-${at}`)).flat()
  const homes = await Promise.all(ways.map((way) => way()))
  assert.deepEqual(new Set(homes), new Set(numbers), 'callers are spread')
  assert.deepEqual(await Promise.all(ways.map((way) => way())), homes, 'each stays with one')
  const own = ways.map((_, at) => ask(`/api/feed?api_key=key-${at}`, { Host: 'acme.example.com' }))
  assert.equal(new Set(await Promise.all(own)).size, 1, 'a host name of its own is at one process')
  await servers[0].close()
  const after = await Promise.all(ways.map((way) => way()))
  for (const [at, home] of homes.entries()) {
    if (home === 0) assert.notEqual(after[at], 0)
    else assert.equal(after[at], home, 'callers of the other processes stay')
  }
})
