import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { userPrincipal } from '../../../src/access/index.ts'
import { ManualClock } from '../../../src/base/index.ts'
import { callApi } from '../../support/file-client.ts'
import { startService } from '../../support/service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const TEN_YEARS = 3_652 * DAY
const NOON = Date.UTC(2024, 5, 1, 12)

type Shown = { data: number; time: number }
const json = { method: 'PUT', headers: { 'Content-Type': 'application/json' } }

/** A service on a manual clock; component c has the stream kept, and short with a profile. */
async function setUp(t: TestContext, profile: { sizeType: string; count: number }) {
  const clock = new ManualClock(NOON)
  const service = await startService({ clock })
  t.after(() => service.close())
  const owner = userPrincipal({ orgUid: service.orgUid, userUid: 'test', role: 'OWNER' })
  const profiles = () => service.app.catalog.deleteProfiles
  const { uid } = await profiles().insert(owner, { name: 'p', ...profile })
  const kept = { id: 'kept', name: 'kept', valueType: 'DOUBLE' }
  const short = { ...kept, id: 'short', name: 'short', delete_profile: { uid } }
  const point = { ...short, id: 'point', name: 'point', streamType: 'point_stream' }
  const stream = [kept, short, point, { id: 'f', delete_profile: { uid } }]
  await service.app.catalog.components.insert(owner, {
    id: 'c',
    name: 'c',
    timeZoneId: 'UTC',
    stream,
  })
  const fetchPath = (path: string, init?: RequestInit) => {
    const sign = path.includes('?') ? '&' : '?'
    return fetch(`${service.url}/api/${path}${sign}api_key=${service.feedKey}`, init)
  }
  const put = async (query: string, init: RequestInit = { method: 'PUT' }) => {
    const answer = await fetchPath(`feed?${query}`, init)
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return { text, warning: answer.headers.get('Weir-Warning') }
  }
  const ask = async (path: string) => (await (await fetchPath(path)).json()) as Shown[]
  const times = async (streamId: string) =>
    (await ask(`comp/c/stream/${streamId}/feed?limit=1000`)).map(({ time }) => time).sort()
  const count = async (streamId: string) => {
    const path = `comp/c/stream/${streamId}/cycle/year/stat/nongapcount/feed`
    return (await ask(path)).reduce((sum, { data }) => sum + data, 0)
  }
  const run = () => service.app.deleteProfileJob.run()
  /** Gives the stream another profile, or none. */
  const give = async (streamId: string, profileUid: string | null) => {
    const { catalog } = service.app
    const component = catalog.index.resolveComponent(service.orgUid, 'c')
    assert.ok(component)
    const streamUid = catalog.index.streamUid(catalog.index.resolveStream(component, streamId))
    const change = { delete_profile: profileUid === null ? null : { uid: profileUid } }
    await catalog.streams.update(owner, { componentUid: component.uid, uid: streamUid }, change)
  }
  return { service, clock, owner, uid, profiles, fetchPath, put, ask, times, count, run, give }
}

test('a delete profile lets old samples go, and the statistics follow', async (t) => {
  const { service, clock, put, ask, count, run } = await setUp(t, { sizeType: 'DAY', count: 30 })
  const days = Array.from({ length: 60 }, (_, day) => NOON - day * DAY)
  const samples = ['kept', 'short'].flatMap((streamId) =>
    days.map((time) => ({ compId: 'c', streamId, time, data: 1 })),
  )
  const { warning } = await put('', { ...json, body: JSON.stringify(samples) })
  assert.match(String(warning), /^29 of 120 samples are older/)

  assert.equal(await count('short'), 60)
  assert.equal(await run(), 1)
  assert.equal(await count('short'), 31)
  assert.equal((await ask('comp/c/stream/short/feed')).at(-1)?.time, NOON - 30 * DAY)
  assert.equal(await count('kept'), 60)
  assert.equal(await run(), 0)

  clock.advance(10 * DAY)
  assert.equal(await run(), 1)
  assert.equal(await count('short'), 21)
  await service.restart()
  assert.equal(await count('short'), 21)
  assert.equal(await count('kept'), 60)
})

test('what is older than a profile is readable again once the profile is off or longer', async (t) => {
  const home = await setUp(t, { sizeType: 'HOUR', count: 1 })
  const { put, times, run, give, owner, uid } = home
  await put(`compId=c&short=1&time=${NOON}`)
  await run()
  const longAgo = NOON - 90 * DAY
  await give('short', null)
  assert.deepEqual(await put(`compId=c&short=2&time=${longAgo}`), { text: '', warning: null })
  await run()
  assert.deepEqual(await times('short'), [longAgo, NOON])
  await home.service.restart()
  assert.deepEqual(await times('short'), [longAgo, NOON])
  await home.profiles().update(owner, uid, { sizeType: 'YEAR' })
  await give('short', uid)
  assert.equal((await put(`compId=c&short=2&time=${longAgo + 1}`)).warning, null)
  home.clock.advance(2 * HOUR)
  await run()
  assert.deepEqual(await times('short'), [longAgo, longAgo + 1, NOON])
  await home.profiles().update(owner, uid, { sizeType: 'HOUR' })
  assert.match(String((await put(`compId=c&short=2&time=${longAgo}`)).warning), /^1 of 1 sample is/)
  assert.equal(await run(), 0)
  home.clock.advance(HOUR)
  assert.equal(await run(), 1)
  assert.deepEqual(await times('short'), [])
  for (const streamId of ['short', 'point', 'f']) await give(streamId, null)
  await home.profiles().delete(owner, uid)
  assert.equal((await put(`compId=c&short=2&time=${longAgo}`)).warning, null)
  home.clock.advance(HOUR)
  await run()
  assert.deepEqual(await times('short'), [longAgo])
})

