/** Sums of the samples of streams: one row covers all of them, or one of each where that is not known. */
import { nextIteration } from '../../base/index.ts'
import type { InputBatch, RowCell } from '../../sql/index.ts'
import type { SampleColumns, StreamHandle, Summaries } from '../../store/index.ts'
import type { TimeRange } from './asked-rows.ts'
import { rowBatch } from './component-rows.ts'
import { readAhead } from './read-ahead.ts'
import { aheadOf, type ReadContext } from './read-context.ts'
import { isNumeric, isWhole, numberCell, sampleCell } from './sample-cells.ts'
import { rangeOf, readPages } from './sample-rows.ts'
import { STREAMS_PER_SLICE, type StreamRow, streamCell } from './stream-cells.ts'

/** What is known of numbers only. */
const OF_NUMBERS = new Set(['sum()', 'mean()', 'min()', 'max()'])

/** Periods that are summed up at once: some milliseconds of work. */
const PERIODS_PER_PAGE = 2_000

/** Rows of sums that are handed over at once. */
const ROWS_PER_BATCH = 250

/** The sums of some streams as rows. */
export async function* readSumRows(
  context: ReadContext,
  streams: readonly StreamRow[],
): AsyncGenerator<InputBatch> {
  const { asked, budget, deps, memory, place } = context
  const { index } = deps.catalog
  const periodMs = periodOf(asked.columns)
  let rows: RowCell[][] = []
  let at = 0
  const read = ({ handle }: StreamRow) => sumAll(context, handle)
  for await (const [row, whole] of readAhead(streams, aheadOf(context, read))) {
    at += 1
    if (at % STREAMS_PER_SLICE === 0) await nextIteration()
    if (whole === undefined || !index.has(row.handle)) continue
    const { range, summaries } = whole
    const edgesOf = edgesFor(context, row, { ...whole, periodMs })
    if (edgesOf === 'samples') yield* readOnes(context, row, range)
    else if (edgesOf !== 'whole') yield* readParts(context, row, { ...whole, edgesOf })
    else {
      budget.take(1, asked, place)
      rows.push(
        asked.columns.map((column) => summaryCell(context, row, { summaries, column, at: 0 })),
      )
      if (rows.length < ROWS_PER_BATCH) continue
      yield rowBatch(rows, asked.columns.length)
      rows = []
      memory.settle()
    }
  }
  if (rows.length > 0) yield rowBatch(rows, asked.columns.length)
}

/** The sums of the samples of a stream that are asked for; undefined if there are none. */
async function sumAll(context: ReadContext, handle: StreamHandle): Promise<Summed | undefined> {
  const { catalog, store } = context.deps
  if (!catalog.index.has(handle)) return undefined
  const range = await rangeOf(context, handle)
  if (range.from >= range.until) return undefined
  const edges = Float64Array.of(range.from, range.until)
  const summaries = await store.fold(handle, edges, context.memory)
  return summaries.count[0] === 0 ? undefined : { range, summaries }
}

/** Samples of a stream, with the sums of all of them. */
interface Summed {
  readonly range: TimeRange
  readonly summaries: Summaries
}

/** The next edges from a time on, up to a limit. Each part between two edges is summed. */
type EdgesFrom = (from: number, end: number) => number[]

/** Into which parts the samples are summed up: not at all, all in one, or between edges. */
function edgesFor(
  context: ReadContext,
  row: StreamRow,
  { summaries, periodMs }: Summed & { readonly periodMs: number | undefined },
): 'samples' | 'whole' | EdgesFrom {
  if (!isKnown(context, row, summaries)) return 'samples'
  if (periodMs !== undefined) {
    return isDense(summaries, periodMs) ? periodEdges(periodMs) : 'samples'
  }
  return needsExactSum(context, row) ? exactEdges(summaries) : 'whole'
}

/** Into which parts samples are summed up, so that the sums of whole numbers are exact. */
function exactEdges(summaries: Summaries): 'samples' | 'whole' | EdgesFrom {
  const parts = Math.ceil(sumBound(summaries, 0) / Number.MAX_SAFE_INTEGER)
  if (parts <= 1) return 'whole'
  const { firstTime, lastTime, count } = summaries
  // Twice as many, as samples are not spread evenly.
  if (2 * parts > count[0]) return 'samples'
  return stepEdges(Math.ceil((lastTime[0] + 1 - firstTime[0]) / (2 * parts)))
}

