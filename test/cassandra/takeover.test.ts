/**
 * kill -9 of one of two processes on a cluster: what it was at another brings to its end, once, without a start. A
 * process is taken for dead after 30 s, which is most of the time that this takes.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Cluster, type ClusterSettings } from '../../src/store/cassandra/index.ts'
import { type Call, caller, signIn } from '../support/caller.ts'
import { cassandraSkip, testKeyspaceSettings } from '../support/cassandra.ts'
import { type ChildService, startChildService } from '../support/child-service.ts'
import { callSink, VALUES_SQL, valuesBody } from '../support/connector-home.ts'
import { ImportHome, LOCAL } from '../support/import-home.ts'
import {
  type DatabaseServer,
  postgresqlSkip,
  startPostgresql,
} from '../support/postgresql-server.ts'
import { eventually } from '../support/settle.ts'

const ACCOUNT = { email: 'owner@localhost', password: 'correct horse battery' }
const KEY = '0f0e0d0c-1111-4222-8333-444455557777'
/** Several puts, so that there is time to kill between two of them. */
const ROWS = 120_000
const DEVICES = 5
const LANES = 2
/** No more than are kept. */
const CALLS_MAX = 400

const skip = cassandraSkip() || postgresqlSkip()

describe('kill -9 of one of two processes', { skip }, () => {
  const home = mkdtempSync(join(tmpdir(), 'weir-takeover-'))
  let keyspace: ClusterSettings
  let database: DatabaseServer
  let services: ChildService[] = []

  before(async () => {
    const keyFile = join(home, 'shared.key')
    writeFileSync(keyFile, `${'ab'.repeat(32)}\n`)
    keyspace = await testKeyspaceSettings('takeover')
    const settings = {
      ...{ ...LOCAL, WEIR_STORE: 'cassandra', WEIR_KEY_FILE: keyFile, WEIR_FEED_KEY: KEY },
      WEIR_CASSANDRA_HOSTS: keyspace.hosts.map((host) => `${host}:${keyspace.port}`).join(','),
      ...{ WEIR_CASSANDRA_KEYSPACE: keyspace.keyspace, WEIR_SQL_RUNNERS: '2' },
      ...{ WEIR_OWNER_PASSWORD: ACCOUNT.password, WEIR_SQL_SECONDS: '120' },
    }
    database = await startPostgresql()
    const start = (name: string) => startChildService(join(home, name), settings)
    services = await Promise.all(['killed', 'living'].map(start))
  })
  after(async () => {
    for (const service of services) await service.kill()
    await database?.stop()
    rmSync(home, { recursive: true, force: true })
    if (process.env.WEIR_TEST_CASSANDRA === undefined || keyspace === undefined) return
    const cluster = await Cluster.open(keyspace)
    await cluster.alter(`DROP KEYSPACE ${keyspace.keyspace}`)
    await cluster.close()
  })

  test('webhooks and an import that it had begun end once, with the result that they had', async () => {
    const [killed, living] = services
    const session = await signIn(killed, ACCOUNT.email, ACCOUNT.password)
    const owner = caller(killed, session)
    const hook = await makeHook(owner)
    const imports = await ImportHome.open(killed, ACCOUNT, 'POSTGRESQL', database)
    await database.ask(`CREATE TABLE numbers AS
      SELECT 'k' || (n % ${DEVICES}) AS device, n, CASE WHEN n % 3 = 0 THEN NULL ELSE n END AS at
      FROM generate_series(1, ${ROWS}) AS n`)
    const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
      SELECT device, 'n', at, n FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 n LONG, 3 at LONG);`
    const procs = [{ timeZoneId: 'UTC', sql }]
    const uid = await imports.insert({ id: 'many', externalSql: 'SELECT * FROM numbers', procs })
    const runUid = await imports.start(uid)
    // On a machine that lets the test wait the run may be over before: what is asked for below holds then, too.
    const acknowledged = await callAndKill(killed, hook.orgUid, async () => {
      for (;;) {
        const [run] = await imports.runsOf(uid)
        if (run.samples > 0 || run.status !== 'RUNNING') return
      }
    })
    // What it had read is not read again: there is nothing any more.
    await database.ask('DELETE FROM numbers')
    const left = await ImportHome.open(living, ACCOUNT, 'POSTGRESQL', database)
    await eventually(async () => {
      const [run] = await left.runsOf(uid)
      assert.notEqual(run.status, 'RUNNING')
    })
    const [run, ...others] = await left.runsOf(uid)
    assert.deepEqual([run.uid, run.status, run.samples, run.message], [runUid, 'DONE', ROWS, ''])
    assert.deepEqual(others, [])
    await allOnce(left.owner)
    await webhooksOnce(left.owner, hook.uid, acknowledged)
  })
})

async function makeHook(owner: Call): Promise<{ readonly uid: string; readonly orgUid: string }> {
  const users = await owner('GET', '/api/org_user')
  const organizations = await owner('GET', '/api/organization')
  const runningUser = { uid: users.body.org_user[0].uid }
  const connector = { id: 'hook', runningUser, procs: [{ sql: VALUES_SQL }] }
  const made = await owner('PUT', '/api/connector', { connector })
  assert.equal(made.status, 200, made.text)
  return { uid: made.body.connector.uid, orgUid: organizations.body.organization[0].uid }
}

/** Calls the sink until it is time, then kills the process amid calls; tells which were acknowledged. */
async function callAndKill(
  service: ChildService,
  orgUid: string,
  untilTime: () => Promise<void>,
): Promise<number[]> {
  const acknowledged: number[] = []
  let next = 0
  let gone: Promise<void> | undefined
  const lane = async (): Promise<void> => {
    while (gone === undefined && next < CALLS_MAX) {
      const x = next++
      const body = valuesBody('hooked', { s: 'n', x })
      const call = callSink(service, { orgUid, id: 'hook' }, { key: KEY, body })
      const answer = await call.catch((error: unknown) => {
        if (gone === undefined) throw error
      })
      if (answer === undefined) return
      assert.equal(answer.status, 200, answer.text)
      acknowledged.push(x)
    }
  }
  const kill = async (): Promise<void> => {
    await untilTime()
    gone = service.kill()
  }
  await Promise.all([kill(), ...Array.from({ length: LANES }, lane)])
  await gone
  return acknowledged
}

/** Every row of the import is a sample, and no row is two. */
async function allOnce(owner: Call): Promise<void> {
  const text = 'SELECT CID, count(sample), sum(sample) FROM SAMPLE GROUP BY CID'
  const { body } = await owner('GET', `/api/gql?s=${encodeURIComponent(text)}`)
  const rows = (body.rows as [string, number, number][]).filter(([cid]) => /^k/.test(cid))
  const sumOf = (at: 1 | 2) => rows.reduce((sum, row) => sum + row[at], 0)
  assert.deepEqual([rows.length, sumOf(1), sumOf(2)], [DEVICES, ROWS, (ROWS * (ROWS + 1)) / 2])
}

/** Every payload has come to its end, each acknowledged one is a sample, and none is two. */
async function webhooksOnce(
  owner: Call,
  uid: string,
  acknowledged: readonly number[],
): Promise<void> {
  const payloads = await eventually(async () => {
    const { body } = await owner('GET', `/api/connector/${uid}/payload?limit=1000`)
    const statuses = body.payload.map(({ status }: { status: string }) => status)
    assert.deepEqual([...new Set(statuses)], ['DONE'])
    return body.payload
  })
  const read = await owner('GET', '/api/comp/hooked/stream/n/feed?limit=1000')
  const stored: number[] = read.body.map(({ data }: { data: number }) => data)
  assert.equal(new Set(stored).size, stored.length, 'nothing is there twice')
  assert.equal(stored.length, payloads.length, 'every payload that was kept is a sample')
  assert.deepEqual(
    acknowledged.filter((value) => !stored.includes(value)),
    [],
  )
}
