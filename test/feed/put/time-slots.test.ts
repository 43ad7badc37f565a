import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ManualClock, MemoryBudget } from '../../../src/base/index.ts'
import { Feed } from '../../../src/feed/index.ts'
import { FeedCalls } from '../../../src/http/feed/feed-calls.ts'
import { openCatalogStore } from '../../../src/store/embedded/index.ts'
import { TimeSlot } from '../../../src/store/index.ts'
import { anyFeed, NOW, openFeed, refused } from '../../support/feed-home.ts'
import { Random, testSeeds } from '../../support/random.ts'

const [seed] = testSeeds(1)

const ASIDE = { warn: () => {} }

/** Leases as processes of a cluster share them. */
async function openLeases(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-lanes-'))
  const clock = new ManualClock(NOW)
  const catalog = await openCatalogStore({ folder, clock })
  t.after(async () => {
    await catalog.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { catalog, clock }
}

const bodyOf = (id: string, values: readonly number[]) =>
  Buffer.from(JSON.stringify(values.map((data) => ({ compId: 'c', streamId: id, data }))))

test(`processes with a slot each never assign a stream the same time twice (WEIR_TEST_SEED=${seed})`, async (t) => {
  const random = new Random(seed)
  const { catalog, clock } = await openLeases(t)
  const home = await openFeed(t, { s: { valueType: 'DOUBLE' } })
  const start = async () => {
    const slot = await TimeSlot.open({ catalog, clock })
    t.after(() => slot.close())
    const feed = new Feed({ ...home, assignable: slot, showFile: String })
    return { slot, calls: new FeedCalls(feed, new MemoryBudget(1e9)) }
  }
  const processes = [await start(), await start(), await start()]
  assert.deepEqual(
    processes.map(({ slot }) => slot.offset),
    [0, 1, 2],
  )
  const values = new Set<number>()
  for (let call = 0; call < 300; call += 1) {
    // One is replaced by another, which takes its slot some seconds later.
    if (call === 150) {
      await processes[1].slot.close()
      clock.advance(5_001)
      home.clock.advance(5_001)
      for (const at of [0, 2]) await processes[at].slot.renew()
      processes[1] = await start()
      assert.equal(processes[1].slot.offset, 1)
    }
    if (random.next() < 0.5) home.clock.advance(random.integer(0, 3))
    const { calls } = random.pick(processes)
    const fresh = Array.from({ length: random.integer(1, 6) }, (_, at) => call * 10 + at)
    for (const value of fresh) values.add(value)
    const id = call < 3 ? 'made' : 's'
    await calls.put(anyFeed, '', bodyOf(id, fresh), ASIDE)
  }
  const limit = 'limit=10000'
  const kept = [...(await home.get('s', limit)), ...(await home.get('made', limit))]
  assert.deepEqual(new Set(kept.map(({ data }) => data)), values)
})

test('a slot is nobody else’s before its lease is over, and its times are not assigned shortly before', async (t) => {
  const { catalog, clock } = await openLeases(t)
  const one = await TimeSlot.open({ catalog, clock })
  one.require()
  assert.deepEqual([one.step, one.offset], [16, 0])
  clock.advance(15_000)
  assert.throws(() => one.require(), { code: 'read_only' })
  await one.renew()
  one.require()
  const { generation } = one
  await one.close()
  assert.throws(() => one.require(), { code: 'read_only' })
  const other = await TimeSlot.open({ catalog, clock })
  assert.equal(other.offset, 1, 'what was let go is not taken at once')
  // Longer than clocks that are right may be apart, or one of them be set back.
  clock.advance(4_999)
  const third = await TimeSlot.open({ catalog, clock })
  assert.equal(third.offset, 2)
  clock.advance(1)
  const fourth = await TimeSlot.open({ catalog, clock })
  assert.equal(fourth.offset, 0)
  for (const slot of [third, fourth]) await slot.close()
  clock.advance(35_000)
  await other.renew()
  assert.equal(other.offset, 1)
  assert.equal(other.generation, generation, 'nobody had it between')
  await other.close()
})

test('a service that starts again and again has a slot each time, stopped or killed', async (t) => {
  const { catalog, clock } = await openLeases(t)
  const others = [await TimeSlot.open({ catalog, clock }), await TimeSlot.open({ catalog, clock })]
  for (const { everyMs, isKilled } of [
    { everyMs: 500, isKilled: false },
    { everyMs: 3_000, isKilled: true },
  ]) {
    for (let starts = 0; starts < 60; starts += 1) {
      let isGone = false
      const acquireLease: typeof catalog.acquireLease = async (...inferredType) =>
        isGone ? undefined : await catalog.acquireLease(...inferredType)
      const releaseLease: typeof catalog.releaseLease = (lease) => catalog.releaseLease(lease)
      const slot = await TimeSlot.open({ catalog: { acquireLease, releaseLease }, clock })
      slot.require()
      isGone = isKilled
      await slot.close()
      clock.advance(everyMs)
      for (const other of others) await other.renew()
    }
  }
  for (const other of others) await other.close()
})

test('without a slot samples with times are stored, and others refused with 503', async (t) => {
  const { catalog, clock } = await openLeases(t)
  const slots: TimeSlot[] = []
  for (let count = 0; count < 17; count += 1) slots.push(await TimeSlot.open({ catalog, clock }))
  const home = await openFeed(t, { s: {} })
  const feed = new Feed({ ...home, assignable: slots[16], showFile: String })
  const calls = new FeedCalls(feed, new MemoryBudget(1e9))
  const failure = await refused(calls.put(anyFeed, '', bodyOf('s', [1]), ASIDE))
  assert.equal(failure.code, 'read_only')
  assert.match(failure.message, /or put them with their times/)
  await calls.put(anyFeed, `compId=c&s=2&time=${NOW}`, Buffer.alloc(0), ASIDE)
  assert.equal((await home.get('s')).length, 1)
  clock.advance(31_000)
  await slots[16].renew()
  await calls.put(anyFeed, '', bodyOf('s', [1]), ASIDE)
  assert.equal((await home.get('s')).length, 2)
  for (const slot of slots) await slot.close()
})
