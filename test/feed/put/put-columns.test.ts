/** Columns of puts are used again by later puts: none may show in another one's samples. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextIteration } from '../../../src/base/index.ts'
import { Feed, IncomingSamples, VALUE_NULL, VALUE_TEXT } from '../../../src/feed/index.ts'
import type { SampleBatch, StreamHandle } from '../../../src/store/index.ts'
import { fc } from '../../support/fast-check.ts'
import { anyFeed, openFeedHome } from '../../support/feed-home.ts'
import { roundsOf, testSeeds } from '../../support/random.ts'

const [seed] = testSeeds(1)
const options = {
  creation: {},
  isAutofill: false,
  deriveStreamsMax: 1,
  deriveTimeoutMs: 0,
}

/** A value to put: a number, a text or, where the time leaves no remainder by 5, null. */
const put = fc.record({
  count: fc.integer({ min: 1, max: 40 }),
  iterations: fc.integer({ min: 0, max: 6 }),
  isRefused: fc.boolean(),
  form: fc.constantFrom('numbers' as const, 'texts' as const, 'nulls' as const),
})
type Put = typeof put extends fc.Arbitrary<infer Value> ? Value : never

function readBatch({ count, times, numbers, texts }: SampleBatch): Array<[number, unknown]> {
  return Array.from({ length: count }, (_, at) => [times[at], texts?.[at] ?? numbers[at]])
}

test(`puts in flight keep their columns to themselves (WEIR_TEST_SEED=${seed})`, async (t) => {
  const home = await openFeedHome({ n: { valueType: 'DOUBLE' }, s: { valueType: 'STRING' } })
  t.after(() => home.close())
  const handleOf = (id: string) => home.catalog.index.resolve('o', 'c', id) as StreamHandle
  const [numeric, textual] = [handleOf('n'), handleOf('s')]
  const stored: Array<[number, unknown]> = []
  /** A store that reads the batch only after others had their turns, as a disk does. */
  const store = Object.assign(Object.create(home.store), {
    async append(batch: SampleBatch) {
      const call = calls[Math.floor(batch.times[0] / 1_000)]
      for (let iteration = 0; iteration < call.iterations; iteration++) await nextIteration()
      if (call.isRefused) throw new Error('refused')
      stored.push(...readBatch(batch))
    },
  })
  const feed = new Feed({ ...home, store, showFile: String })
  let calls: readonly Put[] = []
  const run = async (call: Put, index: number) => {
    const samples = new IncomingSamples(index % 3)
    for (let at = 0; at < call.count; at++) {
      const time = index * 1_000 + at
      const text = call.form === 'texts' ? `t${time}` : undefined
      const isNull = call.form === 'nulls' && at % 5 === 4
      if (text !== undefined) samples.add(textual, time, { kind: VALUE_TEXT, number: 0, text })
      else if (isNull) samples.add(numeric, time, { kind: VALUE_NULL, number: 0, text })
      else samples.addNumber(numeric, time, time)
    }
    await feed.put(anyFeed, { samples, options, uploadTime: 0 })
    assert.equal(samples.count, 0)
  }
  const expectedOf = ({ count, form, isRefused }: Put, index: number) => {
    if (isRefused) return []
    const times = Array.from({ length: count }, (_, at) => at).filter(
      (at) => form !== 'nulls' || at % 5 !== 4,
    )
    const shown = (time: number) => (form === 'texts' ? `t${time}` : time)
    return times.map((at) => [index * 1_000 + at, shown(index * 1_000 + at)])
  }
  await fc.assert(
    fc.asyncProperty(fc.array(put, { minLength: 1, maxLength: 20 }), async (list) => {
      calls = list
      stored.length = 0
      const settled = await Promise.allSettled(list.map(run))
      for (const [index, { status }] of settled.entries()) {
        assert.equal(status, list[index].isRefused ? 'rejected' : 'fulfilled')
      }
      const byTime = (a: unknown[], b: unknown[]) => Number(a[0]) - Number(b[0])
      assert.deepEqual(stored.sort(byTime), list.flatMap(expectedOf))
    }),
    { seed, numRuns: roundsOf(200) },
  )
})

test('IncomingSamples can be filled again after release()', () => {
  const [first, second] = [new IncomingSamples(1), new IncomingSamples(1)]
  first.addNumber(1 as StreamHandle, 1, 1)
  first.release()
  first.release()
  for (let at = 0; at < 100; at++) {
    first.addNumber(1 as StreamHandle, at, at)
    second.addNumber(2 as StreamHandle, -at, -at)
  }
  assert.deepEqual([...first.times.subarray(0, 100)], [...Array(100).keys()])
  assert.ok(second.handles.subarray(0, 100).every((handle) => handle === 2))
})
