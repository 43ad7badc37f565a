/** A call of a sink ends while the cluster is unavailable. Its outcome is stored once the cluster is back. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { testKeyspaceSettings } from '../../support/cassandra.ts'
import { TEST_HOSTS } from '../../support/cassandra-nodes.ts'
import { startClusterProxy } from '../../support/cluster-proxy.ts'
import { callSink } from '../../support/connector-home.ts'
import { eventually, settlesTo } from '../../support/settle.ts'
import { runnerPids } from '../../support/sql-runs.ts'
import { clusterSkip } from '../../support/test-cluster.ts'
import { openTwoApps } from './two-apps.ts'

const ENDLESS = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE) SELECT 'hook', 's', max(i) FROM n`

const RUN_FIELDS = [
  'uid',
  'start',
  'end',
  'status',
  'rowsFetched',
  'rowsIngested',
  'rowsSkipped',
  'samples',
  'message',
]

const skip = clusterSkip() || (!existsSync('/proc/self/stat') && 'this system has no /proc')

function killRunners(): void {
  for (const pid of runnerPids()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

test('the outcome of a payload that could not be kept is kept when the cluster is back', {
  skip,
}, async () => {
  const proxy = await startClusterProxy((await testKeyspaceSettings('unkept')).port)
  await using opened = new AsyncDisposableStack()
  opened.defer(() => proxy.close())
  const { one, other, close } = await openTwoApps('unkept', {
    WEIR_CASSANDRA_HOSTS: TEST_HOSTS.join(','),
    WEIR_CASSANDRA_PORT: String(proxy.port),
  })
  opened.defer(close)
  const users = await one.owner('GET', '/api/org_user')
  const orgs = await one.owner('GET', '/api/organization')
  const made = await one.owner('PUT', '/api/connector', {
    connector: {
      id: 'hook',
      connType: 'HTTP',
      runningUser: { uid: users.body.org_user[0].uid },
      procs: [{ timeZoneId: 'UTC', sql: ENDLESS }],
    },
  })
  assert.equal(made.status, 200, made.text)
  const path = `/api/connector/${made.body.connector.uid}`
  const statuses = async (): Promise<string[]> => {
    const { body } = await other.owner('GET', `${path}/payload`)
    return body.payload.map(({ status }: { status: string }) => status)
  }

  let isAnswered = false
  const place = { orgUid: orgs.body.organization[0].uid, id: 'hook' }
  const call = callSink(one, place, { key: one.feedKey, body: '1' }).finally(() => {
    isAnswered = true
  })
  await settlesTo(statuses, ['RUNNING'])
  proxy.cut()
  await eventually(() => {
    if (!isAnswered) killRunners()
    assert.ok(isAnswered, 'the call goes on')
  })
  assert.equal((await call).status, 503)
  await proxy.repair()
  await settlesTo(statuses, ['FAILED'])
  const { body } = await other.owner('GET', `${path}/run`)
  assert.deepEqual(body.run.map(Object.keys), [RUN_FIELDS])
})
