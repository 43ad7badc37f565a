/**
 * Sums and means against exact fractions, over doubles of every magnitude: in memory, remembered,
 * sealed, after a restart, and over HTTP.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import type { SampleStore, StreamHandle } from '../../src/store/index.ts'
import { caller, signIn } from '../support/caller.ts'
import { exactMean, exactSum, weightedMean } from '../support/exact-fractions.ts'
import { FeedClient } from '../support/feed-client.ts'
import { Random, roundsBy, testSeeds } from '../support/random.ts'
import { type Service, startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const DAY = 86_400_000
const START = Date.parse('2024-01-01')
const APPEND_SAMPLES = 100_000

/** Any finite double, all exponents alike. */
function anyDouble(random: Random): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setUint32(0, random.integer(0, 2 ** 32))
  view.setUint32(4, random.integer(0, 2 ** 32))
  const value = view.getFloat64(0)
  return Number.isFinite(value) ? value : anyDouble(random)
}

const edge = [Number.MAX_VALUE, -Number.MAX_VALUE, 1e308, 2 ** 1_023, 2 ** -1_022, 5e-324, -0, 0]
const equal = [0.1, 54914.628891, 1e301, 1e308, -5e-324, 1 / 3]

/** Ways to make the values of a stream, by name. */
const families: Readonly<Record<string, (random: Random, at: number) => number>> = {
  sensor: (random) => random.integer(-500_000, 500_000) / 100,
  any: anyDouble,
  edges: (random) => random.pick(edge),
  subnormal: (random) => random.integer(-5, 6) * 5e-324,
  full: (random) => (1 + random.next()) * random.pick([1, -1]),
  neighbours: (random) => 1 + random.integer(0, 3) * 2 ** -52,
  cancelling: (_, at) => [3.4e38, 90, -3.4e38, 0.1][at % 4],
  large: (random) => random.pick([1, 1, -1]) * (1.7e308 + random.next() * 9e306),
  wide: (random, at) => (at % 2 === 0 ? 1 : 1e-40) * (1 + random.next()),
}

interface Stream {
  readonly handle: StreamHandle
  readonly values: readonly number[]
  readonly edges: Float64Array
  readonly expected: { readonly sums: number[]; readonly means: number[] }
}

function streamOf(random: Random, handle: number, values: readonly number[]): Stream {
  const edges = new Set([START, START + values.length * 1_000])
  for (let i = 0; i < 12; i++) edges.add(START + 1_000 * random.integer(0, values.length))
  return makeStream(handle, values, Float64Array.from(edges).sort())
}

function makeStream(handle: number, values: readonly number[], edges: Float64Array): Stream {
  return { handle: handle as StreamHandle, values, edges, expected: expectedOf(values, edges) }
}

async function append(store: SampleStore, { handle, values }: Stream): Promise<void> {
  for (let from = 0; from < values.length; from += APPEND_SAMPLES) {
    const some = values.slice(from, from + APPEND_SAMPLES)
    await store.append({
      count: some.length,
      handles: new Uint32Array(some.length).fill(handle),
      times: Float64Array.from(some, (_, at) => START + (from + at) * 1_000),
      numbers: Float64Array.from(some),
      removals: [],
    })
  }
}

function expectedOf(values: readonly number[], edges: Float64Array): Stream['expected'] {
  const parts = [...edges.subarray(1)].map((until, row) =>
    values.slice((edges[row] - START) / 1_000, (until - START) / 1_000),
  )
  return { sums: parts.map(exactSum), means: parts.map(exactMean) }
}

async function checkStore(store: SampleStore, streams: readonly Stream[], about: string) {
  for (const stream of streams) {
    const { handle, edges, expected } = stream
    for (const time of ['first', 'second']) {
      const { sum, mean, min, max } = await store.fold(handle, edges)
      const where = `stream ${handle}, ${time} time, ${about}`
      assert.deepEqual([...sum], expected.sums, where)
      assert.deepEqual([...mean], expected.means, where)
      mean.forEach((one, row) => {
        assert.ok(one >= min[row] && one <= max[row], where)
      })
    }
  }
}

