import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricsOf, otlpProtobuf, textAttribute, type WrittenMetrics } from '../../support/otlp.ts'
import { Random, testSeeds } from '../../support/random.ts'
import type { Service } from '../../support/service.ts'
import { startWorld } from '../../support/world.ts'

const NOW = 1_700_000_000_000
const AT = `${NOW}000000`
const SERVICE = [textAttribute('service.name', 'shop')]
const CHANGED_BODIES = 150

async function post({ url, feedKey }: Service, body: Buffer | string) {
  const type = typeof body === 'string' ? 'application/json' : 'application/x-protobuf'
  const headers = { 'X-Api-Key': feedKey, 'Content-Type': type }
  const answer = await fetch(`${url}/v1/metrics`, { method: 'POST', body, headers })
  return { status: answer.status, text: await answer.text() }
}

/** A point of a gauge whose fields are written as they are. */
function pointText(fields: string): string {
  const metrics = metricsOf(SERVICE, { name: 'up', gauge: { dataPoints: [{}] } })
  return JSON.stringify(metrics).replace('"dataPoints":[{}]', `"dataPoints":[{${fields}}]`)
}

async function assertNoMemoryUsed({ url }: Service): Promise<void> {
  const text = await (await fetch(`${url}/metrics`)).text()
  assert.equal(/^weir_memory_budget_used_bytes (\d+)$/m.exec(text)?.[1], '0')
}

