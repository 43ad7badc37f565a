import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import {
  metricsOf,
  otlpProtobuf,
  textAttribute,
  type WrittenMetrics,
  type WrittenPoint,
} from '../../../test/support/otlp.ts'
import { bytesField } from '../../../test/support/remote-write.ts'
import { MemoryBudget, Refusal } from '../../base/index.ts'
import { VALUE_SPECIAL } from '../../feed/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { SeriesCache } from '../series-cache.ts'
import { OtlpReader } from './otlp-reader.ts'
import { transcodeJson } from './transcode-json.ts'

const STALE = '7ff0000000000002'
const NO_VALUE = 1
const SERVICE = [textAttribute('service.name', 'shop'), textAttribute('host', 'a')]

function newCache() {
  return new SeriesCache({ seriesGeneration: 0, has: () => true })
}

type Point = [series: string, value: number | string, time: number]

/** Reads a body in slices, and gives each series a stream as the service would. */
function read(
  bytes: Buffer,
  {
    cache = newCache(),
    samplesMax = 1_000_000,
    turn = 64,
    handles = new Map<string, number>(),
    between = () => {},
  } = {},
) {
  const reader = new OtlpReader(bytes, cache, { samplesMax, seriesMax: 20_000 })
  const points: Point[] = []
  const refused: string[] = []
  let openCount = 0
  let turns = 0
  while (!reader.isAtEnd) {
    const slice = reader.begin()
    do {
      between()
      turns += 1
    } while (reader.read('org', turn))
    const { samples } = slice
    assert.ok(samples.count <= samplesMax)
    openCount += samples.series.length
    for (const open of samples.series) {
      const key = showSeries(open.series)
      if (!handles.has(key)) handles.set(key, handles.size + 1)
      open.handle = handles.get(key) as StreamHandle
      for (const index of open.samples) samples.handles[index] = open.handle
    }
    const seriesOf = new Map([...handles].map(([key, handle]) => [handle, key]))
    for (let index = 0; index < samples.count; index++) {
      const key = seriesOf.get(samples.handles[index])
      assert.ok(key !== undefined, 'a sample without a stream')
      const isSpecial = samples.kinds[index] === VALUE_SPECIAL
      const value = isSpecial ? (samples.texts?.[index] ?? '') : samples.numbers[index]
      points.push([key, value, samples.times[index]])
    }
    for (const { line, from, until, reason } of slice.refused) {
      refused.push(`${line} ${reader.textAt(from, until)}: ${reason}`)
    }
    reader.learn()
  }
  return { points, refused, openCount, turns }
}

function showSeries({ __name__: name, ...labels }: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(labels).sort()
  return `${name}{${sorted.map(([label, text]) => `${label}=${text}`).join(',')}}`
}

async function transcode(text: string | Buffer): Promise<Buffer> {
  const share = await new MemoryBudget(1 << 30).take(0)
  return await transcodeJson(Buffer.from(text), share)
}

const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const time = fc.integer({ min: 1, max: 4_000_000_000_000 })
const attributes = fc
  .dictionary(fc.stringMatching(/^[a-f]{1,3}$/), fc.string({ minLength: 1, maxLength: 8 }))
  .map((pairs) => Object.entries(pairs).map(([key, text]) => textAttribute(key, text)))

