import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import { fastify } from 'fastify'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createLog } from '../../base/index.ts'
import type { App } from '../app-type.ts'
import { errorPlugin } from '../plugins/error-plugin.ts'
import { noStudioPage, studioRoutes } from './studio-routes.ts'

const PAGE = '<!doctype html><title>Studio</title>'
const SCRIPT = 'console.info("studio")'

function makeFolder({ isBuilt }: { isBuilt: boolean }): string {
  const folder = temporaryFolder()
  if (isBuilt) build(folder, PAGE)
  return folder
}

function build(folder: string, page: string): void {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), page)
  writeFileSync(join(folder, 'assets', 'a-1.js'), SCRIPT)
  writeFileSync(join(folder, 'assets', 'a-1.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, 'assets', 'a-1.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(folder, 'assets', 'plain.svg'), '<svg/>')
}

function serve(t: TestContext, folder: string): App {
  const app = fastify() as unknown as App
  studioRoutes(app, folder)
  t.after(() => app.close())
  return app
}

test('studioRoutes() answers the page at every path of the page map, held by a strict policy', async (t) => {
  const app = serve(t, makeFolder({ isBuilt: true }))
  const paths = [
    '/',
    '/c',
    '/c/a',
    '/c/a/b',
    '/view?s=1',
    '/boards',
    '/boards/x',
    '/build',
    '/admin',
  ]
  for (const url of paths) {
    const { statusCode, body, headers } = await app.inject({ url })
    assert.equal(statusCode, 200, url)
    assert.equal(body, PAGE, url)
    assert.equal(headers['cache-control'], 'no-cache')
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.doesNotMatch(policy, /unsafe|https?:|\*/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'same-origin')
  }
  assert.equal((await app.inject({ url: '/other' })).statusCode, 404)
})

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'

test('noStudioPage() shows browsers that nothing is at an address, and programs the error', async (t) => {
  const folder = makeFolder({ isBuilt: true })
  const app = fastify() as unknown as App
  const log = createLog({ level: 'debug', destination: { write: () => {} } })
  errorPlugin(app, { log, noPage: noStudioPage(folder) })
  app.get('/api/thing', async () => ({}))
  studioRoutes(app, folder)
  t.after(() => app.close())
  const ask = (url: string, accept: string, method: 'GET' | 'POST' = 'GET') =>
    app.inject({ method, url, headers: { accept } })
  for (const url of ['/nonsense', '/queries', '/boardz/x?y=1', '/view/deeper', '/apis']) {
    const { statusCode, body, headers } = await ask(url, BROWSER)
    assert.equal(statusCode, 404, url)
    assert.equal(body, PAGE, url)
    assert.match(String(headers['content-type']), /^text\/html/)
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
    assert.equal(headers['cache-control'], 'no-store')
    assert.match(String(headers.vary), /accept/)
  }
  const programs = [
    ['/nonsense', '*/*'],
    ['/nonsense', 'application/json, text/html'],
    ['/nonsense', 'text/html;q=0, */*'],
    ['/api/nonsense', BROWSER],
    ['/api', BROWSER],
    ['/assets/none.js', BROWSER],
  ]
  for (const [url, accept] of programs) {
    const { statusCode, body } = await ask(url, accept)
    assert.equal(statusCode, 404, `${url} ${accept}`)
    assert.equal(JSON.parse(body).code, 'not_found', `${url} ${accept}`)
  }
  assert.equal((await ask('/nonsense', BROWSER, 'POST')).json().code, 'not_found')
  assert.equal((await ask('/api/thing', BROWSER, 'POST')).json().code, 'method_not_allowed')
})

test('studioRoutes() answers files for ever, in the best form that is taken', async (t) => {
  const app = serve(t, makeFolder({ isBuilt: true }))
  const ask = (accept: string) =>
    app.inject({ url: '/assets/a-1.js', headers: { 'accept-encoding': accept } })
  const forms = [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
  ] as const
  for (const [accept, form] of forms) {
    const { headers } = await ask(accept)
    assert.equal(headers['content-encoding'], form, accept)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(headers.vary, 'accept-encoding')
  }
  const { rawPayload, headers } = await ask('br')
  assert.equal(brotliDecompressSync(rawPayload).toString(), SCRIPT)
  const again = await app.inject({
    url: '/assets/a-1.js',
    headers: { 'accept-encoding': 'br', 'if-none-match': String(headers.etag) },
  })
  assert.equal(again.statusCode, 304)
  const plain = await app.inject({ url: '/assets/plain.svg', headers: { 'accept-encoding': 'br' } })
  assert.equal(plain.body, '<svg/>')
})

test('studioRoutes() opens no file that is not of the build', async (t) => {
  const folder = makeFolder({ isBuilt: true })
  writeFileSync(join(folder, '..', 'weir-secret.txt'), 'secret')
  t.after(() => rmSync(join(folder, '..', 'weir-secret.txt')))
  const app = serve(t, folder)
  for (const url of [
    '/assets/../../weir-secret.txt',
    '/assets/..%2f..%2fweir-secret.txt',
    '/assets/%2e%2e/%2e%2e/weir-secret.txt',
    '/assets/none.js',
    '/assets/',
  ]) {
    const { statusCode, body } = await app.inject({ url })
    assert.equal(statusCode, 404, url)
    assert.doesNotMatch(body, /secret$/, url)
  }
})

test('studioRoutes() shows a build that was made anew, and how to make one where there is none', async (t) => {
  const folder = makeFolder({ isBuilt: false })
  const app = serve(t, folder)
  const before = await app.inject({ url: '/' })
  assert.equal(before.statusCode, 200)
  assert.match(before.body, /npm ci &amp;&amp; npm run build/)
  assert.match(String(before.headers['content-security-policy']), /default-src 'none'/)
  for (const page of [PAGE, `${PAGE} built anew`]) {
    build(folder, page)
    assert.equal((await app.inject({ url: '/' })).body, page)
  }
})
