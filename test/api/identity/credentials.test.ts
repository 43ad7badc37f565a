import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const clock = new ManualClock(Date.UTC(2026, 0, 15))
const NOBODY = '00000000-0000-0000-0000-000000000000'
const service = serviceOfFile({ clock })
let session: string
/** May read organizations. */
let reader: string
/** May do nothing that the test asks. */
let other: string

before(async () => {
  session = (await signIn(service, service.ownerEmail, service.ownerPassword)).slice(8)
  const owner = caller(service, `session=${session}`)
  const add = async (resource: string) => {
    const api_key = { name: resource, capabilities: [{ resource, methods: ['GET'] }] }
    return (await owner('PUT', '/api/api_key', { api_key })).body.api_key.secretKey
  }
  reader = await add('organization')
  other = await add('unit')
})

async function status(query: string, headers: Record<string, string> = {}): Promise<number> {
  const answer = await fetch(`${service.url}/api/organization?${query}`, { headers })
  const { success } = (await answer.json()) as { success: boolean }
  assert.equal(success, answer.status === 200)
  return answer.status
}

test('every place of a credential is read', async () => {
  assert.equal(await status(`api_key=${reader}`), 200)
  assert.equal(await status(`&api_key=${reader}&_=1700`), 200)
  assert.equal(await status(`api%5Fkey=${reader}`), 200)
  assert.equal(await status(`session=${session}`), 200)
  assert.equal(await status('', { Cookie: `api_key=${reader}` }), 200)
  assert.equal(await status('', { Cookie: `session=${session}` }), 200)
  assert.equal(await status('', { Cookie: `a=1; api_key="${reader}" ; b=2` }), 200)
})

test('an API key comes by header as well; URL and cookies beat it, whatever the header is', async () => {
  for (const header of ['X-Api-Key', 'Authorization']) {
    const of = (key: string) => ({ [header]: header === 'Authorization' ? `Bearer ${key}` : key })
    for (const _again of [1, 2]) assert.equal(await status('', of(reader)), 200, header)
    assert.equal(await status('', of(other)), 403, header)
    assert.equal(await status('', of(NOBODY)), 401, header)
    assert.equal(await status(`api_key=${reader}`, of(other)), 200, header)
    assert.equal(await status(`api_key=${other}`, of(reader)), 403, header)
    assert.equal(await status(`session=${session}`, of(other)), 200, header)
    assert.equal(await status('', { ...of(other), Cookie: `api_key=${reader}` }), 200, header)
    assert.equal(await status('', { ...of(other), Cookie: `session=${session}` }), 200, header)
    assert.equal(await status(`api_key=${NOBODY}`, of(reader)), 401, header)
  }
  const both = { Authorization: `Bearer ${NOBODY}`, 'X-Api-Key': reader }
  assert.equal(await status('', both), 401)
  assert.equal(await status('', { 'X-Api-Key': '' }), 401)
  assert.equal(await status('', { 'X-Api-Key': `${reader}, ${reader}` }), 401)
})

test('the feed accepts a key in a header on the fast path and on the general path', async () => {
  const put = async (headers: string[], query = '') => {
    const line = `PUT /api/feed?compId=by-header&s=1${query} HTTP/1.1`
    const head = [line, 'Host: x', ...headers, 'Content-Length: 0', '', ''].join('\r\n')
    return (await sendRaw(service.port, head, { isEnding: true })).status
  }
  const key = `X-Api-Key: ${service.feedKey}`
  for (const headers of [[], ['Connection: close']]) {
    assert.equal(await put([key, ...headers]), 200)
    assert.equal(await put([`authorization: bearer ${service.feedKey}`, ...headers]), 200)
    assert.equal(await put([key, key, ...headers]), 401)
    assert.equal(await put([`X-Api-Key: ${other}`, ...headers]), 403)
    assert.equal(await put([key, ...headers], `&api_key=${other}`), 403)
  }
})

test('no credential, an unknown one, or org alone is a 401 with a challenge', async () => {
  assert.equal(await status(''), 401)
  assert.equal(await status('api_key='), 401)
  assert.equal(await status(`api_key=${NOBODY}`), 401)
  assert.equal(await status(`session=${NOBODY}`), 401)
  assert.equal(await status(`org=${service.orgUid}`), 401)
  assert.equal(await status('', { Authorization: `Bearer ${NOBODY}` }), 401)
  assert.equal(await status('', { Authorization: `Basic ${btoa(`${NOBODY}:`)}` }), 401)
  const answer = await fetch(`${service.url}/api/organization`)
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/)
})

test('a URL parameter beats a cookie, whatever the cookie holds', async () => {
  assert.equal(await status(`api_key=${reader}`, { Cookie: `api_key=${other}` }), 200)
  assert.equal(await status(`api_key=${other}`, { Cookie: `api_key=${reader}` }), 403)
  assert.equal(await status(`api_key=${NOBODY}`, { Cookie: `api_key=${reader}` }), 401)
  assert.equal(await status(`session=${session}`, { Cookie: `session=${NOBODY}` }), 200)
  assert.equal(await status(`api_key=${reader}`, { Cookie: `session=${NOBODY}` }), 200)
})

