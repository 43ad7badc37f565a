/** Sums and means of samples over HTTP: the doubles nearest to the exact ones, however a query reads them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { exactMean, exactSum } from '../../support/exact-fractions.ts'
import { Random, testSeeds } from '../../support/random.ts'
import { type Service, startService } from '../../support/service.ts'

const [seed] = testSeeds(1)
const DAY = 86_400_000
const STREAMS = 40

let service: Service
let owner: Call

before(async (context) => {
  if ('diagnostic' in context) context.diagnostic(`WEIR_TEST_SEED=${seed} runs these again`)
  service = await startService()
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})
after(() => service.close())

type Sample = readonly [time: number, value: number]

async function makeStreams(id: string, valueType: string, streams: Sample[][]): Promise<void> {
  const stream = streams.map((_, at) => ({ id: `s${at}`, valueType }))
  const made = await owner('PUT', '/api/component', { component: { id, stream } })
  assert.equal(made.status, 200, made.text)
  const body = streams.flatMap((samples, at) =>
    samples.map(([time, data]) => ({ compId: id, streamId: `s${at}`, time, data })),
  )
  const put = await owner('PUT', '/api/feed', body)
  assert.equal(put.status, 200, put.text)
}

async function rowsOf(sql: string): Promise<unknown[][]> {
  const { status, body, text } = await owner('POST', '/api/gql', { sql })
  assert.equal(status, 200, `${sql}\n${text}`)
  return body.rows
}

/** Around 1970, some close together and some far apart, so that periods are both dense and sparse. */
function randomTimes(random: Random): number[] {
  const count = random.integer(2, 40)
  const spread = random.pick([5_000, DAY, 4_000 * DAY])
  const times = Array.from({ length: count }, () => random.integer(-spread, spread))
  return [...new Set(times)].sort((one, other) => one - other)
}

/** Of each stream as a whole and of each of its days, which `time - time % ms` counts towards 1970. */
async function checkMeans(compId: string, streams: Sample[][]): Promise<void> {
  const meanOf = (samples: readonly Sample[]) => exactMean(samples.map(([, value]) => value))
  const ids = streams.map((_, at) => `s${at}`)
  const days = streams.flatMap((samples, at) =>
    [...Map.groupBy(samples, ([time]) => time - (time % DAY) + 0)].map(
      ([day, own]) => [ids[at], day, meanOf(own)] as const,
    ),
  )
  for (const beside of ['', ', sum(sample)', ', count(*), min(sample)']) {
    const from = `avg(sample)${beside} FROM SAMPLE WHERE cid = '${compId}' GROUP BY`
    const whole = await rowsOf(`SELECT id, ${from} id`)
    const means = new Map(whole.map(([id, mean]) => [id, mean]))
    assert.deepEqual(
      ids.map((id) => means.get(id)),
      streams.map(meanOf),
      beside,
    )
    const parted = await rowsOf(`SELECT id, time - time % ${DAY} AS day, ${from} id, day`)
    const found = new Map(parted.map(([id, day, mean]) => [`${id} ${day}`, mean]))
    for (const [id, day, mean] of days)
      assert.equal(found.get(`${id} ${day}`), mean, `${id} ${day}${beside}`)
    assert.equal(found.size, days.length)
  }
}

test('means of whole numbers are rounded once, before 1970 and where their sum has more than 53 bits', async () => {
  const random = new Random(seed)
  const most = Number.MAX_SAFE_INTEGER
  const value = (): number =>
    random.pick([most, -most, random.integer(0, 9), random.integer(-(10 ** 15), 10 ** 15)])
  const streams = Array.from({ length: STREAMS }, () =>
    randomTimes(random).map((time): Sample => [time, value()]),
  )
  await makeStreams('whole', 'LONG', streams)
  await checkMeans('whole', streams)
})

test('means of doubles are rounded once, and exist where their sum is beyond the doubles', async () => {
  const random = new Random(seed)
  const streams = Array.from({ length: STREAMS }, () =>
    randomTimes(random).map((time): Sample => [time, random.integer(-500, 500) / 10]),
  )
  await makeStreams('doubles', 'DOUBLE', streams)
  await checkMeans('doubles', streams)
  await makeStreams('large', 'DOUBLE', [
    [-2, -1, 1, 2, 5_000 * DAY].map((time): Sample => [time, 1e308]),
  ])
  const sql = "FROM SAMPLE WHERE cid = 'large' GROUP BY time - time % 1000"
  assert.deepEqual(await rowsOf(`SELECT avg(sample) ${sql}`), [[1e308], [1e308]])
})

test('sum() of doubles is rounded once, and fails only where it is beyond the doubles itself', async () => {
  const values = [1e308, 1e308, -1e308, 1, 1e-20, 2 ** -30, -1e308]
  const rows = values.map((value) => `SELECT ${value} + 0.0 AS v`).join(' UNION ALL ')
  assert.deepEqual(await rowsOf(`SELECT sum(v) FROM (${rows})`), [[exactSum(values)]])
  const mixed = `SELECT sum(v) FROM (SELECT 9007199254740993 AS v UNION ALL SELECT 0.5)`
  assert.deepEqual(await rowsOf(mixed), [[9_007_199_254_740_994]])
  const { status, body } = await owner('POST', '/api/gql', {
    sql: 'SELECT sum(v) FROM (SELECT 1e308 AS v UNION ALL SELECT 1e308)',
  })
  assert.deepEqual([status, body.code], [422, 'sql_error'])
})
