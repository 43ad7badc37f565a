/** Organizations of one owner share the runners of one account. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOrganization } from '../../../src/auth/administer/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import {
  callSink,
  startConnectorHome,
  VALUES_SQL,
  valuesBody,
} from '../../support/connector-home.ts'
import { HurriedClock } from '../../support/hurried-clock.ts'
import { eventually } from '../../support/settle.ts'

const PASSWORD = 'correct horse battery staple'
const ENDLESS =
  'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n WHERE x < 0'

test('endless queries in all organizations of one person hold up no other tenant', async (t) => {
  const clock = new HurriedClock()
  const home = await startConnectorHome({
    clock,
    settings: { WEIR_SQL_RUNNERS: '2', WEIR_SQL_SECONDS: '600' },
  })
  const { service, owner } = home
  const { identity } = service.app
  t.after(() => service.close())
  const make = (name: string, ownerEmail: string) =>
    createOrganization(identity, {
      name,
      ownerEmail,
      ownerPassword: PASSWORD,
      ownerTimeZone: 'UTC',
      actor: 'test',
    })
  // One the operator made, one its owner made from another, and the first.
  const added = await owner('PUT', '/api/organization', { organization: { name: 'Added' } })
  assert.equal(added.status, 200, added.text)
  const operated = await make('Operated', service.ownerEmail)
  const own = [service.orgUid, added.body.organization.uid, operated.organization.uid]
  const other = await make('Other', 'other@example.com')
  const otherCall = caller(service, await signIn(service, 'other@example.com', PASSWORD))
  const connector = {
    id: 'quick',
    runningUser: { uid: other.owner.uid },
    procs: [{ sql: VALUES_SQL }],
  }
  assert.equal((await otherCall('PUT', '/api/connector', { connector })).status, 200)

  const endless = [...own, ...own, ...own].map((orgUid) => queryIn(owner, orgUid))
  await eventually(async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(metrics, /^weir_sql_waiting 8$/m)
  })
  const query = await otherCall('GET', '/api/gql?s=SELECT%2042')
  assert.equal(query.status, 200, query.text)
  const at = { orgUid: other.organization.uid, id: 'quick' }
  const body = valuesBody('quick', { s: 'n', x: 1 })
  const sent = await callSink(service, at, { key: other.feedKey, body })
  assert.equal(sent.status, 200, sent.text)
  clock.pass(600)
  for (const status of await Promise.all(endless)) assert.notEqual(status, 200)
})

async function queryIn(call: Call, orgUid: string): Promise<number> {
  try {
    const path = `/api/gql?org=${orgUid}&s=${encodeURIComponent(ENDLESS)}`
    return (await call('GET', path)).status
  } catch {
    return 0
  }
}
