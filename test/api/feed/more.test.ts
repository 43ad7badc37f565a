import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { FeedClient } from '../../support/feed-client.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const HOUR = 3_600_000
const T0 = Date.UTC(2026, 0, 5)
const service = serviceOfFile()
const client = new FeedClient(service)

before(async () => {
  const samples = [0, 1, 2, 3, 4].map((at) => ({
    compId: 'c',
    streamId: 'a b/ä',
    time: T0 + at * HOUR,
    data: at,
  }))
  const others = [0, 1, 2].map((at) => ({ compId: 'c', streamId: 'z', time: T0 + at, data: 'x' }))
  assert.equal((await client.putJson([...samples, ...others])).status, 200)
})

const STREAM = '/comp/c/stream/a%20b%2F%C3%A4'

/** Follows the links of a call to the end; all rows, and how many calls it took. */
async function follow(path: string): Promise<{ rows: Record<string, unknown>[]; calls: number }> {
  const rows: Record<string, unknown>[] = []
  let calls = 0
  for (let next: string | undefined = `/api${path}`; next !== undefined; calls += 1) {
    const headers = { 'X-Api-Key': service.feedKey }
    const answer: Response = await fetch(`${service.url}${next}`, { headers })
    assert.equal(answer.status, 200)
    rows.push(...((await answer.json()) as Record<string, unknown>[]))
    const link = answer.headers.get('Link')
    assert.equal(answer.headers.get('Weir-More'), link === null ? null : 'true')
    next = link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)?.[1]
  }
  return { rows, calls }
}

test('links lead through all samples of a stream, once each', async () => {
  for (const [query, times] of [
    ['limit=2', [4, 3, 2, 1, 0]],
    ['limit=5', [4, 3, 2, 1, 0]],
    [`limit=1&sd=${T0 + HOUR}&ed=${T0 + 4 * HOUR}`, [3, 2, 1]],
    [`limit=2&ed=${T0 + 4 * HOUR}&_=17`, [3, 2, 1, 0]],
  ] as const) {
    const { rows, calls } = await follow(`${STREAM}/feed?${query}&retStreamId`)
    const found = rows.map(({ time, streamId }) => [(Number(time) - T0) / HOUR, streamId])
    assert.deepEqual(
      found,
      times.map((at) => [at, 'a b/ä']),
      query,
    )
    const limit = Number(/limit=(\d)/.exec(query)?.[1])
    assert.equal(calls, Math.ceil(times.length / limit), query)
  }
})

test('links lead through the periods of a statistic and the intervals of a stream', async () => {
  const { rows, calls } = await follow(`${STREAM}/cycle/hour/stat/last/feed?limit=2&retIntvlSd`)
  assert.deepEqual(
    rows.map(({ data }) => data),
    [4, 3, 2, 1, 0],
  )
  assert.equal(calls, 3)
  const template = {
    id: 't',
    stream: [{ id: 'i', streamType: 'intvl_stream', baseCycle: 'hour' }],
  }
  const login = await fetch(`${service.url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: service.ownerEmail, password: service.ownerPassword }),
  })
  const { sessionUid } = (await login.json()) as { sessionUid: string }
  await fetch(`${service.url}/api/component_template?session=${sessionUid}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ component_template: template }),
  })
  const samples = [1, 2, 4].map((at) => ({
    compId: 'iv',
    streamId: 'i',
    time: T0 + at * HOUR,
    data: at,
  }))
  assert.equal((await client.putJson(samples, 'compTmplId=t')).status, 200)
  for (const range of ['', `&sd=${T0 + HOUR}&ed=${T0 + 3 * HOUR + 1}`]) {
    const whole = await follow(`/comp/iv/stream/i/feed?limit=1000${range}`)
    assert.equal(whole.calls, 1)
    for (const limit of [1, 2, 3]) {
      const parts = await follow(`/comp/iv/stream/i/feed?limit=${limit}${range}`)
      assert.deepEqual(parts.rows, whole.rows, `limit ${limit}${range}`)
    }
  }
})

test('a first sample that no period of a cycle holds brings no link', async () => {
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const cycle = {
    id: 'runs',
    sizeType: 'CUSTOM',
    intervals: [
      { from: '2026-01-05T01:00', until: '2026-01-05T02:00' },
      { from: '2026-01-05T03:00', until: '2026-01-05T04:00' },
    ],
  }
  const made = await caller(service, session)('PUT', '/api/cycle', { cycle })
  assert.equal(made.status, 200, made.text)
  const path = `${STREAM}/cycle/runs/stat/last/feed`
  for (const [query, found] of [
    ['limit=1', { data: [3, 1], calls: 2 }],
    ['limit=2', { data: [3, 1], calls: 1 }],
    [`limit=1&sd=${T0 + 2 * HOUR}&ed=${T0 + 9 * HOUR}`, { data: [3], calls: 1 }],
    [`limit=1&sd=${T0 + HOUR}&ed=${T0 + 9 * HOUR}`, { data: [3, 1], calls: 2 }],
  ] as const) {
    const { rows, calls } = await follow(`${path}?${query}`)
    assert.deepEqual({ data: rows.map(({ data }) => data), calls }, found, query)
  }
})

