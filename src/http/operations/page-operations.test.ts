import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createLog, filesBelow, MemoryBudget, systemClock } from '../../base/index.ts'
import { buildServer } from '../server.ts'
import { httpOperation } from '../table/http-operation.ts'
import { noStudioPage, studioOperations } from './page-operations.ts'

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

interface Answered {
  readonly statusCode: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly rawPayload: Buffer
  readonly body: string
}

type Ask = (asked: {
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}) => Promise<Answered>

/** A server with the studio of a folder; asks for targets as they are written. */
async function serve(t: TestContext, folder: string): Promise<Ask> {
  const server = buildServer({
    budget: new MemoryBudget(1e9),
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    trustedProxies: [],
    readiness: [],
    noPage: noStudioPage('', filesBelow(folder)),
    operations: () => [
      ...studioOperations('', filesBelow(folder)),
      httpOperation({
        methods: ['GET'],
        path: '/api/thing',
        callers: 'anyone',
        isCurrent: true,
        run: () => ({}),
      }),
    ],
  })
  t.after(() => server.close(0))
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  return async ({ url, method = 'GET', headers = {} }) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    request({ host: '127.0.0.1', port, path: url, method, headers }, resolve)
      .once('error', reject)
      .end()
    const answer = await promise
    const parts = (await answer.toArray()) as Buffer[]
    const rawPayload = Buffer.concat(parts)
    const { statusCode, headers: allHeaders } = answer
    return { statusCode, headers: allHeaders, rawPayload, body: rawPayload.toString() }
  }
}

test('studioOperations() answers the page at every path of the page map, held by a strict policy', async (t) => {
  const ask = await serve(t, makeFolder({ isBuilt: true }))
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
    '/account/sessions',
  ]
  for (const url of paths) {
    const { statusCode, body, headers } = await ask({ url })
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
  assert.equal((await ask({ url: '/other' })).statusCode, 404)
})

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'

test('noStudioPage() shows browsers that nothing is at an address, and programs the error', async (t) => {
  const folder = makeFolder({ isBuilt: true })
  const send = await serve(t, folder)
  const ask = (url: string, accept: string, method: 'GET' | 'POST' = 'GET') =>
    send({ method, url, headers: { accept } })
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
  assert.match((await ask('/nonsense', BROWSER, 'POST')).body, /"not_found"/)
  assert.match((await ask('/api/thing', BROWSER, 'POST')).body, /"method_not_allowed"/)
})

test('studioOperations() answers files for ever, in the best form that is taken', async (t) => {
  const send = await serve(t, makeFolder({ isBuilt: true }))
  const ask = (accept: string) =>
    send({ url: '/assets/a-1.js', headers: { 'accept-encoding': accept } })
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
  const again = await send({
    url: '/assets/a-1.js',
    headers: { 'accept-encoding': 'br', 'if-none-match': String(headers.etag) },
  })
  assert.equal(again.statusCode, 304)
  const plain = await send({ url: '/assets/plain.svg', headers: { 'accept-encoding': 'br' } })
  assert.equal(plain.body, '<svg/>')
})

test('studioOperations() opens no file that is not of the build', async (t) => {
  const folder = makeFolder({ isBuilt: true })
  writeFileSync(join(folder, '..', 'weir-secret.txt'), 'secret')
  t.after(() => rmSync(join(folder, '..', 'weir-secret.txt')))
  const ask = await serve(t, folder)
  for (const url of [
    '/assets/../../weir-secret.txt',
    '/assets/..%2f..%2fweir-secret.txt',
    '/assets/%2e%2e/%2e%2e/weir-secret.txt',
    '/assets/none.js',
    '/assets/',
  ]) {
    const { statusCode, body } = await ask({ url })
    assert.equal(statusCode, 404, url)
    assert.doesNotMatch(body, /secret$/, url)
  }
})

test('studioOperations() serves a rebuilt studio, and explains how to build it when there is none', async (t) => {
  const folder = makeFolder({ isBuilt: false })
  const ask = await serve(t, folder)
  const before = await ask({ url: '/' })
  assert.equal(before.statusCode, 200)
  assert.match(before.body, /npm ci &amp;&amp; npm run build/)
  assert.match(String(before.headers['content-security-policy']), /default-src 'none'/)
  for (const page of [PAGE, `${PAGE} built anew`]) {
    build(folder, page)
    assert.equal((await ask({ url: '/' })).body, page)
  }
})
