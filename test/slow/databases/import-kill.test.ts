/** kill -9 amid a run of an import: the next start goes on with it, without loss and without double effect. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type KilledService,
  startChildService,
  startLastService,
} from '../../support/child-service.ts'
import { ImportHome, INGEST, LOCAL } from '../../support/import-home.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'
import { settlesTo } from '../../support/settle.ts'
import { type SharedServer, sharedPostgresql } from '../../support/shared-databases.ts'

const ACCOUNT = { email: 'owner@localhost', password: 'correct horse battery' }
const SETTINGS = { ...LOCAL, WEIR_OWNER_PASSWORD: ACCOUNT.password, WEIR_SQL_SECONDS: '120' }
/** Several puts, so that there is time to kill between two of them. */
const ROWS = 105_000
const DEVICES = 5
const LOOK_MS = 2

describe('kill -9 amid imports', { skip: postgresqlSkip() }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-import-kill-'))
  let server: SharedServer
  let service: KilledService
  let home: ImportHome

  async function start(startService = startLastService): Promise<void> {
    service = await startService(dataDir, SETTINGS)
    home = await ImportHome.open(service, ACCOUNT, 'POSTGRESQL', server)
  }

  before(async () => {
    server = await sharedPostgresql()
    await start(startChildService)
  })
  after(async () => {
    await service?.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('a run that waits for its rows is begun again, with the time that it had', async () => {
    // The statement waits until the test lets it go on.
    await server.ask(`CREATE TABLE gate (is_open int);
      CREATE FUNCTION opened() RETURNS int LANGUAGE plpgsql AS $$
      BEGIN
        WHILE NOT EXISTS (SELECT FROM gate) LOOP PERFORM pg_sleep(0.05); END LOOP;
        RETURN 1;
      END $$`)
    const externalSql = "SELECT 'd1', 1000, 20.5 WHERE opened() = 1"
    const sql = INGEST.replace("device, 'temp', at, temp", "device, 'temp', NULL, temp")
    const uid = await home.insert({ id: 'cut', externalSql, procs: [{ timeZoneId: 'UTC', sql }] })
    const runUid = await home.start(uid)
    const [{ start: began }] = (await home.runsOf(uid)) as unknown as { start: number }[]
    await service.kill()
    await server.ask('INSERT INTO gate VALUES (1)')
    await start(startChildService)
    const ended = await home.ended(uid, runUid)
    assert.deepEqual([ended.status, ended.samples], ['DONE', 1], ended.message)
    // A sample without a time has that of the run, which is the same however often it is run.
    assert.deepEqual(await home.samplesOf('d1'), [[began, 20.5]])
    assert.equal((await home.runsOf(uid)).length, 1)
  })

  test('a run that is killed between two puts stores the rest of what it had read, once', async () => {
    await server.ask(`CREATE TABLE numbers AS
      SELECT 'k' || (n % ${DEVICES}) AS device, n, CASE WHEN n % 3 = 0 THEN NULL ELSE n END AS at
      FROM generate_series(1, ${ROWS}) AS n`)
    const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
      SELECT device, 'n', at, n FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 n LONG, 3 at LONG);`
    const procs = [{ timeZoneId: 'UTC', sql }]
    const uid = await home.insert({ id: 'many', externalSql: 'SELECT * FROM numbers', procs })
    const runUid = await home.start(uid)
    // On a machine that lets the test wait the run may be over before: what is asked for below holds then, too.
    for (;;) {
      const [run] = await home.runsOf(uid)
      if (run.samples > 0 || run.status !== 'RUNNING') break
      await wait(LOOK_MS)
    }
    const called = await home.owner('DELETE', `/api/connector/${uid}/run`)
    await service.kill()
    assert.ok([404, 409].includes(called.status), called.text)
    // What it had read is not read again: there is nothing any more.
    await server.ask(`DELETE FROM numbers WHERE n < ${ROWS / 2}`)
    await start()
    const ended = await home.ended(uid, runUid)
    assert.deepEqual(
      [ended.status, ended.rowsFetched, ended.rowsIngested, ended.rowsSkipped, ended.samples],
      ['DONE', ROWS, (ROWS / 3) * 2 + DEVICES, 0, ROWS],
      ended.message,
    )
    const query = encodeURIComponent(
      'SELECT CID, count(sample), sum(sample) FROM SAMPLE GROUP BY CID',
    )
    const { body } = await home.owner('GET', `/api/gql?s=${query}`)
    const rows = (body.rows as [string, number, number][]).filter(([cid]) => /^k/.test(cid))
    assert.equal(rows.length, DEVICES)
    assert.equal(
      rows.reduce((sum, [, count]) => sum + count, 0),
      ROWS,
    )
    assert.equal(
      rows.reduce((total, [, , sum]) => total + sum, 0),
      (ROWS * (ROWS + 1)) / 2,
    )
    // What was imported last is remembered of the run as a whole.
    await server.ask(`DELETE FROM numbers WHERE n <= ${ROWS - 3 * DEVICES} OR at IS NOT NULL`)
    const again = await home.run(uid)
    assert.deepEqual([again.rowsFetched, again.rowsSkipped, again.samples], [DEVICES, DEVICES, 0])
    await settlesTo(() => readdirSync(join(dataDir, 'imports')), ['holder'])
  })
})
