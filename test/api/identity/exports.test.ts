import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { caller, signIn } from '../../support/caller.ts'
import { deviceOfFile, ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const HOUR_MS = 3_600_000
const clock = new ManualClock(Date.UTC(2026, 0, 15))
const service = serviceOfFile({ clock })
const owner = ownerOfFile(service)
const device = deviceOfFile(service)
before(async () => {
  const samples = Array.from({ length: 1_000 }, (_, at) => ({
    compId: 'c1',
    streamId: 's1',
    data: at,
    time: 1_000 + at,
  }))
  const others = Array.from({ length: 120 }, (_, at) => ({
    compId: `o${at}`,
    streamId: 's',
    data: 1,
    time: 1,
  }))
  assert.equal((await device('PUT', '/api/feed', [...samples, ...others])).status, 200)
})

interface ExportAct {
  readonly act: string
  readonly actor: string
  readonly address: string
  readonly target: string
  readonly detail: string
}

/** The exports in the audit log, the newest first. */
async function exportEntries(): Promise<ExportAct[]> {
  await service.app.identity.exports.flush()
  const { audit } = (await owner('GET', '/api/audit?limit=1000')).body
  return audit.filter(({ act }: ExportAct) => act === 'data_exported')
}

/** Begins another hour, so that what tests before have read does not count. */
async function nextHour(): Promise<() => Promise<string[]>> {
  clock.advance(HOUR_MS)
  const before = (await exportEntries()).length
  return async () => {
    const entries = await exportEntries()
    return entries.slice(0, entries.length - before).map(({ detail }) => detail)
  }
}

const CSV = '/api/comp/c1/stream/s1/feed?format=csv&limit=5'

test('a read as CSV is logged once for each caller, target and hour, with a count', async () => {
  const entries = await nextHour()
  for (let at = 0; at < 3; at += 1) assert.equal((await owner('GET', CSV)).status, 200)
  assert.deepEqual(await entries(), ['"c1" / "s1" as CSV: 3 answers, 15 samples'])
  await owner('GET', CSV)
  const [entry] = await exportEntries()
  assert.equal(entry.detail, '"c1" / "s1" as CSV: 4 answers, 20 samples', 'the entry has grown')
  assert.match(entry.actor, /^user:/)
  assert.equal(entry.address, '127.0.0.1')
  const { index } = service.app.catalog
  assert.equal(entry.target, index.resolveComponent(service.orgUid, 'c1')?.uid)
  await owner('GET', '/api/comp/c1/last_value?format=csv')
  assert.equal((await device('GET', CSV)).status, 200)
  const details = await entries()
  assert.deepEqual(details.sort(), [
    '"c1" / "s1" as CSV: 1 answer, 5 samples',
    '"c1" as CSV: 5 answers, 21 samples',
  ])
  const actors = (await exportEntries()).map(({ actor }) => actor.split(':')[0])
  assert.ok(actors.includes('api_key'))
  clock.advance(HOUR_MS)
  await owner('GET', CSV)
  assert.deepEqual((await entries())[0], '"c1" / "s1" as CSV: 1 answer, 5 samples')
})

test('CSV by the header Accept is an export; a HEAD and a refused read are none', async () => {
  const entries = await nextHour()
  const head = await fetch(`${service.url}${CSV}`, {
    method: 'HEAD',
    headers: { Cookie: `api_key=${service.feedKey}` },
  })
  assert.equal(head.status, 200)
  assert.equal((await owner('GET', '/api/comp/none/feed?format=csv')).status, 404)
  assert.equal((await caller(service, '')('GET', CSV)).status, 401)
  assert.deepEqual(await entries(), [])
  const asked = caller(service, `api_key=${service.feedKey}`, { Accept: 'text/csv' })
  assert.equal((await asked('GET', '/api/comp/c1/stream/s1/feed?limit=2')).status, 200)
  assert.deepEqual(await entries(), ['"c1" / "s1" as CSV: 1 answer, 2 samples'])
})

test('people who read much of one target export it, page by page; devices do not', async () => {
  const entries = await nextHour()
  const page = '/api/comp/c1/stream/s1/feed?limit=1000'
  for (let at = 0; at < 10; at += 1) await owner('GET', page)
  for (let at = 0; at < 12; at += 1) await device('GET', page)
  assert.deepEqual(await entries(), [], 'up to 10,000 samples are what a page of charts shows')
  await owner('GET', page)
  assert.deepEqual(await entries(), ['"c1" / "s1": 11 answers, 11000 samples'])
})

test('a component counts over all paths that lead to its samples', async () => {
  const entries = await nextHour()
  for (let at = 0; at < 6; at += 1) {
    assert.equal((await owner('GET', '/api/comp/c1/stream/s1/feed?limit=1000')).status, 200)
    assert.equal((await owner('GET', '/api/comp/c1/feed?limit=1000')).status, 200)
  }
  const [detail, ...others] = await entries()
  assert.deepEqual(others, [])
  assert.match(detail, /^"c1": 12 answers, 120\d\d samples$/)
})

test('statements of SQL are one answer, however many streams they read', async () => {
  const [compId, times] = ['of three', [1, 2]]
  const samples = ['a', 'b', 'c'].flatMap((streamId) =>
    times.map((time) => ({ compId, streamId, time, data: time })),
  )
  assert.equal((await device('PUT', '/api/feed', samples)).status, 200)
  const entries = await nextHour()
  const sql = encodeURIComponent(`SELECT id, sample FROM SAMPLE WHERE cid = '${compId}'`)
  assert.equal((await owner('GET', `/api/gql?format=csv&s=${sql}`)).status, 200)
  assert.deepEqual(await entries(), ['"of three", 3 streams as CSV: 1 answer, 6 samples'])
  assert.equal((await owner('GET', `/api/gql?format=csv&s=${sql}`)).status, 200)
  assert.deepEqual(await entries(), ['"of three", 3 streams as CSV: 2 answers, 12 samples'])
})

test('IDs that look like other words of an entry stand in quotes', async () => {
  const entries = await nextHour()
  for (const [compId, streamId] of [
    ['a', 'b / c'],
    ['a / b', 'c, sd 0'],
  ]) {
    await device('PUT', '/api/feed', [{ compId, streamId, data: 1, time: 1 }])
    const [comp, stream] = [compId, streamId].map(encodeURIComponent)
    const path = `/api/comp/${comp}/stream/${stream}/feed`
    assert.equal((await owner('GET', `${path}?format=csv`)).status, 200)
  }
  const details = await entries()
  assert.deepEqual(details.sort(), [
    '"a / b" / "c, sd 0" as CSV: 1 answer, 1 sample',
    '"a" / "b / c" as CSV: 1 answer, 1 sample',
  ])
})

test('files that people download are logged with their bytes, those of devices not', async () => {
  const file = '/api/comp/c1/stream/f1/feed/file/a.txt'
  const put = await fetch(`${service.url}${file}`, {
    method: 'PUT',
    body: 'twelve bytes',
    headers: { 'X-Api-Key': service.feedKey },
  })
  assert.equal(put.status, 200)
  const entries = await nextHour()
  assert.equal((await device('GET', file)).status, 200)
  assert.deepEqual(await entries(), [])
  assert.equal((await owner('GET', file)).status, 200)
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const some = caller(service, session, { Range: 'bytes=0-3' })
  assert.equal((await some('GET', file)).status, 206)
  // Pictures that a page shows to a person are viewed. A program with a key that says so is not a page.
  const shown = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'image' }
  assert.equal((await caller(service, session, shown)('GET', file)).status, 200)
  const elsewhere = { ...shown, 'Sec-Fetch-Site': 'cross-site' }
  assert.deepEqual(await entries(), ['"c1" / "f1", files: 2 answers, 16 bytes'])
  assert.equal((await caller(service, session, elsewhere)('GET', file)).status, 200)
  assert.match((await entries())[0], /^"c1" \/ "f1", files: 3 answers/)
})

test('a caller with very many targets makes a hundred entries an hour and one for the rest', async () => {
  const entries = await nextHour()
  for (let at = 0; at < 120; at += 1) await device('GET', `/api/comp/o${at}/feed?format=csv`)
  const details = await entries()
  assert.equal(details.length, 101)
  assert.ok(details.includes('other components as CSV: 20 answers, 20 samples'), details.join('\n'))
})

test('exports are logged before the service stops', async () => {
  const entries = await nextHour()
  await owner('GET', CSV)
  await service.restart()
  assert.deepEqual(await entries(), ['"c1" / "s1" as CSV: 1 answer, 5 samples'])
})
