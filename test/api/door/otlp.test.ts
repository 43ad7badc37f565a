import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  metricsOf,
  otlpProtobuf,
  textAttribute,
  type WrittenMetric,
  type WrittenMetrics,
  type WrittenPoint,
} from '../../support/otlp.ts'
import { type Service, startService } from '../../support/service.ts'
import { startWorld } from '../../support/world.ts'

const NOW = 1_700_000_000_000
const AT = `${NOW}000000`
const CUMULATIVE = { aggregationTemporality: 2 } as const
const SERVICE = [
  textAttribute('service.name', 'shop'),
  textAttribute('service.namespace', 'eu'),
  textAttribute('service.instance.id', 'shop-1'),
]
const TYPES = { json: 'application/json', protobuf: 'application/x-protobuf' } as const
const ENCODINGS = ['json', 'protobuf'] as const
type Encoding = (typeof ENCODINGS)[number]

interface Sent {
  readonly headers?: Record<string, string>
  readonly path?: string
}

async function post(
  { url, feedKey }: Service,
  body: Buffer | string,
  { headers = {}, path = '/v1/metrics' }: Sent = {},
) {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    body,
    headers: { 'X-Api-Key': feedKey, 'Content-Type': TYPES.json, ...headers },
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, bytes, text: bytes.toString(), headers: answer.headers }
}

function encode(metrics: WrittenMetrics, encoding: Encoding): Buffer | string {
  return encoding === 'json' ? JSON.stringify(metrics) : otlpProtobuf(metrics)
}

async function write(service: Service, metrics: WrittenMetrics, encoding: Encoding = 'json') {
  const headers = { 'Content-Type': TYPES[encoding] }
  return await post(service, encode(metrics, encoding), { headers })
}

function gauge(name: string, ...dataPoints: readonly WrittenPoint[]): WrittenMetric {
  return { name, gauge: { dataPoints } }
}

