/** A runner that is killed under a sink's call: that call fails, its payload is kept, and nobody else notices. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { startConnectorHome, VALUES_SQL, valuesBody } from '../../support/connector-home.ts'
import { onCluster } from '../../support/service.ts'
import { eventually, settlesTo } from '../../support/settle.ts'
import { runnerPids } from '../../support/sql-runs.ts'

const ENDLESS = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE) SELECT 'killed', 's', max(i) FROM n`

function killRunners(): void {
  for (const pid of runnerPids()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

test('a killed runner fails one call with 503; its payload runs again, once', {
  skip: existsSync('/proc/self/stat') ? false : 'this system has no /proc',
}, async (t) => {
  const home = await startConnectorHome()
  t.after(() => home.service.close())
  const uid = await home.make('killed', ENDLESS)
  await home.make('other', VALUES_SQL)
  const busy = async (): Promise<boolean> => {
    const metrics = await (await fetch(`${home.service.url}/metrics`)).text()
    return /^weir_sql_runners_busy [1-9]/m.test(metrics)
  }
  const body = valuesBody('killed', { s: 's', x: 7 })
  const call = home.send('killed', { body })
  let isAnswered = false
  const answer = call.finally(() => {
    isAnswered = true
  })
  await settlesTo(busy, true, 'a run')
  assert.equal((await home.send('other', { body: valuesBody('o', { s: 's', x: 1 }) })).status, 200)
  // A call that has given nothing yet may be tried on another runner.
  await eventually(() => {
    if (!isAnswered) killRunners()
    assert.ok(isAnswered, 'the call goes on')
  })
  const { status, headers, body: metrics } = await answer
  assert.deepEqual([status, metrics.code], [503, 'sql_unavailable'], metrics.message)
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.equal((await home.send('other', { body: valuesBody('o', { s: 's', x: 2 }) })).status, 200)
  assert.deepEqual(
    (await home.samples('o', 's')).map(([, data]) => data),
    [1, 2],
  )
  const { body: listed } = await home.owner('GET', `/api/connector/${uid}/payload`)
  const [payload] = listed.payload
  assert.deepEqual([listed.totalCount, payload.samples], [1, 0])
  assert.notEqual(payload.status, 'DONE')
  const connector = { procs: [{ timeZoneId: 'UTC', sql: VALUES_SQL }] }
  assert.equal((await home.owner('POST', `/api/connector/${uid}`, { connector })).status, 200)
  const path = `/api/connector/${uid}/payload/${payload.uid}/run`
  const again = await home.owner('POST', path, {})
  assert.equal(again.status, 200, again.text)
  const [[time, data], ...others] = await home.samples('killed', 's')
  assert.deepEqual([data, others], [7, []])
  if (
    !onCluster('a cluster assigns times up to 15 ms after the arrival, and 16 ms apart in a call')
  )
    assert.equal(time, payload.time)
  assert.equal((await home.owner('POST', path, {})).status, 409)
})
