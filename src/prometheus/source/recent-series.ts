import { EARLIEST_TIME, epochMs, nextIteration, TIME_END } from '../../base/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'

/** Series whose latest samples are looked up for one call: some ten milliseconds. */
const SERIES_MAX = 5_000

/** Series that are looked up before other calls may run. */
const PER_SLICE = 256

/** The series with a sample at a time or later. All of them if they are too many to look up. */
export async function recentSeries<S extends { readonly handle: StreamHandle }>(
  store: SampleStore,
  series: readonly S[],
  since: number,
): Promise<readonly S[]> {
  if (series.length > SERIES_MAX) return series
  const from = epochMs(Math.min(Math.max(Math.ceil(since), EARLIEST_TIME), TIME_END - 1))
  const query = { from, until: epochMs(TIME_END), limit: 1, order: 'latest_first' } as const
  const recent: S[] = []
  for (let first = 0; first < series.length; first += PER_SLICE) {
    if (first > 0) await nextIteration()
    const some = series.slice(first, first + PER_SLICE)
    const latest = await store.latest(
      some.map(({ handle }) => handle),
      { isTimesOnly: true },
    )
    for (const [at, one] of some.entries()) {
      const sample = latest[at]
      const isRecent = sample !== undefined && sample.time >= from
      // NaN and the infinities are kept apart from numbers.
      if (isRecent || (await store.specials(one.handle, query)).count > 0) recent.push(one)
    }
  }
  return recent
}
