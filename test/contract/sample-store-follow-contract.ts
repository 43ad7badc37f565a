import assert from 'node:assert/strict'
import { epochMs } from '../../src/base/index.ts'
import type { SampleStore } from '../../src/store/index.ts'
import { batch, read, stream } from '../support/samples.ts'

/** Runs one check of the contract on a store of its own. */
type Check = (name: string, body: (subject: unknown, store: SampleStore) => Promise<void>) => void

/** What every adapter of SampleStore keeps for those who follow streams. */
export function followContract(check: Check): void {
  check(
    'follow() tells where followed streams were touched since it was asked',
    async (_, store) => {
      const follow = store.follow()
      const reported = () => follow.take().map(({ handle, from, until }) => [handle, from, until])
      await store.append(batch([[1, 5, 1]]))
      follow.add(stream(1))
      follow.add(stream(3))
      assert.deepEqual(reported(), [])
      await store.append(
        batch([
          [1, 20, 1],
          [2, 10, 1],
          [1, 10, 1],
          [1, 15, 1],
        ]),
      )
      assert.deepEqual(reported(), [[1, 10, 21]])
      assert.deepEqual(reported(), [])
      await store.remove({ handle: stream(3), from: epochMs(0), until: epochMs(50) })
      await store.append(batch([[1, 30, 1]], [[1, 7, 12]]))
      assert.deepEqual(
        reported().sort((a, b) => a[0] - b[0]),
        [
          [1, 7, 31],
          [3, 0, 50],
        ],
      )
      await store.append(batch([[1, 40, 1]]))
      follow.delete(stream(1))
      follow.add(stream(2))
      await store.append(batch([[1, 50, 1]]))
      assert.deepEqual(reported(), [])
      await store.append(batch([[2, 60, 1]]))
      assert.deepEqual(reported(), [[2, 60, 61]])
      follow.close()
      await store.append(batch([[2, 70, 1]]))
      assert.deepEqual(reported(), [])
    },
  )

  check('follow() reports long appends once reads see all of them', async (_, store) => {
    const follow = store.follow()
    follow.add(stream(1))
    const rows = Array.from({ length: 12_000 }, (_, at) => [1 + (at % 2), at, at] as const)
    await store.append(batch(rows))
    assert.deepEqual(follow.take(), [{ handle: 1, from: 0, until: 11_999 }])
    assert.equal((await read(store, 1)).length, 6_000)
  })
}
