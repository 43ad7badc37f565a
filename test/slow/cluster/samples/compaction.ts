import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EARLIEST_TIME, epochMs, TIME_END } from '../../../../src/base/index.ts'
import type { ClusterSamples } from '../../../../src/store/cassandra/index.ts'
import { FIRST_KEY, LAST_KEY } from '../../../../src/store/cassandra/samples/sample-head.ts'
import { batch, read, stream } from '../../../support/samples.ts'
import { eventually } from '../../../support/settle.ts'
import { askTables, OwnStreams, openProcess, orderOf, reportEnds } from './home.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const ENDS = [FIRST_KEY, LAST_KEY]

/** One stream and a process that writes to it. */
class OneStream {
  readonly streams = new OwnStreams()
  readonly handle = this.streams.handleOf(1)
  readonly clock = this.streams.clock

  open(): Promise<ClusterSamples> {
    return openProcess(this.clock)
  }

  async rowsOf(table: string): Promise<number> {
    const cql = `SELECT stream FROM ${table} WHERE stream = ? ALLOW FILTERING`
    return (await askTables(cql, [this.handle])).length
  }

  /** The rows of its partition by section: 0 leaves, 1 leaves that were dropped, 2 runs; without those at the ends. */
  async sections(): Promise<unknown[]> {
    const cql = 'SELECT section, key FROM sample WHERE stream = ?'
    const rows = await askTables(cql, [this.handle])
    const inside = rows.filter(({ key }) => Number.isInteger(key) || !ENDS.includes(Number(key)))
    return inside.map(({ section }) => section)
  }

  async countRuns(): Promise<number> {
    return (await this.sections()).filter((section) => section === 2).length
  }

  async countLeaves(): Promise<number> {
    return (await this.sections()).filter((section) => section === 0).length
  }
}