/** What the sum of a stretch cannot exceed: up to 2^53 the sum of whole numbers is exact. */
function sumBound({ count, min, max }: Summaries, at: number): number {
  return count[at] * Math.max(Math.abs(min[at]), Math.abs(max[at]))
}

/** Whether a sum is asked for that has no fractions. */
function needsExactSum({ asked, deps }: ReadContext, { handle }: StreamRow): boolean {
  return asked.columns.includes('sum()') && isWhole(deps.catalog.index.valueCodeOf(handle))
}

/** The length of the periods that a row is of; undefined where it is of all samples. */
function periodOf(columns: readonly string[]): number | undefined {
  const [, ms] = columns.map((column) => /^period (\d+)$/.exec(column)).find(Boolean) ?? []
  return ms === undefined ? undefined : Number(ms)
}

/** Whether there are not many more periods than samples; before 1970 they are counted the other way. */
function isDense({ count, firstTime, lastTime }: Summaries, periodMs: number): boolean {
  const periods = (lastTime[0] - firstTime[0]) / periodMs
  return firstTime[0] >= 0 && periods <= 2 * count[0] + PERIODS_PER_PAGE
}

/** The starts of periods of one length, and where the samples begin and end. */
function periodEdges(periodMs: number): EdgesFrom {
  return (from, end) => {
    const edges = [from]
    const first = Math.floor(from / periodMs) + 1
    for (let at = 0; at < PERIODS_PER_PAGE && edges[edges.length - 1] < end; at += 1) {
      edges.push(Math.min(end, (first + at) * periodMs))
    }
    return edges
  }
}

/** Parts of one length from the first sample on. */
function stepEdges(lengthMs: number): EdgesFrom {
  return (from, end) => {
    const edges = [from]
    for (let at = 1; at <= PERIODS_PER_PAGE && edges[edges.length - 1] < end; at += 1) {
      edges.push(Math.min(end, from + at * lengthMs))
    }
    return edges
  }
}

/** The sums of parts of a stream, some at a time. */
async function* readParts(
  context: ReadContext,
  row: StreamRow,
  { range, summaries, edgesOf }: Summed & { readonly edgesOf: EdgesFrom },
): AsyncGenerator<InputBatch> {
  const { asked, budget, deps, memory, place } = context
  const end = Math.min(range.until, summaries.lastTime[0] + 1)
  const isWholeSum = needsExactSum(context, row)
  const isExact = (page: Summaries, at: number): boolean =>
    !isWholeSum || sumBound(page, at) <= Number.MAX_SAFE_INTEGER
  for (let from = Math.max(range.from, summaries.firstTime[0]); from < end; ) {
    const edges = edgesOf(from, end)
    const page = await deps.store.fold(row.handle, Float64Array.from(edges), memory)
    if (!deps.catalog.index.has(row.handle)) return
    const filled = Array.from({ length: page.length }, (_, at) => at).filter(
      (at) => page.count[at] > 0,
    )
    const [known, others] = [true, false].map((is) =>
      filled.filter((at) => isExact(page, at) === is),
    )
    budget.take(known.length, asked, place)
    // Several parts may be of one group, and its mean is not that of their rounded ones: SQL takes whole sums too.
    const shownAs = (column: string) => (isWholeSum && column === 'mean()' ? 'sum()' : column)
    const cellOf = (column: string, at: number) =>
      summaryCell(context, row, { summaries: page, column: shownAs(column), at })
    const rows = known.map((at) => asked.columns.map((column) => cellOf(column, at)))
    if (rows.length > 0) yield rowBatch(rows, asked.columns.length)
    for (const at of others) {
      yield* readInexact(context, row, { from: edges[at], until: edges[at + 1] })
    }
    memory.settle()
    await nextIteration()
    from = edges[edges.length - 1]
  }
}

