import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random, testSeeds } from '../../../../test/support/random.ts'
import { epochMs } from '../../../base/index.ts'
import type { StreamHandle } from '../../ports/sample-port.ts'
import { endingRuns, endsOfRuns, layRuns } from './run-reader.ts'
import { packSmallRun, type RunRow, unpackRemovals } from './run-row.ts'
import { TextRooms } from './text-room.ts'

const HANDLE = 7 as StreamHandle
const ALL_TIME = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY }

/** Random runs, newest first, which often end at the same time. */
function randomRuns(random: Random, withRemovals: boolean): RunRow[] {
  return Array.from({ length: random.integer(0, 12) }, (_, at) => {
    const first = random.integer(0, 6)
    const count = random.integer(1, 4)
    const times = Float64Array.from({ length: count }, (_, step) => first + step)
    const numbers = Float64Array.from({ length: count }, () => random.integer(0, 1_000))
    const from = random.integer(0, 8)
    const removal = { handle: HANDLE, from: epochMs(from), until: epochMs(from + 2) }
    const removals = withRemovals && random.next() < 0.3 ? [removal] : []
    const columns = { count, times, numbers, texts: undefined }
    const { removed, body } = packSmallRun({ handle: HANDLE, removals, columns })
    return {
      stamp: 100 - at,
      writer: 1,
      removed: unpackRemovals(removed ?? new Uint8Array(0)),
      body: body ?? undefined,
    }
  })
}

for (const seed of testSeeds(20)) {
  test(`endingRuns() and endsOfRuns() show the ends of all runs (WEIR_TEST_SEED=${seed})`, async () => {
    const random = new Random(seed)
    for (const withRemovals of [false, true]) {
      const rows = randomRuns(random, withRemovals)
      const lay = async (some: readonly RunRow[]) =>
        (await layRuns(some, ALL_TIME, new TextRooms().open())).columns
      const all = await lay(rows)
      const ending = await lay(endingRuns(rows))
      const last = ({ count, times, numbers }: typeof all) => [times[count - 1], numbers[count - 1]]
      assert.deepEqual(last(ending), last(all))
      const ends = endsOfRuns(rows)
      if (rows.some(({ removed }) => removed.starts.length > 0)) {
        assert.equal(ends, undefined)
        continue
      }
      assert.ok(endingRuns(rows).length <= 1)
      const expected = all.count === 0 ? [Infinity, -Infinity] : [all.times[0], all.times.at(-1)]
      assert.deepEqual([Math.min(...(ends ?? [])), Math.max(...(ends ?? []))], expected)
    }
  })
}
