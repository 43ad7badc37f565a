import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type ImportHome, startImportHome } from '../../support/import-home.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'
import { eventually, settlesTo } from '../../support/settle.ts'
import { type SharedServer, sharedPostgresql } from '../../support/shared-databases.ts'

const MINUTE = 60_000

describe('scheduled imports', { skip: postgresqlSkip() }, () => {
  let server: SharedServer
  before(async () => {
    server = await sharedPostgresql()
    await server.ask('CREATE TABLE readings (device text, at bigint, temp double precision)')
    await server.ask("INSERT INTO readings VALUES ('d1', 1000, 20.5)")
  })

  test('an import runs when its schedule says so, once for all that was missed, over a restart too', async () => {
    const clock = new ManualClock(Date.parse('2026-03-02T05:30:00Z'))
    const { home, service, reopen } = await startImportHome('POSTGRESQL', server, { clock })
    try {
      const schedule = { cron: '0 * * * *', timeZoneId: 'UTC' }
      const uid = await home.insert({ id: 'hourly', schedule, skipUnchangedRows: false })
      const count = async (at: ImportHome) =>
        (await at.runsOf(uid)).filter(({ status }) => status === 'DONE').length
      clock.advance(31 * MINUTE)
      await eventually(async () => assert.equal(await count(home), 1))
      clock.advance(5 * 60 * MINUTE)
      await eventually(async () => assert.equal(await count(home), 2))
      clock.advance(3 * 60 * MINUTE)
      const again = await reopen()
      await eventually(async () => assert.equal(await count(again), 3))
      const off = await again.owner('POST', `/api/connector/${uid}`, {
        connector: { schedule: null },
      })
      assert.equal(off.status, 200, off.text)
      assert.equal(off.body.connector.schedule, null)
    } finally {
      await service.close()
    }
  })

  test('a run that finds no database is tried again after 1, 2, 4 minutes, until it goes through', async () => {
    const clock = new ManualClock(Date.parse('2026-03-02T05:30:00Z'))
    const { home, service } = await startImportHome('POSTGRESQL', server, { clock })
    try {
      const path = `/api/connection/${home.connectionUid}`
      const password = 'the-password'
      await home.owner('POST', path, { connection: { host: 'nowhere.invalid', password } })
      const uid = await home.insert({ id: 'lost', schedule: { everyMinutes: 1_000 } })
      const nextRun = async () =>
        (await home.owner('GET', `/api/connector/${uid}`)).body.connector.nextRun
      clock.advance(1_000 * MINUTE)
      for (const [at, minutes] of [1, 2, 4].entries()) {
        await settlesTo(nextRun, clock.now() + minutes * MINUTE)
        const runs = await home.runsOf(uid)
        assert.deepEqual(
          runs.map(({ status }) => status),
          Array.from({ length: at + 1 }, () => 'FAILED'),
        )
        assert.match(runs[0].message, /nowhere\.invalid/)
        if (minutes < 4) clock.advance(minutes * MINUTE)
      }
      await home.owner('POST', path, { connection: { host: '127.0.0.1', password } })
      clock.advance(4 * MINUTE)
      await settlesTo(async () => (await home.runsOf(uid))[0].status, 'DONE')
      await settlesTo(nextRun, clock.now() + 1_000 * MINUTE)
    } finally {
      await service.close()
    }
  })
})