for (const seed of testSeeds(roundsBy({ everyRun: 1, nightly: 2 }))) {
  test(`fold() sums and means are rounded once, wherever the samples lie (seed ${seed})`, async () => {
    const random = new Random(seed)
    const folder = temporaryFolder()
    let store = await openSampleStore({ folder, segmentBytes: 256 * 1024 })
    const lists = Object.values(families).flatMap((make) =>
      [1, 2, 3, 10, 200, 3_000].map((count) =>
        Array.from({ length: count }, (_, at) => make(random, at)),
      ),
    )
    for (const value of equal) lists.push(new Array<number>(random.integer(1, 3_000)).fill(value))
    const streams = lists.map((values, at) => streamOf(random, at + 1, values))
    for (const stream of streams) await append(store, stream)
    await checkStore(store, streams, 'in memory')
    await store.sealAll()
    await checkStore(store, streams, 'sealed')
    await store.close()
    store = await openSampleStore({ folder })
    await checkStore(store, streams, 'after a restart')
    await store.close()
  })
}

test('fold() of many samples has the mean rounded once', async () => {
  const folder = temporaryFolder()
  const store = await openSampleStore({ folder })
  const values = Array.from(
    { length: roundsBy({ everyRun: 2 * APPEND_SAMPLES, nightly: 1_000_000 }) },
    (_, at) => (at % 7 === 0 ? 1e17 : 0.1 * at),
  )
  const stream = makeStream(1, values, Float64Array.of(START, 2 * START))
  await append(store, stream)
  await checkStore(store, [stream], 'in memory')
  await store.sealAll()
  await checkStore(store, [stream], 'sealed')
  await store.close()
})

async function startWithStreams(t: TestContext): Promise<{ service: Service; client: FeedClient }> {
  const service = await startService()
  t.after(() => service.close())
  const owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  const stream = Object.keys(families).flatMap((id) => [
    { id: `${id} random`, valueType: 'DOUBLE' },
    {
      id: `${id} day`,
      valueType: 'DOUBLE',
      streamType: 'intvl_stream',
      baseCycle: { id: 'day' },
    },
  ])
  const answer = await owner('PUT', '/api/component', {
    component: { id: 'c', name: 'c', timeZoneId: 'America/New_York', stream },
  })
  assert.equal(answer.status, 200)
  return { service, client: new FeedClient(service) }
}

/** Local midnights of New York, the ends of its days. */
function midnights(count: number): number[] {
  const first = Temporal.PlainDate.from('2023-01-02')
  return Array.from(
    { length: count },
    (_, day) => first.add({ days: day }).toZonedDateTime('America/New_York').epochMilliseconds,
  )
}

const [seed] = testSeeds(1)

test(`avg over HTTP is rounded once, weighted by 23, 24 and 25 hours or not (seed ${seed})`, async (t) => {
  const random = new Random(seed)
  const { service, client } = await startWithStreams(t)
  const ends = midnights(365)
  const expected = new Map<string, number>()
  for (const [id, make] of Object.entries(families)) {
    const values = ends.map((_, at) => make(random, at))
    for (const kind of ['random', 'day']) {
      const body = values.map((data, at) => {
        return { compId: 'c', streamId: `${id} ${kind}`, time: ends[at] - 1, data }
      })
      const { status, text } = await client.putJson(body)
      assert.equal(status, 200, text)
      const startOf = (at: number): number => ends[at - 1] ?? ends[0] - DAY
      const weights = ends.map((end, at) => (kind === 'day' ? end - startOf(at) : 1))
      const mean = weightedMean(values.map((value, at) => [value, weights[at]]))
      expected.set(`${id} ${kind}`, mean)
    }
  }
  const check = async (about: string): Promise<void> => {
    const { text } = await client.call('GET', '/comp/c/cycle/year/stat/avg/feed?retStreamId')
    const rows = JSON.parse(text) as { streamId: string; data: number }[]
    assert.equal(rows.length, expected.size, about)
    for (const { streamId, data } of rows) {
      assert.equal(data, expected.get(streamId), `${streamId}, ${about}, seed ${seed}`)
    }
  }
  await check('in memory')
  await service.app.close()
  const store = await openSampleStore({ folder: service.dataDir })
  await store.sealAll()
  await store.close()
  await service.restart()
  await check('sealed, after a restart')
})
