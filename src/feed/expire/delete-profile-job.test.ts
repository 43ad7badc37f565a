import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlainSampleStore } from '../../../test/support/plain-sample-store.ts'
import { type EpochMs, ManualClock, TIME_END } from '../../base/index.ts'
import type { Lease, Removal, StreamHandle } from '../../store/index.ts'
import type { Age } from '../../time/index.ts'
import { type ExpiringStream, type IsDue, makeDeleteProfileJob } from './delete-profile-job.ts'
import type { RetentionRule } from './retention.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const TEN_YEARS = 3_652 * DAY
const NOON = Date.UTC(2024, 5, 1, 12)
const [first, second] = [1 as StreamHandle, 2 as StreamHandle]

/** Leases of one name, held for ever until released. */
class PlainLeases {
  held: Lease | undefined

  async acquireLease(name: string, holder: string): Promise<Lease | undefined> {
    if (this.held !== undefined && this.held.holder !== holder) return undefined
    this.held = { name, holder, fence: 1 }
    return this.held
  }

  async releaseLease(): Promise<void> {
    this.held = undefined
  }
}

/** A store that lets something else happen right before a removal takes its place. */
class InterruptedStore extends PlainSampleStore {
  beforeRemoval = () => {}

  override remove(removal: Removal, isWanted?: () => boolean): Promise<boolean> {
    this.beforeRemoval()
    return super.remove(removal, isWanted)
  }
}

async function append(samples: PlainSampleStore, handle: number, times: number[]): Promise<void> {
  await samples.append({
    count: times.length,
    handles: new Uint32Array(times.length).fill(handle),
    removals: [],
    times: Float64Array.from(times),
    numbers: new Float64Array(times.length),
  })
}

/** Two streams with a sample in each of the last `hours`; the first has the profile unless given. */
async function setUp(
  age: Age,
  { hours = 48, streams = [first] }: { hours?: number; streams?: readonly StreamHandle[] } = {},
) {
  const samples = new InterruptedStore()
  const times = Array.from({ length: hours }, (_, index) => NOON - index * HOUR)
  for (const handle of [first, second]) await append(samples, handle, times)
  const catalog = new PlainLeases()
  const clock = new ManualClock(NOON)
  const asked: StreamHandle[] = []
  const profile: { rule: RetentionRule } = { rule: { age, timeZone: 'UTC' } }
  const pages = async function* (isDue: IsDue): AsyncGenerator<ExpiringStream[]> {
    const due = streams.filter(isDue)
    asked.push(...due)
    for (const handle of due) yield [{ handle, rule: profile.rule }]
  }
  const marked: { time: number | undefined } = { time: undefined }
  const mark = {
    read: async () => marked.time,
    write: async (time: number) => {
      marked.time = time
    },
  }
  const jumps: number[] = []
  const failures: unknown[] = []
  const open = () =>
    makeDeleteProfileJob({
      samples,
      catalog,
      clock,
      mark,
      streams: pages,
      holder: 'here',
      retention: { isInForce: (_handle, rule) => rule === profile.rule },
      onFailure: (error) => failures.push(error),
      onJump: (jumpMs) => jumps.push(jumpMs),
    })
  const firstTime = async (handle = first) => (await samples.span(handle))?.firstTime
  return { samples, catalog, clock, asked, profile, jumps, open, firstTime, job: open() }
}

test('run() removes what is older than the profile, and leaves other streams alone', async () => {
  const { clock, job, firstTime } = await setUp({ sizeType: 'HOUR', count: 10 }, { hours: 20 })
  assert.equal(await job.run(), 1)
  assert.equal(await firstTime(), NOON - 10 * HOUR)
  assert.equal(await firstTime(second), NOON - 19 * HOUR)
  assert.equal(await job.run(), 0)
  clock.advance(3 * HOUR)
  assert.equal(await job.run(), 1)
  assert.equal(await firstTime(), NOON - 7 * HOUR)
})

test('run() keeps samples up to a hundredth of the age longer, never shorter', async () => {
  const { clock, job, firstTime } = await setUp({ sizeType: 'DAY', count: 1 })
  clock.advance(14.4 * 60_000 - 1)
  await job.run()
  assert.equal(await firstTime(), NOON - 24 * HOUR)
  clock.advance(14.4 * 60_000)
  await job.run()
  assert.equal(await firstTime(), NOON - 23 * HOUR)
})

test('run() does nothing while another process holds the lease, and releases its own', async () => {
  const streams = [first, second]
  const home = await setUp({ sizeType: 'HOUR', count: 1 }, { hours: 3, streams })
  home.catalog.held = { name: 'delete_profiles', holder: 'elsewhere', fence: 7 }
  assert.equal(await home.job.run(), 0)
  assert.equal(await home.firstTime(), NOON - 2 * HOUR)
  home.catalog.held = undefined
  assert.equal(await home.job.run(), 2)
  assert.equal(home.catalog.held, undefined)
})

