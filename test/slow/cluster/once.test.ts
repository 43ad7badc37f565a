/**
 * Work that one process does at a time, over two catalogs of one database, as two processes have them. When one process
 * hangs or is gone, the other finishes its work after the lease has expired and not before. takeover.test.ts kills real
 * processes.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import type { ExpiringStream, IsDue } from '../../../src/feed/expire/delete-profile-job.ts'
import { catalogClockMark, makeDeleteProfileJob } from '../../../src/feed/index.ts'
import { makeFileSweep } from '../../../src/files/index.ts'
import { blobTables } from '../../../src/store/cassandra/blobs/blob-tables.ts'
import { openClusterBlobs } from '../../../src/store/cassandra/index.ts'
import { type JobRun, LeasedJob, type StreamHandle } from '../../../src/store/index.ts'
import { PostgresCatalog } from '../../../src/store/postgres/index.ts'
import { openTestKeyspace, type TestKeyspace } from '../../support/cassandra.ts'
import { PlainSampleStore } from '../../support/plain-sample-store.ts'
import { handleReserve, makePostgresHome, type PostgresHome } from '../../support/postgres-home.ts'
import { clusterSkip } from '../../support/test-cluster.ts'

const skip = clusterSkip()
const NOON = Date.UTC(2026, 5, 1, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** A holder that is gone keeps others waiting for less. */
const LEASE_OVER_MS = MINUTE + 1

let keyspace: TestKeyspace
let home: PostgresHome
/** Ended behind all tests. */
const opened = new AsyncDisposableStack()

/** What two processes have: a catalog each, and clocks that agree. */
async function openTwo() {
  const clock = new ManualClock(NOON)
  const open = async (holder: string) => {
    const database = await home.open()
    opened.defer(() => database.close())
    const catalog = new PostgresCatalog(database, { reserveHandles: handleReserve(), clock })
    const onFailure = (error: unknown) => assert.fail(String(error))
    return { catalog, holder, onFailure }
  }
  return { clock, one: await open('one'), other: await open('other') }
}

/** Work on some pieces, one after the other, which stands still before one of them. */
class PiecesWork {
  readonly done: string[] = []
  readonly #stands = Promise.withResolvers<void>()
  readonly #goesOn = Promise.withResolvers<void>()
  readonly #left: Set<number>

  constructor(count: number) {
    this.#left = new Set(Array.from({ length: count }, (_, piece) => piece))
  }

  /** Resolves when it stands still. */
  get stands(): Promise<void> {
    return this.#stands.promise
  }

  goOn(): void {
    this.#goesOn.resolve()
  }

  /** Works as a process; a piece is done when it is not left any more. */
  async work(name: string, run: JobRun, standsBefore?: number): Promise<number> {
    let count = 0
    for (const piece of [...this.#left]) {
      if (piece === standsBefore) {
        this.#stands.resolve()
        await this.#goesOn.promise
      }
      if (!(await run.mayGoOn())) return count
      this.#left.delete(piece)
      this.done.push(`${name} ${piece}`)
      count += 1
    }
    return count
  }
}

function leaseCases(): void {
  test('a job that stands still is taken over when its lease is over, and does nothing more', async () => {
    const { clock, one, other } = await openTwo()
    const pieces = new PiecesWork(5)
    const finishing = Promise.withResolvers<void>()
    const make = (deps: typeof one, standsBefore?: number) =>
      new LeasedJob(deps, {
        name: 'pieces',
        everyMs: MINUTE,
        work: async (run) => {
          const count = await pieces.work(deps.holder, run, standsBefore)
          if (deps === other) await finishing.promise
          return count
        },
      })
    const [first, second] = [make(one, 2), make(other)]
    const stopped = first.run()
    await pieces.stands
    assert.equal(await second.run(), 0, 'the lease is held')
    clock.advance(MINUTE - 1)
    assert.equal(await second.run(), 0, 'a process that is slow is not gone')
    clock.advance(2)
    const taking = second.run()
    await pollUntil(() => pieces.done.length === 5)
    // The first wakes up while the other is at work.
    pieces.goOn()
    assert.equal(await stopped, 2)
    assert.equal(await first.run(), 0, 'its end has not taken the lease from the other')
    finishing.resolve()
    assert.equal(await taking, 3)
    assert.deepEqual(pieces.done, ['one 0', 'one 1', 'other 2', 'other 3', 'other 4'])
  })

  test('of two that are due at once one runs', async () => {
    const { one, other } = await openTwo()
    let runs = 0
    const entered = Promise.withResolvers<void>()
    const ending = Promise.withResolvers<void>()
    const make = (deps: typeof one) =>
      new LeasedJob(deps, {
        name: 'at once',
        everyMs: MINUTE,
        work: async () => {
          runs += 1
          entered.resolve()
          await ending.promise
          return 1
        },
      })
    const both = [make(one), make(other)].map((job) => job.run())
    await entered.promise
    const idle = await Promise.race(both)
    ending.resolve()
    const [most, least] = (await Promise.all(both)).sort((a, b) => b - a)
    assert.deepEqual([runs, idle, most, least], [1, 0, 1, 0])
  })
}

/** Waits for what other promises of this process bring about. */
async function pollUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}

