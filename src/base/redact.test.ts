import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'
import { redactText, redactUrl } from './redact.ts'

const SECRET = '5f0c1a2b-3c4d-5e6f-7a8b-9c0d1e2f3a4b'

test('redactUrl() masks secret parameters however they are written', () => {
  const check = (url: string, expected: string) => assert.equal(redactUrl(url), expected)
  check(`/api/feed?compId=a&api_key=${SECRET}&t=1`, '/api/feed?compId=a&api_key=[redacted]&t=1')
  check(`/api/feed?&session=${SECRET}`, '/api/feed?&session=[redacted]')
  check(`/api/feed?api%5Fkey=${SECRET}`, '/api/feed?api%5Fkey=[redacted]')
  check(`/cb?code=${SECRET}&state=x`, '/cb?code=[redacted]&state=x')
  const key = '6e2a1c04-93d5-4b7f-8a61-0c5d9e3f7b28'
  check(`/api/comp/c/feed?key=${key}&x=%20${key}`, '/api/comp/c/feed?key=[redacted]&x=[redacted]')
  check(`/api/feed?org=${key}&streamUid=${key}`, `/api/feed?org=${key}&streamUid=${key}`)
  check('/api/feed?a=%zz', '/api/feed?a=%zz')
  check('/api/feed', '/api/feed')
})

test('a log line holds no secret and stays JSON, wherever the secret hides', () => {
  const lines: string[] = []
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  log.info({ url: `/x?api_key=${SECRET}`, cookie: `org=u;api_key=${SECRET}` }, 'request')
  log.info({ headers: { Authorization: `Bearer ${SECRET}`, 'set-cookie': SECRET } }, 'headers')
  log.info({ body: JSON.stringify({ password: SECRET, refresh_token: SECRET }) }, 'body')
  log.info(`GET /x?session=${SECRET}&a=1 with Basic ${SECRET}`)
  log.error({ error: new Error(`fetch http://h/?access_token=${SECRET} failed`) }, 'failed')
  log.info(`PUT with Authorization: Token ${SECRET}`)
  log.info({ nested: { deep: { client_secret: SECRET, secretKey: SECRET } } })
  assert.equal(lines.length, 7)
  for (const line of lines) {
    assert.ok(!line.includes(SECRET), line)
    assert.equal(typeof JSON.parse(line), 'object')
  }
})

test('redactText() leaves error codes and plain text alone', () => {
  const line = '{"code":"ENOENT","message":"no session was found, code 7","path":"/a?b=1"}'
  assert.equal(redactText(line), line)
  const sentence = 'The access token expired, token authentication failed'
  assert.equal(redactText(sentence), sentence)
})
