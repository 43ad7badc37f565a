import { epochMs, nextIteration } from '../../base/index.ts'
import type { SampleColumns, SampleReads } from '../../store/index.ts'
import type { Periods } from '../../time/index.ts'
import type { PlacedStream } from './fold-periods.ts'

/** Samples read at once; the loop is free between two pages, and decimals of one are some megabytes. */
const PAGE_SAMPLES = 4_096

/** Shows `visit` every sample of some ascending periods, oldest first: sample `at` of a page. */
export async function visitPeriodSamples(
  store: SampleReads,
  { handle, placement, memory }: PlacedStream,
  periods: Periods,
  visit: (period: number, page: SampleColumns, at: number) => void,
): Promise<void> {
  if (periods.count === 0) return
  const starts = periods.froms.map((from) => placement.sampleTimeAt(from))
  const ends = periods.untils.map((until) => placement.sampleTimeAt(until))
  const until = epochMs(ends[periods.count - 1])
  const heldBefore = memory?.bytes ?? 0
  let [period, from] = [0, starts[0]]
  for (;;) {
    const query = {
      from: epochMs(from),
      until,
      limit: PAGE_SAMPLES,
      order: 'oldest_first',
      memory,
    } as const
    const page = await store.range(handle, query)
    for (let at = 0; at < page.count; at++) {
      const time = page.times[at]
      while (time >= ends[period]) period += 1
      if (time >= starts[period]) visit(period, page, at)
    }
    await memory?.resize(heldBefore)
    if (page.count < PAGE_SAMPLES) return
    from = Math.max(page.times[page.count - 1] + 1, starts[period])
    await nextIteration()
  }
}
