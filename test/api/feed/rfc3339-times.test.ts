/** Times as RFC 3339 wherever a call takes epoch milliseconds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const T = Date.UTC(2026, 0, 31, 12)
/** The same time three ways; a plus in a query string decodes to a blank. */
const WAYS = ['2026-01-31T12:00:00Z', '2026-01-31T13:00:00%2B01:00', '2026-01-31T13:00:00+01:00']
const HOUR = 3_600_000

const service = serviceOfFile()
const owner = ownerOfFile(service)

async function call(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: { 'X-Api-Key': service.feedKey },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  return { status: answer.status, text, json: text.startsWith('[') ? JSON.parse(text) : undefined }
}

const timesOf = async (compId: string) => {
  const { json } = await call('GET', `/api/comp/${compId}/stream/s/feed`)
  return json.map(({ time }: { time: number }) => time)
}

test('a put takes them in the URL, in a sample, and in the lists of a batch', async () => {
  for (const [at, way] of WAYS.entries()) {
    const put = await call('PUT', `/api/feed?compId=u${at}&s=1,2&time=${way},${T + HOUR}`)
    assert.equal(put.status, 200, put.text)
    assert.deepEqual(await timesOf(`u${at}`), [T + HOUR, T])
  }
  const sample = { compId: 'j', streamId: 's', data: 1 }
  const put = await call('PUT', '/api/feed', [
    { ...sample, time: '2026-01-31T12:00:00.000999Z' },
    { ...sample, time: '2026-01-31T14:00:00+01:00' },
    { ...sample, time: T + 2 * HOUR },
    { ...sample, time: String(T + 3 * HOUR) },
  ])
  assert.equal(put.status, 200, put.text)
  assert.deepEqual(
    await timesOf('j'),
    [3, 2, 1, 0].map((hours) => T + hours * HOUR),
  )
  const time = ['2026-01-31T12:00:00Z', T + HOUR]
  const stream = [{ streamId: 's', data: [1, 2] }]
  const batch = { feed: { component: [{ componentId: 'b', time, stream }] } }
  assert.equal((await call('PUT', '/api/feed', batch)).status, 200)
  assert.deepEqual(await timesOf('b'), [T + HOUR, T])
})

test('reads, plots, and small lines take them', async () => {
  await call('PUT', `/api/feed?compId=r&s=1,2,3&time=${T - HOUR},${T},${T + HOUR}`)
  for (const way of WAYS) {
    const range = `sd=${way}&ed=2026-01-31T13:00:00Z`
    const { json } = await call('GET', `/api/comp/r/stream/s/feed?${range}`)
    assert.deepEqual(json, [{ time: T, data: 2 }])
    const statistic = await call('GET', `/api/comp/r/stream/s/cycle/hour/stat/max/feed?${range}`)
    assert.equal(statistic.status, 200, statistic.text)
    const last = await call('GET', `/api/comp/r/last_value?ed=${way}`)
    assert.deepEqual(last.json, [{ time: T - HOUR, data: 1 }])
    const plot = await call('GET', `/api/comp/r/stream/s/plot?from=${way}&until=${T + HOUR}`)
    assert.equal(JSON.parse(plot.text).plot.from, T)
  }
  const { body } = await owner('GET', '/api/component?id=r')
  const spark = `/api/component/${body.component[0].uid}/spark`
  const lines = await owner('GET', `${spark}?from=2026-01-31T12:00:00Z&until=2026-01-31T13:00:00Z`)
  assert.equal(lines.body.spark.from, T)
})

test('plots of a board, alerts of a board, and mutes take them', async () => {
  await call('PUT', `/api/feed?compId=p&s=1,2,3&time=${T - HOUR},${T},${T + HOUR}`)
  const { body } = await owner('GET', '/api/component?id=p')
  const [{ uid: componentUid }] = body.component
  const streams = await owner('GET', `/api/component/${componentUid}/stream`)
  const streamUid = streams.body.stream[0].uid
  const from = '2026-01-31T12:00:00Z'
  const part = { streamUid, from, until: '2026-01-31T14:00:00+01:00' }
  const plots = await owner('POST', '/api/plot', { plot: [{ componentUid, ...part }] })
  const { plot } = plots.body.answer[0]
  assert.deepEqual([plot.from, plot.until, plot.value], [T, T + HOUR, [2]])
  const board = await owner('POST', '/api/alert/board', { event: [part] })
  assert.equal(board.status, 200, board.text)
  const wrong = { ...part, until: 'soon' }
  for (const [path, asked, field] of [
    ['/api/plot', { plot: [{ componentUid, ...wrong }] }, 'plot[0].until'],
    ['/api/alert/board', { event: [part, wrong] }, 'event[1].until'],
  ] as const) {
    const refused = await owner('POST', path, asked)
    assert.deepEqual([refused.status, refused.body.field], [400, field], refused.text)
    assert.match(refused.text, /or RFC 3339 as in/)
  }
  const runningUser = (await owner('GET', '/api/alert/new')).body.alert.runningUser
  const alert = { streams: [{ streamUid }], condition: 'value > 5', runningUser }
  const made = await owner('PUT', '/api/alert', { alert })
  assert.equal(made.status, 200, made.text)
  const mute = `/api/alert/${made.body.alert.uid}/mute`
  const muted = await owner('POST', mute, { mute: { untilMs: '2201-01-31T12:00:00Z' } })
  assert.equal(muted.body.alert.mute.untilMs, Date.UTC(2201, 0, 31, 12), muted.text)
  for (const untilMs of [9_000_000_000_000_000, '2262-01-01T00:00:00Z', 'tomorrow']) {
    const refused = await owner('POST', mute, { mute: { untilMs } })
    assert.deepEqual([refused.status, refused.body.field], [400, 'alert.mute.untilMs'])
    assert.match(refused.text, /or RFC 3339 as in|from 1900 to 2261/)
  }
})

