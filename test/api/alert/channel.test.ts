import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const PATH_SECRET = 'T000-path-secret'
const TOKEN = '123456:token-secret'
const SECRET = 'a-signing-secret'

let service: Service
let owner: Call
let receiver: WebhookReceiver
before(async () => {
  receiver = await startReceiver()
  service = await startService({ settings: { WEIR_OUTBOUND_ALLOW: '127.0.0.0/8' } })
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})
after(async () => {
  await service.close()
  await receiver.close()
})

const fields = { name: 'Ops', url: `https://hooks.example.com/${PATH_SECRET}` }

async function insert(more: object = {}): Promise<string> {
  const made = await owner('PUT', '/api/channel', { channel: { ...fields, ...more } })
  assert.equal(made.status, 200, made.text)
  return made.body.channel.uid
}

test('a channel is saved, shown without its secrets, changed, and deleted', async () => {
  assert.equal((await owner('GET', '/api/channel/new')).body.channel.perMinute, 20)
  const uid = await insert({ token: TOKEN, secret: SECRET })
  const path = `/api/channel/${uid}`
  const shown = await owner('GET', path)
  assert.deepEqual(shown.body.channel, {
    uid,
    id: '',
    name: 'Ops',
    kind: 'WEBHOOK',
    preset: 'JSON',
    origin: 'https://hooks.example.com',
    recipient: '',
    emails: [],
    perMinute: 20,
    hasToken: true,
    hasSecret: true,
    revision: 1,
  })
  const changed = await owner('POST', path, { channel: { name: 'Night', secret: '' } })
  assert.equal(changed.body.channel.hasSecret, false)
  assert.equal(changed.body.channel.hasToken, true)
  const list = await owner('GET', '/api/channel')
  assert.equal(list.body.totalCount, 1)
  const audit = await owner('GET', '/api/audit?limit=1000')
  assert.match(audit.text, /channel_updated/)
  assert.match(audit.text, /name, secret/)
  for (const { text } of [shown, changed, list, audit]) {
    for (const secret of [PATH_SECRET, TOKEN, SECRET, 'sealed']) assert.ok(!text.includes(secret))
  }
  assert.equal((await owner('DELETE', path)).status, 200)
  assert.equal((await owner('GET', path)).status, 404)
})

test('mistakes name their field and change nothing', async () => {
  const check = async (more: object, field: string) => {
    const refused = await owner('PUT', '/api/channel', { channel: { ...fields, ...more } })
    assert.equal(refused.status, 400, `${JSON.stringify(more)}: ${refused.text}`)
    assert.equal(refused.body.field, `channel.${field}`, refused.text)
  }
  await check({ name: '' }, 'name')
  await check({ url: '' }, 'url')
  await check({ url: 'ftp://example.com' }, 'url')
  await check({ url: 'https://user:password@example.com' }, 'url')
  await check({ url: 'https://example.com/#part' }, 'url')
  await check({ preset: 'PAGER' }, 'preset')
  await check({ preset: 'NTFY', url: 'https://ntfy.sh' }, 'url')
  await check({ preset: 'TELEGRAM', url: '', token: TOKEN }, 'recipient')
  await check({ preset: 'TELEGRAM', url: '', recipient: '1' }, 'token')
  await check({ preset: 'TELEGRAM', url: '', recipient: '1', token: 'a/../b' }, 'token')
  await check({ token: 'two\r\nlines' }, 'token')
  await check({ secret: 'short' }, 'secret')
  await check({ perMinute: 0 }, 'perMinute')
  await check({ perMinute: 61 }, 'perMinute')
  await check({ emails: ['ops@example.com'] }, 'emails')
  const email = { kind: 'EMAIL', url: undefined, emails: ['ops@example.com'] }
  await check(email, 'kind')
  assert.equal((await owner('GET', '/api/channel')).body.totalCount, 0)
})

test('a token does not follow to another host: it is given again, or stays', async () => {
  const uid = await insert({ token: TOKEN })
  const path = `/api/channel/${uid}`
  const moved = await owner('POST', path, { channel: { url: 'https://evil.example' } })
  assert.equal(moved.status, 400, moved.text)
  assert.equal(moved.body.field, 'channel.token')
  const sameHost = { url: 'https://hooks.example.com/other' }
  assert.equal((await owner('POST', path, { channel: sameHost })).status, 200)
  const given = { url: 'https://evil.example', token: 'another' }
  assert.equal((await owner('POST', path, { channel: given })).status, 200)
  await owner('DELETE', path)
})

test('a test message arrives, and the answer has the outcome', async () => {
  const uid = await insert({ url: `${receiver.url}/hook` })
  const passed = await owner('POST', `/api/channel/${uid}/test`)
  const { isOk, status, message } = passed.body.test
  assert.deepEqual({ isOk, status }, { isOk: true, status: 200 }, message)
  const body = JSON.parse(receiver.received.at(-1)?.body ?? '')
  assert.equal(body.kind, 'test')
  assert.match(body.text, /"Ops" works/)
  receiver.behave = () => ({ status: 403, body: 'go away' })
  const failed = await owner('POST', `/api/channel/${uid}/test`)
  assert.equal(failed.status, 200)
  assert.equal(failed.body.test.message, 'Answered with 403: go away')
  const attempts = await owner('GET', `/api/channel/${uid}/attempt`)
  assert.deepEqual(attempts.body.attempt, [])
  await owner('DELETE', `/api/channel/${uid}`)
})

test('another organization sees, changes, and tests nothing', async () => {
  const uid = await insert({ url: `${receiver.url}/hook` })
  const made = await owner('PUT', '/api/organization', { organization: { name: 'Other' } })
  assert.equal(made.status, 200, made.text)
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const asOther = caller(service, `${session}; org=${made.body.organization.uid}`)
  const received = receiver.received.length
  for (const [method, path, body] of [
    ['GET', `/api/channel/${uid}`],
    ['POST', `/api/channel/${uid}`, { channel: { name: 'x' } }],
    ['DELETE', `/api/channel/${uid}`],
    ['POST', `/api/channel/${uid}/test`],
    ['GET', `/api/channel/${uid}/attempt`],
  ] as const) {
    const answer = await asOther(method, path, body)
    assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`)
  }
  assert.equal(receiver.received.length, received)
})

test('the secrets of a channel lie encrypted on disk, and in no log', async () => {
  await insert({ token: TOKEN, secret: SECRET })
  await service.restart()
  const texts = ['catalog.db', 'catalog.db-wal'].map((file) => {
    try {
      return readFileSync(join(service.dataDir, file), 'latin1')
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOENT')
      return ''
    }
  })
  for (const secret of [PATH_SECRET, TOKEN, SECRET]) {
    assert.ok(![...texts, ...service.logLines].some((text) => text.includes(secret)), secret)
  }
})
