import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlainSampleStore } from '../../../test/support/plain-sample-store.ts'
import type { StreamHandle } from '../../store/index.ts'
import {
  ALL_PERIODS,
  BUILT_IN_CYCLES,
  type Cycle,
  type CycleDefinition,
  compileCycle,
  intervalOf,
  loadZone,
} from '../../time/index.ts'
import { readStatistics, type StatisticQuery } from './statistic.ts'
import { readStatisticId, STATISTIC_IDS } from './statistic-id.ts'

const handle = 1 as StreamHandle
const HOUR = 3_600_000
const ms = (text: string): number => Date.parse(text)
const iso = (at: number): string => new Date(at).toISOString().replace(':00.000Z', 'Z')

function builtIn(cycleId: string, zone = 'UTC'): Cycle {
  const definition = BUILT_IN_CYCLES.get(cycleId)
  assert.ok(definition, cycleId)
  return compileCycle(definition, loadZone(zone))
}

async function storeOf(samples: readonly (readonly [string, number | string])[]) {
  const store = new PlainSampleStore()
  await store.append({
    count: samples.length,
    handles: new Uint32Array(samples.length).fill(handle),
    times: Float64Array.from(samples, ([time]) => ms(time)),
    numbers: Float64Array.from(samples, ([, value]) => (typeof value === 'number' ? value : 0)),
    texts: samples.map(([, value]) => (typeof value === 'string' ? value : undefined)),
    removals: [],
  })
  return store
}

type Options = Partial<StatisticQuery> & Pick<StatisticQuery, 'cycle' | 'statistic'>

async function read(store: PlainSampleStore, options: Options): Promise<unknown[][]> {
  const query = { handle, baseCycle: undefined, range: ALL_PERIODS, limit: 1_000, ...options }
  const { froms, untils, data } = await readStatistics(store, query)
  return data.map((value, index) => [iso(froms[index]), iso(untils[index]), value])
}

async function readAll(store: PlainSampleStore, options: Omit<Options, 'statistic'>) {
  const answers: Record<string, unknown[]> = {}
  for (const statistic of STATISTIC_IDS) {
    answers[statistic] = (await read(store, { ...options, statistic })).map((row) => row[2])
  }
  return answers
}

test('readStatisticId() refuses an unknown statistic with the list of the thirteen', () => {
  assert.equal(STATISTIC_IDS.length, 13)
  assert.equal(readStatisticId('avg'), 'avg')
  assert.throws(() => readStatisticId('median'), {
    code: 'stat_not_found',
    message:
      /"median". Statistics are first, last, min, max, avg, sum, minocc.*, nongapmilliseccount$/,
  })
})

test('readStatistics() of a random stream on the 23-hour day of New York, hand-checked', async () => {
  const store = await storeOf([
    ['2024-03-10T04:59:59.999Z', 99],
    ['2024-03-10T05:00Z', 3],
    ['2024-03-10T12:00Z', -1.5],
    ['2024-03-10T13:00Z', -1.5],
    ['2024-03-11T03:59Z', 6],
    ['2024-03-11T04:00Z', 77],
  ])
  const range = { from: ms('2024-03-10T05:00Z'), until: ms('2024-03-11T04:00Z') }
  const cycle = builtIn('day', 'America/New_York')
  assert.deepEqual(await read(store, { cycle, range, statistic: 'sum' }), [
    ['2024-03-10T05:00Z', '2024-03-11T04:00Z', 6],
  ])
  assert.deepEqual(await readAll(store, { cycle, range }), {
    first: [3],
    last: [6],
    min: [-1.5],
    max: [6],
    avg: [1.5],
    sum: [6],
    minoccurrence: [ms('2024-03-10T12:00Z')],
    maxoccurrence: [ms('2024-03-11T03:59Z')],
    gapcount: [0],
    nongapcount: [4],
    intvlcount: [4],
    milliseccount: [23 * HOUR],
    nongapmilliseccount: [23 * HOUR],
  })
})

