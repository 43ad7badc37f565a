import assert from 'node:assert/strict'
import { get } from 'node:http'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { caller, signIn } from '../../support/caller.ts'
import { InfluxClient } from '../../support/influx-client.ts'
import { onCluster, startService } from '../../support/service.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const influx = new InfluxClient(service)
const owner = ownerOfFile(service)

async function newKey(resource: string, methods: string[], more: object = {}): Promise<string> {
  const key = { name: resource, capabilities: [{ resource, methods }], ...more }
  const { body, text } = await owner('PUT', '/api/api_key', { api_key: key })
  return body?.api_key?.secretKey ?? assert.fail(text)
}

/** The component of an ID, with its streams. */
async function componentOf(id: string) {
  const { body } = await owner('GET', `/api/component?id=${encodeURIComponent(id)}`)
  const [found] = body.component
  assert.ok(found, `component ${id}`)
  return (await owner('GET', `/api/component/${found.uid}`)).body.component
}

test('POST /write stores fields as streams of the component that a tag names', async () => {
  const lines = 'cpu,host=a1,cpu=cpu0 usage=1.5,busy=true 1000\nmem,host=a1 value=7i,note="ok" 1000'
  const answer = await influx.write(lines)
  assert.equal(answer.status, 204, answer.text)
  assert.equal(answer.text, '')
  assert.equal(answer.headers.get('x-influxdb-version'), '1.8.10')
  const component = await componentOf('a1')
  const streams = component.stream.map(({ id, valueType }: Record<string, string>) => [
    id,
    valueType,
  ])
  assert.deepEqual(streams, [
    ['cpu_usage,cpu=cpu0', 'DOUBLE'],
    ['cpu_busy,cpu=cpu0', 'BOOLEAN'],
    ['mem', 'DOUBLE'],
    ['mem_note', 'STRING'],
  ])
  assert.deepEqual(component.addressedAs, ['a1'])
  const [usage] = component.stream
  const series = { __name__: 'cpu_usage', cpu: 'cpu0', host: 'a1' }
  assert.deepEqual([usage.series, usage.labels], [series, series])
  assert.deepEqual(await influx.feed.get('a1', 'cpu_usage,cpu=cpu0'), [[1000, 1.5]])
  assert.deepEqual(await influx.feed.get('a1', 'cpu_busy,cpu=cpu0'), [[1000, true]])
  assert.deepEqual(await influx.feed.get('a1', 'mem'), [[1000, 7]])
  assert.deepEqual(await influx.feed.get('a1', 'mem_note'), [[1000, 'ok']])
})

test('calls that bring the first points of one device at once are all stored', async () => {
  const sensors = Array.from({ length: 16 }, (_, at) => `s${at}`)
  for (const device of ['once1', 'once2', 'once3', 'once4']) {
    const answers = await Promise.all(
      sensors.map((sensor) => influx.write(`m,host=${device},s=${sensor} v=1 1000`)),
    )
    for (const { status, text } of answers) assert.equal(status, 204, text)
    const { stream } = await componentOf(device)
    const ids = stream.map(({ id }: { readonly id: string }) => id)
    assert.deepEqual(ids.sort(), sensors.map((sensor) => `m_v,s=${sensor}`).sort())
  }
})

test('the same new series of several calls at once have one stream each', async () => {
  const lines = Array.from({ length: 300 }, (_, at) => {
    return `m,host=same${Math.floor(at / 10)},s=s${at % 10} v=1 1000`
  }).join('\n')
  const answers = await Promise.all(Array.from({ length: 8 }, () => influx.write(lines)))
  for (const { status, text } of answers) assert.equal(status, 204, text)
  for (const device of ['same0', 'same29']) {
    const { stream } = await componentOf(device)
    const ids = stream.map(({ id }: { readonly id: string }) => id)
    assert.deepEqual(
      ids.sort(),
      Array.from({ length: 10 }, (_, at) => `m_v,s=s${at}`),
    )
  }
})