/** A part whose sum is not exact, in smaller ones. */
async function* readInexact(
  context: ReadContext,
  row: StreamRow,
  range: TimeRange,
): AsyncGenerator<InputBatch> {
  const { deps, memory } = context
  const edges = Float64Array.of(range.from, range.until)
  const summaries = await deps.store.fold(row.handle, edges, memory)
  if (summaries.count[0] === 0 || !deps.catalog.index.has(row.handle)) return
  const edgesOf = exactEdges(summaries)
  // Samples that came meanwhile may have made it exact.
  if (typeof edgesOf === 'string') yield* readOnes(context, row, range)
  else yield* readParts(context, row, { range, summaries, edgesOf })
}

/** The samples of a stream, each as the sum of itself. */
async function* readOnes(
  context: ReadContext,
  row: StreamRow,
  range: TimeRange,
): AsyncGenerator<InputBatch> {
  const { asked, budget, memory, place } = context
  for await (const samples of readPages(context, row.handle, range)) {
    budget.take(samples.count, asked, place)
    yield onesOf(context, row, samples)
    memory.settle()
    await nextIteration()
  }
}

/** Whether the summary has all columns: texts have no sums, and what is not finite is for SQL to refuse. */
function isKnown(
  { asked, deps }: ReadContext,
  { handle }: StreamRow,
  { count, numberCount, sum }: Summaries,
): boolean {
  if (!asked.columns.some((column) => OF_NUMBERS.has(column))) return true
  const isOfNumbers = isNumeric(deps.catalog.index.valueCodeOf(handle))
  const isExact = !asked.columns.includes('sum()') || Number.isFinite(sum[0])
  return isOfNumbers && numberCount[0] === count[0] && isExact
}

interface SummedCell {
  readonly summaries: Summaries
  readonly column: string
  readonly at: number
}

/** As `time - time % ms` has it. */
function periodStart(time: number, column: string): number {
  return time - (time % Number(column.slice('period '.length)))
}

function summaryCell(
  { deps }: ReadContext,
  row: StreamRow,
  { summaries, column, at }: SummedCell,
): RowCell {
  const { handle } = row
  const { index } = deps.catalog
  const valueCode = index.valueCodeOf(handle)
  const cellOf = (value: number | string, time: number): RowCell =>
    sampleCell(index, { handle, time, value }, deps.showSample)
  switch (column) {
    case 'count()':
      return BigInt(summaries.count[at])
    case 'sum()':
      return numberCell(valueCode, summaries.sum[at])
    case 'mean()':
      return summaries.mean[at]
    case 'min()':
      return numberCell(valueCode, summaries.min[at])
    case 'max()':
      return numberCell(valueCode, summaries.max[at])
    case 'first()':
      return cellOf(summaries.first[at], summaries.firstTime[at])
    case 'last()':
      return cellOf(summaries.last[at], summaries.lastTime[at])
    case 'firsttime()':
      return BigInt(summaries.firstTime[at])
    case 'lasttime()':
      return BigInt(summaries.lastTime[at])
    default:
      if (column.startsWith('period ')) {
        return BigInt(periodStart(summaries.firstTime[at], column))
      }
      return streamCell(deps, row, column) ?? null
  }
}

/** Each sample as the sum of itself. */
function onesOf({ asked, deps }: ReadContext, row: StreamRow, samples: SampleColumns): InputBatch {
  const { handle } = row
  const { index } = deps.catalog
  const { count, times, numbers, texts } = samples
  const values = Array.from({ length: count }, (_, at): RowCell => {
    const value = texts?.[at] ?? numbers[at]
    return sampleCell(index, { handle, time: times[at], value }, deps.showSample)
  })
  const columns = asked.columns.map((column): InputBatch['columns'][number] => {
    if (column === 'count()') return { kind: 'constant', value: 1n }
    if (column.startsWith('period ')) {
      return { kind: 'integers', values: times.map((time) => periodStart(time, column)) }
    }
    if (/time\(\)$/.test(column)) return { kind: 'integers', values: times }
    if (column.endsWith('()')) return { kind: 'cells', values }
    return { kind: 'constant', value: streamCell(deps, row, column) ?? null }
  })
  return { rowCount: count, columns }
}
