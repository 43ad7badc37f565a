import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { batch, read, stream } from '../contract/sample-store-contract.ts'

const BATCHES = 150
const PER_BATCH = 100
const END = 1_000_000

test('reads and folds miss nothing while older samples are sealed and merged', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-merging-'))
  const store = await openSampleStore({ folder, segmentBytes: 8 * 1024 })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  await store.append(batch([[1, END, 1]]))
  await store.sealAll()
  let stored = 0
  const write = async (): Promise<void> => {
    for (let number = 1; number <= BATCHES; number += 1) {
      const first = END - number * PER_BATCH
      const rows = Array.from({ length: PER_BATCH }, (_, at) => [1, first + at, at] as const)
      await store.append(batch(rows))
      stored = number
    }
  }
  const check = async (): Promise<void> => {
    while (stored < BATCHES) {
      const from = END - stored * PER_BATCH
      const expected = END - from + 1
      const [latest] = await store.latest([stream(1)])
      assert.equal(latest?.time, END)
      assert.equal((await read(store, 1, { from })).length, expected)
      const { count } = await store.fold(stream(1), Float64Array.of(from, END + 1))
      assert.equal(count[0], expected)
      // Reads of little do not leave the turn by themselves, and appends need one.
      await nextIteration()
    }
  }
  await Promise.all([write(), check(), check()])
})
