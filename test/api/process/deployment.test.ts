import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { startService } from '../../support/service.ts'

const certFile = resolve('test/fixtures/localhost-cert.pem')
const keyFile = resolve('test/fixtures/localhost-key.pem')

function callTls(url: string, method: string, body?: string) {
  const {
    promise,
    resolve: done,
    reject,
  } = Promise.withResolvers<{
    status: number | undefined
    cookie: string | undefined
    strict: string | undefined
  }>()
  const headers = { 'Content-Type': 'application/json' }
  const call = request(url, { method, headers, ca: readFileSync(certFile) }, (answer) => {
    answer.resume()
    const [cookie] = answer.headers['set-cookie'] ?? []
    const strict = answer.headers['strict-transport-security']
    done({ status: answer.statusCode, cookie, strict })
  })
  call.on('error', reject)
  call.end(body)
  return promise
}

test('with a certificate the service speaks HTTPS and its cookie is for HTTPS only', async () => {
  const service = await startService({
    settings: { WEIR_TLS_CERT: certFile, WEIR_TLS_KEY: keyFile },
  })
  try {
    assert.match(service.url, /^https:/)
    for (const [path, expected] of [
      ['/healthz', 200],
      ['/api/comp/c/feed', 401],
    ] as const) {
      const answer = await callTls(service.url + path, 'GET')
      assert.equal(answer.status, expected)
      assert.equal(answer.strict, 'max-age=31536000')
    }
    const body = JSON.stringify({ email: service.ownerEmail, password: service.ownerPassword })
    const { status, cookie } = await callTls(`${service.url}/api/login`, 'POST', body)
    assert.equal(status, 200)
    assert.match(cookie ?? '', /; Secure/)
    await assert.rejects(fetch(service.url.replace('https:', 'http:')))
  } finally {
    await service.close()
  }
})

test('X-Forwarded-For is an address only when a trusted proxy says so', async () => {
  const service = await startService()
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const capabilities = [{ resource: 'organization', methods: ['GET'] }]
  const api_key = { name: 'k', capabilities, ipAddresses: ['203.0.113.7'] }
  const { secretKey } = (await owner('PUT', '/api/api_key', { api_key })).body.api_key
  const status = async (forwarded: string) => {
    const url = `${service.url}/api/organization?api_key=${secretKey}`
    return (await fetch(url, { headers: { 'X-Forwarded-For': forwarded } })).status
  }
  try {
    assert.equal(await status('203.0.113.7'), 403)
    await service.restart({ WEIR_TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' })
    assert.equal(await status('203.0.113.7'), 200)
    assert.equal(await status('203.0.113.7, 10.1.2.3'), 200)
    for (const same of [
      '203.0.113.7:99',
      '"203.0.113.7"',
      '"203.0.113.7:99"',
      '[::ffff:203.0.113.7]',
      '::FFFF:cb00:7107',
      '"[::ffff:cb00:7107]:99"',
      '203.0.113.7:1, 10.1.2.3:4711',
    ]) {
      assert.equal(await status(same), 200, same)
    }
    assert.equal(await status('203.0.113.7, 198.51.100.1'), 403)
    assert.equal(await status('203.0.113.7, not an address'), 403)
    assert.equal(await status('AA:BB:CC:DD:EE:FF'), 403)
  } finally {
    await service.close()
  }
})