test('each version and prefix of the API writes, and known series go where they went', async () => {
  const paths = [
    '/write?precision=ms',
    '/influx/write?db=a&rp=b&consistency=one&precision=ms',
    '/api/v2/write?org=o&bucket=b&precision=ms',
    '/influx/api/v2/write?precision=ms',
    '/api/v3/write_lp?db=a&no_sync=true&precision=millisecond',
  ]
  for (const [at, path] of paths.entries()) {
    const answer = await influx.post(path, `versions f=${at} ${at + 1}`)
    assert.equal(answer.status, 204, `${path}: ${answer.text}`)
  }
  const samples = await influx.feed.get('versions', 'versions_f')
  assert.deepEqual(
    samples.reverse(),
    paths.map((_, at) => [at + 1, at]),
  )
})

test('an empty body and a lone newline are fine, and gzip is read', async () => {
  assert.equal((await influx.write('')).status, 204)
  assert.equal((await influx.write('\n')).status, 204)
  const packed = gzipSync('packed f=1 1')
  const answer = await influx.post('/write?precision=ms', packed, { 'content-encoding': 'gzip' })
  assert.equal(answer.status, 204, answer.text)
  assert.deepEqual(await influx.feed.get('packed', 'packed_f'), [[1, 1]])
})

test('of a body whose lines are partly bad the rest is stored, and each version says so', async () => {
  const lines = (time: number) =>
    `part f=1 ${time}\nbad line\npart f="text" ${time}\npart g=2 ${time}`
  const v1 = await influx.write(lines(1))
  assert.equal(v1.status, 400)
  const { error } = JSON.parse(v1.text)
  assert.match(error, /^partial write: .*Field "line" has no value.* dropped=2$/)
  const v2 = await influx.post('/api/v2/write?precision=ms', lines(2))
  assert.equal(v2.status, 400)
  const { code, message } = JSON.parse(v2.text)
  assert.equal(code, 'invalid')
  assert.match(message, /line 2: Field "line" has no value; line 3: .*holds DOUBLE/)
  const v3 = await influx.post('/api/v3/write_lp?precision=ms', lines(3))
  assert.equal(v3.status, 400)
  const body = JSON.parse(v3.text)
  assert.equal(body.error, 'partial write of line protocol occurred')
  assert.deepEqual(
    body.data.map((one: Record<string, unknown>) => [one.line_number, one.original_line]),
    [
      [2, 'bad line'],
      [3, 'part f="text" 3'],
    ],
  )
  assert.deepEqual(await influx.feed.get('part', 'part_f'), [
    [3, 1],
    [2, 1],
    [1, 1],
  ])
  assert.deepEqual(await influx.feed.get('part', 'part_g'), [
    [3, 2],
    [2, 2],
    [1, 2],
  ])
})

test('accept_partial=false of v3 stores all or nothing', async () => {
  const path = '/api/v3/write_lp?precision=millisecond&accept_partial=false'
  assert.equal((await influx.post(path, 'whole f=1 1\nbad')).status, 400)
  assert.deepEqual(await influx.feed.get('whole', 'whole_f'), [])
  assert.equal((await influx.post(path, 'whole f=1 1')).status, 204)
  assert.equal((await influx.post(path, 'whole f=2 2\nwhole f="x" 3')).status, 400)
  assert.deepEqual(await influx.feed.get('whole', 'whole_f'), [[1, 1]])
})

