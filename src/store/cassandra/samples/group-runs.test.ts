import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/fast-check.ts'
import { batch } from '../../../../test/support/samples.ts'
import { decodeChunk, mergeColumns } from '../../embedded/chunk/index.ts'
import { groupRuns } from './group-runs.ts'
import { packRun, spanOfRun, unpackRemovals } from './run-row.ts'

const value = fc.oneof(fc.integer(), fc.string({ maxLength: 5 }))
const row = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: -9, max: 9 }), value)
const cut = fc.tuple(
  fc.integer({ min: 1, max: 5 }),
  fc.integer({ min: -9, max: 9 }),
  fc.integer({ min: -9, max: 9 }),
)

test('groupRuns() parts a call by stream; packed and unpacked each has the last value of every time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row), fc.array(cut), async (rows, cuts) => {
      const runs = await groupRuns(batch(rows, cuts))
      const handles = new Set([...rows, ...cuts].map(([handle]) => handle))
      assert.deepEqual(new Set(runs.map(({ handle }) => handle)), handles)
      assert.equal(runs.length, handles.size)
      for (const run of runs) {
        const expected = new Map<number, number | string>()
        for (const [handle, time, value] of rows)
          if (handle === run.handle) expected.set(time, value)
        const pieces = await packRun(run)
        const bodies = pieces.flatMap(({ body }) => (body === null ? [] : [decodeChunk(body)]))
        const { count, times, numbers, texts } = mergeColumns(bodies)
        const found = Array.from({ length: count }, (_, at) => [
          times[at],
          texts?.[at] ?? numbers[at],
        ])
        assert.deepEqual(
          found,
          [...expected].sort((a, b) => a[0] - b[0]),
        )
        const own = cuts.filter(([handle]) => handle === run.handle)
        const mask = unpackRemovals(pieces[0].removed ?? new Uint8Array(0))
        for (let time = -10; time < 10; time += 1) {
          const isCut = own.some(([, from, until]) => from <= time && time < until)
          assert.equal(
            mask.starts.some((start, at) => start <= time && time < mask.ends[at]),
            isCut,
          )
          const span = spanOfRun(run)
          const isTouched = isCut || expected.has(time)
          assert.ok(!isTouched || (span !== undefined && span.from <= time && time < span.until))
        }
      }
    }),
  )
})

test('packRun() keeps rows small: of many samples, and of long texts', async () => {
  const many = Array.from({ length: 10_000 }, (_, at) => [1, at, at] as const)
  const [run] = await groupRuns(batch(many))
  assert.equal((await packRun(run)).length, 3)
  const long = Array.from({ length: 6 }, (_, at) => [1, at, `${at}`.repeat(300_000)] as const)
  const [texts] = await groupRuns(batch(long))
  assert.equal((await packRun(texts)).length, 6)
})
