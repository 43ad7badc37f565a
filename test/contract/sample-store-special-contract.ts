/** What every adapter of SampleStore keeps of special values: NaN and the infinities, as codes. */
import assert from 'node:assert/strict'
import { epochMs } from '../../src/base/index.ts'
import type { SampleStore } from '../../src/store/index.ts'
import { batch, read, readSpecials, stream } from '../support/samples.ts'

/** A store under test that can be opened again. */
interface Subject {
  reopen(): Promise<SampleStore>
}

/** Runs one check of the contract on a store of its own. */
type Check = (name: string, body: (subject: Subject, store: SampleStore) => Promise<void>) => void

/** Adds the tests of special values to those of an adapter. */
export function specialContract(check: Check): void {
  check('appendSpecials() keeps codes that only specials() returns', async (_, store) => {
    await store.append(batch([[1, 10, 1.5]]))
    await store.appendSpecials(
      batch([
        [1, 20, 2],
        [1, 30, -1],
        [2, 5, 2 ** 52 - 1],
      ]),
    )
    assert.deepEqual(await readSpecials(store, 1), [
      [20, 2],
      [30, -1],
    ])
    assert.deepEqual(await readSpecials(store, 1, { order: 'latest_first', limit: 1 }), [[30, -1]])
    assert.deepEqual(await readSpecials(store, 1, { from: 20, until: 30 }), [[20, 2]])
    assert.deepEqual(await readSpecials(store, 2), [[5, 2 ** 52 - 1]])
    assert.deepEqual(await readSpecials(store, 3), [])
    assert.deepEqual(await read(store, 1), [[10, 1.5]])
    assert.deepEqual(await read(store, 2), [])
    assert.deepEqual(await store.latest([stream(1), stream(2)]), [
      { time: 10, value: 1.5 },
      undefined,
    ])
    assert.deepEqual(await store.span(stream(1)), { firstTime: 10, lastTime: 10 })
    const { count } = await store.fold(stream(1), Float64Array.of(0, 15, 100))
    assert.deepEqual([...count], [1, 0])
  })

  check('appendSpecials() replaces by removals, and itself at its time', async (subject, store) => {
    await store.append(
      batch([
        [1, 10, 1],
        [1, 20, 2],
      ]),
    )
    await store.appendSpecials(batch([[1, 10, 2]], [[1, 10, 11]]))
    await store.appendSpecials(batch([[1, 10, 0]]))
    const again = await subject.reopen()
    assert.deepEqual(await readSpecials(again, 1), [[10, 0]])
    assert.deepEqual(await read(again, 1), [[20, 2]])
  })

  check('remove() takes out numbers and special values', async (subject, store) => {
    await store.append(batch([[1, 10, 1]]))
    await store.appendSpecials(
      batch([
        [1, 20, 2],
        [1, 30, 2],
        [2, 20, 2],
      ]),
    )
    await store.remove({ handle: stream(1), from: epochMs(0), until: epochMs(25) })
    await store.appendSpecials(batch([[1, 5, 0]]))
    const again = await subject.reopen()
    assert.deepEqual(await read(again, 1), [])
    assert.deepEqual(await readSpecials(again, 1), [
      [5, 0],
      [30, 2],
    ])
    assert.deepEqual(await readSpecials(again, 2), [[20, 2]])
  })

  check('forget() drops special values, and later ones are refused', async (subject, store) => {
    await store.appendSpecials(batch([[1, 20, 2]]))
    await store.forget([stream(1)])
    assert.deepEqual(await readSpecials(store, 1), [])
    const late = store.appendSpecials(batch([[1, 30, 2]]))
    await assert.rejects(late, { code: 'conflict' })
    assert.deepEqual(await readSpecials(await subject.reopen(), 1), [])
  })

  check('special values are no change for those who watch or follow', async (_, store) => {
    await store.watch([stream(1)])
    const follow = store.follow()
    follow.add(stream(1))
    await store.append(batch([[1, 10, 1]]))
    const { cursor } = await store.touchedSince(0, 10)
    follow.take()
    await store.appendSpecials(batch([[1, 20, 2]]))
    assert.deepEqual((await store.touchedSince(cursor, 10)).spans, [])
    assert.deepEqual(follow.take(), [])
    await store.appendSpecials(batch([[1, 10, 2]], [[1, 10, 11]]))
    const removed = { handle: 1, from: 10, until: 11 }
    assert.deepEqual((await store.touchedSince(cursor, 10)).spans, [removed])
    assert.deepEqual(follow.take(), [removed])
    follow.close()
  })
}