test('OtlpReader reads the same from protobuf and JSON, however it is sliced', async () => {
  const point = fc.record({ time, double, attributes })
  const body = fc.array(fc.array(point, { maxLength: 4 }), { maxLength: 5 })
  const check = fc.asyncProperty(
    body,
    fc.integer({ min: 1, max: 6 }),
    fc.integer({ min: 1, max: 200 }),
    async (metrics, samplesMax, turn) => {
      const written = metricsOf(
        [textAttribute('service.name', 'shop')],
        ...metrics.map((points, at) => ({
          name: `m.${at}`,
          gauge: {
            dataPoints: points.map(
              (one): WrittenPoint => ({
                timeUnixNano: `${one.time}000000`,
                asDouble: one.double,
                attributes: one.attributes,
              }),
            ),
          },
        })),
      )
      const expected = metrics.flatMap((points, at) =>
        points.map((one): Point => {
          const labels = one.attributes.map(({ key, value }) => [
            key,
            'stringValue' in value ? value.stringValue : '',
          ])
          const series = { ...Object.fromEntries(labels), job: 'shop', __name__: `m_${at}` }
          return [showSeries(series), one.double, one.time]
        }),
      )
      for (const bytes of [otlpProtobuf(written), await transcode(JSON.stringify(written))]) {
        const cache = newCache()
        const handles = new Map<string, number>()
        const first = read(bytes, { cache, samplesMax, turn, handles })
        assert.deepEqual(first.refused, [])
        assert.deepEqual(first.points, expected)
        const again = read(bytes, { cache, samplesMax, turn, handles })
        assert.deepEqual(again.points, expected)
        assert.equal(again.openCount, 0, 'every series is known by its bytes')
      }
    },
  )
  await fc.assert(check, { numRuns: 200 })
})

test('OtlpReader reads on after the cache was used for another body, or dropped all it knew', () => {
  const dataPoints = Array.from(
    { length: 40 },
    (_, at): WrittenPoint => ({
      timeUnixNano: `${at + 1}000000`,
      count: '1',
      bucketCounts: ['1', '0'],
      explicitBounds: [1],
      attributes: [textAttribute('a', `${at % 3}`)],
    }),
  )
  const histogram = { aggregationTemporality: 2, dataPoints }
  const bytes = otlpProtobuf(metricsOf(SERVICE, { name: 'h', histogram }))
  const expected = read(bytes).points
  let seriesGeneration = 0
  const streams = {
    get seriesGeneration() {
      return seriesGeneration
    },
    has: () => true,
  }
  const cache = new SeriesCache(streams)
  const other = otlpProtobuf(metricsOf([], { name: 'other', histogram }))
  const handles = new Map<string, number>()
  let calls = 0
  const between = () => {
    calls += 1
    if (calls % 3 === 0) seriesGeneration += 1
    if (calls % 2 === 0) read(other, { cache, handles, turn: 1_000_000 })
  }
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(read(bytes, { cache, handles, between }).points, expected)
  }
})

test('OtlpReader adds buckets up, however it is sliced', () => {
  const check = fc.property(
    fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 12 }),
    fc.integer({ min: 1, max: 4 }),
    (counts, samplesMax) => {
      const bounds = counts.slice(1).map((_, at) => at + 0.5)
      const total = counts.reduce((sum, count) => sum + count, 0)
      const bytes = otlpProtobuf(
        metricsOf([], {
          name: 'h',
          histogram: {
            aggregationTemporality: 2,
            dataPoints: [
              {
                timeUnixNano: '1000000',
                count: String(total),
                sum: 3,
                bucketCounts: counts.map(String),
                explicitBounds: bounds,
              },
            ],
          },
        }),
      )
      const sums = counts.map((_, at) => counts.slice(0, at + 1).reduce((sum, one) => sum + one, 0))
      const expected = [
        ...bounds.map((bound, at): Point => [`h_bucket{le=${bound}}`, sums[at], 1]),
        ['h_bucket{le=+Inf}', total, 1],
        ['h_count{}', total, 1],
        ['h_sum{}', 3, 1],
      ]
      assert.deepEqual(read(bytes, { samplesMax }).points, expected)
    },
  )
  fc.assert(check, { numRuns: 100 })
})

