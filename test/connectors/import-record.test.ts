import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { ImportHome, LOCAL } from '../support/import-home.ts'
import { serviceOfFile } from '../support/service-of-file.ts'
import { settlesTo } from '../support/settle.ts'

const service = serviceOfFile({ settings: LOCAL })
let home: ImportHome
before(async () => {
  const account = { email: service.ownerEmail, password: service.ownerPassword }
  const server = {
    port: 1,
    ask: async () => [],
    restart: async () => {},
    stop: async () => {},
  }
  home = await ImportHome.open(service, account, 'POSTGRESQL', server)
})

test('an import is saved with its fields and defaults, and has no sink', async () => {
  const uid = await home.insert({ id: 'plain' })
  const { connector } = (await home.owner('GET', `/api/connector/${uid}`)).body
  const { connType, maxRows, skipUnchangedRows, schedule, sinkUrl } = connector
  assert.deepEqual(
    { connType, maxRows, skipUnchangedRows, schedule, sinkUrl },
    { connType: 'DB_IMPORT', maxRows: 0, skipUnchangedRows: true, schedule: null, sinkUrl: '' },
  )
  assert.equal(connector.connection.uid, home.connectionUid)
  const answer = await fetch(
    `${service.url}/api/conn_sink/${service.orgUid}/plain?api_key=${service.feedKey}`,
    { method: 'POST', body: '{}' },
  )
  assert.equal(answer.status, 404)
})

test('mistakes of an import name their field, and change nothing', async () => {
  const uid = await home.insert({ id: 'strict' })
  const check = async (connector: object, field: string) => {
    const refused = await home.owner('POST', `/api/connector/${uid}`, { connector })
    assert.equal(refused.status, 400, refused.text)
    assert.equal(refused.body.field, `connector.${field}`)
  }
  await check({ connection: null }, 'connection')
  await check({ connection: { uid: 'none' } }, 'connection')
  await check({ externalSql: ' ' }, 'externalSql')
  await check({ maxRows: -1 }, 'maxRows')
  await check({ schedule: {} }, 'schedule')
  await check({ schedule: { cron: '61 * * * *' } }, 'schedule.cron')
  await check({ schedule: { everyMinutes: 0 } }, 'schedule.everyMinutes')
  await check({ schedule: { cron: '* * * * *', timeZoneId: 'Mars' } }, 'schedule.timeZoneId')
  await check({ connType: 'HTTP' }, 'connType')
  await check({ runningUser: null }, 'runningUser')
  assert.equal((await home.owner('GET', `/api/connector/${uid}`)).body.connector.revision, 1)
})

test('a connection that an import reads stays; a connector without one is run by its sink alone', async () => {
  const uid = await home.insert({ id: 'user' })
  const kept = await home.owner('DELETE', `/api/connection/${home.connectionUid}`)
  assert.equal(kept.status, 409, kept.text)
  assert.match(kept.body.message, /connector "/)
  const http = await home.owner('PUT', '/api/connector', {
    connector: {
      id: 'hook',
      connType: 'HTTP',
      runningUser: { uid: home.userUid },
      procs: [{ timeZoneId: 'UTC', sql: "SET @a = 'b'" }],
    },
  })
  assert.equal(http.status, 200, http.text)
  const hook = http.body.connector.uid
  assert.equal((await home.owner('POST', `/api/connector/${hook}/run`)).status, 409)
  const off = await home.owner('POST', `/api/connector/${uid}`, { connector: { isEnabled: false } })
  assert.equal(off.status, 200)
  assert.equal((await home.owner('POST', `/api/connector/${uid}/run`)).status, 409)
  assert.equal((await home.owner('DELETE', `/api/connector/${uid}`)).status, 200)
})

test('a run that cannot reach its database is reported, and can be viewed', async () => {
  const uid = await home.insert({ id: 'unreached' })
  const { status, message, uid: runUid } = await home.run(uid)
  assert.equal(status, 'FAILED')
  assert.match(message, /127\.0\.0\.1:1/)
  const again = await home.owner('POST', `/api/connector/${uid}/payload/${runUid}/run`)
  assert.equal(again.status, 409, again.text)
})

test('a schedule is checked without being saved, with the times that it would run at', async () => {
  const check = async (schedule: unknown) => {
    const answer = await home.owner('POST', '/api/connector/schedule_check', { schedule })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.check
  }
  const yearly = await check({ cron: '30 6 29 2 *', timeZoneId: 'Europe/Berlin' })
  assert.equal(yearly.error, null)
  const shown = yearly.nextRuns.map((time: number) => new Date(time).toISOString().slice(4))
  assert.deepEqual(shown, Array(3).fill('-02-29T05:30:00.000Z'))
  const often = await check({ everyMinutes: 15 })
  assert.deepEqual(
    [often.nextRuns[1] - often.nextRuns[0], often.nextRuns[2] - often.nextRuns[1]],
    [900_000, 900_000],
  )
  assert.deepEqual(await check(null), { error: null, nextRuns: [] })
  const wrong = await check({ cron: '61 * * * *', timeZoneId: 'UTC' })
  assert.equal(wrong.error.field, 'connector.schedule.cron')
  assert.match(wrong.error.message, /minute/)
  assert.deepEqual(wrong.nextRuns, [])
  assert.equal((await check({ cron: '0 0 30 2 *' })).error.field, 'connector.schedule.cron')
  assert.equal((await check({})).error.field, 'connector.schedule')
  for (const body of [{}, { schedule: 7 }, { schedule: { cron: 7 } }, []]) {
    const refused = await home.owner('POST', '/api/connector/schedule_check', body)
    assert.equal(refused.status, 400, refused.text)
  }
})

test('a scheduled import has its next run; others have none', async () => {
  const nextOf = async (uid: string) =>
    (await home.owner('GET', `/api/connector/${uid}`)).body.connector.nextRun
  const uid = await home.insert({ id: 'next', schedule: { cron: '0 6 29 2 *' } })
  assert.match(new Date(await nextOf(uid)).toISOString(), /-02-29T06:00:00/)
  const listed = (await home.owner('GET', '/api/connector')).body.connector
  const found = listed.find((one: { uid: string }) => one.uid === uid)
  assert.equal(found.nextRun, await nextOf(uid))
  const off = await home.owner('POST', `/api/connector/${uid}`, { connector: { isEnabled: false } })
  assert.equal(off.body.connector.nextRun, null)
  assert.equal(await nextOf(await home.insert({ id: 'unscheduled' })), null)
  const blank = await home.owner('GET', '/api/connector/new')
  assert.equal(blank.body.connector.nextRun, null)
})

test('what runs have left on disk that are over goes with the next start', async () => {
  const folder = join(service.dataDir, 'imports')
  writeFileSync(join(folder, 'a-run.result'), 'some')
  writeFileSync(join(folder, 'b-run.result.tmp'), 'some')
  await service.restart()
  await settlesTo(() => readdirSync(folder), ['holder'])
})
