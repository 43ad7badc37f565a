/** Filters, search and CSV of the audit log. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { AuditAct } from '../../../src/auth/index.ts'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const START = Date.UTC(2026, 0, 15)
const MINUTE = 60_000
const clock = new ManualClock(START)
const service = serviceOfFile({ clock })
let owner: Call
before(async () => {
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  owner = caller(service, session)
  clock.advance(MINUTE)
  await record('user:ann', 'unit_created', 'Pressure in Bar')
  clock.advance(MINUTE)
  await record('user:ann', 'unit_deleted', 'Pressure in Bar')
  await record('api_key:k1', 'query_created', '=HYPERLINK("x"), by "hand"\nnext')
})

async function record(actor: string, act: AuditAct, detail: string): Promise<void> {
  const { orgUid } = service
  const entry = { orgUid, act, actor, target: 't', address: '192.0.2.7', detail }
  await service.app.identity.audit.record(entry)
}

async function actsOf(query: string): Promise<string[]> {
  const { status, text, body } = await owner('GET', `/api/audit?${query}`)
  assert.equal(status, 200, text)
  assert.equal(body.totalCount >= body.audit.length, true)
  return body.audit.map(({ act }: { act: string }) => act)
}

test('entries are found by person, act, time and words', async () => {
  assert.deepEqual(await actsOf('actor=user:ann'), ['unit_deleted', 'unit_created'])
  assert.deepEqual(await actsOf('act=query_created'), ['query_created'])
  assert.deepEqual(await actsOf('act=query_created,unit_created'), [
    'query_created',
    'unit_created',
  ])
  const [first, second] = [START + MINUTE, START + 2 * MINUTE]
  assert.deepEqual(await actsOf(`from=${first}&until=${second}`), ['unit_created'])
  const texts = 'from=2026-01-15T00:01:00Z&until=2026-01-15T01:02:00%2B01:00'
  assert.deepEqual(await actsOf(texts), ['unit_created'])
  assert.deepEqual(await actsOf('from=-1&until=1'), [])
  assert.deepEqual(await actsOf(`from=${second}&actor=user:ann`), ['unit_deleted'])
  assert.deepEqual(await actsOf('search=BAR%20press'), ['unit_deleted', 'unit_created'])
  assert.deepEqual(await actsOf('search=bar%20none'), [])
  assert.deepEqual(await actsOf('search=192.0.2.7%20unit&start=1&limit=1'), ['unit_created'])
  assert.equal((await owner('GET', '/api/audit?search=bar&limit=1')).body.totalCount, 2)
})

test('a filter that cannot be read is refused, and says why', async () => {
  const refused = async (query: string, pattern: RegExp) => {
    const { status, body } = await owner('GET', `/api/audit?${query}`)
    assert.equal(status, 400, query)
    assert.match(body.message, pattern)
  }
  await refused('act=nothing', /Unknown action "nothing"/)
  await refused('from=x', /"from" must be integer epoch milliseconds, or RFC 3339/)
  await refused('from=2026-01-15T00:01:00', /offset/)
  await refused('from=2&until=2', /before until/)
  await refused(`search=${'x'.repeat(201)}`, /at most 200/)
  await refused('search=a&search=b', /once/)
  await refused('format=xml', /csv or json/)
  await refused('format=csv&limit=5', /Remove start and limit/)
})

test('CSV has every entry that matches, and no cell that a spreadsheet runs', async () => {
  const { status, text, headers } = await owner('GET', '/api/audit?format=csv&search=t')
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^text\/csv/)
  const lines = text.split('\r\n')
  assert.equal(lines[0], 'uid,time,act,actor,target,address,detail')
  assert.match(
    text,
    /,query_created,api_key:k1,t,192\.0\.2\.7,"'=HYPERLINK\(""x""\), by ""hand""\n/,
  )
  const all = (await owner('GET', '/api/audit?limit=1000')).body
  assert.equal(all.audit[0].act, 'audit_exported')
  const headed = caller(service, await cookie(), { Accept: 'text/csv' })
  const found = (await headed('GET', '/api/audit?act=unit_created')).text.trim().split('\r\n')
  assert.equal(found.length, 2)
  assert.match(found[1], /unit_created,user:ann/)
})

test('a member reads no entry, as JSON or CSV', async () => {
  const org_user = { email: 'm@example.com', password: 'a long enough sentence', role: 'MEMBER' }
  await owner('PUT', '/api/org_user', { org_user, currentPassword: service.ownerPassword })
  const member = caller(service, await signIn(service, org_user.email, org_user.password))
  for (const query of ['', '?format=csv', '?search=a']) {
    assert.equal((await member('GET', `/api/audit${query}`)).status, 403)
  }
})

test('a search reads the newest 10,000 entries, and the next one goes on where it ended', async () => {
  const { orgUid, app } = service
  clock.advance(MINUTE)
  const from = clock.now()
  const entry = { orgUid, actor: 'user:bulk', target: '', address: '', detail: 'bulk' }
  for (let at = 0; at < 11; at += 1) {
    clock.advance(1)
    const records = Array.from({ length: 1_000 }, () =>
      app.identity.audit.record({ ...entry, act: 'unit_updated' }),
    )
    await Promise.all(records)
  }
  const first = (await owner('GET', '/api/audit?actor=user:bulk&limit=1')).body
  assert.equal(first.totalCount, 9_000, 'the oldest millisecond is left to the next search')
  const rest = `/api/audit?actor=user:bulk&until=${first.readFrom}`
  const second = (await owner('GET', rest)).body
  assert.equal(second.totalCount, 2_000)
  assert.equal('readFrom' in second, false)
  const csv = (await owner('GET', `/api/audit?format=csv&from=${from}&act=unit_updated`)).text
  assert.equal(csv.trim().split('\r\n').length, 11_001)
  await app.identity.audit.trim(orgUid, 5_000)
  const { totalCount, audit } = (await owner('GET', '/api/audit?limit=1')).body
  assert.equal(totalCount, 5_000)
  assert.equal(audit[0].act, 'audit_exported', 'the newest entries stay')
})

async function cookie(): Promise<string> {
  return await signIn(service, service.ownerEmail, service.ownerPassword)
}