for (const encoding of ENCODINGS) {
  test(`OTLP as ${encoding}: metrics become series with the names of Prometheus`, async (t) => {
    const { service, owner, feed } = await startWorld(t)
    const point = (more: WrittenPoint): WrittenPoint => ({ timeUnixNano: AT, ...more })
    const written = await write(
      service,
      metricsOf(
        [...SERVICE, textAttribute('host.name', 'a')],
        { ...gauge('cpu.temperature', point({ asDouble: 21.5 })), unit: 'Cel' },
        {
          name: 'orders',
          sum: {
            ...CUMULATIVE,
            isMonotonic: true,
            dataPoints: [
              point({ asInt: '-7', attributes: [textAttribute('http.method', 'GET')] }),
              point({ asInt: '9', attributes: [textAttribute('http.method', 'PUT')] }),
            ],
          },
        },
        {
          name: 'latency',
          unit: 's',
          histogram: {
            ...CUMULATIVE,
            dataPoints: [
              point({
                count: '10',
                sum: 2.5,
                bucketCounts: ['1', '2', '7'],
                explicitBounds: [0.005, 1],
              }),
            ],
          },
        },
        {
          name: 'size',
          summary: {
            dataPoints: [
              point({ count: '4', sum: 8, quantileValues: [{ quantile: 0.5, value: 2 }] }),
            ],
          },
        },
      ),
      encoding,
    )
    assert.equal(written.status, 200, written.text)
    assert.equal(written.headers.get('content-type'), TYPES[encoding])
    assert.equal(written.text, encoding === 'json' ? '{}' : '')
    const expected: Record<string, number> = {
      cpu_temperature_celsius: 21.5,
      'orders_total,http_method=GET': -7,
      'orders_total,http_method=PUT': 9,
      'latency_seconds_bucket,le=0.005': 1,
      'latency_seconds_bucket,le=1': 3,
      'latency_seconds_bucket,le=+Inf': 10,
      latency_seconds_count: 10,
      latency_seconds_sum: 2.5,
      'size,quantile=0.5': 2,
      size_count: 4,
      size_sum: 8,
      'target_info,host_name=a': 1,
    }
    for (const [id, value] of Object.entries(expected)) {
      assert.deepEqual(await feed.get('shop-1', id), [[NOW, value]], id)
    }
    const { body } = await owner('GET', '/api/component?limit=10')
    const [{ uid }] = body.component
    const streams = await owner('GET', `/api/component/${uid}/stream`)
    assert.equal(streams.body.stream.length, Object.keys(expected).length)
    const bucket = streams.body.stream.find(({ id }: { id: string }) => id.endsWith('le=+Inf'))
    assert.deepEqual(bucket.series, {
      __name__: 'latency_seconds_bucket',
      instance: 'shop-1',
      job: 'eu/shop',
      le: '+Inf',
    })
    const again = await write(
      service,
      metricsOf(SERVICE, {
        ...gauge('cpu.temperature', { timeUnixNano: `${NOW + 1}000000`, asDouble: 22 }),
        unit: 'Cel',
      }),
      encoding === 'json' ? 'protobuf' : 'json',
    )
    assert.equal(again.status, 200, again.text)
    assert.equal((await feed.get('shop-1', 'cpu_temperature_celsius')).length, 2)
  })

  test(`OTLP as ${encoding}: rejected points are counted in a partial success`, async (t) => {
    const { service, owner, feed } = await startWorld(t)
    const dataPoints = [{ timeUnixNano: AT, asInt: '1' }]
    const bucketCounts = ['1']
    const written = await write(
      service,
      metricsOf(
        SERVICE,
        gauge('good', { timeUnixNano: AT, asDouble: 1 }),
        gauge('late', { timeUnixNano: '18446744073709551615', asDouble: 1 }),
        gauge('blank', { timeUnixNano: AT }),
        gauge('long', {
          timeUnixNano: AT,
          asDouble: 1,
          attributes: [textAttribute('text', 'x'.repeat(4_097))],
        }),
        gauge('...', { timeUnixNano: AT, asDouble: 1 }),
        { name: 'delta', sum: { dataPoints, aggregationTemporality: 1, isMonotonic: true } },
        {
          name: 'deltas',
          histogram: {
            dataPoints: [
              { timeUnixNano: AT, bucketCounts },
              { timeUnixNano: AT, bucketCounts },
            ],
            aggregationTemporality: 1,
          },
        },
        {
          name: 'exponential',
          exponentialHistogram: { dataPoints: [{ timeUnixNano: AT }], ...CUMULATIVE },
        },
      ),
      encoding,
    )
    assert.equal(written.status, 200, written.text)
    assert.match(written.text, /delta\{\}: The temporality must be cumulative/)
    assert.match(written.text, /Exponential histograms are not stored/)
    if (encoding === 'json') {
      assert.equal(JSON.parse(written.text).partialSuccess.rejectedDataPoints, '8')
    } else {
      // Field 1 is the partial success; its length takes two bytes, and its field 1 is the count.
      assert.deepEqual([...written.bytes.subarray(3, 5)], [0x08, 8])
    }
    assert.deepEqual(await feed.get('shop-1', 'good'), [[NOW, 1]])
    const { body } = await owner('GET', '/api/door/refused')
    assert.equal(body.totalCount, 8)
    assert.equal(body.refused[0].door, 'otlp')
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    assert.match(metrics, /weir_door_points_refused_total\{door="otlp",reason="unreadable"\} 8/)
  })

  test(`OTLP as ${encoding}: errors are a google.rpc.Status in the same type`, async (t) => {
    const { service } = await startWorld(t)
    const body = encode(metricsOf(SERVICE, gauge('up', { timeUnixNano: AT, asInt: '1' })), encoding)
    const headers = {
      'Content-Type': TYPES[encoding],
      'X-Api-Key': '00000000-0000-0000-0000-000000000000',
    }
    const unknown = await post(service, body, { headers })
    assert.equal(unknown.status, 401)
    assert.equal(unknown.headers.get('www-authenticate'), null)
    assert.equal(unknown.headers.get('content-type'), TYPES[encoding])
    if (encoding === 'json') assert.equal(JSON.parse(unknown.text).code, 16)
    else assert.deepEqual([...unknown.bytes.subarray(0, 3)], [0x08, 16, 0x12])
    const wrong = await post(service, Buffer.from([0x0a, 0x7f]), {
      headers: { 'Content-Type': TYPES[encoding] },
    })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, encoding === 'json' ? /not valid OTLP JSON/ : /not valid protobuf/)
  })
}

