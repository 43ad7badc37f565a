/** Queries that grow, explode, or never end. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type PromClient, promClient } from '../../support/promql-client.ts'
import { Random } from '../../support/random.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'
import { comesTrue } from '../../support/settle.ts'

const NOW = 1_700_000_000_000
const SERIES = 400
const SEED = 39

/** A text on which a pattern such as `(a|b)*a(a|b){300}c` has ever new states. */
function randomText(random: Random): string {
  return Array.from({ length: 2_000 }, () => random.pick(['a', 'b'])).join('')
}

const service = serviceOfFile({ clock: new ManualClock(NOW) })
const owner = ownerOfFile(service)
let client: PromClient
const random = new Random(SEED)
before(async () => {
  client = promClient(service)
  await client.write(
    ...Array.from({ length: SERIES }, (_, at) => ({
      labels: { __name__: 'm', instance: `host-${at}`, text: randomText(random) },
      samples: [
        [at, NOW - 60_000],
        [at + 1, NOW],
      ] as const,
    })),
  )
})

async function errorOf(query: string, more = {}) {
  const { status, body } = await client.post('/api/v1/query', { query, ...more })
  return { status, errorType: body.errorType, error: body.error ?? '' }
}

test('deep and long queries are refused by their length or depth', async () => {
  for (const depth of [10, 100, 1_000, 10_000, 30_000]) {
    const query = `${'('.repeat(depth)}m${')'.repeat(depth)}`
    const { status, errorType, error } = await errorOf(query)
    if (depth <= 100) assert.equal(status, 200, error)
    else assert.deepEqual([status, errorType], [400, 'bad_data'], error)
  }
  for (const text of ['-', 'abs(', 'm offset 5m + ', 'sum by (']) {
    const { status } = await errorOf(text.repeat(5_000))
    assert.equal(status, 400, text)
  }
  const long = await errorOf(`m{x="${'a'.repeat(70_000)}"}`)
  assert.equal(long.status, 400)
  const longer = await client.post('/api/v1/query', { query: 'a'.repeat(2_000_000) })
  assert.equal(longer.status, 413)
  assert.equal(longer.body.status, 'error')
})

test('matches of everything with everything, and topk of everything, end', async () => {
  const many = await errorOf('m * on() m')
  assert.deepEqual([many.status, many.errorType], [422, 'execution'])
  const all = await client.data('/api/v1/query', { query: 'topk(1000000, m)' })
  assert.equal(all.result.length, SERIES)
  const limited = await client.get('/api/v1/query', { query: 'm', limit: 3 })
  assert.equal(limited.body.data.result.length, 3)
  assert.deepEqual(limited.body.warnings, ['results truncated due to limit'])
})

test('labels that double with each call are refused before they fill memory', async () => {
  for (const [call, rest] of [
    ['label_join', '"instance", "", "instance", "instance"'],
    ['label_replace', '"instance", "$1$1", "instance", "(.*)"'],
  ]) {
    const nested = (times: number) =>
      `${`${call}(`.repeat(times)}m{instance="host-1"}${`, ${rest})`.repeat(times)}`
    const short = await client.data('/api/v1/query', { query: nested(8) })
    assert.equal(short.result[0].metric.instance, 'host-1'.repeat(256))
    for (const query of [
      nested(40),
      `${call}(${nested(11)}, ${rest.replace('$1$1', '$1'.repeat(9_000))})`,
    ]) {
      const { status, errorType, error } = await errorOf(query)
      assert.deepEqual([status, errorType], [422, 'execution'], error)
      assert.match(error, /more than 16384 characters|too many samples/)
    }
  }
  // Each of many series gets a long label.
  const long = `label_replace(${'label_join('.repeat(2)}m{instance="host-1"}${', "text", "", "text", "text")'.repeat(2)}, "long", "$1", "text", "(.*)")`
  const copied = await errorOf(`count(m * on () group_left (long) ${long})`)
  assert.equal(copied.status, 200, copied.error)
})

