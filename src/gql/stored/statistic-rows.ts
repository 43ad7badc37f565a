/** Statistics of a cycle, a row for each period. */
import { nextIteration } from '../../base/index.ts'
import { VALUE_CODE } from '../../catalog/shape/index.ts'
import { baseCycleOf } from '../../feed/index.ts'
import {
  readStatistics,
  rollupStatistic,
  STATISTIC_IDS,
  type StatisticId,
} from '../../feed/statistic/index.ts'
import type { InputBatch, RowCell } from '../../sql/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { ALL_PERIODS, type Range } from '../../time/index.ts'
import type { ReadContext } from './read-context.ts'
import { refuseRead } from './sample-budget.ts'
import { numberCell, type RowColumn, sampleCell } from './sample-cells.ts'
import { type StreamRow, streamCell } from './stream-cells.ts'

/** Periods read and handed over at once: some milliseconds of work. */
const PERIODS_PER_PAGE = 5_000

type Statistics = Awaited<ReturnType<typeof readStatistics>>

/** The periods of a stream that are asked for, some at a time, the latest first. */
export async function* readStatisticRows(
  context: ReadContext,
  row: StreamRow,
): AsyncGenerator<InputBatch> {
  const { asked, deps, memory } = context
  const { index } = deps.catalog
  const { handle } = row
  const { cycleId = '', last = Number.POSITIVE_INFINITY } = asked.sample ?? {}
  const cycle = await context.cycleOf(cycleId, index.componentOf(handle).timeZone)
  const ids = await statisticsOf(context, handle)
  let range = await periodRange(context, handle)
  for (let left = last; left > 0 && range.from < range.until; ) {
    const query = {
      handle,
      baseCycle: baseCycleOf(index, handle),
      cycle,
      range,
      memory,
      limit: Math.min(PERIODS_PER_PAGE, left),
      isDecimal: index.valueCodeOf(handle) === VALUE_CODE.BIG_DECIMAL,
    }
    const found = new Map<StatisticId, Statistics>()
    const reads = deps.store.reads?.() ?? deps.store
    for (const statistic of new Set(ids.values())) {
      found.set(statistic, await readStatistics(reads, { ...query, statistic }))
    }
    const [first] = found.values()
    if (first === undefined || first.count === 0 || !index.has(handle)) return
    yield batchOf(context, row, { ids, found, first })
    if (first.count < query.limit) return
    left -= first.count
    range = { from: range.from, until: first.froms[first.count - 1] }
    memory.settle()
    await nextIteration()
  }
}

/** The statistic of each column that shows one, by its number; `-1` is that of the rows themselves. */
async function statisticsOf(
  { asked, deps, place }: ReadContext,
  handle: StreamHandle,
): Promise<Map<number, StatisticId>> {
  const read = (text: string): StatisticId =>
    STATISTIC_IDS.find((id) => id === text.toLowerCase()) ??
    refuseRead(
      place,
      `Cannot find statistic "${text.slice(0, 60)}". Statistics are ${STATISTIC_IDS.join(', ')}`,
    )
  const ids = new Map<number, StatisticId>()
  for (const [column, text] of asked.statistics) ids.set(column, read(text))
  const isOwn = ids.size === 0 || asked.columns.includes('sample')
  if (!isOwn) return ids
  const { stat } = asked.sample ?? {}
  const own =
    stat === undefined
      ? rollupStatistic((await deps.catalog.describeStream(handle)) ?? {})
      : read(stat)
  return ids.set(-1, own)
}

/**
 * Which periods are asked for. A period's row has the time of its end: where Range(…) leaves a side open, a
 * condition on time bounds it.
 */
async function periodRange(
  { asked, deps, periodOf }: ReadContext,
  handle: StreamHandle,
): Promise<Range> {
  const { sample, times } = asked
  if (sample?.last !== undefined) return ALL_PERIODS
  if (sample?.currentCycle !== undefined) {
    return periodOf(sample.currentCycle, deps.catalog.index.componentOf(handle).timeZone)
  }
  return {
    from: Math.max(ALL_PERIODS.from, sample?.sd ?? times.from - 1),
    until: Math.min(ALL_PERIODS.until, sample?.ed ?? times.until),
  }
}

function batchOf(
  { asked, deps }: ReadContext,
  row: StreamRow,
  {
    ids,
    found,
    first,
  }: {
    readonly ids: ReadonlyMap<number, StatisticId>
    readonly found: ReadonlyMap<StatisticId, Statistics>
    readonly first: Statistics
  },
): InputBatch {
  const { handle } = row
  const { index } = deps.catalog
  const valuesOf = (id: StatisticId | undefined): RowColumn => {
    const statistics = id === undefined ? undefined : found.get(id)
    if (id === undefined || statistics === undefined) return { kind: 'constant', value: null }
    const values = statistics.data.map((value, at): RowCell => {
      if (value === null) return null
      if (typeof value === 'number') return statisticCell(id, index.valueCodeOf(handle), value)
      return sampleCell(index, { handle, time: statistics.valueTimes[at], value }, deps.showSample)
    })
    return { kind: 'cells', values }
  }
  const columns = asked.columns.map((column, number): RowColumn => {
    switch (column) {
      case 'time':
      case 'timeed':
        return { kind: 'integers', values: first.untils }
      case 'timesd':
        return { kind: 'integers', values: first.froms }
      case 'sample':
        return valuesOf(ids.get(-1))
      default:
        return ids.has(number)
          ? valuesOf(ids.get(number))
          : { kind: 'constant', value: streamCell(deps, row, column) ?? null }
    }
  })
  return { rowCount: first.count, columns }
}

/** Counts and times are whole, values as the stream's are, means have fractions. */
function statisticCell(id: StatisticId, valueCode: number, value: number): RowCell {
  if (id === 'avg') return value
  const isCount = /count$|occurrence$/.test(id)
  return isCount ? numberCell(VALUE_CODE.LONG, value) : numberCell(valueCode, value)
}