test('OTLP has three paths and accepts gzip', async (t) => {
  const { service, feed } = await startWorld(t)
  const paths = ['/v1/metrics', '/otlp/v1/metrics', '/api/v1/otlp/v1/metrics']
  for (const [at, path] of paths.entries()) {
    const point = { timeUnixNano: `${NOW + at}000000`, asInt: '1' }
    const body = gzipSync(otlpProtobuf(metricsOf(SERVICE, gauge('up', point))))
    const headers = { 'Content-Type': TYPES.protobuf, 'Content-Encoding': 'gzip' }
    assert.equal((await post(service, body, { headers, path })).status, 200)
  }
  assert.equal((await feed.get('shop-1', 'up')).length, 3)
  for (const type of ['text/plain', 'application/grpc']) {
    const refused = await post(service, '{}', { headers: { 'Content-Type': type } })
    assert.equal(refused.status, 415)
    assert.equal(JSON.parse(refused.text).code, 3)
  }
})

test('OTLP accepts bodies without points, and what later versions of the protocol add', async (t) => {
  const { service, feed } = await startWorld(t)
  for (const text of ['{}', '{"resourceMetrics":[]}', '{"resourceMetrics":[{}]}', ' {"a":[1]} ']) {
    assert.equal((await post(service, text)).status, 200, text)
  }
  const headers = { 'Content-Type': TYPES.protobuf }
  assert.equal((await post(service, Buffer.alloc(0), { headers })).status, 200)
  const metrics = metricsOf(SERVICE, gauge('up', { timeUnixNano: AT, asDouble: 3 }))
  const text = JSON.stringify(metrics)
    .replace(
      '"asDouble"',
      '"exemplars":[{"asInt":"1","x":{"y":[null,true,"]"]}}],"new":-1e3,"asDouble"',
    )
    .replace('"scopeMetrics"', '"schemaUrl":"a\\"b","scope_metrics"')
  assert.equal((await post(service, text)).status, 200)
  assert.deepEqual(await feed.get('shop-1', 'up'), [[NOW, 3]])
})

test('OTLP puts a point without a time at its arrival, and metrics without a resource in one component', async (t) => {
  const { service, feed } = await startWorld(t)
  const metrics: WrittenMetrics = {
    resourceMetrics: [{ scopeMetrics: [{ metrics: [gauge('up', { asInt: '1' })] }] }],
  }
  const before = Date.now()
  assert.equal((await write(service, metrics, 'protobuf')).status, 200)
  const [[time, value]] = await feed.get('opentelemetry', 'up')
  assert.equal(value, 1)
  assert.ok(Number(time) >= before)
})

test('OTLP writes texts of attributes as Prometheus does', async (t) => {
  const { service, owner } = await startWorld(t)
  const attributes = [
    { key: 'n', value: { intValue: '9007199254740993' } },
    { key: 'd', value: { doubleValue: 0.5 } },
    { key: 'b', value: { boolValue: true } },
    { key: 'raw', value: { bytesValue: 'AAEC' } },
    { key: 'list', value: { arrayValue: { values: [{ stringValue: 'ä"' }, { intValue: '1' }] } } },
    { key: 'map', value: { kvlistValue: { values: [textAttribute('k', 'v')] } } },
    textAttribute('x.y', '1'),
    textAttribute('x_y', '2'),
    textAttribute('none', ''),
    textAttribute('job', 'mine'),
  ]
  const point = { timeUnixNano: AT, asInt: '1', attributes }
  for (const encoding of ENCODINGS) {
    const written = await write(service, metricsOf(SERVICE, gauge('up', point)), encoding)
    assert.equal(written.status, 200, written.text)
  }
  const { body } = await owner('GET', '/api/component?limit=10')
  const streams = await owner('GET', `/api/component/${body.component[0].uid}/stream`)
  assert.equal(streams.body.stream.length, 1)
  assert.deepEqual(streams.body.stream[0].series, {
    __name__: 'up',
    b: 'true',
    d: '0.5',
    instance: 'shop-1',
    job: 'eu/shop',
    list: '["ä\\"",1]',
    map: '{"k":"v"}',
    n: '9007199254740993',
    raw: 'AAEC',
    x_y: '1;2',
  })
})

test('OTLP counts integers that a double rounds, and points that share a millisecond', async (t) => {
  const { service, feed } = await startWorld(t)
  const written = await write(
    service,
    metricsOf(
      SERVICE,
      gauge(
        'up',
        { timeUnixNano: AT, asInt: '9007199254740993' },
        { timeUnixNano: `${NOW}000999`, asInt: '5' },
        { timeUnixNano: `${NOW}999999`, asInt: '6' },
      ),
    ),
  )
  assert.equal(written.status, 200, written.text)
  assert.deepEqual(await feed.get('shop-1', 'up'), [[NOW, 6]])
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  assert.match(metrics, /weir_door_integers_rounded_total\{door="otlp"\} 1/)
  assert.match(metrics, /weir_door_points_merged_total\{door="otlp"\} 2/)
})

