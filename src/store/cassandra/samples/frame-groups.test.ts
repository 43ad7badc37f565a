import assert from 'node:assert/strict'
import { test } from 'node:test'
import { frameGroups } from './frame-groups.ts'
import type { StreamRun } from './group-runs.ts'
import { packRun } from './run-row.ts'

/** Where nodes begin to warn: more bytes than this in a frame, or more than ten partitions. */
const WARNED_BYTES = 5 * 1024

function runOf(handle: number, count: number, text?: string): StreamRun {
  const times = Float64Array.from({ length: count }, (_, at) => at * 1_000.5)
  const numbers = Float64Array.from({ length: count }, (_, at) => Math.sin(handle + at) * 1e300)
  const texts = text === undefined ? undefined : new Array<string>(count).fill(text)
  return { handle, removals: [], columns: { count, times, numbers, texts } }
}

test('frameGroups() keeps every run once, by node, and below what nodes warn of', async () => {
  const runs = Array.from({ length: 500 }, (_, at) =>
    at % 7 === 0
      ? runOf(at, 1 + (at % 400))
      : at % 5 === 0
        ? runOf(at, 3, 'ä'.repeat(at))
        : runOf(at, 1),
  )
  const groups = frameGroups(runs, (handle) => handle % 3)
  assert.deepEqual(
    groups.flatMap((group) => group.map(({ handle }) => handle)).sort((a, b) => a - b),
    runs.map(({ handle }) => handle),
  )
  for (const group of groups) {
    assert.ok(group.length <= 10)
    assert.equal(new Set(group.map(({ handle }) => handle % 3)).size, 1)
    if (group.length === 1) continue
    const rows = await Promise.all(group.map(packRun))
    assert.ok(rows.every((pieces) => pieces.length === 1))
    const bytes = rows.flat().reduce((sum, { body }) => sum + 60 + (body?.length ?? 0), 0)
    assert.ok(bytes < WARNED_BYTES, `${bytes} bytes in a frame`)
  }
})

test('frameGroups() sends the small runs of a call together', () => {
  const runs = Array.from({ length: 1_000 }, (_, at) => runOf(at, 1))
  assert.equal(frameGroups(runs, (handle) => handle % 2).length, 100)
  const long = [runOf(1, 1), runOf(2, 4_000), runOf(3, 1)]
  assert.deepEqual(
    frameGroups(long, () => 0).map((group) => group.map(({ handle }) => handle)),
    [[1, 3], [2]],
  )
})