test('OtlpReader makes a point without a recorded value a stale marker of each of its series', () => {
  const metrics = metricsOf(
    SERVICE,
    { name: 'g', gauge: { dataPoints: [{ timeUnixNano: '1000000', flags: NO_VALUE }] } },
    {
      name: 'h',
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [
          {
            timeUnixNano: '2000000',
            count: '1',
            sum: 1,
            bucketCounts: ['1', '0'],
            explicitBounds: [1],
            flags: NO_VALUE,
          },
        ],
      },
    },
    {
      name: 's',
      summary: {
        dataPoints: [
          {
            timeUnixNano: '2000000',
            quantileValues: [{ quantile: 0.99, value: 1 }],
            flags: NO_VALUE,
          },
        ],
      },
    },
  )
  assert.deepEqual(read(otlpProtobuf(metrics)).points, [
    ['g{job=shop}', STALE, 1],
    ['h_bucket{job=shop,le=1}', STALE, 2],
    ['h_bucket{job=shop,le=+Inf}', STALE, 2],
    ['h_count{job=shop}', STALE, 2],
    ['h_sum{job=shop}', STALE, 2],
    ['s{job=shop,quantile=0.99}', STALE, 2],
    ['s_count{job=shop}', STALE, 2],
    ['s_sum{job=shop}', STALE, 2],
    ['target_info{host=a,job=shop}', 1, 2],
  ])
})

test('OtlpReader keeps values that are not finite, also those of JSON', async () => {
  const values = ['NaN', 'Infinity', '-Infinity', '-0', '1e-320']
  const dataPoints = values.map((asDouble, at) => ({ timeUnixNano: `${at + 1}000000`, asDouble }))
  const text = JSON.stringify(metricsOf([], { name: 'g', gauge: { dataPoints } }))
  assert.deepEqual(
    read(await transcode(text)).points.map(([, value]) => value),
    ['7ff8000000000001', '7ff0000000000000', 'fff0000000000000', -0, 1e-320],
  )
})

test('OtlpReader reads a time in nanoseconds without rounding it', () => {
  const times = ['1700000000000999999', '1700000000001000000', '9223372036854775807', '999999']
  const dataPoints = times.map((timeUnixNano) => ({ timeUnixNano, asInt: '1' }))
  const bytes = otlpProtobuf(metricsOf([], { name: 'g', gauge: { dataPoints } }))
  const { points, refused } = read(bytes)
  assert.deepEqual(
    points.map(([, , time]) => time),
    [1_700_000_000_000, 1_700_000_000_001, 0],
  )
  assert.equal(refused.length, 1)
  assert.match(refused[0], /^3 g\{\}: The time must lie/)
})

test('OtlpReader reads lists of buckets that are not packed, and messages in any order', () => {
  const fixed = (field: number, value: bigint) => {
    const bytes = Buffer.alloc(9)
    bytes[0] = (field << 3) | 1
    bytes.writeBigUInt64LE(value, 1)
    return bytes
  }
  const bits = (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(value)
    return bytes.readBigUInt64LE()
  }
  const point = bytesField(
    1,
    fixed(7, bits(1)),
    fixed(6, 2n),
    fixed(7, bits(2)),
    fixed(3, 5_000_000n),
    fixed(6, 3n),
    fixed(6, 4n),
    fixed(4, 9n),
  )
  const metric = bytesField(2, bytesField(9, point, Buffer.from([0x10, 2])), bytesField(1, 'h'))
  const attribute = bytesField(
    1,
    bytesField(2, bytesField(1, 'shop')),
    bytesField(1, 'service.name'),
  )
  const body = bytesField(1, bytesField(2, metric), bytesField(1, attribute))
  assert.deepEqual(read(body).points, [
    ['h_bucket{job=shop,le=1}', 2, 5],
    ['h_bucket{job=shop,le=2}', 5, 5],
    ['h_bucket{job=shop,le=+Inf}', 9, 5],
    ['h_count{job=shop}', 9, 5],
  ])
})

