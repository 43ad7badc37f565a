import { epochMs, nextTurn } from '../../base/index.ts'
import type { SampleColumns, SampleStore, StreamHandle } from '../../store/index.ts'
import type { Periods } from '../../time/index.ts'
import type { Placement } from './fold-periods.ts'

/** Samples read at once; the loop is free between two pages. */
const PAGE_SAMPLES = 10_000

/** Shows `visit` every sample of some ascending periods, oldest first: sample `at` of a page. */
export async function visitPeriodSamples(
  store: SampleStore,
  { handle, placement }: { readonly handle: StreamHandle; readonly placement: Placement },
  periods: Periods,
  visit: (period: number, page: SampleColumns, at: number) => void,
): Promise<void> {
  if (periods.count === 0) return
  const starts = periods.froms.map((from) => placement.sampleTimeAt(from))
  const ends = periods.untils.map((until) => placement.sampleTimeAt(until))
  const until = epochMs(ends[periods.count - 1])
  let [period, from] = [0, starts[0]]
  for (;;) {
    const query = {
      from: epochMs(from),
      until,
      limit: PAGE_SAMPLES,
      order: 'oldest_first',
    } as const
    const page = await store.range(handle, query)
    for (let at = 0; at < page.count; at++) {
      const time = page.times[at]
      while (time >= ends[period]) period += 1
      if (time >= starts[period]) visit(period, page, at)
    }
    if (page.count < PAGE_SAMPLES) return
    from = Math.max(page.times[page.count - 1] + 1, starts[period])
    await nextTurn()
  }
}