test('regular expressions that explode elsewhere take linear time', async () => {
  for (const pattern of [
    '(a+)+$b',
    '(a|aa)+b',
    '(.*)*x',
    '(a?){200}a{200}z',
    '([a-z]+)*[0-9]{9}',
  ]) {
    const { status, error } = await errorOf(`m{text=~"${pattern}"}`)
    assert.equal(status, 200, `${pattern}: ${error}`)
  }
  for (const pattern of ['(', 'a{1001}', '((a{1000}){1000})', '(?=a)', '(a)\\\\1']) {
    const { status, errorType } = await errorOf(`m{text=~"${pattern}"}`)
    assert.deepEqual([status, errorType], [400, 'bad_data'], pattern)
  }
  const selector = await client.get('/api/v1/labels', { 'match[]': 'm{text=~"("}' })
  assert.equal(selector.status, 400)
  assert.match(selector.body.error, /^invalid parameter "match\[\]"/)
})

test('steps of 1 ms over years, and ranges without an end, are refused or cheap', async () => {
  const range = { query: 'm', start: 0, end: NOW / 1000 }
  for (const step of ['0.001', '1ms', '1s']) {
    const { status, body } = await client.get('/api/v1/query_range', { ...range, step })
    assert.equal(status, 400)
    assert.match(body.error, /exceeded maximum resolution of 11,000 points/)
  }
  for (const step of ['0', '-1', '0.0001', '', 'x', '1e400', 'NaN']) {
    const { status, body } = await client.get('/api/v1/query_range', { ...range, step })
    assert.deepEqual([status, body.errorType], [400, 'bad_data'], step)
    assert.match(body.error, /invalid parameter "step"/)
  }
  const inner = await errorOf('count_over_time(m[5y:1ms])')
  assert.deepEqual([inner.status, inner.errorType], [422, 'execution'], inner.error)
  const { result } = await client.data('/api/v1/query', { query: 'sum(sum_over_time(m[100y]))' })
  assert.equal(result.length, 1)
})

test('parameters that are wrong are named, and dates must exist', async () => {
  const time = await errorOf('m', { time: '2026-02-30T00:00:00Z' })
  assert.match(time.error, /^invalid parameter "time": cannot parse "2026-02-30T00:00:00Z"/)
  assert.equal((await errorOf('m', { time: '2024-02-29T23:00:00-05:00' })).status, 200)
  const timeout = await errorOf('m', { timeout: 'x' })
  assert.match(timeout.error, /^invalid parameter "timeout": cannot parse "x"/)
})

test('experimental parts are refused by name', async () => {
  for (const [query, name] of [
    ['m + fill(0) m', /fill/],
    ['m[5m] anchored', /anchored/],
    ['m smoothed', /smoothed/],
    ['m + on (instance) fill_left(0) m', /fill_left/],
    ['start_timestamp(m)', /start_timestamp/],
    ['limit_ratio(0.5, m)', /limit_ratio/],
  ] as const) {
    const { status, error } = await errorOf(query)
    assert.equal(status, 400)
    assert.match(error, name)
  }
})

test('a query ends with its timeout, and when its client is gone', async () => {
  const heavy = 'm{text=~"(a|b)*a(a|b){900}c"}'
  const { status, errorType, error } = await errorOf(heavy, { timeout: '300ms' })
  assert.deepEqual([status, errorType], [503, 'timeout'], error)
  const running = async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    return Number(/^weir_promql_running (\d+)$/m.exec(metrics)?.[1])
  }
  await comesTrue(async () => (await running()) === 0)
  const gone = new AbortController()
  const waiting = client.get('/api/v1/query', { query: heavy }, gone.signal)
  await comesTrue(async () => (await running()) === 1)
  gone.abort()
  await assert.rejects(waiting)
  await comesTrue(async () => (await running()) === 0)
})

test('forty queries of one organization and the first one of another are all answered', async () => {
  const second = await owner('PUT', '/api/organization', { organization: { name: 'Second' } })
  const org = second.body.organization.uid
  const start = NOW / 1000 - 3_600
  const range = { start, end: NOW / 1000, step: 15, query: 'sum(rate(m[5m])) / count(m)' }
  const order: string[] = []
  const forty = Array.from({ length: 40 }, async () => {
    const { status, text } = await client.post('/api/v1/query_range', range)
    order.push('one')
    assert.equal(status, 200, text)
  })
  const other = owner('GET', `/api/v1/query?query=up&org=${org}`).then(({ status }) => {
    order.push('other')
    assert.equal(status, 200)
  })
  await Promise.all([...forty, other])
  assert.ok(order.indexOf('other') < 39, `${order.indexOf('other')} of ${order.length}`)
})