test('a session beats an api_key', async () => {
  assert.equal(await status(`session=${session}&api_key=${NOBODY}`), 200)
  assert.equal(await status(`api_key=${reader}&session=${NOBODY}`), 401)
  assert.equal(await status('', { Cookie: `api_key=${other}; session=${session}` }), 200)
})

test('org beside an api_key is ignored, beside a session it picks the organization', async () => {
  assert.equal(await status(`api_key=${reader}&org=${NOBODY}`), 200)
  assert.equal(await status(`api_key=${reader}`, { Cookie: 'org=anything' }), 200)
  assert.equal(await status(`session=${session}&org=${service.orgUid}`), 200)
  assert.equal(await status(`session=${session}&org=${NOBODY}`), 404)
  assert.equal(await status(`org=${service.orgUid}`, { Cookie: `session=${session};org=x` }), 200)
})

test('a tight cookie as small devices send it', async () => {
  const head = 'GET /api/organization HTTP/1.1\r\nHost:\r\nConnection: close\r\n'
  const cookie = `Cookie: org=${service.orgUid};api_key=${reader}`
  const answer = await sendRaw(service.port, `${head}${cookie}\r\n\r\n`)
  assert.equal(answer.status, 200, answer.text)
})

test('a page of another site cannot write with a cookie', async () => {
  const write = async (headers: Record<string, string>, query = '') => {
    const body = '{"organization":{"name":"Renamed"}}'
    const path = `/api/organization/${service.orgUid}${query}`
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body })
    return answer.status
  }
  // Such a form needs no permission of this service to be sent, and siblings get SameSite cookies.
  const form = { Cookie: `session=${session}`, 'Content-Type': 'application/json' }
  assert.equal(await write({ ...form, 'Sec-Fetch-Site': 'cross-site' }), 403)
  assert.equal(await write({ ...form, 'Sec-Fetch-Site': 'same-site' }), 403)
  assert.equal(await write({ ...form, Origin: 'https://evil.example' }), 403)
  const disguised = service.url.replace('http://', 'http://evil@')
  for (const Origin of [disguised, `${service.url}/path`, 'null', 'evil']) {
    assert.equal(await write({ ...form, Origin }), 403, Origin)
  }
  const byHand = { ...form, 'Sec-Fetch-Site': 'none' }
  assert.equal(await write({ ...byHand, Origin: 'https://evil.example' }), 403)
  assert.equal(await write(byHand), 200)
  const evil = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'cross-site' }
  assert.equal(await write(evil, `?session=${session}`), 200)
  assert.equal(await write(form), 200)
  assert.equal(await write({ ...form, Origin: service.url }), 200)
  // Behind a proxy that sends another Host the browser alone knows that the page is ours.
  const proxied = { Origin: 'https://weir.example', 'Sec-Fetch-Site': 'same-origin' }
  assert.equal(await write({ ...form, ...proxied }), 200)
  assert.equal(await status('', { ...form, 'Sec-Fetch-Site': 'cross-site' }), 200)
})

test('signing in and administration take JSON only, which no form of another site can send', async () => {
  const { ownerEmail: email, ownerPassword: password } = service
  const signIn = async (type: string | undefined) => {
    // A blob without a type is sent without one, by any page and without asking.
    const body = new Blob([JSON.stringify({ email, password })], { type })
    const answer = await fetch(`${service.url}/api/login`, { method: 'POST', body })
    return answer.status
  }
  assert.equal(await signIn('text/plain'), 415)
  assert.equal(await signIn('application/x-www-form-urlencoded'), 415)
  assert.equal(await signIn('multipart/form-data; boundary=json'), 415)
  assert.equal(await signIn(undefined), 415)
  assert.equal(await signIn('application/json; charset=utf-8'), 200)
  assert.equal(await signIn('application/merge-patch+json'), 200)
})

test('a page of another site can neither sign out nor put with a cookie', async () => {
  const login = await fetch(`${service.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: service.ownerEmail, password: service.ownerPassword }),
  })
  const { sessionUid } = (await login.json()) as { sessionUid: string }
  const cookie = `session=${sessionUid};org=${service.orgUid}`
  const put = async (headers: Record<string, string>) => {
    const body = '[{"compId":"csrf","streamId":"s","data":1}]'
    return (await fetch(`${service.url}/api/feed`, { method: 'PUT', headers, body })).status
  }
  const leave = async (headers: Record<string, string>) =>
    (await fetch(`${service.url}/api/login`, { method: 'DELETE', headers })).status
  for (const [name, value] of [
    ['Sec-Fetch-Site', 'cross-site'],
    ['Origin', 'https://evil.example'],
  ]) {
    assert.equal(await put({ cookie, [name]: value }), 403)
    assert.equal(await leave({ cookie, [name]: value }), 403)
  }
  // Devices send cookies and none of these headers, with any type.
  assert.equal(await put({ cookie, 'content-type': 'text/plain' }), 200)
  assert.equal(await leave({ cookie, 'Sec-Fetch-Site': 'same-origin' }), 200)
})

test('no log line holds a credential', () => {
  assert.ok(service.logLines.length > 20)
  for (const secret of [session, reader, other, service.feedKey, service.ownerPassword]) {
    assert.deepEqual(
      service.logLines.filter((line) => line.includes(secret)),
      [],
    )
  }
})