/** What compaction leaves in the tables of samples, and what it must not do. */
export function compactionTests(skip: string | false): void {
  test('compaction leaves calls alone that run, and deletes runs that are in chunks', {
    skip,
  }, async () => {
    const one = new OneStream()
    const { handle } = one
    const store = await one.open()
    await reportEnds()
    const running = Promise.withResolvers<void>()
    const first = orderOf(store).write(() => running.promise)
    for (let call = 0; call < 20; call += 1) {
      const rows = Array.from(
        { length: 300 },
        (_, at) => [handle, call * 300 + at, at / 4] as const,
      )
      await store.append(batch(rows))
    }
    assert.equal(await one.countRuns(), 20, 'one row for each call')
    await reportEnds()
    await store.compaction.compact(handle)
    assert.equal(await one.rowsOf('sample_chunk'), 0, 'an earlier call has not ended')
    running.resolve()
    await first
    await reportEnds()
    await store.compaction.compact(handle)
    assert.deepEqual(await one.sections(), [0])
    assert.equal(await one.rowsOf('sample_chunk'), 3, 'two chunks and their index')
    assert.equal((await read(store, handle)).length, 6_000)
    await store.append(batch([[handle, 6_000, 7]]))
    await reportEnds()
    await store.compaction.compact(handle)
    assert.equal((await read(store, handle)).length, 6_001)
    assert.equal(await one.rowsOf('sample_chunk'), 5, 'what was replaced may still be read')
    one.clock.advance(2 * MINUTE)
    await store.append(batch([[handle, 6_001, 7]]))
    await reportEnds()
    await store.compaction.compact(handle)
    assert.equal(await one.rowsOf('sample_chunk'), 5)
    assert.equal((await read(store, handle)).length, 6_002)
    await store.close()
  })

  test('a summary counts only while nothing newer touches its chunk', { skip }, async () => {
    const one = new OneStream()
    const { handle, clock } = one
    const store = await one.open()
    const rows = Array.from({ length: 10_000 }, (_, at) => [handle, at * MINUTE, at % 100] as const)
    await store.append(batch(rows))
    await reportEnds()
    await store.compaction.compact(handle)
    const days = Float64Array.from({ length: 8 }, (_, at) => at * DAY)
    const sums = async () => [...(await store.fold(stream(handle), days)).sum]
    const expected = [0, 1, 2, 3, 4, 5, 6].map((day) =>
      rows.reduce(
        (sum, [, time, value]) => (Math.floor(time / DAY) === day ? sum + value : sum),
        0,
      ),
    )
    assert.deepEqual(await sums(), expected)
    clock.advance(5)
    await store.append(batch([[handle, DAY, 1_000_000]]))
    expected[1] += 1_000_000 - rows[1_440][2]
    assert.deepEqual(await sums(), expected)
    clock.advance(5)
    await store.remove({ handle: stream(handle), from: epochMs(2 * DAY), until: epochMs(3 * DAY) })
    expected[2] = 0
    assert.deepEqual(await sums(), expected)
    await reportEnds()
    await store.compaction.compact(handle)
    assert.deepEqual(await sums(), expected)
    await store.close()
  })

  test('two processes that compact one stream at once leave it whole', { skip }, async () => {
    const one = new OneStream()
    const { handle, clock } = one
    const [first, second] = [await one.open(), await one.open()]
    for (let call = 0; call < 30; call += 1) {
      clock.advance(10)
      await (call % 2 === 0 ? first : second).append(batch([[handle, call % 7, call]]))
    }
    const expected = [28, 29, 23, 24, 25, 26, 27].map((value, time) => [time, value])
    for (let round = 0; round < 3; round += 1) {
      clock.advance(2 * MINUTE)
      await reportEnds()
      await Promise.all([first, second].map(({ compaction }) => compaction.compact(handle)))
      assert.deepEqual(await read(first, handle), expected)
      assert.deepEqual(await read(second, handle), expected)
    }
    await first.close()
    await second.close()
  })

  test('a long stream is spread over leaves, also where it grows inside', { skip }, async () => {
    const one = new OneStream()
    const { handle, clock } = one
    const store = await one.open()
    const settle = async () => {
      clock.advance(5 * MINUTE)
      await reportEnds()
      await store.compaction.compact(handle)
    }
    const put = async (from: number, count: number) => {
      clock.advance(10)
      const rows = Array.from({ length: count }, (_, at) => [handle, from + at * 50, 1] as const)
      await store.append(batch(rows))
      await settle()
    }
    await put(0, 540_000)
    assert.equal(await one.countLeaves(), 2, '132 chunks')
    await put(1, 100_000)
    assert.equal(await one.countLeaves(), 3, 'one grew by 24 chunks and was parted')
    const all = await store.fold(stream(handle), Float64Array.of(EARLIEST_TIME, TIME_END))
    assert.equal(all.sum[0], 640_000)
    await store.remove({ handle: stream(handle), from: EARLIEST_TIME, until: epochMs(20_000_000) })
    await settle()
    assert.ok((await one.sections()).includes(1), 'leaves that are dropped are remembered')
    assert.deepEqual(await store.span(stream(handle)), {
      firstTime: 20_000_000,
      lastTime: 26_999_950,
    })
    await settle()
    assert.ok(!(await one.sections()).includes(1))
    await store.close()
  })

  test('streams with many runs are compacted in the background', { skip }, async () => {
    const one = new OneStream()
    const { handle, clock } = one
    const store = await one.open()
    store.compaction.start()
    for (let call = 0; call < 130; call += 1) await store.append(batch([[handle, call, call]]))
    await eventually(async () => {
      clock.advance(MINUTE)
      assert.equal(await one.rowsOf('sample_chunk'), 2)
    })
    assert.equal((await read(store, handle)).length, 130)
    await store.close()
  })

  test('the sweep finishes what a process left behind', { skip }, async () => {
    const [one, gone] = [new OneStream(), new OneStream()]
    const dead = await one.open()
    const rows = [one, gone].map(({ handle }) => [handle, 10, 1] as const)
    await dead.append(batch(rows))
    await dead.forget([stream(gone.handle)])
    one.clock.advance(3 * DAY)
    const store = await one.open()
    await reportEnds()
    await store.compaction.sweep()
    assert.deepEqual(await one.sections(), [0])
    assert.deepEqual(await read(store, one.handle), [[10, 1]])
    assert.equal(await gone.countRuns(), 0)
    assert.deepEqual(await read(store, gone.handle), [])
    const waiting = (await askTables('SELECT stream FROM sample_dirty')).map((row) => row.stream)
    assert.ok(!waiting.includes(one.handle) && !waiting.includes(gone.handle))
    await store.close()
    await dead.close()
  })
}
