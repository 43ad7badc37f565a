/**
 * kill -9 of one of two processes on a cluster: what it was at another brings to its end, once, without a start. Leases
 * last up to a minute, which is most of the time that this takes.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ClusterPlace } from '../../../src/assembly/open-cluster-stores.ts'
import { type Database, openPostgres, PostgresCatalog } from '../../../src/store/postgres/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type ChildService, startChildServices } from '../../support/child-service.ts'
import { callSink, VALUES_SQL, valuesBody } from '../../support/connector-home.ts'
import { ImportHome, LOCAL } from '../../support/import-home.ts'
import { type DatabaseServer, startPostgresql } from '../../support/postgresql-server.ts'
import { eventually, settlesTo } from '../../support/settle.ts'
import {
  clusterServiceSettings,
  clusterSkip,
  dropTestCluster,
  testClusterPlace,
} from '../../support/test-cluster.ts'
import {
  AgedWorkload,
  AlertWorkload,
  DerivedWorkload,
  DueWorkload,
  derivedBy,
  TAKEN_OVER_MS_MAX,
} from './takeover-workloads.ts'

const ACCOUNT = { email: 'owner@localhost', password: 'correct horse battery' }
const KEY = '0f0e0d0c-1111-4222-8333-444455557777'
/** Several puts, so that there is time to kill between two of them. */
const ROWS = 120_000
const DEVICES = 5
const WORKLOADS = 2
/** Between two looks at a run. */
const LOOK_MS = 20
/** No more than are kept. */
const CALLS_MAX = 400

/** Samples that are derived and counted before the kill, and as many behind it. */
const CALM = 40
/** At most one read, with those after the kill. */
const STEADY_MAX = 900
/** Changes of an alert's state before the kill; with those after it, one read returns all. */
const CHANGES_MAX = 900

const skip = clusterSkip()

/** What a process that was killed has left, and the one that lives. */
interface Left {
  readonly imports: ImportHome
  readonly living: ChildService
  readonly hook: { readonly uid: string; readonly acknowledged: readonly number[] }
  readonly many: { readonly uid: string; readonly runUid: string }
  readonly workloads: Workloads
}

interface Workloads {
  readonly aged: AgedWorkload
  readonly alert: AlertWorkload
  readonly due: DueWorkload
  readonly calm: DerivedWorkload
  readonly steady: DerivedWorkload
}