test('readStatistics() of an hourly interval stream with gaps, hand-checked', async () => {
  // Ends of hours: the one at 05:00Z is the last hour of 9 March in New York.
  const store = await storeOf([
    ['2024-03-10T05:00Z', 10],
    ['2024-03-10T06:00Z', 2],
    ['2024-03-10T08:00Z', 4],
    ['2024-03-12T05:00Z', 8],
  ])
  const cycle = builtIn('day', 'America/New_York')
  const baseCycle = builtIn('hour', 'America/New_York')
  assert.deepEqual(await read(store, { cycle, baseCycle, statistic: 'sum' }), [
    ['2024-03-12T04:00Z', '2024-03-13T04:00Z', 8],
    ['2024-03-11T04:00Z', '2024-03-12T04:00Z', null],
    ['2024-03-10T05:00Z', '2024-03-11T04:00Z', 6],
    ['2024-03-09T05:00Z', '2024-03-10T05:00Z', 10],
  ])
  assert.deepEqual(await readAll(store, { cycle, baseCycle }), {
    first: [8, null, 2, 10],
    last: [8, null, 4, 10],
    min: [8, null, 2, 10],
    max: [8, null, 4, 10],
    avg: [8, null, 3, 10],
    sum: [8, null, 6, 10],
    minoccurrence: [
      ms('2024-03-12T05:00Z'),
      null,
      ms('2024-03-10T06:00Z'),
      ms('2024-03-10T05:00Z'),
    ],
    maxoccurrence: [
      ms('2024-03-12T05:00Z'),
      null,
      ms('2024-03-10T08:00Z'),
      ms('2024-03-10T05:00Z'),
    ],
    gapcount: [23, 24, 21, 23],
    nongapcount: [1, 0, 2, 1],
    intvlcount: [24, 24, 23, 24],
    milliseccount: [24 * HOUR, 24 * HOUR, 23 * HOUR, 24 * HOUR],
    nongapmilliseccount: [HOUR, 0, 2 * HOUR, HOUR],
  })
})

test('avg and nongapmilliseccount weigh days by their 23, 24 and 25 hours', async () => {
  const store = await storeOf([
    ['2024-03-11T04:00Z', 24], // The day of 10 March: 23 hours.
    ['2024-03-12T04:00Z', 12],
  ])
  const cycle = builtIn('month', 'America/New_York')
  const baseCycle = builtIn('day', 'America/New_York')
  const answers = await readAll(store, { cycle, baseCycle })
  assert.deepEqual(answers.avg, [(24 * 23 + 12 * 24) / 47])
  assert.deepEqual(answers.nongapmilliseccount, [47 * HOUR])
  assert.deepEqual(answers.intvlcount, [31])
  assert.deepEqual(answers.gapcount, [29])
  assert.deepEqual(answers.milliseccount, [(31 * 24 - 1) * HOUR])
})

test('a period shorter than the base interval is a gap unless an interval starts in it', async () => {
  const store = await storeOf([['2024-05-02T00:00Z', 5]])
  const baseCycle = builtIn('day')
  const rows = await read(store, { cycle: builtIn('hour'), baseCycle, statistic: 'max' })
  assert.deepEqual(rows, [['2024-05-01T00:00Z', '2024-05-01T01:00Z', 5]])
})

test('texts have first, last and the counts', async () => {
  const store = await storeOf([
    ['2024-05-01T10:00Z', 'open'],
    ['2024-05-01T11:00Z', 'closed'],
  ])
  const answers = await readAll(store, { cycle: builtIn('day') })
  assert.deepEqual(answers.first, ['open'])
  assert.deepEqual(answers.last, ['closed'])
  assert.deepEqual(answers.nongapcount, [2])
  for (const name of ['min', 'max', 'avg', 'sum', 'minoccurrence', 'maxoccurrence']) {
    assert.deepEqual(answers[name], [null], name)
  }
})

test('a period is returned whole when it overlaps the range, samples of the range or not', async () => {
  const store = await storeOf([['2024-01-15T00:00Z', 1]])
  const cycle = builtIn('year')
  const june = { from: ms('2024-06-01T00:00Z'), until: ms('2024-07-01T00:00Z') }
  const found = await read(store, { cycle, range: june, statistic: 'sum' })
  assert.deepEqual(found, [['2024-01-01T00:00Z', '2025-01-01T00:00Z', 1]])
  const after = { from: ms('2025-01-01T00:00Z'), until: ms('2026-01-01T00:00Z') }
  assert.deepEqual(await read(store, { cycle, range: after, statistic: 'sum' }), [])
  const none = { from: june.from, until: june.from }
  assert.deepEqual(await read(store, { cycle, range: none, statistic: 'sum' }), [])
})

