/** Random queries over a real service: handed what they ask for, they give what they give when handed everything. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { fc } from '../../support/fast-check.ts'
import { roundsBy, testSeeds } from '../../support/random.ts'
import { type Service, startService } from '../../support/service.ts'

const [seed] = testSeeds(1)
const HOUR = 3_600_000
/** 2024-01-01 in UTC. */
const START = 1_704_067_200_000

let service: Service
let owner: Call
const uids: string[] = []

before(async (context) => {
  if ('diagnostic' in context) context.diagnostic(`WEIR_TEST_SEED=${seed} runs these again`)
  service = await startService()
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  for (const [at, id] of ['a', 'b', '', ''].entries()) {
    const folder = at === 0 ? '/Components' : '/Components/F'
    const stream = [
      { id: 'x', valueType: 'DOUBLE' },
      { id: 'i', valueType: 'LONG', streamType: 'intvl_stream', baseCycle: 'hour' },
      { id: 't', valueType: 'STRING' },
      { id: '', valueType: 'DOUBLE' },
      { id: 'p', valueType: 'DOUBLE', streamType: 'point_stream' },
    ]
    const component = { id, name: `n${at}`, folder, timeZoneId: 'Europe/Berlin', stream }
    const { status, body, text } = await owner('PUT', '/api/component', { component })
    assert.equal(status, 200, text)
    await fill(body.component)
  }
})
after(() => service.close())

interface Component {
  readonly uid: string
  readonly stream: readonly { readonly uid: string; readonly id: string }[]
}

async function fill({ uid, stream }: Component): Promise<void> {
  const list = stream.map((own) => {
    uids.push(own.uid)
    const hours = Array.from({ length: 30 }, (_, at) => at * (own.id === 'i' ? 2 : 1))
    const time = hours.map((hour) => START + hour * HOUR)
    const data = hours.map((hour) => (own.id === 't' ? `t${hour % 7}` : (hour * 7) % 11))
    return { streamUid: own.uid, time, data }
  })
  const feed = { component: [{ componentUid: uid, stream: list }] }
  const { status, text } = await owner('PUT', '/api/feed', { feed })
  assert.equal(status, 200, text)
}

async function resultOf(sql: string): Promise<string> {
  const { status, body, text } = await owner('POST', '/api/gql', { sql })
  assert.equal(status, 200, `${sql}\n${text}`)
  return body.rows
    .map((row: unknown[]) => JSON.stringify(row))
    .sort()
    .join('\n')
}

const times = fc
  .tuple(fc.integer({ min: -1, max: 31 }), fc.constantFrom(0, 1, -1, 0.5))
  .map(([hour, more]) => START + hour * HOUR + more)
const conditions = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('cid', 'id', 'folderPath', 'cname', 'name'),
      fc.constantFrom('a', 'x', 'i', 't', ''),
    )
    .map(([column, text]) => `${column} = '${text}'`),
  fc.constantFrom("folderPath = '/Components/F'", "cname IN ('n1', 'n2')", "cid IN ('b', '', 'q')"),
  fc.constantFrom("id IN ('x', '')", "(cid = 'a' OR cid = 'b')", "name = 't'", "id IN ('i', 't')"),
  fc
    .tuple(fc.constantFrom('<', '<=', '>', '>=', '='), times)
    .map(([sign, time]) => `time ${sign} ${time}`),
  fc.tuple(times, times).map(([one, other]) => `time BETWEEN ${one} AND ${other}`),
  fc.nat().map((at) => `uid IN ('${uids[at % uids.length]}', 'nothing')`),
)
const wheres = fc
  .array(conditions, { maxLength: 3 })
  .map((parts) => (parts.length === 0 ? '' : ` WHERE ${parts.join(' AND ')}`))

const COLUMNS = 'cuid, uid, cid, id, cname, name, folderPath, time, timeSd, sample'

test('samples and statistics of random conditions are those of all samples that fulfil them', async () => {
  const tables = fc.oneof(
    fc.constantFrom('SAMPLE', 'STREAM SAMPLE()', "SAMPLE(cycleId = 'day', stat = 'max')"),
    fc.constantFrom("SAMPLE(cycleId = 'hour', stat = 'intvlcount')", 'SAMPLE(Range(last = 3))'),
    fc
      .tuple(times, times, fc.constantFrom('', "cycleId = 'day', stat = 'sum', "))
      .map(
        ([sd, ed, cycle]) =>
          `SAMPLE(${cycle}Range(sd = ${Math.min(sd, ed)}, ed = ${Math.max(sd, ed)}))`,
      ),
    times.map((sd) => `SAMPLE(cycleId = 'week', stat = 'last', Range(sd = ${sd}))`),
  )
  const property = fc.asyncProperty(tables, wheres, async (table, where) => {
    const sql = `SELECT uid, time, timeSd, sample FROM ${table} AS s${where}`
    const plain = `SELECT uid, time, timeSd, sample FROM (SELECT ${COLUMNS} FROM ${table}) AS s${where}`
    assert.equal(await resultOf(sql), await resultOf(plain), sql)
  })
  await fc.assert(property, { seed, numRuns: roundsBy({ everyRun: 30, nightly: 60 }) })
})

test('sums of random conditions are those of all samples that fulfil them', async () => {
  const values = fc.constantFrom(
    'count(*), min(time), max(time)',
    'min(sample), max(sample), first(sample), last(sample), count(sample)',
    'sum(sample), avg(sample)',
  )
  const groups = fc.constantFrom(
    '',
    ' GROUP BY uid',
    ' GROUP BY cid, id',
    ' GROUP BY cuid',
    ...[7_200_000, 1_000, 86_400_000].map((ms) => ` GROUP BY uid, time - time % ${ms}`),
  )
  const property = fc.asyncProperty(values, wheres, groups, async (value, where, group) => {
    // Texts cannot be added up: both ways say so.
    const only = value.startsWith('sum')
      ? `${where === '' ? ' WHERE' : `${where} AND`} id <> 't'`
      : where
    const sql = `SELECT ${value} FROM SAMPLE AS s${only}${group}`
    const plain = `SELECT ${value} FROM (SELECT ${COLUMNS} FROM SAMPLE) AS s${only}${group}`
    const rounded = (text: string) => text.replace(/\.\d{9,}/g, (digits) => digits.slice(0, 9))
    assert.equal(rounded(await resultOf(sql)), rounded(await resultOf(plain)), sql)
  })
  await fc.assert(property, { seed, numRuns: roundsBy({ everyRun: 30, nightly: 60 }) })
})