describe('kill -9 of one of two processes', { skip }, () => {
  const home = mkdtempSync(join(tmpdir(), 'weir-takeover-'))
  let place: ClusterPlace
  let catalog: PostgresCatalog | undefined
  let catalogDatabase: Database | undefined
  let database: DatabaseServer
  let services: ChildService[] = []
  let left: Left

  before(async () => {
    const keyFile = join(home, 'shared.key')
    writeFileSync(keyFile, `${'ab'.repeat(32)}\n`)
    place = await testClusterPlace('takeover')
    const settings = {
      ...LOCAL,
      ...clusterServiceSettings(place),
      WEIR_KEY_FILE: keyFile,
      WEIR_FEED_KEY: KEY,
      WEIR_SQL_RUNNERS: '2',
      WEIR_OWNER_PASSWORD: ACCOUNT.password,
      WEIR_SQL_SECONDS: '120',
    }
    database = await startPostgresql()
    services = await startChildServices([join(home, 'one'), join(home, 'other')], settings)
    const own = await openPostgres(place.postgresUrl)
    catalogDatabase = own
    const reserveHandles = () => Promise.reject(new Error('It makes no streams'))
    catalog = new PostgresCatalog(own, { reserveHandles })
    left = await killAmidWork(services, database, catalog)
  })
  after(async () => {
    for (const service of services) await service.kill()
    await database?.stop()
    rmSync(home, { recursive: true, force: true })
    await catalog?.close()
    await catalogDatabase?.close()
    await dropTestCluster(place)
  })

  test('an import that it had begun ends once, with the result that it had', async () => {
    const { imports, many } = left
    await eventually(async () => {
      const [run] = await imports.runsOf(many.uid)
      assert.notEqual(run.status, 'RUNNING')
    }, TAKEN_OVER_MS_MAX)
    const [run, ...others] = await imports.runsOf(many.uid)
    assert.deepEqual(
      [run.uid, run.status, run.samples, run.message],
      [many.runUid, 'DONE', ROWS, ''],
    )
    assert.deepEqual(others, [])
    await allOnce(imports.owner)
  })

  test('webhooks that it had answered are samples, each once', async () => {
    await webhooksOnce(left.imports.owner, left.hook.uid, left.hook.acknowledged)
  })

  test('each time that an import was due by its schedule has one run', async () => {
    await left.workloads.due.isOnce(left.imports)
  })

  test('samples that are older than their delete profile keeps go', async () => {
    await left.workloads.aged.isExpired(left.imports.owner)
  })

  test('each sample that changed the state of an alert has one event', async () => {
    const { imports, workloads } = left
    await workloads.alert.put([imports.owner], CALM)
    await workloads.alert.isOnce(imports.owner)
  })

  test('all that was put through both is derived, each result once', async () => {
    const { imports, workloads, living } = left
    const { calm, steady } = workloads
    await steady.put([imports.owner], CALM)
    await calm.put([imports.owner], CALM)
    const derived = await steady.isDerived(imports.owner)
    assert.equal(await calm.isDerived(imports.owner), 2 * CALM)
    assert.ok((await derivedBy(living)) > 0, 'it has taken over')
    await settlesTo(() => calm.countReported(imports.owner), 2 * CALM)
    // What was derived in the last seconds before a kill is not counted, and nothing twice.
    await eventually(async () => {
      const reply = await steady.countReported(imports.owner)
      assert.ok(reply >= CALM && reply <= derived, `${reply} of ${derived}`)
    })
  })
})

/** Lets both processes work, and kills the one that derives while it is at everything. */
async function killAmidWork(
  services: readonly ChildService[],
  database: DatabaseServer,
  catalog: PostgresCatalog,
): Promise<Left> {
  const session = await signIn(services[0], ACCOUNT.email, ACCOUNT.password)
  const owners = services.map((service) => caller(service, session))
  const calm = await DerivedWorkload.make(owners[0], 'calm')
  const steady = await DerivedWorkload.make(owners[0], 'steady')
  await calm.put(owners, CALM)
  const counts = await eventually(async () => {
    const derived = await Promise.all(services.map(derivedBy))
    assert.ok(derived.some((count) => count > 0))
    return derived
  })
  const [killed, living] = counts[0] >= counts[1] ? services : services.toReversed()
  const imports = await ImportHome.open(killed, ACCOUNT, 'POSTGRESQL', database)
  const left = await ImportHome.open(living, ACCOUNT, 'POSTGRESQL', database)
  const due = await DueWorkload.make(catalog, imports)
  const hook = await makeHook(imports.owner)
  const uid = await insertMany(imports, database)
  const aged = await AgedWorkload.make(left.owner)
  const alert = await AlertWorkload.make(left.owner)
  // Both copies have it: it is kept.
  for (const owner of owners) await settlesTo(() => calm.countReported(owner), CALM)
  let isKilled = false
  const isOver = () => isKilled
  const others = [
    steady.put([imports.owner, left.owner], STEADY_MAX, isOver),
    due.press(left, isOver),
    alert.put([imports.owner, left.owner], CHANGES_MAX, isOver),
  ]
  const runUid = await imports.start(uid)
  // On a machine that lets the test wait the run may be over before: what is asked for holds then, too.
  const acknowledged = await callAndKill(killed, hook.orgUid, async () => {
    await hasStored(imports, uid)
    isKilled = true
  })
  await Promise.all(others)
  // What it had read is not read again: there is nothing any more.
  await database.ask('DELETE FROM numbers')
  const workloads = { aged, alert, due, calm, steady }
  return {
    imports: left,
    living,
    workloads,
    many: { uid, runUid },
    hook: { uid: hook.uid, acknowledged },
  }
}