const WHOLE: WrittenMetrics = metricsOf(
  [...SERVICE, { key: 'l', value: { arrayValue: { values: [{ intValue: '-1' }] } } }],
  { name: 'g', unit: 's', gauge: { dataPoints: [{ timeUnixNano: '1000000', asInt: '-1' }] } },
  {
    name: 'h',
    histogram: {
      aggregationTemporality: 2,
      dataPoints: [
        { timeUnixNano: '1000000', count: '3', bucketCounts: ['1', '2'], explicitBounds: [1] },
      ],
    },
  },
)

/** What is wrong with a body is a refusal, never another error. */
async function readOrRefuse(make: () => Promise<Buffer> | Buffer): Promise<boolean> {
  try {
    read(await make(), { turn: 1_000_000 })
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === 'bad_input') return false
    throw error
  }
}

test('OtlpReader refuses bodies that were cut or changed, or reads them', async () => {
  const bytes = otlpProtobuf(WHOLE)
  const text = Buffer.from(JSON.stringify(WHOLE))
  for (let length = 0; length < text.length; length++) {
    assert.equal(await readOrRefuse(() => transcode(text.subarray(0, length))), false)
  }
  for (let length = 0; length < bytes.length; length++) {
    await readOrRefuse(() => bytes.subarray(0, length))
  }
  const check = fc.asyncProperty(
    fc.boolean(),
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
    async (isJson, changes) => {
      const changed = Buffer.from(isJson ? text : bytes)
      for (const [at, byte] of changes) changed[at % changed.length] = byte
      await readOrRefuse(() => (isJson ? transcode(changed) : changed))
    },
  )
  await fc.assert(check, { numRuns: 1_000 })
})

test('transcodeJson() refuses hostile numbers, texts, and nesting, and names the byte', async () => {
  const body = (value: string, name = 'asDouble') =>
    `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"g","gauge":{"dataPoints":[{"${name}":${value}}]}}]}]}]}`
  const refuses = async (text: string, reason: RegExp) => {
    await assert.rejects(transcode(text), (error: Error) => {
      assert.match(error.message, reason, text.slice(0, 200))
      assert.match(error.message, /at byte \d+$/)
      return true
    })
  }
  await refuses(body('1e400'), /a number is not a double/)
  await refuses(body('"0x10"'), /a number is not a double/)
  await refuses(body('"nan"'), /a number is not a double/)
  await refuses(body('01'), /a value is not valid/)
  await refuses(body('NaN'), /a value is not valid/)
  await refuses(body('1'.repeat(1_000)), /a number is too long/)
  await refuses(body(`"${'1'.repeat(1_000_000)}"`), /a number is too long/)
  await refuses(body('[1]'), /a value is not a number/)
  await refuses(body('{}'), /a value is not a number/)
  await refuses(body('1.5', 'asInt'), /a number is not an integer/)
  await refuses(body('9223372036854775808', 'asInt'), /out of range/)
  await refuses(body('"-1"', 'timeUnixNano'), /out of range/)
  await refuses(body('18446744073709551616', 'timeUnixNano'), /out of range/)
  await refuses(body('4294967296', 'flags'), /out of range/)
  await refuses(body('1', 'attributes'), /a value is not a list/)
  await refuses(body('[[]]', 'attributes'), /a value is not a list/)
  await refuses(body('[null]', 'attributes'), /a value is not a list/)
  await refuses(body(`${'['.repeat(1_000_000)}`, 'unknown'), /nested deeper than 100/)
  await refuses(`{"unknown":${'{"a":'.repeat(200)}`, /nested deeper than 100/)
  await refuses(`{"resourceMetrics":"${'x'.repeat(1_100_000)}"}`, /a text has more than/)
  await refuses('{"a":"x}', /a text has no end/)
  await refuses('{"a":"\\', /a text has no end/)
  await refuses('{} {}', /something follows the end/)
  await refuses('', /the text ends/)
  await refuses('[]', /a value is not an object/)
})

