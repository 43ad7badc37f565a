/** Sums of the samples of streams: one row tells of all of them, or one of each where that is not known. */
import { nextTurn } from '../../base/index.ts'
import type { InputBatch, RowCell } from '../../sql/index.ts'
import type { SampleColumns, Summaries } from '../../store/index.ts'
import type { TimeRange } from './asked-rows.ts'
import { rowBatch } from './component-rows.ts'
import type { ReadContext } from './read-context.ts'
import { isNumeric, numberCell, sampleCell } from './sample-cells.ts'
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
  for (const [at, row] of streams.entries()) {
    if (at % STREAMS_PER_SLICE === STREAMS_PER_SLICE - 1) await nextTurn()
    if (!index.has(row.handle)) continue
    const range = await rangeOf(context, row.handle)
    if (range.from >= range.until) continue
    const edges = Float64Array.of(range.from, range.until)
    const summaries = await deps.store.fold(row.handle, edges, memory)
    if (summaries.count[0] === 0 || !index.has(row.handle)) continue
    const isKnown = isTold(context, row, summaries)
    if (periodMs !== undefined && isKnown && isDense(summaries, periodMs)) {
      yield* readPeriodRows(context, row, { range, summaries, periodMs })
      continue
    }
    if (periodMs === undefined && isKnown) {
      budget.take(1, asked, place)
      rows.push(
        asked.columns.map((column) => summaryCell(context, row, { summaries, column, at: 0 })),
      )
      if (rows.length < ROWS_PER_BATCH) continue
      yield rowBatch(rows, asked.columns.length)
      rows = []
      memory.settle()
      continue
    }
    for await (const samples of readPages(context, row.handle, range)) {
      budget.take(samples.count, asked, place)
      yield onesOf(context, row, samples)
      memory.settle()
      await nextTurn()
    }
  }
  if (rows.length > 0) yield rowBatch(rows, asked.columns.length)
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

interface Periods {
  readonly range: TimeRange
  /** Of the whole range. */
  readonly summaries: Summaries
  readonly periodMs: number
}

/** The sums of the periods of a stream, some at a time. */
async function* readPeriodRows(
  context: ReadContext,
  row: StreamRow,
  { range, summaries, periodMs }: Periods,
): AsyncGenerator<InputBatch> {
  const { asked, budget, deps, memory, place } = context
  const end = Math.min(range.until, summaries.lastTime[0] + 1)
  for (let from = Math.max(range.from, summaries.firstTime[0]); from < end; ) {
    const edges = [from]
    const first = Math.floor(from / periodMs) + 1
    for (let at = 0; at < PERIODS_PER_PAGE && edges[edges.length - 1] < end; at += 1) {
      edges.push(Math.min(end, (first + at) * periodMs))
    }
    const page = await deps.store.fold(row.handle, Float64Array.from(edges), memory)
    if (!deps.catalog.index.has(row.handle)) return
    const filled = Array.from({ length: page.length }, (_, at) => at).filter(
      (at) => page.count[at] > 0,
    )
    budget.take(filled.length, asked, place)
    const cellOf = (column: string, at: number) =>
      summaryCell(context, row, { summaries: page, column, at })
    const rows = filled.map((at) => asked.columns.map((column) => cellOf(column, at)))
    if (rows.length > 0) yield rowBatch(rows, asked.columns.length)
    memory.settle()
    await nextTurn()
    from = edges[edges.length - 1]
  }
}

/** Whether the summary tells all columns: texts have no sums, and what is not finite is for SQL to refuse. */
function isTold(
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