test('samples outside the intervals of a CUSTOM cycle are in no statistic', async () => {
  const definition: CycleDefinition = {
    sizeType: 'CUSTOM',
    count: 1,
    referenceDate: '',
    timeZone: '',
    intervals: [
      { from: '2024-01-01T08:00', until: '2024-01-01T16:00' },
      { from: '2024-01-02T08:00', until: '2024-01-02T16:00' },
    ],
  }
  const store = await storeOf([
    ['2024-01-01T07:59Z', 1],
    ['2024-01-01T08:00Z', 2],
    ['2024-01-01T16:00Z', 4],
    ['2024-01-02T15:59Z', 8],
    ['2024-01-03T00:00Z', 16],
  ])
  const cycle = compileCycle(definition, loadZone('UTC'))
  assert.deepEqual(await read(store, { cycle, statistic: 'sum' }), [
    ['2024-01-02T08:00Z', '2024-01-02T16:00Z', 8],
    ['2024-01-01T08:00Z', '2024-01-01T16:00Z', 2],
  ])
})

test('the latest periods are found over long silences and dense bursts alike', async () => {
  const bursts = ['1903-01-01', '1950-06-01', '2001-01-01', '2250-12-31'].flatMap((day) =>
    Array.from({ length: 50 }, (_, index): [string, number] => {
      const at = ms(`${day}T00:00Z`) + index * 90_000
      return [new Date(at).toISOString(), index]
    }),
  )
  const store = await storeOf(bursts)
  const rows = await read(store, { cycle: builtIn('minute'), statistic: 'last', limit: 120 })
  assert.equal(rows.length, 120)
  assert.deepEqual(rows[0], ['2250-12-31T01:13Z', '2250-12-31T01:14Z', 49])
  assert.deepEqual(rows[49], ['2250-12-31T00:00Z', '2250-12-31T00:01Z', 0])
  assert.deepEqual(rows[50], ['2001-01-01T01:13Z', '2001-01-01T01:14Z', 49])
  assert.deepEqual(rows[119], ['1950-06-01T00:45Z', '1950-06-01T00:46Z', 30])
  const all = await read(store, { cycle: builtIn('second'), statistic: 'last' })
  assert.equal(all.length, 200)
})

test('isFilledOnly skips the gaps of an interval stream, for a last value', async () => {
  const store = await storeOf([
    ['2024-05-01T10:00Z', 1],
    ['2024-06-01T10:00Z', 2],
  ])
  const range = { from: ms('2024-05-01T00:00Z'), until: ms('2024-05-20T00:00Z') }
  const [cycle, baseCycle] = [builtIn('day'), builtIn('hour')]
  const options = { cycle, baseCycle, range, statistic: 'avg', limit: 1 } as const
  assert.deepEqual((await read(store, options))[0][2], null)
  const filled = await read(store, { ...options, isFilledOnly: true })
  assert.deepEqual(filled, [['2024-05-01T00:00Z', '2024-05-02T00:00Z', 1]])
})

test('the ends of sample time are in reach', async () => {
  const store = await storeOf([
    ['1900-01-01T00:00Z', 1],
    ['2261-12-31T23:59:59.999Z', 2],
  ])
  for (const cycleId of BUILT_IN_CYCLES.keys()) {
    for (const zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const rows = await read(store, { cycle: builtIn(cycleId, zone), statistic: 'sum' })
      assert.deepEqual(
        rows.map((row) => row[2]),
        [2, 1],
        `${cycleId} ${zone}`,
      )
    }
  }
})