test('OtlpReader rejects single points whose texts are not Unicode or whose lists are too deep', async () => {
  const point = (value: string) =>
    `{"timeUnixNano":"1000000","asInt":1,"attributes":[{"key":"a","value":${value}}]}`
  const deep = (depth: number) =>
    `${'{"arrayValue":{"values":['.repeat(depth)}${']}}'.repeat(depth)}`
  const body = (points: string) =>
    `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"g","gauge":{"dataPoints":[${points}]}}]}]}]}`
  const text = [
    point('{"stringValue":"good\\u00e9"}'),
    point('{"stringValue":"\\ud800"}'),
    point(`{"stringValue":"${'x'.repeat(100_000)}"}`),
    point(deep(20)),
  ].join(',')
  const { points, refused } = read(await transcode(body(text)))
  assert.deepEqual(
    points.map(([series]) => series),
    ['g{a=goodé}', `g{a=${'['.repeat(20)}${']'.repeat(20)}}`],
  )
  assert.match(refused[0], /An attribute is not valid UTF-8$/)
  assert.match(refused[1], /must be a text of 1 to 4096 characters$/)
  let value: Buffer = Buffer.alloc(0)
  for (let depth = 0; depth < 1_000; depth++) value = bytesField(5, bytesField(1, value))
  const attribute = bytesField(7, bytesField(1, 'a'), bytesField(2, value))
  const number = Buffer.from([0x19, 64, 66, 15, 0, 0, 0, 0, 0, 0x31, 1, 0, 0, 0, 0, 0, 0, 0])
  const metric = bytesField(2, bytesField(1, 'g'), bytesField(5, bytesField(1, number, attribute)))
  const nested = read(bytesField(1, bytesField(2, metric)))
  assert.match(nested.refused[0], /An attribute has lists in too many lists$/)
})

test('OtlpReader reads bodies of many empty messages in as many turns as their size demands', () => {
  const turn = 100_000
  const turnsFor = (bytes: Buffer) => read(bytes, { turn }).turns
  const fill = (count: number, piece: Buffer) => Buffer.alloc(count * piece.length, piece)
  const shapes: ((count: number) => Buffer)[] = [
    (count) => fill(count, bytesField(1, '')),
    (count) => bytesField(1, fill(count, bytesField(2, ''))),
    (count) => bytesField(1, bytesField(2, fill(count, bytesField(2, '')))),
    (count) => bytesField(1, bytesField(2, fill(count, bytesField(2, bytesField(5, ''))))),
    (count) =>
      bytesField(1, bytesField(2, bytesField(2, bytesField(5, fill(count, bytesField(1, '')))))),
    (count) => bytesField(1, bytesField(1, fill(count, bytesField(1, '')))),
  ]
  for (const [at, shape] of shapes.entries()) {
    const turns = turnsFor(shape(100_000))
    assert.ok(turnsFor(shape(200_000)) <= 2 * turns + 1, `shape ${at}`)
  }
})

test('OtlpReader rejects a point of a long histogram once, and one with too many attributes', () => {
  const counts = Array.from({ length: 5_000 }, () => '1')
  const bounds = counts.slice(1).map((_, at) => at)
  const point = {
    timeUnixNano: '1000000',
    count: '1',
    bucketCounts: counts,
    explicitBounds: bounds,
  }
  const many = Array.from({ length: 300 }, (_, at) => textAttribute(`a${at}`, 'x'))
  const long = [textAttribute('a', 'x'.repeat(5_000))]
  const { points, refused } = read(
    otlpProtobuf(
      metricsOf([], {
        name: 'h',
        histogram: {
          aggregationTemporality: 2,
          dataPoints: [{ ...point, attributes: many }, { ...point, attributes: long }, point],
        },
      }),
    ),
    { samplesMax: 1_000 },
  )
  assert.equal(points.length, 5_001)
  assert.equal(refused.length, 2)
  assert.match(refused[0], /There are more than 256 attributes/)
})
