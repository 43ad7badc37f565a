/** Random profiles, clock jumps, puts, seals and restarts against a plain model of what must be there. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  EARLIEST_TIME,
  epochMs,
  ManualClock,
  MemoryBudget,
  TIME_END,
} from '../../src/base/index.ts'
import { type Catalog, openCatalog } from '../../src/catalog/index.ts'
import {
  catalogClockMark,
  expiringStreams,
  Feed,
  makeDeleteProfileJob,
} from '../../src/feed/index.ts'
import { FeedCalls } from '../../src/http/index.ts'
import { openCatalogStore, openSampleStore } from '../../src/store/embedded/index.ts'
import type { StreamHandle } from '../../src/store/index.ts'
import { type Age, agedBefore, loadZone } from '../../src/time/index.ts'
import { keyWith } from '../support/feed-home.ts'
import { Random, roundsBy, roundsOf, testSeeds } from '../support/random.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2024, 5, 1, 12)
const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata']
const AGES: readonly Age[] = [
  { sizeType: 'MINUTE', count: 10 },
  { sizeType: 'HOUR', count: 1 },
  { sizeType: 'HOUR', count: 5 },
  { sizeType: 'DAY', count: 2 },
  { sizeType: 'WEEK', count: 1 },
  { sizeType: 'YEAR', count: 10 },
]
const JUMPS = [2 * HOUR, DAY, 10 * 365 * DAY]
const STREAMS = ['a', 'b', 'c']
const anything = keyWith(['*', 'GET PUT POST DELETE'])

async function openHome(folder: string, clock: ManualClock) {
  const catalogStore = await openCatalogStore({ folder, clock })
  const people = {
    ownerOf: async () => ({ uid: 'u', name: 'Owner', timeZoneId: 'UTC' }),
    nameOf: async () => 'Owner',
  }
  const catalog = await openCatalog({ store: catalogStore, people, clock })
  const store = await openSampleStore({ folder, segmentBytes: 16 * 1024 })
  const feed = new Feed({ catalog, store, clock, showFile: (text) => text })
  const { retention } = feed
  const job = makeDeleteProfileJob({
    samples: store,
    retention,
    clock,
    catalog: catalogStore,
    holder: 'here',
    mark: catalogClockMark(catalogStore),
    streams: (isDue) => expiringStreams(catalog.index, retention, isDue),
    onFailure: (error: unknown) => assert.fail(String(error)),
    onJump: () => {},
  })
  const close = async () => {
    await job.close()
    await store.close()
    await catalogStore.close()
  }
  return { catalog, store, calls: new FeedCalls(feed, new MemoryBudget(1e9)), job, close }
}

interface Entry {
  readonly value: number
  /** Whether a run has met it older than its profile kept, by the true time. */
  mayGo: boolean
}

class Trial {
  readonly #random: Random
  readonly #folder = mkdtempSync(join(tmpdir(), 'weir-retention-'))
  readonly #clock = new ManualClock(START)
  /** How far the wall clock is from the true time. */
  #offset = 0
  #offsetSince = 0
  #home: Awaited<ReturnType<typeof openHome>> | undefined
  readonly #samples = new Map(STREAMS.map((id) => [id, new Map<number, Entry>()]))
  readonly #profiles: { uid: string; age: Age | undefined }[] = []
  readonly #given = new Map<string, number | undefined>()
  #zone = 'UTC'
  #value = 0

  constructor(random: Random) {
    this.#random = random
  }

  async run(steps: number): Promise<void> {
    this.#home = await openHome(this.#folder, this.#clock)
    const stream = STREAMS.map((id) => ({ id, valueType: 'DOUBLE' }))
    await this.#catalog.components.insert(anything, { id: 'c', timeZoneId: 'UTC', stream })
    for (let step = 0; step < steps; step++) {
      await this.#step()
      await this.#check()
    }
    await this.#settle()
  }

