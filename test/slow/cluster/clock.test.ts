/** A process whose clock is off gives samples no times, says so, and does everything else. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Clock, epochMs, systemClock } from '../../../src/base/index.ts'
import type { Call } from '../../support/caller.ts'
import { INGEST } from '../../support/import-home.ts'
import { eventually, settlesTo } from '../../support/settle.ts'
import { clusterSkip } from '../../support/test-cluster.ts'
import { openTwoApps, type TwoApps } from './two-apps.ts'

const skip = clusterSkip()
const T0 = 1_767_225_600_000
let apps: TwoApps
const HOUR_MS = 3_600_000
/** From the start, as on a machine that was never set right. */
let aheadMs = HOUR_MS / 2

const clock: Clock = {
  now: () => epochMs(systemClock.now() + aheadMs),
  elapsed: () => systemClock.elapsed(),
}

async function readiness({ url }: { readonly url: string }) {
  const answer = await fetch(`${url}/readyz`)
  return { status: answer.status, text: await answer.text() }
}

async function put(device: Call, query: string): Promise<Awaited<ReturnType<Call>>> {
  return await device('PUT', `/api/feed?compId=clocked&${query}`)
}

async function isRefused(side: string): Promise<void> {
  const { one, other } = apps
  const shown = new RegExp(
    `clock: the clock of this machine is \\d+\\.\\d s ${side} that of PostgreSQL`,
  )
  await eventually(async () => {
    const { status, text } = await readiness(other)
    assert.equal(status, 503)
    assert.match(text, shown)
  })
  const timeless = await put(other.device, 'v=1')
  assert.equal(timeless.status, 503, timeless.text)
  assert.ok(Number(timeless.headers.get('retry-after')) > 0)
  assert.match(timeless.text, new RegExp(`${side} that of PostgreSQL`))
  const timed = await put(other.device, `v=1&time=${T0}`)
  assert.equal(timed.status, 200, timed.text)
  const read = await other.device('GET', '/api/comp/clocked/stream/v/feed?c=1')
  assert.deepEqual([read.status, JSON.parse(read.text)], [200, [{ time: T0, data: 1 }]])
  // A busy node of Cassandra may answer too late for a moment.
  await eventually(async () => assert.equal((await readiness(one)).status, 200))
  assert.equal((await put(one.device, 'own=1')).status, 200)
}

async function isServed(): Promise<void> {
  const { other } = apps
  await eventually(async () => assert.equal((await readiness(other)).status, 200))
  const timeless = await put(other.device, 'own=1')
  assert.equal(timeless.status, 200, timeless.text)
}

if (skip !== false) test('a clock that is off', { skip }, () => {})
else {
  before(async () => {
    apps = await openTwoApps('clock', { WEIR_OUTBOUND_ALLOW: '127.0.0.1' }, { clock })
  })
  after(() => apps?.close())

  test('a process whose clock is half an hour ahead deletes nothing early, and keeps to the schedules of imports', async () => {
    const { one, other } = apps
    const profile = { id: 'hour', name: 'hour', sizeType: 'HOUR', count: 1 }
    const kept = await one.owner('PUT', '/api/delete_profile', { delete_profile: profile })
    const delete_profile = { uid: kept.body.delete_profile.uid }
    const stream = [{ id: 's', name: 's', valueType: 'DOUBLE', delete_profile }]
    await one.owner('PUT', '/api/component', { component: { id: 'aged', name: 'aged', stream } })
    const now = Date.now()
    const ages = [40, 62].map((minutes) => minutes * 60_000)
    const rows = ages.map((age) => ({ compId: 'aged', streamId: 's', time: now - age, data: 1 }))
    const put = await one.owner('PUT', '/api/feed', rows)
    assert.equal(put.status, 200, put.text)
    await other.app.deleteProfileJob.run()
    const read = async () => (await one.owner('GET', '/api/comp/aged/stream/s/feed?c=9')).body
    await settlesTo(read, [{ time: now - ages[0], data: 1 }])

    const users = await other.owner('GET', '/api/org_user')
    const server = { kind: 'POSTGRESQL', host: '127.0.0.1', port: 1, database: 'd' }
    const connection = { ...server, user: 'u', password: 'p', tls: 'off' }
    const connected = await other.owner('PUT', '/api/connection', { connection })
    const connector = {
      id: 'hourly',
      connType: 'DB_IMPORT',
      connection: { uid: connected.body.connection?.uid },
      runningUser: { uid: users.body.org_user[0].uid },
      schedule: { everyMinutes: 60 },
      externalSql: 'SELECT 1',
      procs: [{ timeZoneId: 'UTC', sql: INGEST }],
    }
    const made = await other.owner('PUT', '/api/connector', { connector })
    assert.equal(made.status, 200, made.text)
    const path = `/api/connector/${made.body.connector.uid}`
    const { nextRun } = (await other.owner('GET', path)).body.connector
    assert.ok(nextRun >= now + HOUR_MS && nextRun < now + 1.25 * HOUR_MS, `${nextRun - now} ms`)
    assert.equal((await other.owner('DELETE', path)).status, 200)
    aheadMs = 0
  })

  test('a process whose clock is off by more than 2 s refuses samples without a time and says so, until it is right', async () => {
    await isServed()
    for (const [ms, side] of [
      [2_600, 'ahead of'],
      [-2_600, 'behind'],
    ] as const) {
      aheadMs = ms
      await isRefused(side)
      aheadMs = 0
      await isServed()
    }
  })
}
