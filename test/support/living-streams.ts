/** Statistics of streams against plain arithmetic while they live their lives on a store. */
import assert from 'node:assert/strict'
import { EARLIEST_TIME, epochMs } from '../../src/base/index.ts'
import { readStatistics, STATISTIC_IDS } from '../../src/feed/statistic/index.ts'
import type { SampleStore, StreamHandle } from '../../src/store/index.ts'
import {
  type CycleDefinition,
  compileCycle,
  loadZone,
  type SizeType,
} from '../../src/time/index.ts'
import { boundary, generator, periodIndexAt, seed } from './calendar-oracle.ts'
import { type OracleStream, oracleStatistics } from './statistic-oracle.ts'

const MINUTE = 60_000
const DAY = 86_400_000
type Random = (below: number) => number

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)]

function cycleOf(sizeType: SizeType, count: number, referenceDate = '2024-01-01'): CycleDefinition {
  return { sizeType, count, referenceDate, timeZone: '' }
}

const zones = ['America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'UTC', 'Pacific/Apia']
const moments = ['2024-03-10', '2024-11-03', '2024-04-06', '2011-12-30']
const cycles = [
  cycleOf('MINUTE', 15),
  cycleOf('HOUR', 1),
  cycleOf('DAY', 1),
  cycleOf('WEEK', 1),
  cycleOf('MONTH', 1, '2024-01-31'),
  cycleOf('YEAR', 1),
]
const bases = [cycleOf('MINUTE', 1), cycleOf('MINUTE', 15), cycleOf('DAY', 1)]

function question(random: Random): { definition: CycleDefinition; zone: string } {
  return { definition: pick(random, cycles), zone: pick(random, zones) }
}

/** A stream on the store and its model: what the store must hold. */
class LivingStream {
  readonly handle: StreamHandle
  readonly base: OracleStream['base']
  readonly samples = new Map<number, number | string>()
  readonly favourite: { definition: CycleDefinition; zone: string }
  readonly #center: number

  constructor(random: Random, handle: number) {
    this.handle = handle as StreamHandle
    this.favourite = question(random)
    this.#center = Date.parse(pick(random, moments))
    this.base =
      random(2) === 0 ? undefined : { definition: pick(random, bases), zone: pick(random, zones) }
  }

  /** A run of samples somewhere near the moment: late, overwriting or ahead, as it falls. */
  async append(store: SampleStore, random: Random): Promise<void> {
    const count = pick(random, [1, 5, 300, 700])
    const step = pick(random, [10_000, MINUTE, 7 * MINUTE + 13])
    const start = this.#center - 2 * DAY + random(3 * DAY)
    const isText = random(8) === 0
    const added = new Map<number, number | string>()
    for (let i = 0; i < count; i++) {
      const value = (random(20_000) - 10_000) / 100
      added.set(this.#placed(start + i * step), isText ? `t${value}` : value)
    }
    for (const [time, value] of added) this.samples.set(time, value)
    const values = [...added.values()]
    await store.append({
      count: added.size,
      handles: new Uint32Array(added.size).fill(this.handle),
      times: Float64Array.from(added.keys()),
      numbers: Float64Array.from(values, (value) => (typeof value === 'number' ? value : 0)),
      texts: values.map((value) => (typeof value === 'string' ? value : undefined)),
      removals: [],
    })
  }

  async remove(store: SampleStore, random: Random): Promise<void> {
    const from = this.#center - 2 * DAY + random(4 * DAY)
    const until = from + pick(random, [1, MINUTE, DAY])
    for (const time of this.samples.keys()) {
      if (time >= from && time < until) this.samples.delete(time)
    }
    await store.remove({ handle: this.handle, from: epochMs(from), until: epochMs(until) })
  }

  /** As a delete profile does. */
  async removeOld(store: SampleStore, random: Random): Promise<void> {
    const until = epochMs(this.#center - 2 * DAY + random(2 * DAY))
    for (const time of this.samples.keys()) if (time < until) this.samples.delete(time)
    await store.remove({ handle: this.handle, from: EARLIEST_TIME, until })
  }

  #placed(time: number): number {
    if (this.base === undefined) return time
    const { definition, zone } = this.base
    return boundary(definition, zone, periodIndexAt(definition, zone, time - 1) + 1)
  }
}

async function check(store: SampleStore, stream: LivingStream, random: Random): Promise<void> {
  // Mostly the same question again, as dashboards do: what is remembered must not be stale.
  const { definition, zone } = random(4) === 0 ? question(random) : stream.favourite
  const cycle = compileCycle(definition, loadZone(zone))
  const baseCycle = stream.base && compileCycle(stream.base.definition, loadZone(stream.base.zone))
  const times = [...stream.samples.keys()]
  const from = random(2) === 0 ? 0 : (times[0] ?? 0)
  const range = { from, until: random(2) === 0 ? Date.UTC(2100, 0, 1) : from + 1 + random(3 * DAY) }
  const limit = pick(random, [1, 20, 1_000])
  for (let i = 0; i < 4; i++) {
    const statistic = pick(random, STATISTIC_IDS)
    const query = { definition, zone, statistic, ...range, limit }
    const expected = oracleStatistics(stream, query)
    const actual = await readStatistics(store, {
      handle: stream.handle,
      baseCycle,
      cycle,
      statistic,
      range,
      limit,
    })
    const rows = [...actual.froms].map((sdTime, index) => {
      return { sdTime, time: actual.untils[index], data: actual.data[index] }
    })
    const about = JSON.stringify({ seed, handle: stream.handle, base: stream.base, ...query })
    assert.equal(rows.length, expected.length, about)
    for (const [index, row] of rows.entries()) {
      const { sdTime, time, data } = expected[index]
      assert.deepEqual([row.sdTime, row.time], [sdTime, time], about)
      assert.equal(row.data, data, `at ${sdTime}: ${about}`)
    }
  }
}

/** Where streams live. */
export interface LivingPlace {
  open(): Promise<SampleStore>
  /** Brings what was appended to where it rests. */
  seal(store: SampleStore, handles: readonly number[]): Promise<void>
}

/** Lets streams live, one after the other, and compares the events after every change. */
export async function liveThrough(
  place: LivingPlace,
  { streams, operations }: { readonly streams: number; readonly operations: number },
): Promise<void> {
  const random = generator(seed)
  let store = await place.open()
  try {
    for (let round = 1; round <= streams; round++) {
      const stream = new LivingStream(random, round)
      for (let operation = 0; operation < operations; operation++) {
        const choice = random(12)
        if (choice < 7) await stream.append(store, random)
        else if (choice < 9) await stream.remove(store, random)
        else if (choice < 10) await stream.removeOld(store, random)
        else if (choice < 11) await place.seal(store, [round])
        else {
          await store.close()
          store = await place.open()
        }
        await check(store, stream, random)
      }
    }
  } finally {
    await store.close()
  }
}
