/** Protocols and methods that are not spoken, and texts that are only ever texts. */
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { connect, type SecureVersion } from 'node:tls'
import { sendRaw } from '../../support/raw-http.ts'
import { startService } from '../../support/service.ts'

/** The protocol that a handshake agrees on, undefined when there is none. */
function handshake(port: number, version: SecureVersion): Promise<string | undefined> {
  return new Promise((done) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      minVersion: version,
      maxVersion: version,
      // The lowest level, so that it is the service that refuses; its certificate is our own.
      ciphers: 'DEFAULT@SECLEVEL=0',
      rejectUnauthorized: false,
    })
    socket.on('secureConnect', () => {
      done(socket.getProtocol() ?? undefined)
      socket.destroy()
    })
    socket.on('error', () => done(undefined))
  })
}

test('TLS 1.2 and 1.3 are spoken, older versions are not', async () => {
  const service = await startService({
    settings: {
      WEIR_TLS_CERT: resolve('test/fixtures/localhost-cert.pem'),
      WEIR_TLS_KEY: resolve('test/fixtures/localhost-key.pem'),
    },
  })
  try {
    assert.equal(await handshake(service.port, 'TLSv1.3'), 'TLSv1.3')
    assert.equal(await handshake(service.port, 'TLSv1.2'), 'TLSv1.2')
    assert.equal(await handshake(service.port, 'TLSv1.1'), undefined)
    assert.equal(await handshake(service.port, 'TLSv1'), undefined)
  } finally {
    await service.close()
  }
})

test('TRACE and CONNECT are not served, and echo nothing of the request', async () => {
  const service = await startService()
  try {
    for (const line of ['TRACE /healthz', 'TRACE /api/feed', 'CONNECT example.com:443']) {
      const head = `${line} HTTP/1.1\r\nHost: x\r\nX-Private: told-back\r\nConnection: close\r\n\r\n`
      const { status, text } = await sendRaw(service.port, head, { isEnding: true })
      assert.ok(!(status < 400), `${line}: ${status}`)
      assert.doesNotMatch(text, /told-back/)
    }
  } finally {
    await service.close()
  }
})

test('an ID that is written like SQL or markup is a text: kept, found and given back as it came', async () => {
  const service = await startService()
  try {
    const texts = [
      `'; DROP TABLE document; --`,
      `" OR 1=1 --`,
      '%_*?[a-z]',
      '<script>alert(1)</script>',
      '__proto__',
      'constructor',
      `\${7*7}{{7*7}}`,
    ]
    for (const [at, compId] of texts.entries()) {
      const query = new URLSearchParams({ compId, [compId]: String(at), api_key: service.feedKey })
      const put = await fetch(`${service.url}/api/feed?${query}`, { method: 'PUT' })
      assert.equal(put.status, 200, compId)
    }
    for (const [at, compId] of texts.entries()) {
      const path = `/api/comp/${encodeURIComponent(compId)}/last_value`
      const answer = await fetch(
        `${service.url}${path}?retCompId&retStreamId&api_key=${service.feedKey}`,
      )
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      const [{ time, ...sample }, ...others] = (await answer.json()) as [{ time: number }]
      assert.equal(typeof time, 'number')
      assert.deepEqual(sample, { compId, streamId: compId, data: at })
      assert.deepEqual(others, [])
    }
  } finally {
    await service.close()
  }
})