test('a component says that there is more, with no link; what is whole says nothing', async () => {
  const more = async (path: string) => {
    const { headers, status } = await client.call('GET', path)
    assert.equal(status, 200)
    assert.equal(headers.get('Link'), null, path)
    return headers.get('Weir-More')
  }
  assert.equal(await more('/comp/c/feed?limit=2'), 'true')
  assert.equal(await more('/comp/c/feed?limit=5'), 'true', 'the second stream is left out')
  assert.equal(await more('/comp/c/feed?limit=7'), 'true')
  assert.equal(await more('/comp/c/feed?limit=8'), null)
  assert.equal(await more(`/comp/c/feed?limit=4&sd=${T0 + HOUR}&ed=${T0 + 9 * HOUR}`), null)
  assert.equal(await more('/comp/c/feed'), null)
  assert.equal(await more('/comp/c/last_value?limit=1'), 'true')
  assert.equal(await more('/comp/c/last_value?limit=2'), null)
  assert.equal(await more(`/comp/c/last_value?limit=1&sd=${T0}&ed=${T0 + 9 * HOUR}`), 'true')
  assert.equal(await more(`/comp/c/last_value?limit=1&sd=${T0 + HOUR}&ed=${T0 + 9 * HOUR}`), null)
  assert.equal(await more('/comp/c/cycle/hour/stat/nongapcount/feed?limit=5'), 'true')
  assert.equal(await more('/comp/c/cycle/hour/stat/nongapcount/feed?limit=6'), null)
  assert.equal(await more('/comp/c/cycle/day/stat/first/last_value?limit=1'), 'true')
  assert.equal(await more('/comp/c/cycle/day/stat/first/last_value?limit=2'), null)
  assert.equal(await more(`${STREAM}/last_value`), null)
})

test('CSV has the rows of the JSON answer, by parameter and by header, on both ways in', async () => {
  const rows = `time,data\r\n${T0 + 4 * HOUR},4\r\n${T0 + 3 * HOUR},3\r\n`
  const byParameter = await client.call('GET', `${STREAM}/feed?limit=2&format=CSV`)
  assert.equal(byParameter.text, rows)
  assert.equal(byParameter.headers.get('Content-Type'), 'text/csv; charset=utf-8; header=present')
  assert.match(byParameter.headers.get('Link') ?? '', /format=CSV/)
  for (const close of [[], ['Connection: close']]) {
    const head = [
      `GET /api${STREAM}/feed?limit=2 HTTP/1.1`,
      'Host: x',
      `X-Api-Key: ${service.feedKey}`,
      'Accept: text/csv',
      ...close,
      '',
      '',
    ]
    const raw = await sendRaw(service.port, head.join('\r\n'), { isEnding: true })
    assert.equal(raw.status, 200)
    assert.equal(raw.text.slice(raw.text.indexOf('\r\n\r\n') + 4), rows)
    assert.match(raw.headers['content-type'], /^text\/csv/)
    assert.equal(raw.headers['weir-more'], 'true')
  }
  const accept = { headers: { Accept: 'text/csv' } }
  const json = await client.call('GET', `${STREAM}/feed?limit=1&format=json`, accept)
  assert.equal(json.text, `[{"time":${T0 + 4 * HOUR},"data":4}]`)
  const last = await client.call('GET', '/comp/c/last_value?retStreamId', accept)
  assert.equal(last.text, `streamId,time,data\r\na b/ä,${T0 + 4 * HOUR},4\r\nz,${T0 + 2},x\r\n`)
  const day = await client.call('GET', `${STREAM}/cycle/day/stat/max/feed?format=csv`)
  assert.equal(day.text, `time,data\r\n${T0 + 24 * HOUR},4\r\n`)
  const none = await client.call('GET', `${STREAM}/feed?format=csv&sd=1&ed=2`)
  assert.equal(none.text, 'time,data\r\n')
  assert.equal((await client.call('GET', `${STREAM}/feed?format=xml`)).status, 400)
  const lost = await client.call('GET', '/comp/none/feed?format=csv')
  assert.equal(lost.status, 404)
  assert.match(lost.headers.get('Content-Type') ?? '', /json/)
})

test('long texts come as CSV, too', async () => {
  const text = 'a "quoted", text; '.repeat(20_000)
  await client.putJson([{ compId: 'long', streamId: 's', time: 1, data: text }])
  const { text: csv } = await client.call('GET', '/comp/long/feed?format=csv')
  assert.equal(csv, `streamId,time,data\r\ns,1,"${text.replaceAll('"', '""')}"\r\n`)
})
