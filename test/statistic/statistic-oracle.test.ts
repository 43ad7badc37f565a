import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStatistics, STATISTIC_IDS } from '../../src/feed/statistic/index.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import {
  type CycleDefinition,
  compileCycle,
  loadZone,
  type SizeType,
} from '../../src/time/index.ts'
import { boundary, generator, periodIndexAt, seed } from '../support/calendar-oracle.ts'
import { PlainSampleStore } from '../support/plain-sample-store.ts'
import { type OracleStream, oracleStatistics } from '../support/statistic-oracle.ts'

const handle = 1 as StreamHandle
const DAY = 86_400_000
type Random = (below: number) => number

function cycleOf(sizeType: SizeType, count: number, referenceDate = '2024-01-01'): CycleDefinition {
  return { sizeType, count, referenceDate, timeZone: '' }
}

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)]

const zones = [
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kathmandu',
  'UTC',
  'America/Havana',
  'Africa/Casablanca',
  'Pacific/Kwajalein',
  'America/St_Johns',
]

/** Where things happen: clock changes and skipped days of the zones above. */
const moments = ['2024-03-10', '2024-11-03', '2024-04-06', '2011-12-30', '1986-01-01', '1993-08-20']

const everyZone = Intl.supportedValuesOf('timeZone')

function anyZone(random: Random): string {
  return random(2) === 0 ? pick(random, zones) : pick(random, everyZone)
}

/** A known moment, or a clock change of the zone between 1970 and 2100. */
function anyMoment(random: Random, zone: string): number {
  if (random(2) === 0) return Date.parse(pick(random, moments))
  const at = Temporal.Instant.fromEpochMilliseconds(random(2 ** 32) * 957)
  const change = at.toZonedDateTimeISO(zone).getTimeZoneTransition('next')
  return change === null || change.year > 2100 ? at.epochMilliseconds : change.epochMilliseconds
}

const cycles = [
  cycleOf('MINUTE', 15),
  cycleOf('HOUR', 1),
  cycleOf('DAY', 1),
  cycleOf('DAY', 1, '2024-01-01T02:30'),
  cycleOf('WEEK', 1),
  cycleOf('MONTH', 1),
  cycleOf('MONTH', 1, '2024-01-31'),
  cycleOf('YEAR', 1),
]

const bases = [
  cycleOf('MINUTE', 15),
  cycleOf('HOUR', 1),
  cycleOf('HOUR', 7, '2024-01-01T01:30'),
  cycleOf('DAY', 1),
  cycleOf('MONTH', 1),
]

function randomStream(random: Random, zone: string): OracleStream {
  const isInterval = random(2) === 0
  const base = isInterval
    ? { definition: pick(random, bases), zone: random(2) === 0 ? zone : anyZone(random) }
    : undefined
  const center = anyMoment(random, zone)
  const spread = pick(random, [DAY, 5 * DAY, 60 * DAY])
  const isText = random(6) === 0
  const samples = new Map<number, number | string>()
  for (let i = random(60); i >= 0; i--) {
    const at = center - spread + random(2 * spread)
    const time =
      base === undefined
        ? at
        : boundary(base.definition, base.zone, periodIndexAt(base.definition, base.zone, at) + 1)
    samples.set(time, isText ? `text ${random(5)}` : (random(2_000) - 1_000) / 100)
  }
  return { samples, base }
}

async function storeOf({ samples }: OracleStream): Promise<PlainSampleStore> {
  const store = new PlainSampleStore()
  const values = [...samples.values()]
  await store.append({
    count: samples.size,
    handles: new Uint32Array(samples.size).fill(handle),
    times: Float64Array.from(samples.keys()),
    numbers: Float64Array.from(values, (value) => (typeof value === 'number' ? value : 0)),
    texts: values.map((value) => (typeof value === 'string' ? value : undefined)),
    removals: [],
  })
  return store
}

test(`readStatistics() agrees with plain arithmetic over random streams (seed ${seed})`, async () => {
  const random = generator(seed)
  for (let round = 0; round < 120; round++) {
    const zone = anyZone(random)
    const stream = randomStream(random, zone)
    const store = await storeOf(stream)
    const definition = pick(random, cycles)
    const times = [...stream.samples.keys()]
    const from = random(3) === 0 ? Math.min(...times) + random(9 * DAY) : Date.UTC(1970, 0, 1)
    const until = random(3) === 0 ? from + 1 + random(40 * DAY) : Date.UTC(2200, 0, 1)
    const limit = pick(random, [1, 3, 1_000])
    const baseCycle =
      stream.base && compileCycle(stream.base.definition, loadZone(stream.base.zone))
    const cycle = compileCycle(definition, loadZone(zone))
    for (const statistic of STATISTIC_IDS) {
      const query = { definition, zone, statistic, from, until, limit }
      const about = JSON.stringify({ seed, round, ...query, base: stream.base })
      const expected = oracleStatistics(stream, query)
      const range = { from, until }
      const actual = await readStatistics(store, {
        handle,
        baseCycle,
        cycle,
        statistic,
        range,
        limit,
      })
      assert.deepEqual(
        [...actual.froms].map((sdTime, index) => [sdTime, actual.untils[index]]),
        expected.map(({ sdTime, time }) => [sdTime, time]),
        about,
      )
      for (const [index, { data, sdTime }] of expected.entries()) {
        assert.equal(actual.data[index], data, `at ${sdTime}: ${about}`)
      }
    }
  }
})