test('hostile numbers of OTLP JSON refuse the body and name the byte', async (t) => {
  const { service, owner } = await startWorld(t)
  const time = `"timeUnixNano":"${AT}"`
  const bad = [
    `${time},"asInt":"9223372036854775808"`,
    `${time},"asInt":"-9223372036854775809"`,
    `${time},"asInt":"1.5"`,
    `${time},"asInt":"0x10"`,
    `${time},"asInt":""`,
    `${time},"asInt":" 1"`,
    `${time},"asInt":"${'9'.repeat(100_000)}"`,
    `${time},"asInt":true`,
    `${time},"asInt":[1]`,
    `${time},"asDouble":"nan"`,
    `${time},"asDouble":"Inf"`,
    `${time},"asDouble":"1,5"`,
    `${time},"asDouble":.5`,
    `${time},"asDouble":+1`,
    `${time},"asDouble":NaN`,
    `${time},"asDouble":01`,
    `${time},"asDouble":{}`,
    '"timeUnixNano":"-1","asDouble":1',
    '"timeUnixNano":"18446744073709551616","asDouble":1',
    '"timeUnixNano":"1e999","asDouble":1',
    `${time},"asDouble":1,"attributes":${'['.repeat(200)}${']'.repeat(200)}`,
    `${time},"asDouble":1,"new":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  ]
  for (const fields of bad) {
    const { status, text } = await post(service, pointText(fields))
    assert.equal(status, 400, `${fields.slice(0, 90)}: ${status} ${text.slice(0, 200)}`)
    assert.match(text, /byte \d+/)
  }
  assert.equal((await owner('GET', '/api/component')).body.totalCount, 0)
  await assertNoMemoryUsed(service)
})

test('unusual numbers of OTLP JSON are stored as protobuf would store them', async (t) => {
  const { service, feed } = await startWorld(t)
  const good: [string, number][] = [
    ['"asInt":7', 7],
    ['"asInt":"-9223372036854775808"', -(2 ** 63)],
    ['"asDouble":"2.5"', 2.5],
    ['"asDouble":5e-324', 5e-324],
    ['"asDouble":1.7976931348623157e308', Number.MAX_VALUE],
    [`"asDouble":0.${'3'.repeat(390)}`, 1 / 3],
    [`"asDouble":1${'0'.repeat(300)}`, 1e300],
    ['"__proto__":{"asDouble":9},"constructor":1,"asDouble":4', 4],
  ]
  for (const [at, [fields, value]] of good.entries()) {
    const body = pointText(`"timeUnixNano":"${NOW + at}000000",${fields}`)
    const { status, text } = await post(service, body)
    assert.deepEqual([status, text], [200, '{}'], fields.slice(0, 90))
    const [[time, stored]] = await feed.get('shop', 'up', 'limit=1')
    assert.deepEqual([time, stored], [NOW + at, value], fields.slice(0, 90))
  }
})

for (const encoding of ['json', 'protobuf'] as const) {
  test(`OTLP as ${encoding}: bodies that were cut or changed never fail otherwise than by 400`, async (t) => {
    const { service } = await startWorld(t)
    const [seed] = testSeeds(1)
    const random = new Random(seed)
    const metrics: WrittenMetrics = metricsOf(
      SERVICE,
      { name: 'a.b', unit: 's', gauge: { dataPoints: [{ timeUnixNano: AT, asDouble: 1.5 }] } },
      {
        name: 'h',
        histogram: {
          aggregationTemporality: 2,
          dataPoints: [
            { timeUnixNano: AT, count: '3', sum: 4, bucketCounts: ['1', '2'], explicitBounds: [1] },
          ],
        },
      },
    )
    const body = Buffer.from(encoding === 'json' ? JSON.stringify(metrics) : otlpProtobuf(metrics))
    for (let round = 0; round < CHANGED_BODIES; round++) {
      const changed = Buffer.from(body.subarray(0, random.integer(1, body.length + 1)))
      for (let times = random.integer(0, 4); times > 0; times--) {
        changed[random.integer(0, changed.length)] = random.integer(0, 256)
      }
      const sent = encoding === 'json' ? changed.toString('latin1') : changed
      const { status, text } = await post(service, sent)
      const context = `seed ${seed}, ${changed.toString('hex')}: ${status} ${text}`
      assert.ok([200, 400].includes(status), context)
    }
    await assertNoMemoryUsed(service)
  })

  test(`OTLP as ${encoding}: many empty points, metrics, and resources are counted and not kept`, async (t) => {
    const { service, owner } = await startWorld(t)
    for (const count of [1_000, 1_000_000]) {
      const json = `{"resourceMetrics":[${'{},'.repeat(count)}{}]}`
      const protobuf = Buffer.alloc(2 * count, Buffer.from([0x0a, 0]))
      const { status } = await post(service, encoding === 'json' ? json : protobuf)
      assert.equal(status, 200, `${count} resources`)
      const points = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":{"dataPoints":[${'{},'.repeat(count / 10)}{}]}}]}]}]}`
      const answer = await post(service, points)
      assert.equal(answer.status, 200)
      const { rejectedDataPoints } = JSON.parse(answer.text).partialSuccess
      assert.equal(rejectedDataPoints, String(count / 10 + 1))
    }
    assert.equal((await owner('GET', '/api/component')).body.totalCount, 0)
    await assertNoMemoryUsed(service)
  })
}

test('histograms whose lists do not fit store the buckets that both lists have', async (t) => {
  const { service, feed } = await startWorld(t)
  const lists: [counts: number, bounds: number][] = [
    [0, 0],
    [1, 2],
    [3, 1],
    [2, 50_000],
    [50_000, 2],
  ]
  for (const [at, [counts, bounds]] of lists.entries()) {
    const point = {
      timeUnixNano: `${NOW + at}000000`,
      count: '7',
      sum: 1,
      bucketCounts: Array.from({ length: counts }, () => '1'),
      explicitBounds: Array.from({ length: bounds }, (_, bound) => bound + 0.5),
    }
    const histogram = { aggregationTemporality: 2, dataPoints: [point] }
    const { status, text } = await post(
      service,
      otlpProtobuf(metricsOf(SERVICE, { name: 'h', histogram })),
    )
    assert.deepEqual([status, text], [200, ''])
    const last = await feed.get('shop', 'h_bucket,le=+Inf', 'limit=1')
    assert.deepEqual(last, [[NOW + at, 7]])
    const first = await feed.get('shop', 'h_bucket,le=0.5').catch(() => [])
    assert.equal(first.length, lists.slice(0, at + 1).filter((one) => Math.min(...one) > 0).length)
  }
})
