/** Samples of a source in order, the gaps of an interval stream among them. */
import { EARLIEST_TIME, epochMs } from '../../base/index.ts'
import type { SampleColumns, SampleStore, StreamHandle, TextMemory } from '../../store/index.ts'
import type { Cycle } from '../../time/index.ts'
import { endAfter, endBefore, endFrom } from './interval-walk.ts'

/** A stream that is read. */
export interface Source {
  readonly handle: StreamHandle
  /** The base cycle of an interval stream, whose missing intervals are samples without a value. */
  readonly cycle: Cycle | undefined
}

/** Which samples are wanted. */
interface Stretch {
  readonly from: number
  readonly until: number
  /** Most samples to read, starting at `from`. */
  readonly limit: number
  /** And as many as there are before it, up to this. */
  readonly history: number
  readonly memory?: TextMemory
}

/** Samples of one stream, ascending. */
export interface SourceSamples {
  readonly times: Float64Array
  /** NaN: a gap, or a text. */
  readonly numbers: Float64Array
  readonly texts: readonly (string | undefined)[] | undefined
  readonly count: number
  /** How many of them lie before the stretch. */
  readonly history: number
  /** Up to here, exclusive, no sample of the stretch is missing. */
  readonly completeUntil: number
}

/** Reads a stretch of a source and some samples before it. */
export async function readSource(
  store: SampleStore,
  source: Source,
  stretch: Stretch,
): Promise<SourceSamples> {
  const { handle, cycle } = source
  const { from, until, limit, memory } = stretch
  const [start, end] = [epochMs(from), epochMs(until)]
  const [page, past] = [
    await store.range(handle, { from: start, until: end, limit, order: 'oldest_first', memory }),
    await readPast(store, source, stretch),
  ]
  const isFull = page.count >= limit
  const completeUntil = isFull ? page.times[page.count - 1] + 1 : until
  if (cycle !== undefined) {
    const span = await store.span(handle)
    if (span !== undefined) {
      return withGaps({ past, page, cycle, ...span }, { ...stretch, until: completeUntil })
    }
  }
  return { ...joined(past, page), history: past.count, completeUntil }
}

const NOTHING: SampleColumns = {
  count: 0,
  times: new Float64Array(0),
  numbers: new Float64Array(0),
}

async function readPast(
  store: SampleStore,
  { handle }: Source,
  { from, history, memory }: Stretch,
): Promise<SampleColumns> {
  if (history === 0 || from <= EARLIEST_TIME) return NOTHING
  const until = epochMs(from)
  const order = 'latest_first' as const
  return store.range(handle, { from: EARLIEST_TIME, until, limit: history, order, memory })
}

/** The samples before, which come latest first, and those of the stretch. */
function joined(past: SampleColumns, page: SampleColumns) {
  const count = past.count + page.count
  if (past.count === 0) return { ...page, texts: page.texts, count }
  const times = new Float64Array(count)
  const numbers = new Float64Array(count)
  for (let at = 0; at < past.count; at++) {
    times[past.count - 1 - at] = past.times[at]
    numbers[past.count - 1 - at] = past.numbers[at]
  }
  times.set(page.times.subarray(0, page.count), past.count)
  numbers.set(page.numbers.subarray(0, page.count), past.count)
  return { times, numbers, texts: joinedTexts(past, page), count }
}

function joinedTexts(past: SampleColumns, page: SampleColumns): (string | undefined)[] | undefined {
  if (past.texts === undefined && page.texts === undefined) return undefined
  const before = Array.from({ length: past.count }, (_, at) => past.texts?.[past.count - 1 - at])
  return before.concat(Array.from({ length: page.count }, (_, at) => page.texts?.[at]))
}

/** Stored samples of an interval stream, and where all of its samples begin and end. */
interface Stored {
  /** Latest first. */
  readonly past: SampleColumns
  readonly page: SampleColumns
  readonly cycle: Cycle
  readonly firstTime: number
  readonly lastTime: number
}

/** A row of samples with gaps; -1 stands for a gap. */
interface Rows {
  readonly times: number[]
  readonly indexes: number[]
}

function withGaps(stored: Stored, stretch: Stretch): SourceSamples {
  const { past, page } = stored
  const before = rowsBefore(stored, stretch)
  const { isCut, ...inside } = rowsInside(stored, stretch)
  const history = before.times.length
  const count = history + inside.times.length
  const times = new Float64Array(count)
  const numbers = new Float64Array(count).fill(Number.NaN)
  const hasTexts = past.texts !== undefined || page.texts !== undefined
  const texts = hasTexts ? new Array<string | undefined>(count) : undefined
  const take = (row: number, time: number, from: SampleColumns, index: number): void => {
    times[row] = time
    if (index < 0) return
    numbers[row] = from.numbers[index]
    if (texts !== undefined) texts[row] = from.texts?.[index]
  }
  for (let at = 0; at < history; at++) {
    take(history - 1 - at, before.times[at], past, before.indexes[at])
  }
  for (let at = 0; at < inside.times.length; at++) {
    take(history + at, inside.times[at], page, inside.indexes[at])
  }
  const completeUntil = isCut ? times[count - 1] + 1 : stretch.until
  return { times, numbers, texts, count, history, completeUntil }
}

/** The samples and gaps of the stretch, ascending, at most its limit. */
function rowsInside({ page, cycle, firstTime, lastTime }: Stored, stretch: Stretch) {
  const rows: Rows = { times: [], indexes: [] }
  const last = Math.min(stretch.until - 1, lastTime)
  let end = endFrom(cycle, Math.max(stretch.from, firstTime))
  let index = 0
  for (;;) {
    const time = index < page.count ? page.times[index] : Number.POSITIVE_INFINITY
    const next = Math.min(time, end ?? Number.POSITIVE_INFINITY)
    if (next > last) return { ...rows, isCut: false }
    if (rows.times.length >= stretch.limit) return { ...rows, isCut: true }
    rows.times.push(next)
    rows.indexes.push(time === next ? index++ : -1)
    if (end === next) end = endAfter(cycle, end)
  }
}

/** The samples and gaps before the stretch, latest first. */
function rowsBefore({ past, cycle, firstTime, lastTime }: Stored, stretch: Stretch): Rows {
  const rows: Rows = { times: [], indexes: [] }
  let end = endBefore(cycle, Math.min(stretch.from, lastTime + 1))
  let index = 0
  while (rows.times.length < stretch.history) {
    const time = index < past.count ? past.times[index] : Number.NEGATIVE_INFINITY
    const next = Math.max(time, end ?? Number.NEGATIVE_INFINITY)
    if (next < firstTime) break
    rows.times.push(next)
    rows.indexes.push(time === next ? index++ : -1)
    if (end === next) end = endBefore(cycle, end)
  }
  return rows
}
