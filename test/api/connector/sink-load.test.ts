import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createOrganization } from '../../../src/auth/administer/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import {
  type ConnectorHome,
  callSink,
  startConnectorHome,
  VALUES_SQL,
  valuesBody,
} from '../../support/connector-home.ts'
import { HurriedClock } from '../../support/hurried-clock.ts'
import { settlesLike } from '../../support/settle.ts'
import { runnerPids } from '../../support/sql-runs.ts'

const clock = new HurriedClock()
let home: ConnectorHome
before(async () => {
  home = await startConnectorHome({
    clock,
    settings: { WEIR_SQL_SECONDS: '600', WEIR_SQL_RUNNERS: '2' },
  })
})
after(() => home.service.close())

/** Counts for ever. */
const ENDLESS_SQL = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
SELECT 'slow', 'x', 1, x FROM n WHERE x < 0`

interface Other {
  readonly orgUid: string
  readonly key: string
}

async function makeOther(): Promise<Other> {
  const password = 'correct horse battery staple'
  const { organization, owner, feedKey } = await createOrganization(home.service.app.identity, {
    name: 'Other',
    ownerEmail: 'other@example.com',
    ownerPassword: password,
    ownerTimeZone: 'UTC',
    actor: 'test',
  })
  const call = caller(home.service, await signIn(home.service, 'other@example.com', password))
  const made = await call('PUT', '/api/connector', {
    connector: {
      id: 'quick',
      runningUser: { uid: owner.uid },
      procs: [{ sql: VALUES_SQL }],
    },
  })
  assert.equal(made.status, 200, made.text)
  return { orgUid: organization.uid, key: feedKey }
}

test('many calls of one connector at once all come to their end, within its bound', async () => {
  const uid = await home.make('burst', VALUES_SQL)
  const count = 1_040
  let done = 0
  const worker = async (): Promise<void> => {
    while (done < count) {
      done += 1
      const body = valuesBody('burst', { s: 'n', x: done, t: done })
      const sent = await home.send('burst', { body })
      assert.equal(sent.status, 200, sent.text)
    }
  }
  await Promise.all(Array.from({ length: 40 }, worker))
  const kept = await home.owner('GET', `/api/connector/${uid}/payload`)
  assert.equal(kept.body.totalCount, 1_000)
  assert.equal(kept.body.payload.length, 1_000)
})

test('endless SQL of one organization holds up no call of another, and is ended', async () => {
  const uid = await home.make('endless', ENDLESS_SQL)
  const { orgUid, key } = await makeOther()
  const slow = Array.from({ length: 4 }, () =>
    home.send('endless', { body: 'x' }).catch(() => undefined),
  )
  for (let at = 0; at < 20; at += 1) {
    const body = valuesBody('quick', { s: 'n', x: at })
    const sent = await callSink(home.service, { orgUid, id: 'quick' }, { key, body })
    assert.equal(sent.status, 200, sent.text)
  }
  // Nothing ends them but the stop of the service, which waits for them first: they need no processor for that.
  for (const pid of runnerPids()) process.kill(pid, 'SIGSTOP')
  await home.service.restart()
  // None of them is taken for done.
  for (const answer of await Promise.all(slow)) assert.notEqual(answer?.status, 200)
  const ending = home.send('endless', { body: 'x' })
  const metrics = async () => await (await fetch(`${home.service.url}/metrics`)).text()
  await settlesLike(metrics, /^weir_sql_runners_busy 1$/m)
  clock.pass(600)
  const ended = await ending
  assert.equal(ended.status, 422, ended.text)
  const kept = await home.owner('GET', `/api/connector/${uid}/payload`)
  assert.match(kept.body.payload[0].message, /longer than 600 s/)
})