test('the link to the next samples goes on from such a range', async () => {
  await call('PUT', `/api/feed?compId=l&s=1,2,3&time=${T},${T + 1},${T + 2}`)
  const path =
    '/api/comp/l/stream/s/feed?limit=2&sd=2026-01-31T13:00:00+01:00&ed=2026-02-01T00:00:00Z'
  const headers = { 'X-Api-Key': service.feedKey }
  const answer = await fetch(`${service.url}${path}`, { headers })
  const next = /<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1] ?? ''
  assert.deepEqual((await call('GET', next)).json, [{ time: T, data: 1 }])
})

test('files are put and fetched by them', async () => {
  const path = '/api/comp/f/stream/s/feed/file'
  const put = await call('PUT', `${path}/a.txt?time=2026-01-31T12:00:00Z`, 'x')
  assert.equal(JSON.parse(put.text).time, T)
  assert.equal((await call('GET', `${path}/2026-01-31T12:00:00Z/a.txt`)).text, '"x"')
})

test('deletions, derivations, previews of cycles, and GS SQL take them', async () => {
  await call('PUT', `/api/feed?compId=d&s=1,2&time=${T},${T + HOUR}`)
  const range = 'sd=2026-01-31T12:00:00Z&ed=2026-01-31T12:00:01Z'
  assert.equal((await owner('DELETE', `/api/comp/d/stream/s/feed?${range}`)).status, 200)
  assert.deepEqual(await timesOf('d'), [T + HOUR])
  const { body } = await owner('GET', '/api/component?id=d')
  const { uid } = body.component[0]
  const derivation = { expression: 'a', variables: [{ name: 'a', streamId: 's' }] }
  const stream = { id: 'x', streamDerivationType: 'FROM_EXPRESSION', derivation }
  const made = await owner('PUT', `/api/component/${uid}/stream`, { stream })
  assert.equal(made.status, 200, made.text)
  const span = { from: '2026-01-31T12:00:00Z', until: '2026-01-31T14:00:00Z' }
  const path = `/api/component/${uid}/stream/${made.body.stream.uid}/derive`
  const { job } = (await owner('POST', path, span)).body
  assert.deepEqual([job.from, job.until], [T, T + 2 * HOUR])
  const cycle = { sizeType: 'HOUR' }
  const preview = await owner('POST', '/api/cycle/preview', { cycle, from: span.from, count: 1 })
  assert.equal(preview.status, 200, preview.text)
  const rows = await owner('GET', `/api/gql?s=SELECT+@FROM&from=${WAYS[2]}`)
  assert.deepEqual(rows.body.rows, [[T]])
})

test('a time that is none is a 400 that says what to change, and stores nothing', async () => {
  const wrong = [
    ['2026-01-31T12:00:00', /needs a UTC offset/],
    ['2026-01-31', /needs a UTC offset/],
    ['2026-02-30T12:00:00Z', /or RFC 3339 as in/],
    ['2026-01-31T24:00:00Z', /or RFC 3339 as in/],
    ['2016-12-31T23:59:60Z', /second 60/],
    ['yesterday', /or RFC 3339 as in/],
  ] as const
  for (const [text, rule] of wrong) {
    const sample = { compId: 'w', streamId: 's', data: 1, time: text }
    const range = { from: text, until: T }
    const answers = [
      await call('PUT', `/api/feed?compId=w&s=1&time=${text}`),
      await call('PUT', '/api/feed', [sample]),
      await call('GET', `/api/comp/r/stream/s/feed?sd=${text}&ed=${T}`),
      await call('GET', `/api/comp/r/stream/s/plot?from=${text}`),
      await call('PUT', `/api/comp/w/stream/s/feed/file/a.txt?time=${text}`, 'x'),
      await owner('DELETE', `/api/comp/r/stream/s/feed?sd=${text}&ed=${T}`),
      await owner('GET', `/api/gql?s=SELECT+1&from=${text}`),
      await owner('POST', '/api/cycle/preview', { cycle: { sizeType: 'DAY' }, ...range }),
    ]
    for (const [at, answer] of answers.entries()) {
      assert.equal(answer.status, 400, `${text} at ${at}: ${answer.text}`)
      assert.match(answer.text, rule, `${text} at ${at}`)
    }
  }
  for (const text of ['1899-12-31T23:59:59Z', '2262-01-01T00:00:00Z']) {
    const { status, text: message } = await call('PUT', `/api/feed?compId=w&s=1&time=${text}`)
    assert.equal(status, 400)
    assert.match(message, /from 1900 to 2261/)
  }
  assert.equal((await call('GET', '/api/comp/w/feed')).status, 404)
})
