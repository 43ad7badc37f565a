import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { testSeeds } from '../../../test/support/random.ts'
import { ITEMS_PER_SLICE } from '../../base/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { compileCycle, intervalOf, loadZone } from '../../time/index.ts'
import { IncomingSamples, VALUE_NULL, VALUE_NUMBER } from './incoming-samples.ts'
import { placeIntervals } from './place-samples.ts'

const [seed] = testSeeds(1)
const START = 1_700_000_000_000
const MINUTE = 60_000
const handle = 7 as StreamHandle
const definition = { sizeType: 'MINUTE', count: 1, timeZone: 'UTC' } as const
const cycle = compileCycle(
  { ...definition, referenceDate: '2024-01-01T00:00:00' },
  loadZone(definition.timeZone),
)

type Row = readonly [time: number, value: number | null]

function samplesOf(rows: readonly Row[]): IncomingSamples {
  const samples = new IncomingSamples(rows.length)
  for (const [time, value] of rows) {
    const kind = value === null ? VALUE_NULL : VALUE_NUMBER
    samples.add(handle, time, { kind, number: value ?? 0, text: undefined })
  }
  return samples
}

async function place(rows: readonly Row[], isAutofill: boolean) {
  const samples = samplesOf(rows)
  const placement = { handle, cycle, isAutofill }
  const removals = await placeIntervals(samples, [...rows.keys()], placement)
  const left = [...rows.keys()]
    .filter((index) => samples.kinds[index] !== VALUE_NULL)
    .map((index): Row => [samples.times[index], samples.numbers[index]])
    .sort((a, b) => a[0] - b[0])
  return { left, removals }
}

/** What must come out, by a map from each interval's end to its last value. */
function expected(rows: readonly Row[], isAutofill: boolean) {
  const byEnd = new Map<number, readonly [time: number, value: number | null]>()
  for (const [time, value] of rows) {
    const end = intervalOf(cycle, time)?.until ?? Number.NaN
    const known = byEnd.get(end)
    if (known === undefined || known[0] <= time) byEnd.set(end, [time, value])
  }
  const ends = [...byEnd.keys()].sort((a, b) => a - b)
  const isWhole = isAutofill && ends.length > 1
  const all = Array.from(
    { length: (ends[ends.length - 1] - ends[0]) / MINUTE + 1 },
    (_, at) => ends[0] + at * MINUTE,
  )
  return {
    left: ends.flatMap((end): Row[] => {
      const value = byEnd.get(end)?.[1] ?? null
      return value === null ? [] : [[end, value]]
    }),
    removed: isWhole ? all : ends.filter((end) => byEnd.get(end)?.[1] === null),
  }
}

/** The interval ends that removals take out. */
function removedEnds(removals: Awaited<ReturnType<typeof place>>['removals']): number[] {
  return removals.flatMap(({ from, until }) =>
    Array.from({ length: (until - 1 - from) / MINUTE + 1 }, (_, at) => from + at * MINUTE),
  )
}

test(`placeIntervals() keeps each interval's last value (WEIR_TEST_SEED=${seed})`, async () => {
  const row = fc.tuple(
    fc.integer({ min: START, max: START + 30 * MINUTE }),
    fc.oneof(fc.constant(null), fc.integer()),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1 }), fc.boolean(), async (rows, isAutofill) => {
      const { left, removals } = await place(rows, isAutofill)
      const { left: kept, removed } = expected(rows, isAutofill)
      assert.deepEqual(left, kept)
      assert.deepEqual(removedEnds(removals), removed)
    }),
    { seed },
  )
})

test('placeIntervals() does the same for many samples in any order, in slices', async () => {
  let state = 1
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
  const count = ITEMS_PER_SLICE * 3 + 6
  const rows = Array.from({ length: count }, (): Row => {
    const value = random(3) === 0 ? null : random(1_000)
    // Many share their very time: the one that came last counts.
    return [START + random(count / 2) * 30_000, value]
  })
  let iterations = 0
  let isDone = false
  const tick = () => {
    iterations += 1
    if (!isDone) setImmediate(tick)
  }
  setImmediate(tick)
  const { left, removals } = await place(rows, false)
  isDone = true
  const { left: kept, removed } = expected(rows, false)
  assert.deepEqual(left, kept)
  assert.deepEqual(removedEnds(removals), removed)
  assert.ok(iterations >= 9, `only ${iterations} turns for sorting, merging and placing`)
})

test('placeIntervals() takes neighbouring nulls out as one, and nothing between others', async () => {
  const nullAt = (minute: number): Row => [START + minute * MINUTE, null]
  const { removals } = await place([nullAt(0), nullAt(1), nullAt(2), nullAt(4)], false)
  const end = intervalOf(cycle, START)?.until ?? 0
  assert.deepEqual(
    removals.map(({ from, until }) => [from - end, until - end]),
    [
      [0, 2 * MINUTE + 1],
      [4 * MINUTE, 4 * MINUTE + 1],
    ],
  )
})