test('run() looks at a stream again only when samples may have become too old', async () => {
  const streams = [first, second]
  const { clock, asked, job } = await setUp({ sizeType: 'DAY', count: 1 }, { streams })
  await job.run()
  clock.advance(14 * 60_000)
  await job.run()
  assert.deepEqual(asked, [first, second])
  clock.advance(60_000)
  await job.run()
  assert.deepEqual(asked, [first, second, first, second])
})

test('run() takes more than a span of the profile only after an hour of steady clock', async () => {
  const { clock, job, firstTime } = await setUp({ sizeType: 'HOUR', count: 10 })
  assert.equal(await job.run(), 0)
  clock.advance(HOUR - 1)
  assert.equal(await job.run(), 0)
  assert.equal(await firstTime(), NOON - 47 * HOUR)
  clock.advance(HOUR)
  assert.equal(await job.run(), 1)
  assert.equal(await firstTime(), NOON - 8 * HOUR)
})

test('run() removes nothing while the clock is ahead for a while, nor shortly after', async () => {
  const { clock, job, jumps, firstTime } = await setUp({ sizeType: 'HOUR', count: 30 })
  assert.equal(await job.run(), 1)
  clock.advance(2 * HOUR)
  assert.equal(await job.run(), 1)
  const before = await firstTime()
  clock.jump(TEN_YEARS)
  for (let minute = 0; minute < 59; minute++) {
    assert.equal(await job.run(), 0)
    clock.advance(60_000)
  }
  clock.jump(-TEN_YEARS)
  for (let minute = 0; minute < 59; minute++) {
    assert.equal(await job.run(), 0)
    clock.advance(60_000)
  }
  assert.equal(await firstTime(), before)
  clock.advance(60_000)
  assert.equal(await job.run(), 1)
  assert.equal(await firstTime(), NOON - 27 * HOUR + HOUR)
  assert.deepEqual(jumps, [TEN_YEARS, -TEN_YEARS])
})

test('run() after a restart does not believe a clock that is far from where it was', async () => {
  const home = await setUp({ sizeType: 'YEAR', count: 10 })
  await home.job.run()
  home.clock.jump(TEN_YEARS)
  for (let start = 0; start < 5; start++) {
    const job = home.open()
    assert.equal(await job.run(), 0)
    home.clock.advance(50 * 60_000)
    assert.equal(await job.run(), 0)
  }
  assert.equal(await home.firstTime(), NOON - 47 * HOUR)
})

test('run() after a short stop goes on where it was', async () => {
  const home = await setUp({ sizeType: 'HOUR', count: 40 })
  assert.equal(await home.job.run(), 1)
  home.clock.advance(30 * 60_000)
  assert.equal(await home.open().run(), 1)
  assert.equal(await home.firstTime(), NOON - 39 * HOUR)
})

test('run() removes nothing by a profile that was changed while it looked', async () => {
  const { samples, profile, job, firstTime } = await setUp({ sizeType: 'HOUR', count: 30 })
  const longer: RetentionRule = { age: { sizeType: 'HOUR', count: 40 }, timeZone: 'UTC' }
  samples.beforeRemoval = () => {
    profile.rule = longer
  }
  assert.equal(await job.run(), 0)
  assert.equal(await firstTime(), NOON - 47 * HOUR)
  samples.beforeRemoval = () => {}
  assert.equal(await job.run(), 1)
  assert.equal(await firstTime(), NOON - 40 * HOUR)
})

test('run() leaves what is put later where the profile keeps it again', async () => {
  const { samples, clock, profile, job, firstTime } = await setUp({ sizeType: 'HOUR', count: 30 })
  assert.equal(await job.run(), 1)
  profile.rule = { age: { sizeType: 'DAY', count: 30 }, timeZone: 'UTC' }
  await append(samples, first, [NOON - 20 * DAY])
  for (let minute = 0; minute < 120; minute += 15) {
    assert.equal(await job.run(), 0)
    clock.advance(15 * 60_000)
  }
  assert.equal(await firstTime(), NOON - 20 * DAY)
})

test('run() removes special values of a stream without other samples', async () => {
  const { samples, job } = await setUp({ sizeType: 'HOUR', count: 10 }, { hours: 0 })
  const times = Float64Array.of(NOON - 20 * HOUR, NOON - HOUR)
  const handles = new Uint32Array(2).fill(first)
  const numbers = new Float64Array(2)
  await samples.appendSpecials({ count: 2, handles, times, numbers, removals: [] })
  assert.equal(await job.run(), 1)
  const all = { from: 0 as EpochMs, until: TIME_END, limit: 10, order: 'oldest_first' } as const
  assert.deepEqual([...(await samples.specials(first, all)).times], [NOON - HOUR])
})