test('OTLP answers 403 to a key that may not put', async (t) => {
  const { service, owner } = await startWorld(t)
  const key = { name: 'reader', capabilities: [{ resource: 'component/*/feed', methods: ['GET'] }] }
  const made = await owner('PUT', '/api/api_key', {
    api_key: key,
    currentPassword: service.ownerPassword,
  })
  const secret = made.body.api_key.secretKey ?? made.body.api_key.secret
  const metrics = metricsOf(SERVICE, gauge('up', { timeUnixNano: AT, asInt: '1' }))
  const refused = await post(service, JSON.stringify(metrics), { headers: { 'X-Api-Key': secret } })
  assert.equal(refused.status, 403)
  assert.equal(JSON.parse(refused.text).code, 7)
})

test('OTLP answers 503 with Retry-After to what passes, and to failures of the service', async (t) => {
  let isBroken = false
  const service = await startService({
    settings: { WEIR_RATE_LIMITS: 'feed=3/60s,failed=2/60s' },
    wrapSamples: async (store) =>
      new Proxy(store, {
        get: (target, name) => {
          const member = Reflect.get(target, name)
          if (typeof member !== 'function') return member
          if (name !== 'append') return member.bind(target)
          return (...given: unknown[]) =>
            isBroken ? Promise.reject(new Error('broken')) : member.apply(target, given)
        },
      }),
  })
  t.after(() => service.close())
  const metrics = metricsOf(SERVICE, gauge('up', { timeUnixNano: AT, asInt: '1' }))
  assert.equal((await write(service, metrics)).status, 200)
  isBroken = true
  const failed = await write(service, metrics)
  assert.equal(failed.status, 503, failed.text)
  assert.equal(JSON.parse(failed.text).code, 14)
  assert.doesNotMatch(failed.text, /broken/)
  isBroken = false
  assert.equal((await write(service, metrics)).status, 200)
  const limited = await write(service, metrics, 'protobuf')
  assert.equal(limited.status, 503)
  for (const { headers } of [failed, limited]) {
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }
})

test('OTLP refuses bodies beyond the limit, compressed or not, and accepts a repeated one', async (t) => {
  const { service, owner } = await startWorld(t, { WEIR_BODY_BYTES_MAX: '1000000' })
  const packed = { 'Content-Type': TYPES.protobuf, 'Content-Encoding': 'gzip' }
  const bomb = gzipSync(Buffer.alloc(64_000_000))
  assert.equal((await post(service, bomb, { headers: packed })).status, 413)
  assert.equal((await post(service, ' '.repeat(1_000_001))).status, 413)
  // Doubles have four times the bytes of their JSON.
  const zeros = `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"h","histogram":{"aggregationTemporality":2,"dataPoints":[{"explicitBounds":[${'0,'.repeat(450_000)}0]}]}}]}]}]}`
  assert.equal((await post(service, zeros)).status, 200)
  const empty = `{"resourceMetrics":[${'{},'.repeat(300_000)}{}]}`
  assert.equal((await post(service, empty)).status, 200)
  const metrics = metricsOf(SERVICE, gauge('up', { timeUnixNano: AT, asInt: '1' }))
  for (let round = 0; round < 20; round++) {
    assert.equal((await write(service, metrics, 'protobuf')).status, 200)
  }
  const { body } = await owner('GET', '/api/component?limit=10')
  assert.equal(body.totalCount, 2)
  const used = /^weir_memory_budget_used_bytes (\d+)$/m
  const text = await (await fetch(`${service.url}/metrics`)).text()
  assert.equal(used.exec(text)?.[1], '0')
})

test('OTLP makes the series of a long histogram slice by slice', async (t) => {
  const { service, owner } = await startWorld(t, { WEIR_CREATE_MAX: '50' })
  const bucketCounts = Array.from({ length: 201 }, () => '1')
  const explicitBounds = bucketCounts.slice(1).map((_, at) => at + 0.5)
  const point = { timeUnixNano: AT, count: '201', sum: 1, bucketCounts, explicitBounds }
  const histogram = { ...CUMULATIVE, dataPoints: [point] }
  const written = await write(service, metricsOf([], { name: 'h', histogram }), 'protobuf')
  assert.equal(written.text, '')
  assert.equal(written.status, 200)
  const { body } = await owner('GET', '/api/component?limit=10')
  assert.equal(body.component[0].streamCount, 203)
})
