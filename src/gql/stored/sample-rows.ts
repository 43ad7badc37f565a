/** Samples one by one, as rows. */
import { EARLIEST_TIME, epochMs, nextIteration, TIME_END } from '../../base/index.ts'
import { POINT } from '../../catalog/shape/index.ts'
import { baseCycleOf, endsOf } from '../../feed/index.ts'
import type { InputBatch } from '../../sql/index.ts'
import type { SampleColumns, StreamHandle } from '../../store/index.ts'
import { type Cycle, intervalOf } from '../../time/index.ts'
import type { TimeRange } from './asked-rows.ts'
import type { ReadContext } from './read-context.ts'
import { isNumeric, type RowColumn, sampleColumn } from './sample-cells.ts'
import { type StreamRow, streamCell } from './stream-cells.ts'

/** Numbers read and handed over at once: about a millisecond of work. */
const NUMBERS_PER_PAGE = 8_192

/** Texts may be a million characters each: the first page is short, the next ones as long as they fit. */
const FIRST_TEXTS = 16
const TEXT_UNITS_PER_PAGE = 1_000_000

/** The samples of a stream that are asked for, some at a time, the oldest first. */
export async function* readSampleRows(
  context: ReadContext,
  row: StreamRow,
): AsyncGenerator<InputBatch> {
  const { asked } = context
  const { index } = context.deps.catalog
  const { handle } = row
  const range = await rangeOf(context, handle)
  const pages =
    asked.sample?.last === undefined
      ? readPages(context, handle, range)
      : readLatest(context, handle, asked.sample.last)
  const valueCode = index.valueCodeOf(handle)
  let isFirst = true
  for await (const samples of pages) {
    if (!index.has(handle)) return
    if (isFirst && isNumeric(valueCode) && samples.count === NUMBERS_PER_PAGE) {
      await refuseLong(context, handle, range)
    }
    isFirst = false
    yield batchOf(context, row, samples)
    context.memory.settle()
    await nextIteration()
  }
}

/** Refuses a stream that has more samples than may be handed over before it hands over any more. */
async function refuseLong(
  { asked, budget, deps, place }: ReadContext,
  handle: StreamHandle,
  { from, until }: TimeRange,
): Promise<void> {
  if (asked.sample?.last !== undefined) return
  const { count } = await deps.store.fold(handle, Float64Array.of(from, until))
  // Nothing is taken: the stream may be read before its turn.
  if (count[0] > budget.left) budget.refuse(asked, place)
}

/** The times of the samples that are asked for: those of Range(…), within those of conditions. */
export async function rangeOf(
  { asked, deps, periodOf }: ReadContext,
  handle: StreamHandle,
): Promise<TimeRange> {
  const { index } = deps.catalog
  const { times, sample } = asked
  const period =
    sample?.currentCycle === undefined
      ? undefined
      : await periodOf(sample.currentCycle, index.componentOf(handle).timeZone)
  const from = period?.from ?? sample?.sd
  const until = period?.until ?? sample?.ed
  if (from === undefined && until === undefined) return times
  const isNone = from !== undefined && until !== undefined && from >= until
  if (isNone) return { from: times.from, until: times.from }
  // The one sample of a point stream is never hidden by a range.
  if (index.kindOf(handle) === POINT) return times
  const cycle = baseCycleOf(index, handle)
  const asRange = {
    from: from === undefined ? undefined : Math.ceil(from),
    until: until === undefined ? undefined : Math.ceil(until),
  }
  const ends = cycle === undefined ? asRange : endsOf(cycle, asRange)
  return {
    from: Math.max(times.from, ends.from ?? EARLIEST_TIME),
    until: Math.min(times.until, ends.until ?? TIME_END),
  }
}

/** Samples of a range, page by page. */
export async function* readPages(
  { deps, memory }: ReadContext,
  handle: StreamHandle,
  { from, until }: TimeRange,
): AsyncGenerator<SampleColumns> {
  const { catalog, store } = deps
  const isOfNumbers = isNumeric(catalog.index.valueCodeOf(handle))
  let limit = isOfNumbers ? NUMBERS_PER_PAGE : FIRST_TEXTS
  for (let start = from; start < until; ) {
    const samples = await store.range(handle, {
      from: epochMs(start),
      until: epochMs(until),
      limit,
      memory,
      order: 'oldest_first',
    })
    if (samples.count === 0) return
    yield samples
    if (samples.count < limit) return
    start = samples.times[samples.count - 1] + 1
    if (!isOfNumbers) limit = fittingCount(samples)
  }
}

function fittingCount({ count, texts }: SampleColumns): number {
  let units = count
  for (const text of texts ?? []) units += text?.length ?? 0
  const fitting = Math.floor((TEXT_UNITS_PER_PAGE * count) / units)
  return Math.min(NUMBERS_PER_PAGE, Math.max(FIRST_TEXTS, fitting))
}

/** The latest samples of a stream, page by page, the latest first. */
async function* readLatest(
  { deps, memory }: ReadContext,
  handle: StreamHandle,
  last: number,
): AsyncGenerator<SampleColumns> {
  const isOfNumbers = isNumeric(deps.catalog.index.valueCodeOf(handle))
  let until: number = TIME_END
  let limit = isOfNumbers ? NUMBERS_PER_PAGE : FIRST_TEXTS
  for (let left = last; left > 0 && until > EARLIEST_TIME; ) {
    const samples = await deps.store.range(handle, {
      from: EARLIEST_TIME,
      until: epochMs(until),
      limit: Math.min(limit, left),
      memory,
      order: 'latest_first',
    })
    if (samples.count === 0) return
    yield samples
    left -= samples.count
    until = samples.times[samples.count - 1]
    if (!isOfNumbers) limit = fittingCount(samples)
  }
}

function batchOf(context: ReadContext, row: StreamRow, samples: SampleColumns): InputBatch {
  const { asked, deps } = context
  const { index } = deps.catalog
  const { times, count } = samples
  const cycle = baseCycleOf(index, row.handle)
  const columns = asked.columns.map((column): RowColumn => {
    switch (column) {
      case 'time':
      case 'timeed':
        return { kind: 'integers', values: times }
      case 'timesd':
        return { kind: 'integers', values: startsOf(cycle, times) }
      case 'sample':
        return sampleColumn(index, row.handle, samples, deps.showSample)
      default:
        return { kind: 'constant', value: streamCell(deps, row, column) ?? null }
    }
  })
  return { rowCount: count, columns }
}

/** Where the intervals of samples begin; a sample without one begins where it ends. */
function startsOf(cycle: Cycle | undefined, times: Float64Array): Float64Array {
  if (cycle === undefined) return times
  return Float64Array.from(times, (end) => intervalOf(cycle, end)?.from ?? end)
}
