import { freeBytes, growColumn, Pacer } from '../../base/index.ts'
import type { Feed } from '../../feed/index.ts'
import type { SampleSteps, SeriesRead, SeriesSamples } from '../../promql/plain.ts'
import type { StreamHandle, TextMemory } from '../../store/index.ts'
import { keepLatestOfSteps } from './latest-of-steps.ts'

/** Samples of a stream that are read at once, about a millisecond: a day of one every 10 s, or three chunks. */
const PAGE_SAMPLES = 12_288

/** What looking up a stream costs, in samples. */
const STREAM_WORK = 256

/** Streams that are read at the same time. Stores on other machines take some milliseconds for each. */
const STREAMS_AT_ONCE = 4

interface ReadParts {
  readonly feed: Feed
  readonly memory: TextMemory
  readonly mayRead: (handle: number) => handle is StreamHandle
  /** Throws when the query has ended. */
  readonly checkStop: () => void
  /** Waits for the memory of some samples. */
  readonly makeRoom: (samples: number) => Promise<void>
}

/** The samples of as many series as fit; the span is left-open. */
export async function readSeries(
  parts: ReadParts,
  { refs, from, until, samplesMax, steps }: SeriesRead,
): Promise<SeriesSamples> {
  // Sample times are whole milliseconds.
  const span = { from: Math.floor(from) + 1, until: Math.floor(until) + 1 }
  const starts = [0]
  const pacer = new Pacer(PAGE_SAMPLES)
  let columns: Columns = { times: new Float64Array(0), values: new Float64Array(0), count: 0 }
  for (let done = 0; done < refs.length; done += STREAMS_AT_ONCE) {
    parts.checkStop()
    const some = refs.slice(done, done + STREAMS_AT_ONCE)
    const pages = await Promise.all(some.map((handle) => readPage(parts, handle, span)))
    for (const [at, handle] of some.entries()) {
      const { count } = columns
      for (let page = pages[at]; ; ) {
        columns = await append(parts, columns, { page, steps, samplesMax })
        const isLast = page.count < PAGE_SAMPLES
        const next = isLast ? until : page.times[page.count - 1] + 1
        const waiting = pacer.spend(page.count + STREAM_WORK)
        free(page)
        if (waiting !== undefined) await waiting
        if (isLast || columns.count > samplesMax) break
        parts.checkStop()
        page = await readPage(parts, handle, { ...span, from: next })
      }
      if (columns.count > samplesMax) return finish(starts, { ...columns, count })
      starts.push(columns.count)
    }
  }
  return finish(starts, columns)
}

interface Page {
  readonly count: number
  readonly times: Float64Array
  readonly values: Float64Array
}

const NOTHING: Page = { count: 0, times: new Float64Array(0), values: new Float64Array(0) }

/** Nothing of a stream that has been deleted meanwhile. */
async function readPage(
  { feed, memory, mayRead }: ReadParts,
  handle: number,
  span: { readonly from: number; readonly until: number },
): Promise<Page> {
  if (span.from >= span.until || !mayRead(handle)) return NOTHING
  return await feed.readWithSpecials(handle, { ...span, limit: PAGE_SAMPLES, memory })
}

/** Else each query would make the collector of the service run many times. */
function free({ times, values }: Pick<Page, 'times' | 'values'>): void {
  freeBytes(times)
  freeBytes(values)
}

interface Columns {
  readonly count: number
  readonly times: Float64Array<ArrayBuffer>
  readonly values: Float64Array<ArrayBuffer>
}

interface Addition {
  readonly page: Page
  readonly steps: SampleSteps | undefined
  readonly samplesMax: number
}

/** Adds a page; one beyond the most samples is only counted. */
async function append(
  { makeRoom }: ReadParts,
  { count, times, values }: Columns,
  { page, steps, samplesMax }: Addition,
): Promise<Columns> {
  const added = steps === undefined ? page.count : keepLatestOfSteps(page, steps)
  const sum = count + added
  if (added === 0 || sum > samplesMax) return { count: sum, times, values }
  if (sum > times.length) await makeRoom(2 * sum)
  const grown = { times: growColumn(times, sum), values: growColumn(values, sum) }
  grown.times.set(page.times.subarray(0, added), count)
  // Single assignments may change the bits of a NaN.
  grown.values.set(page.values.subarray(0, added), count)
  if (grown.times !== times) free({ times, values })
  return { count: sum, ...grown }
}

function finish(starts: readonly number[], { count, times, values }: Columns): SeriesSamples {
  return {
    seriesCount: starts.length - 1,
    starts: Uint32Array.from(starts),
    times: times.subarray(0, count),
    values: values.subarray(0, count),
  }
}