const RULE = { age: { sizeType: 'HOUR', count: 1 }, timeZone: 'UTC' } as const
const STREAMS = 130

/** Streams that each have a sample every ten minutes of the last two hours. */
async function agedStreams(): Promise<{ samples: PlainSampleStore; streams: ExpiringStream[] }> {
  const samples = new PlainSampleStore()
  const streams: ExpiringStream[] = []
  const times = Float64Array.from({ length: 12 }, (_, at) => NOON - at * 10 * MINUTE)
  for (let handle = 1; handle <= STREAMS; handle += 1) {
    const handles = new Uint32Array(times.length).fill(handle)
    const numbers = new Float64Array(times.length)
    await samples.append({ count: times.length, handles, times, numbers, removals: [] })
    streams.push({ handle: handle as StreamHandle, rule: RULE })
  }
  return { samples, streams }
}

function deleteProfileCases(): void {
  test('samples that are too old go, whichever process is left to look', async () => {
    const { clock, one, other } = await openTwo()
    const { samples, streams } = await agedStreams()
    const stands = Promise.withResolvers<void>()
    const goesOn = Promise.withResolvers<void>()
    const jumps: number[] = []
    const make = (deps: typeof one, standsBehind?: number) =>
      makeDeleteProfileJob({
        ...deps,
        samples,
        clock,
        mark: catalogClockMark(deps.catalog),
        retention: { isInForce: () => true },
        onJump: (jumpMs) => jumps.push(jumpMs),
        async *streams(isDue: IsDue) {
          const due = streams.filter(({ handle }) => isDue(handle))
          yield due.slice(0, standsBehind)
          if (standsBehind === undefined) return
          stands.resolve()
          await goesOn.promise
          yield due.slice(standsBehind)
        },
      })
    const firstTimes = async () => {
      const spans = await Promise.all(streams.map(({ handle }) => samples.span(handle)))
      return spans.map((span) => span?.firstTime)
    }
    // Both have started at the same time, as they do after a restart of all.
    const [first, second] = [make(one, 65), make(other)]
    clock.advance(MINUTE + 50)
    const stopped = first.run()
    await stands.promise
    assert.equal(await second.run(), 0)
    clock.advance(LEASE_OVER_MS)
    assert.equal(await second.run(), STREAMS - 65, 'the rest goes, and what is gone is left alone')
    assert.deepEqual(jumps, [])
    const kept = new Array(STREAMS).fill(NOON - 50 * MINUTE)
    assert.deepEqual(await firstTimes(), kept)
    // The first wakes up: what it has yet to look at is gone.
    goesOn.resolve()
    assert.equal(await stopped, 65)
    assert.deepEqual(await firstTimes(), kept)
    clock.advance(10 * MINUTE)
    const both = await Promise.all([first.run(), second.run()])
    assert.equal(both[0] + both[1], STREAMS, 'each stream was emptied once')
    assert.deepEqual(await firstTimes(), new Array(STREAMS).fill(NOON - 40 * MINUTE))
  })
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

function sweepCases(): void {
  test('bodies that nothing names go once, also when the process that looks for them goes', async () => {
    const { clock, one, other } = await openTwo()
    const blobs = await Promise.all(
      [one, other].map(() => openClusterBlobs(keyspace.cluster, { clock })),
    )
    const put = (text: string) => blobs[0].put(bodyOf(text), { bytesMax: 100 })
    const live = [await put('live'), await put('live too')]
    const orphans = [await put('orphan'), await put('orphan too'), await put('a third')]
    clock.advance(2 * HOUR)
    const young = await put('young')
    const stands = Promise.withResolvers<void>()
    const goesOn = Promise.withResolvers<void>()
    const make = (at: 0 | 1) =>
      makeFileSweep({
        ...[one, other][at],
        blobs: blobs[at],
        store: new PlainSampleStore(),
        clock,
        fileStreams: () => [],
        async *others() {
          for (const { key } of live) yield key
          if (at === 1) return
          stands.resolve()
          await goesOn.promise
        },
      })
    const [first, second] = [make(0), make(1)]
    const stopped = first.run()
    await stands.promise
    assert.equal(await second.run(), 0, 'the lease is held')
    clock.advance(LEASE_OVER_MS)
    assert.equal(await second.run(), orphans.length)
    goesOn.resolve()
    assert.equal(await stopped, 0, 'nothing is swept twice')
    for (const blob of [...live, young]) {
      const read = await blobs[1].read(blob, { start: 0, end: blob.bytes })
      assert.ok(read !== undefined, `${blob.key} is there`)
      read.destroy()
    }
    for (const blob of orphans) {
      assert.equal(await blobs[0].read(blob, { start: 0, end: blob.bytes }), undefined)
    }
  })
}

describe('once over two processes', { skip }, () => {
  before(async () => {
    keyspace = await openTestKeyspace('once', blobTables)
    home = await makePostgresHome()
  })
  after(async () => {
    await opened.disposeAsync()
    await keyspace?.dispose()
  })
  leaseCases()
  deleteProfileCases()
  sweepCases()
})
