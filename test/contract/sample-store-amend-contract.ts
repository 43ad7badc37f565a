/** What every adapter of SampleStore keeps of changes that depend on what is stored. */
import assert from 'node:assert/strict'
import { epochMs } from '../../src/base/index.ts'
import type { SampleStore } from '../../src/store/index.ts'
import { Random, testSeeds } from '../support/random.ts'
import { batch, read, readSpecials, stream } from '../support/samples.ts'

/** A store under test that can be opened again. */
interface Subject {
  reopen(): Promise<SampleStore>
}

/** Runs one check of the contract on a store of its own. */
type Check = (name: string, body: (subject: Subject, store: SampleStore) => Promise<void>) => void

const span = { handle: stream(1), from: epochMs(0), until: epochMs(100) }

/** Adds the tests of `amend()` to those of an adapter. */
export function amendContract(check: Check): void {
  check('amend() leaves what others write and remove while it reads', async (subject, store) => {
    await store.append(
      batch([
        [1, 10, 1],
        [1, 20, 2],
        [1, 30, 3],
        [2, 10, 9],
      ]),
    )
    const appended = await store.amend(span, async () => {
      const before = await read(store, 1)
      await store.append(batch([[1, 20, 500]]))
      await store.append(batch([[1, 40, 600]]))
      await store.remove({ handle: stream(1), from: epochMs(30), until: epochMs(31) })
      return {
        batch: batch(before.map(([time, value]) => [1, time, Number(value) + 100] as const)),
      }
    })
    assert.ok(appended.times.subarray(0, appended.count).includes(10))
    const expected = [
      [10, 101],
      [20, 500],
      [40, 600],
    ]
    assert.deepEqual(await read(store, 1), expected)
    assert.deepEqual(await read(await subject.reopen(), 1), expected)
  })

  check('amend() removes around what others write, special values too', async (subject, store) => {
    await store.append(
      batch([
        [1, 10, 1],
        [1, 20, 2],
        [1, 30, 3],
      ]),
    )
    await store.appendSpecials(batch([[1, 50, 0]]))
    await store.amend(span, async () => {
      await store.append(batch([[1, 20, 500]]))
      return { batch: batch([], [[1, 0, 100]]) }
    })
    assert.deepEqual(await read(store, 1), [[20, 500]])
    assert.deepEqual(await readSpecials(store, 1), [])
    const again = await subject.reopen()
    assert.deepEqual(await read(again, 1), [[20, 500]])
    assert.deepEqual(await readSpecials(again, 1), [])
  })

  check('amend() appends texts and special values', async (subject, store) => {
    await store.amend(span, async () => ({ batch: batch([[1, 10, 'one']]) }))
    await store.amend(span, async () => ({ batch: batch([[1, 20, 2]]), isSpecial: true }))
    await store.amend(span, async () => ({ batch: batch([]) }))
    const again = await subject.reopen()
    assert.deepEqual(await read(again, 1), [[10, 'one']])
    assert.deepEqual(await readSpecials(again, 1), [[20, 2]])
  })

  check('amend() that rejects changes nothing', async (_, store) => {
    await store.append(batch([[1, 10, 1]]))
    const failing = store.amend(span, () => Promise.reject(new Error('no')))
    await assert.rejects(failing, /no/)
    assert.deepEqual(await read(store, 1), [[10, 1]])
  })

  check('no acknowledged sample is lost to amend(), however they meet', async (subject, store) => {
    for (const seed of testSeeds(1)) {
      const random = new Random(seed)
      const latest = new Map<number, number>()
      let isOver = false
      // Each writes at times of its own, so that the last one is known: its number times a thousand.
      const writers = [0, 1, 2].map(async (writer) => {
        for (let number = 1; !isOver; number++) {
          const times = [...new Set(Array.from({ length: 5 }, () => random.integer(0, 30) * 3))]
          const rows = times.map((time) => [1, time + writer, number * 1_000] as const)
          await store.append(batch(rows))
          for (const [, time, value] of rows) latest.set(time, value)
        }
      })
      for (let round = 0; round < 15; round++) {
        await store.amend(span, async () => {
          const found = await read(store, 1, { until: 100 })
          return {
            batch: batch(found.map(([time, value]) => [1, time, Number(value) + 1] as const)),
          }
        })
      }
      isOver = true
      await Promise.all(writers)
      const stored = await read(await subject.reopen(), 1)
      const wrong = stored.filter(
        ([time, value]) => Math.floor(Number(value) / 1_000) * 1_000 !== latest.get(time),
      )
      assert.deepEqual(wrong, [], `seed ${seed}`)
      assert.equal(stored.length, latest.size, `seed ${seed}`)
    }
  })
}
