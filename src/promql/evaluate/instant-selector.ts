import { PROMQL_LOOKBACK_MS } from '../promql-limits.ts'
import { StaleTest } from '../series/stale-marker.ts'
import { emptySeries, hasValues, type StepGrid, type StepSeries } from '../series/step-series.ts'
import type { SelectedOne, SeriesMatcher } from '../source.ts'
import type { SelectorNode } from '../syntax/query-node.ts'
import { type Evaluation, shiftedGrid, stepTime } from './evaluation.ts'
import { type CalendarStatistic, calendarStatistic, findSeries } from './find-series.ts'
import { readBlocks, type SampleColumn, type StepBlock } from './read-blocks.ts'

/** Series of one call for calendar statistics. */
const STATISTIC_SERIES_MAX = 256

/** What a selector yields at each step: the value of its latest sample, or the time of that sample. */
type SelectorPart = 'value' | 'time'

/** The series of an instant selector at each step of a grid. */
export async function evaluateSelector(
  evaluation: Evaluation,
  node: SelectorNode,
  { grid, part }: { readonly grid: StepGrid; readonly part: SelectorPart },
): Promise<StepSeries[]> {
  const dataGrid = shiftedGrid(evaluation, node, grid)
  const calendar = calendarStatistic(node)
  if (calendar !== undefined) return readCalendar(evaluation, { node, calendar, dataGrid, part })
  return latestSamples(evaluation, { matchers: node.matchers, grid: dataGrid, part })
}

interface LatestRequest {
  readonly matchers: readonly SeriesMatcher[]
  /** The times at which samples are looked for. */
  readonly grid: StepGrid
  readonly part: SelectorPart
}

/** The latest samples of matching series at each step, unless they are stale or too old. */
export async function latestSamples(
  evaluation: Evaluation,
  { matchers, grid, part }: LatestRequest,
): Promise<StepSeries[]> {
  const until = stepTime(grid, grid.count - 1)
  const from = grid.start - (evaluation.lookbackMs ?? PROMQL_LOOKBACK_MS)
  const series = await findSeries(evaluation, matchers, { from, until })
  evaluation.memory.hold(series.length * grid.count)
  const rows = series.map(({ labels }) => emptySeries(labels, grid.count))
  const isOne = grid.count === 1 && part === 'value'
  const rest = isOne
    ? await foldLatest(evaluation, { series, grid, rows })
    : series.map((_, i) => i)
  const read = rest.map((index) => series[index])
  const reachMs = read.reduce((longest, { lookbackMs }) => Math.max(longest, lookbackMs), 0)
  const request = { series: read, grid, reachMs, isLatestOnly: true }
  await readBlocks(evaluation, request, (index, samples, block) => {
    const row = rows[rest[index]]
    fillLatest({ samples, grid, block, row, part, lookbackMs: read[index].lookbackMs })
  })
  return rows.filter(hasValues)
}

/** Takes the values of one step from the source's own knowledge of latest samples. Returns the series without one. */
async function foldLatest(
  evaluation: Evaluation,
  request: {
    readonly series: readonly SelectedOne[]
    readonly grid: StepGrid
    readonly rows: readonly StepSeries[]
  },
): Promise<number[]> {
  const byLookback = Map.groupBy(request.series.keys(), (index) => request.series[index].lookbackMs)
  const rest: number[] = []
  for (const [lookbackMs, indexes] of byLookback) {
    const folded = await evaluation.source.fold({
      refs: indexes.map((index) => request.series[index].ref),
      statistic: 'last',
      firstFrom: request.grid.start - lookbackMs,
      windowMs: lookbackMs,
      windowCount: 1,
    })
    for (const [at, index] of indexes.entries()) {
      if (folded === undefined || folded.isFolded[at] === 0) {
        rest.push(index)
        continue
      }
      request.rows[index].values[0] = folded.values[at]
      request.rows[index].present[0] = folded.present[at]
    }
  }
  return rest.sort((a, b) => a - b)
}

function fillLatest(fill: {
  readonly samples: SampleColumn
  readonly grid: StepGrid
  readonly block: StepBlock
  readonly row: StepSeries
  readonly part: SelectorPart
  readonly lookbackMs: number
}): void {
  const { grid, block, row, part, lookbackMs } = fill
  const { times, values } = fill.samples
  const stale = new StaleTest(values)
  let next = 0
  for (let step = block.first; step < block.end; step++) {
    const time = stepTime(grid, step)
    while (next < times.length && times[next] <= time) next++
    const at = next - 1
    row.present[step] = 0
    if (at < 0 || times[at] <= time - lookbackMs) continue
    const value = values[at]
    if (Number.isNaN(value) && stale.isStale(at)) continue
    row.values[step] = part === 'value' ? value : times[at] / 1000
    row.present[step] = 1
  }
}

interface CalendarRequest {
  readonly node: SelectorNode
  readonly calendar: CalendarStatistic
  readonly dataGrid: StepGrid
  readonly part: SelectorPart
}

async function readCalendar(
  evaluation: Evaluation,
  { node, calendar, dataGrid, part }: CalendarRequest,
): Promise<StepSeries[]> {
  const { count } = dataGrid
  const span = { from: dataGrid.start - 1, until: stepTime(dataGrid, count - 1) }
  const series = await findSeries(evaluation, node.matchers, span)
  evaluation.memory.hold(series.length * count)
  const distinct = dataGrid.stepMs === 0 ? 1 : count
  const times = Float64Array.from({ length: distinct }, (_, step) => stepTime(dataGrid, step))
  const rows: StepSeries[] = []
  for (let first = 0; first < series.length; first += STATISTIC_SERIES_MAX) {
    evaluation.checkStop()
    const some = series.slice(first, first + STATISTIC_SERIES_MAX)
    const refs = some.map(({ ref }) => ref)
    const found = await evaluation.source.statistics({ refs, ...calendar, times })
    for (const [index, { labels }] of some.entries()) {
      const row = emptySeries(labels, count)
      for (let step = 0; step < count; step++) {
        const at = index * distinct + (distinct === 1 ? 0 : step)
        row.present[step] = found.present[at]
        row.values[step] = part === 'value' ? found.values[at] : times[at % distinct] / 1000
      }
      rows.push(row)
    }
  }
  return rows.filter(hasValues)
}
