import assert from 'node:assert/strict'
import { epochMs } from '../../src/base/index.ts'
import type { SampleStore } from '../../src/store/index.ts'
import { batch, stream } from '../support/samples.ts'

/** Runs one check of the contract on a store of its own, which can be opened again. */
type Check = (
  name: string,
  body: (subject: { reopen(): Promise<SampleStore> }, store: SampleStore) => Promise<void>,
) => void

/** What every adapter of SampleStore keeps for those who must miss no change of a stream. */
export function touchedContract(check: Check): void {
  check(
    'touchedSince() tells what changed in watched streams, none missed',
    async (subject, store) => {
      await store.append(batch([[1, 5, 1]]))
      await store.watch([stream(1), stream(3)])
      const before = await store.touchedSince(0, 100)
      await store.append(
        batch([
          [1, 10, 1],
          [2, 10, 1],
          [1, 20, 1],
        ]),
      )
      await store.remove({ handle: stream(3), from: epochMs(0), until: epochMs(50) })
      const covers = async (from: SampleStore, cursor: number) => {
        const { spans } = await from.touchedSince(cursor, 100)
        const touched = (handle: number, time: number): boolean =>
          spans.some((span) => span.handle === handle && span.from <= time && time < span.until)
        return [touched(1, 10), touched(1, 20), touched(2, 10), touched(3, 49)]
      }
      assert.deepEqual(await covers(store, before.cursor), [true, true, false, true])
      const after = await store.touchedSince(before.cursor, 100)
      assert.deepEqual(await store.touchedSince(after.cursor, 100), {
        spans: [],
        cursor: after.cursor,
      })
      const later = await subject.reopen()
      assert.deepEqual(await covers(later, before.cursor), [true, true, false, true])
      await later.append(batch([[3, 70, 1]]))
      const [span] = (await later.touchedSince(after.cursor, 100)).spans.filter(
        (one) => one.until > 70,
      )
      assert.equal(span.handle, 3)
    },
  )

  check('touchedSince() takes a cursor that it never gave as the first one', async (_, store) => {
    await store.watch([stream(1)])
    await store.append(batch([[1, 10, 1]]))
    const { cursor } = await store.touchedSince(0, 100)
    const { spans } = await store.touchedSince(cursor + 1_000, 100)
    const edges = spans.map(({ handle, from, until }) => [handle, from, until])
    assert.deepEqual(edges, [[1, 10, 11]])
  })

  check(
    'touchedSince() gives the least and the greatest number, if it gives any',
    async (_, store) => {
      await store.watch([stream(1), stream(2), stream(3)])
      await store.append(
        batch([
          [1, 10, 7],
          [1, 30, -2],
          [2, 10, 'text'],
          [2, 20, 4],
          [1, 20, 5],
        ]),
      )
      await store.append(batch([[3, 10, 1]]))
      await store.remove({ handle: stream(3), from: epochMs(0), until: epochMs(5) })
      const { spans } = await store.touchedSince(0, 100)
      for (const { handle, until, least, most } of spans) {
        const isKnown = least !== undefined || most !== undefined
        if (isKnown && handle === 1) assert.deepEqual([until, least, most], [31, -2, 7])
        if (isKnown && handle === 3) assert.deepEqual([until, least, most], [11, 1, 1])
        if (handle === 2) assert.equal(isKnown, false)
      }
    },
  )

  check(
    'watch() holds from the call on, also where others were watched',
    async (subject, store) => {
      await store.watch([stream(1), stream(2)])
      const kept = store.watch([stream(2), stream(3)])
      await store.append(
        batch([
          [1, 10, 1],
          [2, 20, 1],
          [3, 30, 1],
        ]),
      )
      await kept
      const reported = async (from: SampleStore) => {
        const { spans } = await from.touchedSince(0, 100)
        const first = spans.map(({ handle, from, until }) => [handle, from, until])
        return first.sort((a, b) => a[0] - b[0])
      }
      const expected = [
        [2, 20, 21],
        [3, 30, 31],
      ]
      assert.deepEqual(await reported(store), expected)
      assert.deepEqual(await reported(await subject.reopen()), expected)
    },
  )

  check('watchAlso() adds a stream, from the call on', async (_, store) => {
    await store.watch([stream(1)])
    await store.append(batch([[2, 5, 1]]))
    store.watchAlso(stream(2))
    await store.append(batch([[2, 10, 1]]))
    await store.append(batch([[1, 20, 1]]))
    const { spans } = await store.touchedSince(0, 100)
    assert.deepEqual(
      spans.map(({ handle, from, until }) => [handle, from, until]),
      [
        [2, 10, 11],
        [1, 20, 21],
      ],
    )
  })
}
