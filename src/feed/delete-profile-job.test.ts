import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlainSampleStore } from '../../test/support/plain-sample-store.ts'
import { ManualClock } from '../base/index.ts'
import type { Lease, StreamHandle } from '../store/index.ts'
import type { Age } from '../time/index.ts'
import { DeleteProfileJob, type ExpiringStream, type IsDue } from './delete-profile-job.ts'

const HOUR = 3_600_000
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

async function setUp(age: Age, streams: readonly StreamHandle[] = [first]) {
  const samples = new PlainSampleStore()
  const times = Array.from({ length: 48 }, (_, index) => NOON - index * HOUR)
  for (const handle of [first, second]) {
    await samples.append({
      count: times.length,
      handles: new Uint32Array(times.length).fill(handle),
      times: Float64Array.from(times),
      numbers: new Float64Array(times.length),
      removals: [],
    })
  }
  const catalog = new PlainLeases()
  const clock = new ManualClock(NOON)
  const asked: StreamHandle[] = []
  const pages = async function* (isDue: IsDue): AsyncGenerator<ExpiringStream[]> {
    const due = streams.filter(isDue)
    asked.push(...due)
    for (const handle of due) yield [{ handle, timeZone: 'UTC', age }]
  }
  const failures: unknown[] = []
  const onFailure = (error: unknown): unknown => failures.push(error)
  const deps = { samples, catalog, clock, streams: pages, holder: 'here', onFailure }
  return { samples, catalog, clock, asked, job: new DeleteProfileJob(deps) }
}

test('run() hides what is older than the profile, and leaves other streams alone', async () => {
  const { samples, clock, job } = await setUp({ sizeType: 'HOUR', count: 10 })
  assert.equal(await job.run(), 1)
  assert.equal((await samples.span(first))?.firstTime, NOON - 10 * HOUR)
  assert.equal((await samples.span(second))?.firstTime, NOON - 47 * HOUR)
  assert.equal(await job.run(), 0)
  clock.advance(3 * HOUR)
  assert.equal(await job.run(), 1)
  assert.equal((await samples.span(first))?.firstTime, NOON - 7 * HOUR)
})

test('run() keeps samples up to a hundredth of the age longer, never shorter', async () => {
  const { samples, clock, job } = await setUp({ sizeType: 'DAY', count: 1 })
  clock.advance(14.4 * 60_000 - 1)
  await job.run()
  assert.equal((await samples.span(first))?.firstTime, NOON - 24 * HOUR)
  clock.advance(14.4 * 60_000)
  await job.run()
  assert.equal((await samples.span(first))?.firstTime, NOON - 23 * HOUR)
})

test('run() does nothing while another process holds the lease, and releases its own', async () => {
  const { samples, catalog, job } = await setUp({ sizeType: 'HOUR', count: 1 }, [first, second])
  catalog.held = { name: 'delete_profiles', holder: 'elsewhere', fence: 7 }
  assert.equal(await job.run(), 0)
  assert.equal((await samples.span(first))?.firstTime, NOON - 47 * HOUR)
  catalog.held = undefined
  assert.equal(await job.run(), 2)
  assert.equal(catalog.held, undefined)
})

test('run() looks at a stream again only when its floor may have moved', async () => {
  const { clock, asked, job } = await setUp({ sizeType: 'DAY', count: 1 }, [first, second])
  await job.run()
  clock.advance(14 * 60_000)
  await job.run()
  assert.deepEqual(asked, [first, second])
  clock.advance(60_000)
  await job.run()
  assert.deepEqual(asked, [first, second, first, second])
})