test('a clock that is ten years ahead for a minute costs no sample, restarts included', async (t) => {
  const { service, clock, put, times, run, give } = await setUp(t, { sizeType: 'HOUR', count: 1 })
  const hour = [NOON - HOUR / 2, NOON - 1000, NOON]
  await put(`compId=c&short=1,2,3&time=${hour.join(',')}`)
  await run()
  clock.jump(TEN_YEARS)
  assert.equal(await run(), 0)
  const { warning } = await put(`compId=c&short=4&time=${NOON + 1}`)
  assert.match(String(warning), /^1 of 1 sample is older/)
  await service.restart()
  assert.equal(await run(), 0)
  clock.advance(60_000)
  assert.equal(await run(), 0)
  clock.jump(-TEN_YEARS)
  assert.equal(await run(), 0)
  assert.deepEqual(await times('short'), [...hour, NOON + 1])
  await service.restart()
  assert.equal(await run(), 0)
  await give('short', null)
  assert.equal((await put(`compId=c&short=5&time=${NOON + 2}`)).warning, null)
  assert.deepEqual(await times('short'), [...hour, NOON + 1, NOON + 2])
})

test('Weir-Warning counts old samples on every form of a put, whichever path serves it', async (t) => {
  const { service, put, ask } = await setUp(t, { sizeType: 'HOUR', count: 1 })
  const [old, edge] = [NOON - HOUR - 1, NOON - HOUR]
  const messageWith = (count: string) =>
    new RegExp(`^${count} older than the retention of the delete profile`)
  const check = (warning: string | null, count: string) =>
    assert.match(String(warning), messageWith(count))
  const url = await put(`compId=c&short=1,2,3&kept=1,2,3&time=${old},${edge},${NOON}`)
  check(url.warning, '1 of 6 samples is')
  const rsid = await put(`compId=c&short=7&time=${old}&rsid=short`)
  assert.equal(rsid.text, '{"short":3}')
  check(rsid.warning, '1 of 1 sample is')
  check((await put(`asPut&compId=c&short=7&time=${old}`, {})).warning, '1 of 1 sample is')
  // A point stream takes the time of arrival.
  assert.equal((await put(`compId=c&point=7&time=${old}`)).warning, null)
  const rows = [old - 1, old, NOON].map((time) => ({
    compId: 'c',
    streamId: 'short',
    time,
    data: 1,
  }))
  const body = JSON.stringify(rows)
  check((await put('', { ...json, body })).warning, '2 of 3 samples are')
  const { index } = service.app.catalog
  const component = index.resolveComponent(service.orgUid, 'c')
  assert.ok(component)
  const streamUid = index.streamUid(index.resolveStream(component, 'short'))
  const stream = [{ streamUid, time: [old, NOON], data: ['5', '6'] }]
  const batch = JSON.stringify({ feed: { component: [{ componentUid: component.uid, stream }] } })
  check((await put('', { ...json, body: batch })).warning, '1 of 2 samples is')
  for (const [query, form, count] of [
    [`compId=c&short=7&time=${old}`, undefined, '1 of 1 sample is'],
    ['', body, '2 of 3 samples are'],
    ['', batch, '1 of 2 samples is'],
  ] as const) {
    const url = `${service.url}/api/feed?${query}&api_key=${service.feedKey}`
    // What the front does not understand in full goes through Node's parser.
    const headers = { ...json.headers, TE: 'trailers' }
    const answer = await fetch(url, { ...json, headers, body: form })
    assert.equal(answer.status, 200, await answer.text())
    check(answer.headers.get('Weir-Warning'), count)
  }
  const init = { method: 'PUT', body: 'old', headers: { 'Content-Type': 'text/plain' } }
  const file = await callApi(service, `/comp/c/stream/f/feed/file/a?time=${old}`, init)
  assert.equal(file.status, 200, await file.text())
  check(file.headers.get('Weir-Warning'), '1 of 1 sample is')
  assert.equal(await (await callApi(service, '/comp/c/stream/f/feed/file/a')).text(), 'old')
  const lasts = await ask('comp/c/stream/short/last_value')
  assert.equal(lasts[0].time, NOON)
})