test('accept_partial=false names the limit that a request is beyond', async () => {
  const path = '/api/v3/write_lp?accept_partial=false'
  const lines = (count: number) =>
    Array.from({ length: count }, (_, at) => `many,host=whole,n=${at} v=1 1`).join('\n')
  const small = await startService({ settings: { WEIR_CREATE_MAX: '10' } })
  const post = (body: string) =>
    fetch(`${small.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'X-Api-Key': small.feedKey },
    })
  const refused = await post(lines(11))
  assert.equal(refused.status, 400)
  assert.match(await refused.text(), /At most 10 new series can be stored all or none/)
  assert.equal((await post(lines(10))).status, 204)
  await small.close()
})

test('a precision that a version does not have is refused', async () => {
  const answer = await influx.post('/api/v2/write?precision=h', 'm f=1 1')
  assert.equal(answer.status, 400)
  assert.deepEqual(JSON.parse(answer.text).code, 'invalid')
})

test('credentials are taken from the header, X-Api-Key, and the URL, never from a cookie', async () => {
  const { feedKey } = service
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const write = async (path: string, headers: Record<string, string>) =>
    (await influx.call('POST', path, { body: 'cred f=1 1', headers })).status
  for (const authorization of [
    `Token ${feedKey}`,
    `Bearer ${feedKey}`,
    basic(`any:${feedKey}`),
    basic(`${feedKey}:`),
  ]) {
    for (const path of ['/write?precision=ms', '/api/v2/write?precision=ms']) {
      assert.equal(await write(path, { authorization }), 204, `${authorization} ${path}`)
    }
  }
  assert.equal(await write('/write?precision=ms', { 'x-api-key': feedKey }), 204)
  assert.equal(await write(`/write?precision=ms&api_key=${feedKey}`, {}), 204)
  assert.equal(await write(`/write?precision=ms&u=me&p=${feedKey}`, {}), 204)
  assert.equal(await write(`/api/v2/write?precision=ms&u=me&p=${feedKey}`, {}), 401)
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  assert.equal(await write('/write', { cookie: session }), 401)
  assert.equal(await write('/write', { cookie: `api_key=${feedKey}` }), 401)
  assert.equal(await write(`/write?${session}`, {}), 401)
})

test('401 is answered in the words of each version, without a Basic challenge', async () => {
  const write = (path: string) => influx.call('POST', path, { body: 'm f=1' })
  const v1 = await write('/write')
  assert.deepEqual([v1.status, JSON.parse(v1.text)], [401, { error: 'authorization failed' }])
  const v2 = await write('/api/v2/write')
  const unauthorized = { code: 'unauthorized', message: 'unauthorized: unknown token' }
  assert.deepEqual([v2.status, JSON.parse(v2.text)], [401, unauthorized])
  for (const { headers } of [v1, v2]) assert.equal(headers.get('www-authenticate'), null)
})

test('a key without the right is refused with 403, and one for a component only what lies beside', async () => {
  await influx.write('right,host=mine f=1 1\nright,host=other f=1 1')
  const { uid } = await componentOf('mine')
  const key = await newKey(`component/${uid}/feed`, ['PUT'])
  const write = (lines: string, secret: string) =>
    influx.post('/write?precision=ms', lines, { authorization: `Token ${secret}` })
  assert.equal((await write('right,host=mine f=2 2', key)).status, 204)
  assert.equal((await write('right,host=other f=2 2', key)).status, 403)
  assert.equal((await write('right,host=new f=2 2', key)).status, 403)
  const mixed = await write('right,host=mine f=3 3\nright,host=other f=3 3', key)
  assert.equal(mixed.status, 400)
  assert.match(mixed.text, /dropped=1/)
  const [last] = await influx.feed.get('mine', 'right_f')
  assert.deepEqual(last, [3, 3])
  assert.deepEqual(await influx.feed.get('other', 'right_f'), [[1, 1]])
  const reading = await newKey('component/*/feed', ['GET'])
  assert.equal((await write('right,host=mine f=9 9', reading)).status, 403)
})

test('GET /api/door/refused lists what was refused, for administrators alone', async () => {
  await influx.write('refused f=1 1\nrefused f="x" 2\nrefused 3')
  const { status, body } = await owner('GET', '/api/door/refused?limit=2')
  assert.equal(status, 200)
  const shown = body.refused.map(({ door, key, line }: Record<string, string>) => [door, key, line])
  assert.deepEqual(shown, [
    ['influx', 'Feed key', 'refused f="x" 2'],
    ['influx', 'Feed key', 'refused 3'],
  ])
  const member = caller(service, '', { 'x-api-key': service.feedKey })
  assert.equal((await member('GET', '/api/door/refused')).status, 403)
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /weir_door_points_refused_total\{door="influx",reason="bad_input"\} \d/)
  assert.match(metrics, /weir_door_points_accepted_total\{door="influx"\} \d/)
})

test('points without a time get the arrival, those of a series in one call a millisecond apart', {
  skip: onCluster(
    'a cluster assigns times up to 15 ms after the arrival, and 16 ms apart in a call',
  ),
}, async () => {
  const before = Date.now()
  await influx.write('timeless f=1\ntimeless f=2\ntimeless f=3')
  const samples = (await influx.feed.get('timeless', 'timeless_f')).reverse()
  assert.deepEqual(
    samples.map(([, data]) => data),
    [1, 2, 3],
  )
  const [[first]] = samples
  assert.ok(first >= before && first <= Date.now() + 3)
  assert.deepEqual(
    samples.map(([time]) => time - first),
    [0, 1, 2],
  )
})

test('of points in one millisecond the last counts, and a metric counts them', async () => {
  await influx.write('fine f=1 1000001\nfine f=2 1000002\nfine f=3 2000000', 'precision=ns')
  assert.deepEqual(await influx.feed.get('fine', 'fine_f'), [
    [2, 3],
    [1, 2],
  ])
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /weir_door_points_merged_total\{door="influx"\} 1/)
})

test('Home Assistant: entities are components, the unit is a label that follows, texts count when they change', async () => {
  const line = (unit: string, value: string, time: number) =>
    `${unit},domain=sensor,entity_id=hall value=${value},icon_str="a" ${time}`
  assert.equal((await influx.write(line('°C', '20', 1))).status, 204)
  assert.equal((await influx.write(line('°C', '21', 2))).status, 204)
  const read = async () => (await componentOf('sensor.hall')).stream
  const [value, icon] = await read()
  assert.deepEqual([value.id, icon.id], ['value', 'icon_str'])
  assert.deepEqual(value.labels.unit_of_measurement, '°C')
  assert.deepEqual(value.series, {
    __name__: 'homeassistant_value',
    domain: 'sensor',
    entity_id: 'hall',
  })
  assert.deepEqual(await influx.feed.get('sensor.hall', 'icon_str'), [[1, 'a']])
  assert.equal((await influx.write(line('K', '294', 3))).status, 204)
  const [changed, ...others] = await read()
  assert.equal(others.length, 1)
  assert.deepEqual(changed.labels.unit_of_measurement, 'K')
  assert.equal((await influx.feed.get('sensor.hall', 'value')).length, 3)
})

/** The content type of what a browser gets that opens an address; fetch() names another mode. */
function pageType(path: string): Promise<string> {
  const headers = { 'sec-fetch-mode': 'navigate', accept: 'text/html' }
  return new Promise((resolve, reject) => {
    get(`${service.url}${path}`, { headers }, (answer) => {
      answer.resume()
      resolve(answer.headers['content-type'] ?? '')
    }).on('error', reject)
  })
}

test('/ping, /health and /query answer as InfluxDB does', async () => {
  for (const path of ['/ping', '/influx/ping']) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await influx.call(method, path)
      assert.equal(status, 204)
      assert.equal(headers.get('x-influxdb-version'), '1.8.10')
      assert.equal(headers.get('x-influxdb-build'), 'OSS')
    }
  }
  const health = await influx.call('GET', '/health')
  assert.deepEqual(JSON.parse(health.text), {
    name: 'influxdb',
    message: 'ready for queries and writes',
    status: 'pass',
    version: 'v1.8.10',
    checks: [],
  })
  const authorization = `Token ${service.feedKey}`
  const form = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const statements =
    'q=Show+Databases%3BCREATE DATABASE "a;b"; show retention policies on x;select 1'
  const asked = await influx.call('POST', '/query', { body: statements, headers: form })
  const { results } = JSON.parse(asked.text)
  assert.deepEqual(results.slice(0, 2), [
    { statement_id: 0, series: [{ name: 'databases', columns: ['name'], values: [['weir']] }] },
    { statement_id: 1 },
  ])
  assert.match(results[3].error, /api\/gql/)
  for (const path of ['/query?q=SHOW+DATABASES', '/influx/query?q=SHOW+DATABASES']) {
    const got = await influx.call('GET', path, { headers: { authorization } })
    assert.equal(got.status, 200, got.text)
    assert.match(got.text, /"databases"/)
  }
  const page = await pageType('/query?q=x')
  assert.match(page, /html/)
  for (const path of ['/query?q=SHOW+DATABASES', '/influx/query?q=SHOW+DATABASES']) {
    const refused = await influx.call('GET', path)
    assert.deepEqual([refused.status, refused.text], [401, '{"error":"authorization failed"}'])
  }
})
