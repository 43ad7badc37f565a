/** Samples without a time: every one that is acknowledged is there, and running again stores none twice. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConnectorHome, startConnectorHome } from '../../support/connector-home.ts'
import { onCluster } from '../../support/service.ts'

let home: ConnectorHome
before(async () => {
  home = await startConnectorHome()
})
after(() => home.service.close())

const INTO = 'INSERT OR REPLACE INTO SAMPLE(CID, ID, SAMPLE)'

/** Stores `rows` samples without a time, which contain the body and their row. */
function rowsSql(cid: string, rows: number): string {
  const lines = Array.from({ length: rows }, (_, row) => `r${row}`).join('\n')
  return `${INTO} SELECT '${cid}', 's', @HTTP_BODY + v FROM CSV_TABLE('${lines}') WITH (1 v STRING)`
}

async function values(cid: string): Promise<unknown[]> {
  return (await home.samples(cid, 's')).map(([, value]) => value)
}

async function sendAll(ids: readonly string[], count: number, isAtOnce: boolean): Promise<number> {
  const send = async (at: number): Promise<number> => {
    const sent = await home.send(ids[at % ids.length], { body: `c${at}` })
    assert.equal(sent.status, 200, sent.text)
    return sent.body.samples
  }
  const all = Array.from({ length: count }, (_, at) => at)
  if (isAtOnce) return (await Promise.all(all.map(send))).reduce((sum, one) => sum + one, 0)
  let samples = 0
  for (const at of all) samples += await send(at)
  return samples
}

async function payloadsOf(uid: string) {
  const { status, text, body } = await home.owner('GET', `/api/connector/${uid}/payload`)
  assert.equal(status, 200, text)
  return body.payload
}

async function runAgain(uid: string, payload: { uid: string }): Promise<void> {
  const path = `/api/connector/${uid}/payload/${payload.uid}/run?force=true`
  const again = await home.owner('POST', path)
  assert.equal(again.status, 200, again.text)
}

test('calls one after the other and at once keep all their rows, also of several connectors', async () => {
  await home.make('seq', rowsSql('seq', 20))
  assert.equal(await sendAll(['seq'], 10, false), 200)
  assert.equal(new Set(await values('seq')).size, 200)
  await home.make('once', rowsSql('once', 3))
  await home.make('once2', rowsSql('once', 4))
  assert.equal(await sendAll(['once', 'once2'], 40, true), 140)
  assert.equal(new Set(await values('once')).size, 140)
})

test('puts of a feed beside a sink overwrite nothing of it, nor it of them', async () => {
  await home.make('beside', rowsSql('beside', 5))
  await home.send('beside', { body: 'first' })
  const put = async (at: number): Promise<void> => {
    const answer = await home.owner('PUT', `/api/feed?compId=beside&s=f${at}`)
    assert.equal(answer.status, 200, answer.text)
  }
  const puts = Array.from({ length: 30 }, (_, at) => put(at))
  assert.equal(await sendAll(['beside'], 20, true), 100)
  await Promise.all(puts)
  assert.equal(new Set(await values('beside')).size, 5 + 30 + 100)
})

test('payloads that are run again have the times that they had, or those that are free', async () => {
  const uid = await home.make('again', rowsSql('again', 4))
  await sendAll(['again'], 6, true)
  const before = await home.samples('again', 's')
  assert.equal(before.length, 24)
  for (const payload of await payloadsOf(uid)) await runAgain(uid, payload)
  assert.deepEqual(await home.samples('again', 's'), before)
  const procs = [{ sql: rowsSql('again', 6) }]
  await home.owner('POST', `/api/connector/${uid}`, { connector: { procs } })
  const payloads = await payloadsOf(uid)
  await Promise.all(payloads.map((payload: { uid: string }) => runAgain(uid, payload)))
  const more = await home.samples('again', 's')
  assert.equal(new Set(more.map(([, value]) => value)).size, 36)
  assert.deepEqual(more.length, 36)
  const places = new Map(more.map(([time, value]) => [value, time]))
  for (const [time, value] of before) assert.equal(places.get(value), time)
  for (const payload of payloads) await runAgain(uid, payload)
  assert.deepEqual(await home.samples('again', 's'), more)
})

test('a failed payload that is run late is at its arrival and overwrites nothing', {
  skip: onCluster(
    'a cluster assigns times up to 15 ms after the arrival, and 16 ms apart in a call',
  ),
}, async () => {
  const uid = await home.make('late', `${rowsSql('late', 3)} WHERE TOEPOCHMILLIS(v, 'yyyy') > 0`)
  assert.equal((await home.send('late', { body: 'old' })).status, 422)
  const [failed] = await payloadsOf(uid)
  await home.make(
    'given',
    `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
    SELECT 'late', 's', ${failed.time + 1}, 'theirs'`,
  )
  assert.equal((await home.send('given')).status, 200)
  const procs = [{ sql: rowsSql('late', 3) }]
  await home.owner('POST', `/api/connector/${uid}`, { connector: { procs } })
  assert.equal((await home.send('late', { body: 'young' })).status, 200)
  await runAgain(uid, failed)
  const samples = await home.samples('late', 's')
  assert.deepEqual(
    samples.slice(0, 3).map(([time, value]) => [time - failed.time, value]),
    [[0, 'oldr0'], [1, 'theirs'], [2, 'oldr1']], // biome-ignore format: short
  )
  assert.equal(new Set(samples.map(([, value]) => value)).size, 7)
})

test('a point stream keeps the newest by arrival when an older payload is run again', async () => {
  const uid = await home.make('point', `${INTO} SELECT 'point', 's', @HTTP_BODY`)
  assert.equal((await home.send('point', { body: 'zero' })).status, 200)
  const listed = await home.owner('GET', '/api/component?id=point')
  const component = listed.body.component[0]
  const path = `/api/component/${component.uid}/stream`
  const made = await home.owner('PUT', path, {
    stream: { id: 'p', streamType: 'point_stream', valueType: 'STRING' },
  })
  assert.equal(made.status, 200, made.text)
  const procs = [{ sql: `${INTO} SELECT 'point', 'p', @HTTP_BODY` }]
  await home.owner('POST', `/api/connector/${uid}`, { connector: { procs } })
  for (const body of ['one', 'two']) assert.equal((await home.send('point', { body })).status, 200)
  const newest = await home.samples('point', 'p')
  assert.equal(newest[0][1], 'two')
  const [two, one, zero] = await payloadsOf(uid)
  for (const payload of [one, zero, two]) await runAgain(uid, payload)
  assert.deepEqual(await home.samples('point', 'p'), newest)
})

test('every run of a payload leaves a record', async () => {
  const uid = await home.make('runs', `${rowsSql('runs', 2)} WHERE TOEPOCHMILLIS(v, 'yyyy') > 0`)
  assert.equal((await home.send('runs', { body: 'x' })).status, 422)
  const [payload] = await payloadsOf(uid)
  const procs = [{ sql: rowsSql('runs', 2) }]
  await home.owner('POST', `/api/connector/${uid}`, { connector: { procs } })
  await runAgain(uid, payload)
  await runAgain(uid, payload)
  const { body } = await home.owner('GET', `/api/connector/${uid}/run`)
  const statuses = body.run.map(({ status, samples }: { status: string; samples: number }) => [
    status,
    samples,
  ])
  assert.deepEqual(statuses, [['DONE', 2], ['DONE', 2], ['FAILED', 0]]) // biome-ignore format: short
  assert.equal(body.totalCount, 3)
  assert.equal(body.run[0].uid, payload.uid)
  assert.equal((await payloadsOf(uid)).length, 1)
})
