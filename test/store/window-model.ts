/** Windows of PromQL from a store's summaries against those that the functions of the query engine cut from samples. */
import assert from 'node:assert/strict'
import { foldWindows, type WindowsQuery } from '../../src/feed/statistic/fold-windows.ts'
import {
  extreme,
  lastValues,
  sampleCounts,
  summed,
} from '../../src/promql/windows/folding-windows.ts'
import { cutWindows, type WindowFunction } from '../../src/promql/windows/sample-windows.ts'
import type { SampleStore } from '../../src/store/index.ts'
import { readSpecials } from '../support/samples.ts'

const functions: Readonly<Record<WindowsQuery['statistic'], WindowFunction>> = {
  min: extreme({ isMax: false, isLast: false, part: 'value' }),
  max: extreme({ isMax: true, isLast: false, part: 'value' }),
  sum: summed('sum'),
  avg: summed('avg'),
  count: sampleCounts,
  last: lastValues,
}

/** What a stream holds: each sample as its time and the bits of its double, and the times of texts. */
interface HeldSamples {
  readonly bits: ReadonlyArray<[number, bigint]>
  readonly textTimes: readonly number[]
}

/** Compares every statistic of windows of one stream with that of its samples, to the last bit. */
export async function checkWindows(
  store: SampleStore,
  held: HeldSamples,
  asked: Omit<WindowsQuery, 'statistic'>,
): Promise<void> {
  const { firstFrom, windowMs, windowCount } = asked
  const times = Float64Array.from(held.bits, ([time]) => time)
  const values = new Float64Array(BigUint64Array.from(held.bits, ([, bits]) => bits).buffer)
  const isInside = (time: number) => time > firstFrom && time <= firstFrom + windowMs * windowCount
  // Those that numbers have replaced are still there.
  const specials = await readSpecials(store, asked.handles[0])
  const hasSpecial = specials.some(([time]) => isInside(time))
  const isPlain = !hasSpecial && !held.textTimes.some(isInside)
  const windows = cutWindows(
    { times, values },
    {
      count: windowCount,
      firstEnd: firstFrom + windowMs,
      stepMs: windowMs,
      rangeMs: windowMs,
      checkStop: () => {},
    },
  )
  for (const [name, apply] of Object.entries(functions)) {
    const statistic = name as WindowsQuery['statistic']
    const expected = { values: new Float64Array(windowCount), present: new Uint8Array(windowCount) }
    apply(windows, { ...expected, first: 0 })
    const found = await foldWindows({ store, isText: () => false }, { ...asked, statistic })
    const what = `${statistic} of ${JSON.stringify(asked)}`
    // Of windows with a text or a special value, only the latest number may be known.
    if (isPlain) assert.equal(found.isFolded[0], 1, what)
    if (found.isFolded[0] === 0) continue
    assert.ok(!hasSpecial, what)
    assert.deepEqual([...found.present], [...expected.present], what)
    assert.deepEqual(bitsOf(found), bitsOf(expected), what)
  }
}

function bitsOf({ values, present }: { values: Float64Array; present: Uint8Array }): bigint[] {
  const bits = new BigUint64Array(values.buffer)
  return [...bits].filter((_, at) => present[at] === 1)
}
