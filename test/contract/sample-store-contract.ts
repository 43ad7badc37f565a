import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { EARLIEST_TIME, epochMs, TIME_END } from '../../src/base/index.ts'
import type { Sample, SampleStore } from '../../src/store/index.ts'
import { batch, read, stream } from '../support/samples.ts'
import { amendContract } from './sample-store-amend-contract.ts'
import { followContract } from './sample-store-follow-contract.ts'
import { specialContract } from './sample-store-special-contract.ts'
import { touchedContract } from './sample-store-touched-contract.ts'

export { batch, read, stream }

/** A store under test that can be closed and opened again over the same data. */
export interface StoreUnderTest {
  readonly store: SampleStore
  reopen(): Promise<SampleStore>
  dispose(): Promise<void>
}

const sample = (time: number, value: number | string): Sample => ({ time: epochMs(time), value })

/** What every adapter of SampleStore keeps. */
export function sampleStoreContract(engine: string, open: () => Promise<StoreUnderTest>): void {
  const check = (
    name: string,
    body: (subject: StoreUnderTest, store: SampleStore, context: TestContext) => Promise<void>,
  ): void => {
    test(`${engine}: ${name}`, async (context) => {
      const subject = await open()
      try {
        await body(subject, subject.store, context)
      } finally {
        await subject.dispose()
      }
    })
  }

  check('append() makes samples readable in both orders and up to a limit', async (_, store) => {
    await store.append(
      batch([
        [1, 10, 1.5],
        [2, 10, 7],
        [1, 20, 2.5],
        [1, 30, 3.5],
      ]),
    )
    assert.deepEqual(await read(store, 1), [
      [10, 1.5],
      [20, 2.5],
      [30, 3.5],
    ])
    assert.deepEqual(await read(store, 1, { order: 'latest_first', limit: 2 }), [
      [30, 3.5],
      [20, 2.5],
    ])
    assert.deepEqual(await read(store, 1, { limit: 1 }), [[10, 1.5]])
    assert.deepEqual(await read(store, 1, { limit: 0 }), [])
    assert.deepEqual(await read(store, 3), [])
  })

  check('range() is half-open', async (_, store) => {
    await store.append(
      batch([
        [1, 10, 1],
        [1, 20, 2],
        [1, 30, 3],
      ]),
    )
    assert.deepEqual(await read(store, 1, { from: 10, until: 30 }), [
      [10, 1],
      [20, 2],
    ])
    assert.deepEqual(await read(store, 1, { from: 20, until: 20 }), [])
    assert.deepEqual(await read(store, 1, { from: 30, until: 10 }), [])
  })

  check('append() replaces the value at a time it already holds', async (_, store) => {
    await store.append(
      batch([
        [1, 10, 1],
        [1, 20, 2],
        [1, 10, 3],
      ]),
    )
    await store.append(batch([[1, 20, 'text']]))
    assert.deepEqual(await read(store, 1), [
      [10, 3],
      [20, 'text'],
    ])
    await store.append(batch([[1, 20, 5]]))
    assert.deepEqual(await read(store, 1), [
      [10, 3],
      [20, 5],
    ])
  })

  check('append() takes samples in any order of time', async (_, store) => {
    const times = Array.from({ length: 600 }, (_unused, index) => (index * 367) % 600)
    await store.append(batch(times.slice(0, 300).map((time) => [1, time, time / 8])))
    for (const time of times.slice(300)) await store.append(batch([[1, time, time / 8]]))
    const expected = Array.from({ length: 600 }, (_unused, time) => [time, time / 8])
    assert.deepEqual(await read(store, 1), expected)
  })

  check(
    'append() keeps numbers to the last bit, and texts of any script',
    async (subject, store) => {
      const values = [
        -0,
        5e-324,
        -1.7976931348623157e308,
        0.1,
        2 ** 53,
        '',
        'é 漢 😀',
        '\u0000',
        'a\ud800b',
      ]
      await store.append(batch(values.map((value, index) => [1, index, value])))
      const expected = values.map((value, index) => [
        index,
        value === 'a\ud800b' ? 'a\ufffdb' : value,
      ])
      assert.deepEqual(await read(store, 1), expected)
      assert.deepEqual(await read(await subject.reopen(), 1), expected)
    },
  )

  check('append() takes the earliest and the latest time', async (_, store) => {
    await store.append(
      batch([
        [1, TIME_END - 1, 2],
        [1, EARLIEST_TIME, 1],
      ]),
    )
    assert.deepEqual(await read(store, 1), [
      [EARLIEST_TIME, 1],
      [TIME_END - 1, 2],
    ])
  })

  check('append() does its removals before its samples', async (_, store) => {
    await store.append(
      batch([
        [1, 10, 1],
        [1, 20, 2],
        [1, 30, 3],
        [2, 10, 9],
      ]),
    )
    await store.append(batch([[1, 20, 4]], [[1, 10, 30]]))
    assert.deepEqual(await read(store, 1), [
      [20, 4],
      [30, 3],
    ])
    assert.deepEqual(await read(store, 2), [[10, 9]])
    await store.append(batch([[1, 5, 6]], [[1, EARLIEST_TIME, TIME_END]]))
    assert.deepEqual(await read(store, 1), [[5, 6]])
  })

  check('append() of a batch without samples or removals does nothing', async (_, store) => {
    await store.append(batch([]))
    assert.deepEqual(await store.latest([stream(1)]), [undefined])
  })

  check('append() calls made at once are applied in their order', async (_, store) => {
    const calls = Array.from({ length: 200 }, (_unused, index) =>
      store.append(batch([[1, 7, index]])),
    )
    await Promise.all(calls)
    assert.deepEqual(await read(store, 1), [[7, 199]])
  })

  check('latest() tells the sample with the greatest time of each stream', async (_, store) => {
    await store.append(
      batch([
        [1, 20, 2],
        [1, 10, 1],
        [3, 5, 'x'],
      ]),
    )
    const handles = [3, 2, 1].map(stream)
    assert.deepEqual(await store.latest(handles), [sample(5, 'x'), undefined, sample(20, 2)])
    await store.remove({ handle: stream(1), from: epochMs(15), until: epochMs(25) })
    assert.deepEqual(await store.latest([stream(1)]), [sample(10, 1)])
  })

  check('span() tells where a stream begins and ends', async (_, store) => {
    assert.equal(await store.span(stream(1)), undefined)
    await store.append(
      batch([
        [1, 20, 2],
        [1, -10, 1],
        [1, 30, 1],
      ]),
    )
    assert.deepEqual(await store.span(stream(1)), { firstTime: -10, lastTime: 30 })
  })

  check('remove() takes a range out, and samples appended later stay', async (subject, store) => {
    await store.append(
      batch([
        [1, 10, 1],
        [1, 20, 2],
        [1, 30, 3],
      ]),
    )
    await store.remove({ handle: stream(1), from: epochMs(10), until: epochMs(30) })
    assert.deepEqual(await read(store, 1), [[30, 3]])
    await store.append(batch([[1, 15, 4]]))
    assert.deepEqual(await read(store, 1), [
      [15, 4],
      [30, 3],
    ])
    assert.deepEqual(await read(await subject.reopen(), 1), [
      [15, 4],
      [30, 3],
    ])
  })

  check('remove() of all before a time leaves no floor behind', async (subject, store) => {
    const removeBefore = (time: number, isWanted?: () => boolean) =>
      store.remove({ handle: stream(1), from: EARLIEST_TIME, until: epochMs(time) }, isWanted)
    await store.append(
      batch([
        [1, -5, 0],
        [1, 0, 1],
        [1, 10, 2],
      ]),
    )
    assert.equal(await removeBefore(10, () => false), false)
    assert.deepEqual(await store.span(stream(1)), { firstTime: -5, lastTime: 10 })
    assert.equal(await removeBefore(0), true)
    assert.deepEqual(await store.span(stream(1)), { firstTime: 0, lastTime: 10 })
    await removeBefore(11, () => true)
    assert.deepEqual(await store.latest([stream(1)]), [undefined])
    await store.append(batch([[1, 3, 9]]))
    assert.deepEqual(await store.latest([stream(1)]), [{ time: 3, value: 9 }])
    assert.deepEqual(await read(await subject.reopen(), 1), [[3, 9]])
  })

  check('forget() drops everything of a stream', async (subject, store) => {
    await store.append(
      batch([
        [1, 10, 1],
        [2, 10, 2],
      ]),
    )
    await store.forget([stream(1)])
    const both = batch([
      [1, 20, 1],
      [2, 20, 2],
    ])
    await assert.rejects(store.append(both), { code: 'conflict' })
    await store.append(batch([[2, 20, 2]]))
    assert.deepEqual(await read(store, 1), [])
    const later = await subject.reopen()
    assert.deepEqual(await later.latest([stream(1), stream(2)]), [undefined, sample(20, 2)])
  })

  check('fold() sums up each interval between the edges', async (_, store) => {
    await store.append(
      batch([
        [1, 0, 1],
        [1, 5, 3],
        [1, 9, -2],
        [1, 10, 4],
        [1, 25, 'on'],
      ]),
    )
    const summaries = await store.fold(stream(1), Float64Array.of(0, 10, 20, 30))
    assert.equal(summaries.length, 3)
    assert.deepEqual([...summaries.count], [3, 1, 1])
    assert.deepEqual([...summaries.numberCount], [3, 1, 0])
    assert.deepEqual([...summaries.sum], [2, 4, 0])
    assert.deepEqual([summaries.mean[0], summaries.mean[1]], [2 / 3, 4])
    assert.deepEqual([summaries.min[0], summaries.minTime[0]], [-2, 9])
    assert.deepEqual([summaries.max[0], summaries.maxTime[0]], [3, 5])
    assert.deepEqual([summaries.first[0], summaries.last[0]], [1, -2])
    assert.deepEqual([summaries.first[2], summaries.lastTime[2]], ['on', 25])
  })

  check('everything acknowledged is there after a restart', async (subject, store) => {
    const rows = Array.from(
      { length: 500 },
      (_unused, index) => [1 + (index % 5), index, index / 4] as const,
    )
    await store.append(batch(rows))
    await store.append(batch([[1, 0, 'replaced']]))
    const later = await subject.reopen()
    assert.deepEqual((await read(later, 1)).slice(0, 2), [
      [0, 'replaced'],
      [5, 1.25],
    ])
    assert.equal((await read(later, 5)).length, 100)
    const well = { readOnlyReason: undefined, isSealingStuck: false, damages: [] }
    assert.deepEqual(later.status(), well)
  })

  check('append() refuses values that no sample may have and keeps nothing', async (_, store) => {
    await assert.rejects(
      store.append(
        batch([
          [1, 10, 1],
          [1, 20, Number.NaN],
        ]),
      ),
      /BUG/,
    )
    await assert.rejects(
      store.append(
        batch([
          [1, 10, 1],
          [1, 0.5, 1],
        ]),
      ),
      /BUG/,
    )
    await assert.rejects(
      store.append(
        batch([
          [1, 10, 1],
          [0, 10, 1],
        ]),
      ),
      /BUG/,
    )
    assert.deepEqual(await read(store, 1), [])
  })

  touchedContract(check)
  followContract(check)
  specialContract(check)
  amendContract(check)
}
