import {
  countAtMost,
  countBelow,
  EARLIEST_TIME,
  epochMs,
  nextIteration,
  TIME_END,
} from '../../base/index.ts'
import type { SampleStore, StreamHandle, Summaries, WindowStatistic } from '../../store/index.ts'

/** Window k of each stream is firstFrom + k · windowMs < time ≤ firstFrom + (k + 1) · windowMs. */
export interface WindowsQuery {
  readonly handles: readonly StreamHandle[]
  readonly statistic: WindowStatistic
  readonly firstFrom: number
  readonly windowMs: number
  readonly windowCount: number
  /** Whether a stream is not to be folded, as it may no longer be read. */
  readonly isLeftOut?: (handle: StreamHandle) => boolean
  /** Called between streams. It throws when nobody waits for the answer. */
  readonly checkStop?: () => void
}

/** A statistic of the numbers of each window. Sums are exact and rounded once, and so are averages. */
export interface WindowValues {
  /** One byte a stream: 0 where samples must be read, as a special value or a text lies in the span. */
  readonly isFolded: Uint8Array
  /** The values of all windows of the first stream, then of the second. */
  readonly values: Float64Array
  /** One byte a value: 0 where the window has no sample. */
  readonly present: Uint8Array
}

type WindowStore = Pick<SampleStore, 'latest' | 'specials' | 'windows'>

interface WindowDeps {
  readonly store: WindowStore
  /** Whether samples of a stream are kept as texts, which may be long. They are not folded. */
  readonly isText: (handle: StreamHandle) => boolean
}

/** Streams folded at once, before others get a turn: a few milliseconds. */
const STREAMS_AT_ONCE = 4

/** Streams whose latest sample is looked up before others get a turn. */
const LATEST_PER_SLICE = 256

/** Reads windows that follow each other without a gap, from summaries as far as possible. */
export async function foldWindows(
  { store, isText }: WindowDeps,
  query: WindowsQuery,
): Promise<WindowValues> {
  const { handles, windowCount } = query
  const answer: WindowValues = {
    isFolded: new Uint8Array(handles.length),
    values: new Float64Array(handles.length * windowCount),
    present: new Uint8Array(handles.length * windowCount),
  }
  const { edges, skipped } = edgesOf(query)
  if (edges.length < 2) {
    // No sample can have a time in these windows.
    answer.isFolded.fill(1)
    return answer
  }
  const isFoldable = (handle: StreamHandle) => query.isLeftOut?.(handle) !== true && !isText(handle)
  const numeric = [...handles.keys()].filter((at) => isFoldable(handles[at]))
  const isLatest = query.statistic === 'last' && windowCount === 1
  const rest = isLatest ? await takeLatest(store, query, { numeric, edges, answer }) : numeric
  for (let first = 0; first < rest.length; first += STREAMS_AT_ONCE) {
    query.checkStop?.()
    if (first > 0) await nextIteration()
    const some = rest.slice(first, first + STREAMS_AT_ONCE)
    await Promise.all(some.map((at) => foldOne(store, query, { at, edges, skipped, answer })))
  }
  return answer
}

/** The first time of each window, and the end of the last. Windows without possible sample times are skipped. */
function edgesOf({ firstFrom, windowMs, windowCount }: WindowsQuery): {
  readonly edges: Float64Array
  readonly skipped: number
} {
  const edges = Float64Array.from({ length: windowCount + 1 }, (_, window) => {
    const firstTime = Math.floor(firstFrom + window * windowMs) + 1
    return Math.min(Math.max(firstTime, EARLIEST_TIME), TIME_END)
  })
  const skipped = Math.max(0, countAtMost(edges, EARLIEST_TIME) - 1)
  return { edges: edges.subarray(skipped, countBelow(edges, TIME_END) + 1), skipped }
}

/** Answers from the latest sample of streams where the window contains it. Returns the other streams. */
async function takeLatest(
  store: WindowStore,
  { handles, checkStop }: WindowsQuery,
  look: {
    readonly numeric: readonly number[]
    readonly edges: Float64Array
    readonly answer: WindowValues
  },
): Promise<number[]> {
  const { numeric, edges, answer } = look
  const [from, until] = edges
  const rest: number[] = []
  for (let first = 0; first < numeric.length; first += LATEST_PER_SLICE) {
    checkStop?.()
    if (first > 0) await nextIteration()
    const places = numeric.slice(first, first + LATEST_PER_SLICE)
    const some = places.map((at) => handles[at])
    const latest = await store.latest(some)
    const hasSpecials = await Promise.all(some.map((handle) => hasSpecial(store, handle, edges)))
    for (const [index, at] of places.entries()) {
      if (hasSpecials[index]) continue
      const { time, value } = latest[index] ?? { time: Number.NEGATIVE_INFINITY, value: 0 }
      if (time >= until) {
        rest.push(at)
        continue
      }
      const isInside = time >= from
      if (isInside && typeof value !== 'number') continue
      answer.isFolded[at] = 1
      if (!isInside) continue
      answer.present[at] = 1
      answer.values[at] = Number(value)
    }
  }
  return rest
}

async function foldOne(
  store: WindowStore,
  { handles, statistic, windowCount }: WindowsQuery,
  place: {
    readonly at: number
    readonly edges: Float64Array
    readonly skipped: number
    readonly answer: WindowValues
  },
): Promise<void> {
  const { at, edges, skipped, answer } = place
  const summaries = await store.windows(handles[at], edges, statistic)
  // Asked afterwards: a special value that replaces a number meanwhile is found.
  if (await hasSpecial(store, handles[at], edges)) return
  const { count, numberCount, length } = summaries
  for (let row = 0; row < length; row++) if (numberCount[row] !== count[row]) return
  const column = columnOf(summaries, statistic)
  const start = at * windowCount + skipped
  for (let row = 0; row < length; row++) {
    if (count[row] === 0) continue
    answer.present[start + row] = 1
    answer.values[start + row] = column[row]
  }
  answer.isFolded[at] = 1
}

function columnOf(
  { count, sum, mean, min, max, last }: Summaries,
  statistic: WindowStatistic,
): ArrayLike<number> {
  switch (statistic) {
    case 'count':
      return count
    case 'sum':
      return sum
    case 'avg':
      return mean
    case 'min':
      return min
    case 'max':
      return max
    case 'last':
      return Float64Array.from(last, Number)
  }
}

async function hasSpecial(
  store: WindowStore,
  handle: StreamHandle,
  edges: Float64Array,
): Promise<boolean> {
  const { count } = await store.specials(handle, {
    from: epochMs(edges[0]),
    until: epochMs(edges[edges.length - 1]),
    limit: 1,
    order: 'latest_first',
    isTimesOnly: true,
  })
  return count > 0
}