  async dispose(): Promise<void> {
    await this.#home?.close()
    rmSync(this.#folder, { recursive: true })
  }

  get #parts() {
    assert.ok(this.#home)
    return this.#home
  }

  get #catalog(): Catalog {
    return this.#parts.catalog
  }

  get #trueNow(): number {
    return this.#clock.now() - this.#offset
  }

  #handleOf(id: string): StreamHandle {
    return this.#catalog.index.resolve('o', 'c', id) as StreamHandle
  }

  #keptFrom(id: string, now: number): number {
    const given = this.#given.get(id)
    const age = given === undefined ? undefined : this.#profiles[given].age
    return age === undefined ? Number.NEGATIVE_INFINITY : agedBefore(now, age, loadZone(this.#zone))
  }

  async #step(): Promise<void> {
    const random = this.#random
    const choice = random.next()
    if (choice < 0.3) await this.#put()
    else if (choice < 0.55) await this.#runJob()
    else if (choice < 0.65) await this.#give()
    else if (choice < 0.73) await this.#changeProfile()
    else if (choice < 0.76) await this.#moveZone()
    else if (choice < 0.84) this.#jump()
    else if (choice < 0.94)
      await this.#pass(random.pick([MINUTE, 10 * MINUTE, 40 * MINUTE, 3 * HOUR]))
    else if (choice < 0.97) await this.#parts.store.sealAll()
    else await this.#restart()
  }

  async #restart(): Promise<void> {
    await this.#home?.close()
    this.#home = await openHome(this.#folder, this.#clock)
  }

  /**
   * Nobody keeps a clock wrong for an hour: then it would be believed, as it must be. The job looks
   * every minute, so no time passes that it has not seen.
   */
  async #pass(ms: number): Promise<void> {
    if (this.#offset !== 0 && this.#clock.elapsed() - this.#offsetSince + ms >= HOUR) this.#jump()
    this.#clock.advance(ms)
    await this.#runJob()
  }

  #jump(): void {
    const sign = this.#random.pick([1, 1, -1])
    const target = this.#offset === 0 ? sign * this.#random.pick(JUMPS) : 0
    this.#clock.jump(target - this.#offset)
    this.#offset = target
    this.#offsetSince = this.#clock.elapsed()
  }

  async #put(): Promise<void> {
    const random = this.#random
    const rows = Array.from({ length: random.pick([1, 5, 60]) }, () => {
      const age = random.integer(0, random.pick([MINUTE, HOUR, 12 * HOUR, 30 * DAY]))
      this.#value += 1
      const time = this.#trueNow - age
      return { compId: 'c', streamId: random.pick(STREAMS), time, data: this.#value }
    })
    const warnings: string[] = []
    const warn = (texts: readonly string[]) => void warnings.push(...texts)
    await this.#parts.calls.put(anything, '', Buffer.from(JSON.stringify(rows)), { warn })
    const wall = this.#clock.now()
    const old = rows.filter(({ streamId, time }) => time < this.#keptFrom(streamId, wall)).length
    const counts = warnings.map((text) => Number(/^(\d+) of (\d+) /.exec(text)?.[1]))
    assert.deepEqual(counts, old === 0 ? [] : [old])
    for (const { streamId, time, data } of rows) {
      this.#samples.get(streamId)?.set(time, { value: data, mayGo: false })
    }
  }

  async #runJob(): Promise<void> {
    for (const [id, samples] of this.#samples) {
      const floor = this.#keptFrom(id, this.#trueNow)
      for (const [time, entry] of samples) entry.mayGo ||= time < floor
    }
    await this.#parts.job.run()
  }

  async #give(): Promise<void> {
    const id = this.#random.pick(STREAMS)
    const count = this.#profiles.length
    const given = this.#random.next() < 0.4 ? undefined : this.#random.integer(0, count + 1)
    if (given === count) {
      const age = this.#random.pick(AGES)
      const { uid } = await this.#catalog.deleteProfiles.insert(anything, { name: 'p', ...age })
      this.#profiles.push({ uid, age })
    }
    const profile = given === undefined ? undefined : this.#profiles[given]
    if (profile !== undefined && profile.age === undefined) return
    const { uid: componentUid } = this.#catalog.index.componentOf(this.#handleOf(id))
    const uid = this.#catalog.index.streamUid(this.#handleOf(id))
    const change = { delete_profile: profile === undefined ? null : { uid: profile.uid } }
    await this.#catalog.streams.update(anything, { componentUid, uid }, change)
    this.#given.set(id, given)
  }

  async #changeProfile(): Promise<void> {
    const profile = this.#profiles[this.#random.integer(0, this.#profiles.length)]
    if (profile?.age === undefined) return
    if (this.#random.next() < 0.2) {
      const isUsed = [...this.#given.values()].some((at) => this.#profiles[at ?? -1] === profile)
      const deleting = this.#catalog.deleteProfiles.delete(anything, profile.uid)
      if (isUsed) await assert.rejects(deleting, { code: 'conflict' })
      else {
        await deleting
        profile.age = undefined
      }
      return
    }
    profile.age = this.#random.pick(AGES)
    await this.#catalog.deleteProfiles.update(anything, profile.uid, { ...profile.age })
  }

  async #moveZone(): Promise<void> {
    this.#zone = this.#random.pick(ZONES)
    const { uid } = this.#catalog.index.componentOf(this.#handleOf('a'))
    await this.#catalog.components.update(anything, uid, { timeZoneId: this.#zone })
  }

  /** What must be there is there, what is gone had to be let go, and nothing comes back. */
  async #check(): Promise<void> {
    const { store } = this.#parts
    for (const [id, samples] of this.#samples) {
      const handle = this.#handleOf(id)
      const all = {
        from: EARLIEST_TIME,
        until: TIME_END,
        limit: 1e6,
        order: 'oldest_first',
      } as const
      const { count, times, numbers } = await store.range(handle, all)
      const stored = new Map(Array.from({ length: count }, (_, at) => [times[at], numbers[at]]))
      for (const [time, entry] of samples) {
        const value = stored.get(time)
        if (value === undefined && entry.mayGo) samples.delete(time)
        else assert.equal(value, entry.value, `stream ${id} at ${new Date(time).toISOString()}`)
      }
      assert.equal(stored.size, samples.size, `stream ${id}`)
      const last = [...samples.keys()].reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
      const [latest] = await store.latest([handle])
      assert.equal(latest?.time ?? Number.NEGATIVE_INFINITY, last)
      const edges = Float64Array.of(EARLIEST_TIME, START, TIME_END)
      const folded = await store.fold(handle, edges)
      assert.equal(folded.count[0] + folded.count[1], samples.size)
    }
  }

  /** With a steady clock everything goes that the profiles say, and no more. */
  async #settle(): Promise<void> {
    if (this.#offset !== 0) this.#jump()
    for (const ms of [0, HOUR, 3 * DAY, 0]) {
      this.#clock.advance(ms)
      await this.#runJob()
      await this.#check()
    }
    for (const [id, samples] of this.#samples) {
      const floor = this.#keptFrom(id, this.#trueNow) - DAY
      for (const time of samples.keys()) assert.ok(time >= floor, `stream ${id} keeps ${time}`)
    }
    assert.equal(epochMs(this.#trueNow), this.#clock.now())
  }
}

for (const seed of testSeeds(roundsOf(2))) {
  test(`samples that profiles keep are readable, and removed ones are reported (WEIR_TEST_SEED=${seed})`, async () => {
    const trial = new Trial(new Random(seed))
    try {
      await trial.run(roundsBy({ everyRun: 120, nightly: 250 }))
    } finally {
      await trial.dispose()
    }
  })
}