test('gapcount and nongapcount are intvlcount in every period that is returned', async () => {
  const times = ['2024-03-09T15:00Z', '2024-03-10T09:00Z', '2024-03-12T09:00Z', '2024-04-02T06:00Z']
  const zone = loadZone('America/New_York')
  const shifts: CycleDefinition = {
    sizeType: 'CUSTOM',
    count: 1,
    referenceDate: '',
    timeZone: '',
    intervals: [
      { from: '2024-03-09T08:10', until: '2024-03-10T16:20' },
      { from: '2024-03-11T00:30', until: '2024-03-12T02:30' },
    ],
  }
  const statistics = [...BUILT_IN_CYCLES.keys()].filter((id) => !/sec|min/.test(id))
  const cycles = [compileCycle(shifts, zone), ...statistics.map((id) => builtIn(id, zone.id))]
  for (const base of ['hour', '15min', 'day', 'week', 'month']) {
    const baseCycle = builtIn(base, zone.id)
    const ends = times.map((time) => new Date(intervalOf(baseCycle, ms(time))?.until ?? 0))
    // Off their intervals too, as a change of the zone database may leave samples.
    for (const placed of [ends.map((end) => end.toISOString()), times]) {
      const store = await storeOf([...new Set(placed)].map((time, value) => [time, value]))
      for (const [at, cycle] of cycles.entries()) {
        const options = { cycle, baseCycle, isFilledOnly: at % 2 === 0, limit: 1_000 }
        const { gapcount, nongapcount, intvlcount } = await readAll(store, options)
        const sums = gapcount.map((gaps, row) => Number(gaps) + Number(nongapcount[row]))
        assert.deepEqual(sums, intvlcount, base)
        assert.ok(gapcount.every((gaps) => Number(gaps) >= 0))
      }
    }
  }
})

test('a period before 1900 or after 2261 is found when it holds a sample of the time between', async () => {
  const store = await storeOf([
    ['1900-01-01T00:00Z', 1],
    ['2261-12-31T00:00Z', 2],
  ])
  const month = builtIn('month')
  const decade = compileCycle(
    { sizeType: 'YEAR', count: 10, referenceDate: '1995-01-01', timeZone: '' },
    loadZone('UTC'),
  )
  const range = (from: string, until: string) => ({ from: ms(from), until: ms(until) })
  const sums = async (options: Omit<Options, 'statistic'>) =>
    (await read(store, { ...options, statistic: 'sum' })).filter((row) => row[2] !== null)
  // The base interval that ends with 1899 begins in its December.
  const december = [['1899-12-01T00:00Z', '1900-01-01T00:00Z', 1]]
  const options = { cycle: month, baseCycle: month, limit: 10_000 }
  assert.deepEqual((await sums(options)).slice(1), december)
  assert.deepEqual(
    await sums({ ...options, range: range('1899-12-10T00:00Z', '1899-12-11T00:00Z') }),
    december,
  )
  assert.deepEqual(
    await sums({ cycle: decade, range: range('1897-01-01T00:00Z', '1898-01-01T00:00Z') }),
    [['1895-01-01T00:00Z', '1905-01-01T00:00Z', 1]],
  )
  assert.deepEqual(
    await sums({ cycle: decade, range: range('2263-01-01T00:00Z', '2264-01-01T00:00Z') }),
    [['2255-01-01T00:00Z', '2265-01-01T00:00Z', 2]],
  )
  for (const at of [Number.MIN_SAFE_INTEGER, -8.64e15, 8.64e15, Number.MAX_SAFE_INTEGER - 1]) {
    assert.deepEqual(await sums({ ...options, range: { from: at, until: at + 1 } }), [], `${at}`)
  }
  const everything = { from: Number.MIN_SAFE_INTEGER, until: Number.MAX_SAFE_INTEGER }
  assert.equal((await sums({ ...options, range: everything })).length, 2)
})

test('a mean is rounded once and never leaves its values', async () => {
  const means = async (values: readonly number[], base?: string) => {
    const samples = values.map((value, day): [string, number] => {
      return [new Date(ms('2024-03-09T05:00Z') + day * 24 * HOUR).toISOString(), value]
    })
    const baseCycle = base === undefined ? undefined : builtIn(base, 'America/Panama')
    const cycle = builtIn('year', 'America/Panama')
    const rows = await read(await storeOf(samples), { cycle, baseCycle, statistic: 'avg' })
    return rows.map((row) => row[2])
  }
  for (const base of [undefined, 'day', 'hour']) {
    assert.deepEqual(await means([54914.628891], base), [54914.628891])
    assert.deepEqual(await means([3.4e38, 90, -3.4e38, 0.1], base), [22.525])
    assert.deepEqual(await means([1e301], base), [1e301])
    assert.deepEqual(await means([0.1, 0.1, 0.1], base), [0.1])
    assert.deepEqual(await means([1e308, 1e308], base), [1e308])
    assert.deepEqual(await means([5e-324, 5e-324, 0], base), [5e-324])
    assert.deepEqual(await means([-0, -0], base), [0])
  }
})