/** Saves an import of many rows, for each of which in three the time is assigned. */
async function insertMany(imports: ImportHome, database: DatabaseServer): Promise<string> {
  await database.ask(`CREATE TABLE numbers AS
    SELECT 'k' || (n % ${DEVICES}) AS device, n, CASE WHEN n % 3 = 0 THEN NULL ELSE n END AS at
    FROM generate_series(1, ${ROWS}) AS n`)
  const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
    SELECT device, 'n', at, n FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 n LONG, 3 at LONG);`
  const procs = [{ timeZoneId: 'UTC', sql }]
  return await imports.insert({ id: 'many', externalSql: 'SELECT * FROM numbers', procs })
}

/** Waits until a run has stored something, or is over. */
async function hasStored(imports: ImportHome, uid: string): Promise<void> {
  for (;;) {
    const [run] = await imports.runsOf(uid)
    if (run.samples > 0 || run.status !== 'RUNNING') return
    await pause(LOOK_MS)
  }
}

async function makeHook(owner: Call): Promise<{ readonly uid: string; readonly orgUid: string }> {
  const users = await owner('GET', '/api/org_user')
  const organizations = await owner('GET', '/api/organization')
  const runningUser = { uid: users.body.org_user[0].uid }
  const connector = { id: 'hook', runningUser, procs: [{ sql: VALUES_SQL }] }
  const made = await owner('PUT', '/api/connector', { connector })
  assert.equal(made.status, 200, made.text)
  return { uid: made.body.connector.uid, orgUid: organizations.body.organization[0].uid }
}

/** Calls the sink until it is time, then kills the process amid calls; returns the acknowledged calls. */
async function callAndKill(
  service: ChildService,
  orgUid: string,
  untilTime: () => Promise<void>,
): Promise<number[]> {
  const acknowledged: number[] = []
  let next = 0
  let gone: Promise<void> | undefined
  const workload = async (): Promise<void> => {
    while (gone === undefined && next < CALLS_MAX) {
      const x = next++
      const body = valuesBody('hooked', { s: 'n', x })
      const call = callSink(service, { orgUid, id: 'hook' }, { key: KEY, body })
      const answer = await call.catch((error: unknown) => {
        if (gone === undefined) throw error
      })
      if (answer === undefined) return
      // A host that stands still for long makes a process unsure of its lease: it says so, and the next call goes on.
      if (answer.status === 503) continue
      assert.equal(answer.status, 200, answer.text)
      acknowledged.push(x)
    }
  }
  const kill = async (): Promise<void> => {
    await untilTime()
    gone = service.kill()
  }
  await Promise.all([kill(), ...Array.from({ length: WORKLOADS }, workload)])
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
  const done = await eventually(async () => {
    const { body } = await owner('GET', `/api/connector/${uid}/payload?limit=1000`)
    const statuses: string[] = body.payload.map(({ status }: { status: string }) => status)
    assert.ok(!statuses.includes('RUNNING'))
    return statuses.filter((status) => status === 'DONE').length
  }, TAKEN_OVER_MS_MAX)
  const read = await owner('GET', '/api/comp/hooked/stream/n/feed?limit=1000')
  const stored: number[] = read.body.map(({ data }: { data: number }) => data)
  assert.equal(new Set(stored).size, stored.length, 'nothing is there twice')
  assert.ok(done >= acknowledged.length)
  // One that was refused may have stored its sample before.
  assert.ok(stored.length >= done, 'every payload that is done is a sample')
  assert.deepEqual(
    acknowledged.filter((value) => !stored.includes(value)),
    [],
  )
}
