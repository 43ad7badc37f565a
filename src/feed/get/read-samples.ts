import { EARLIEST_TIME, epochMs, TIME_END } from '../../base/index.ts'
import type {
  RangeQuery,
  Sample,
  SampleColumns,
  SampleReads,
  StreamHandle,
  TextMemory,
} from '../../store/index.ts'
import { ALL_PERIODS, type Cycle, intervalOf } from '../../time/index.ts'

/** The stretch a caller asks for: from ≤ time < until; undefined: open on that side. */
export interface AskedRange {
  readonly from: number | undefined
  readonly until: number | undefined
  /** Where texts are counted. */
  readonly memory?: TextMemory
}

/** Samples of one stream, latest first, with the gaps and starts of interval streams. */
export interface ReadSamples extends SampleColumns {
  readonly gaps?: Uint8Array
  readonly starts?: Float64Array
}

const NO_SAMPLES: ReadSamples = {
  count: 0,
  times: new Float64Array(0),
  numbers: new Float64Array(0),
}

/** The latest samples, at most `countMax`. */
export function latestOf(samples: ReadSamples, countMax: number): ReadSamples {
  if (samples.count <= countMax) return samples
  const { times, numbers, texts, gaps, starts } = samples
  return {
    count: countMax,
    times: times.subarray(0, countMax),
    numbers: numbers.subarray(0, countMax),
    texts: texts?.slice(0, countMax),
    gaps: gaps?.subarray(0, countMax),
    starts: starts?.subarray(0, countMax),
  }
}

function latestFirst(
  { from, until }: { readonly from: number; readonly until: number },
  limit: number,
  memory: TextMemory | undefined,
): RangeQuery {
  return {
    memory,
    from: epochMs(Math.max(from, EARLIEST_TIME)),
    until: epochMs(Math.min(until, TIME_END)),
    limit,
    order: 'latest_first',
  }
}

async function readRange(
  store: SampleReads,
  handle: StreamHandle,
  query: RangeQuery,
): Promise<SampleColumns> {
  return query.from < query.until ? store.range(handle, query) : NO_SAMPLES
}

/** The latest samples of a random stream in a range. */
export function readRandom(
  store: SampleReads,
  handle: StreamHandle,
  asked: AskedRange & { readonly limit: number },
): Promise<ReadSamples> {
  const { from = EARLIEST_TIME, until = TIME_END, limit, memory } = asked
  return readRange(store, handle, latestFirst({ from, until }, limit, memory))
}

/** The one sample of a point stream, wherever it lies. */
export async function readPoint(
  store: SampleReads,
  handle: StreamHandle,
  memory?: TextMemory,
): Promise<ReadSamples> {
  return store.range(handle, latestFirst({ from: EARLIEST_TIME, until: TIME_END }, 1, memory))
}

/** The sample times whose intervals overlap a range; an interval lies before its end. */
export function endsOf(cycle: Cycle, { from, until }: AskedRange): { from: number; until: number } {
  const lowest = from === undefined ? EARLIEST_TIME : from + 1
  if (until === undefined || until >= TIME_END) return { from: lowest, until: TIME_END }
  // An interval that begins before the time of samples may end in it, but not out of any reach.
  if (until <= ALL_PERIODS.from) return { from: lowest, until: EARLIEST_TIME }
  const last = cycle.periodOf(until - 1) ?? cycle.previous(until - 1)
  return { from: lowest, until: last === undefined ? EARLIEST_TIME : last.until + 1 }
}

/** The latest samples of an interval stream in a range, with a gap where an interval has none. */
export async function readIntervals(
  store: SampleReads,
  stream: { readonly handle: StreamHandle; readonly cycle: Cycle },
  asked: AskedRange & { readonly limit: number },
): Promise<ReadSamples> {
  const { handle, cycle } = stream
  const span = await store.span(handle)
  if (span === undefined) return NO_SAMPLES
  const ends = endsOf(cycle, asked)
  const first = Math.max(span.firstTime, ends.from)
  const last = Math.min(span.lastTime, ends.until - 1)
  if (first > last) return NO_SAMPLES
  const query = latestFirst({ from: first, until: last + 1 }, asked.limit, asked.memory)
  const filled = await readRange(store, handle, query)
  // Both bounds are ends of intervals or lie between two; overlap follows from starts and ends.
  const periods = cycle.periods({ from: first - 1, until: last }, asked.limit)
  const count = periods.count
  const rows = {
    count,
    times: new Float64Array(count),
    starts: new Float64Array(count),
    numbers: new Float64Array(count),
    gaps: new Uint8Array(count),
    texts: filled.texts === undefined ? undefined : new Array<string | undefined>(count),
  }
  let next = 0
  for (let row = 0; row < count; row++) {
    const end = periods.untils[count - 1 - row]
    rows.times[row] = end
    rows.starts[row] = periods.froms[count - 1 - row]
    while (next < filled.count && filled.times[next] > end) next += 1
    if (next < filled.count && filled.times[next] === end) {
      rows.numbers[row] = filled.numbers[next]
      if (rows.texts !== undefined) rows.texts[row] = filled.texts?.[next]
    } else {
      rows.gaps[row] = 1
    }
  }
  return rows
}

/** The last sample of an interval stream in a range that is no gap. */
export async function readLastInterval(
  store: SampleReads,
  stream: { readonly handle: StreamHandle; readonly cycle: Cycle },
  asked: AskedRange,
): Promise<ReadSamples> {
  const ends = endsOf(stream.cycle, asked)
  const query = latestFirst(ends, 1, asked.memory)
  const last = await readRange(store, stream.handle, query)
  if (last.count === 0) return last
  return { ...last, starts: startsOf(stream.cycle, last.times) }
}

/** Where the intervals begin that end at these times. */
function startsOf(cycle: Cycle, ends: Float64Array): Float64Array {
  return Float64Array.from(ends, (end) => intervalOf(cycle, end)?.from ?? end)
}

/** One sample as columns; of an interval stream with the start of its interval. */
export function oneSample({ time, value }: Sample, cycle: Cycle | undefined): ReadSamples {
  const isText = typeof value === 'string'
  const times = Float64Array.of(time)
  return {
    count: 1,
    times,
    numbers: Float64Array.of(isText ? 0 : value),
    texts: isText ? [value] : undefined,
    starts: cycle === undefined ? undefined : startsOf(cycle, times),
  }
}
