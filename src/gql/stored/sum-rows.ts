/** Sums of the samples of streams: one row tells of all of them, or one of each where that is not known. */
import { nextTurn } from '../../base/index.ts'
import type { InputBatch, RowCell } from '../../sql/index.ts'
import type { SampleColumns, Summaries } from '../../store/index.ts'
import { rowBatch } from './component-rows.ts'
import type { ReadContext } from './read-context.ts'
import { isNumeric, numberCell, sampleCell } from './sample-cells.ts'
import { rangeOf, readPages } from './sample-rows.ts'
import { STREAMS_PER_SLICE, type StreamRow, streamCell } from './stream-cells.ts'

/** What is known of numbers only. */
const OF_NUMBERS = new Set(['sum()', 'mean()', 'min()', 'max()'])

/** Rows of sums that are handed over at once. */
const ROWS_PER_BATCH = 250

/** The sums of some streams as rows. */
export async function* readSumRows(
  context: ReadContext,
  streams: readonly StreamRow[],
): AsyncGenerator<InputBatch> {
  const { asked, budget, deps, memory, place } = context
  const { index } = deps.catalog
  let rows: RowCell[][] = []
  for (const [at, row] of streams.entries()) {
    if (at % STREAMS_PER_SLICE === STREAMS_PER_SLICE - 1) await nextTurn()
    if (!index.has(row.handle)) continue
    const range = await rangeOf(context, row.handle)
    if (range.from >= range.until) continue
    const edges = Float64Array.of(range.from, range.until)
    const summaries = await deps.store.fold(row.handle, edges, memory)
    if (summaries.count[0] === 0 || !index.has(row.handle)) continue
    if (isTold(context, row, summaries)) {
      budget.take(1, asked, place)
      rows.push(asked.columns.map((column) => summaryCell(context, row, { summaries, column })))
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

function summaryCell(
  { deps }: ReadContext,
  row: StreamRow,
  { summaries, column }: { readonly summaries: Summaries; readonly column: string },
): RowCell {
  const { handle } = row
  const { index } = deps.catalog
  const valueCode = index.valueCodeOf(handle)
  const cellOf = (value: number | string, time: number): RowCell =>
    sampleCell(index, { handle, time, value }, deps.showSample)
  switch (column) {
    case 'count()':
      return BigInt(summaries.count[0])
    case 'sum()':
      return numberCell(valueCode, summaries.sum[0])
    case 'mean()':
      return summaries.mean[0]
    case 'min()':
      return numberCell(valueCode, summaries.min[0])
    case 'max()':
      return numberCell(valueCode, summaries.max[0])
    case 'first()':
      return cellOf(summaries.first[0], summaries.firstTime[0])
    case 'last()':
      return cellOf(summaries.last[0], summaries.lastTime[0])
    case 'firsttime()':
      return BigInt(summaries.firstTime[0])
    case 'lasttime()':
      return BigInt(summaries.lastTime[0])
    default:
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
    if (/time\(\)$/.test(column)) return { kind: 'integers', values: times }
    if (column.endsWith('()')) return { kind: 'cells', values }
    return { kind: 'constant', value: streamCell(deps, row, column) ?? null }
  })
  return { rowCount: count, columns }
}
