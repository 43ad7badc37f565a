/** Rows of a derived stream with one result for each interval of its base cycle. */
import { EARLIEST_TIME, epochMs } from '../../base/index.ts'
import { type CutValues, readCutPeriods, type StatisticId } from '../../feed/statistic/index.ts'
import type { SampleSpan } from '../../store/index.ts'
import type { Cycle } from '../../time/index.ts'
import type { DerivationPlan, PlanVariable } from '../derivation-plan.ts'
import { ColumnFiller, type InputColumn } from './input-column.ts'
import { type IntervalRows, walkIntervals } from './interval-walk.ts'
import { type BlockQuery, emptyBlock, type InputBlock } from './random-block.ts'
import { cutQueryOf, type ReadDeps, windowColumn } from './window-columns.ts'

/** A plan with a base cycle. */
interface IntervalPlan {
  readonly plan: DerivationPlan
  readonly cycle: Cycle
}

/** The next rows of a stream with interval results; the time of a row is the end of its interval. */
export async function readIntervalBlock(
  deps: ReadDeps,
  { plan, cycle }: IntervalPlan,
  query: BlockQuery,
): Promise<InputBlock> {
  const sources = distinctSources(plan)
  const spans = await Promise.all(sources.map(({ handle }) => deps.store.span(handle)))
  const bounds = boundsOf(plan, spans, query)
  const none = emptyBlock(plan, query.until)
  if (bounds === undefined) return none
  const from = await nextFilled(deps, { plan, cycle, sources, spans }, bounds)
  if (from === undefined) return none
  const intervals = walkIntervals(cycle, {
    from,
    last: bounds.last,
    limit: query.limit,
    before: Math.max(0, ...plan.variables.map(({ window, offset }) => (window ? 0 : -offset))),
  })
  const count = intervals.count - intervals.before
  if (count === 0) return none
  const times = intervals.untils.subarray(intervals.before)
  const until = count < query.limit ? query.until : times[count - 1] + 1
  const rollUp = rollUps(deps, intervals)
  const columns: InputColumn[] = []
  for (const variable of plan.variables) {
    const { window, rollup = 'last' } = variable
    if (window !== undefined) {
      columns.push(await periodColumn(deps, { ...variable, window }, times))
      continue
    }
    const values = await rollUp(variable, rollup)
    const lasts = plan.trigger === 'ANY' ? await rollUp(variable, 'last') : undefined
    const carry = lasts && (await carried(deps, variable, { intervals, lasts }))
    columns.push(rollupColumn(values, { intervals, before: -variable.offset, carry }))
  }
  if (plan.trigger === 'ANY') {
    const touched = await Promise.all(sources.map((source) => rollUp(source, 'last')))
    columns[0] = onlyTouched(columns[0], touched, intervals)
  }
  return { times, columns, until }
}

/** One variable for each source. */
function distinctSources({ variables }: DerivationPlan): PlanVariable[] {
  return [...new Map(variables.map((variable) => [variable.handle, variable])).values()]
}

function plainOf({ variables }: DerivationPlan): PlanVariable[] {
  return variables.filter(({ window }) => window === undefined)
}

interface RowBounds {
  /** Ends from here … */
  readonly from: number
  /** … to here can have results. */
  readonly last: number
}

/** With ALL every source must have gone past the end of an interval, with ANY one of them. */
function boundsOf(
  { trigger }: DerivationPlan,
  spans: readonly (SampleSpan | undefined)[],
  { from, until }: BlockQuery,
): RowBounds | undefined {
  const known = spans.filter((span) => span !== undefined)
  const isAny = trigger === 'ANY'
  if (known.length === 0 || (!isAny && known.length < spans.length)) return undefined
  const firsts = known.map(({ firstTime }) => firstTime)
  const lasts = known.map(({ lastTime }) => lastTime)
  const first = isAny ? Math.min(...firsts) : Math.max(...firsts)
  const last = isAny ? Math.max(...lasts) : Math.min(...lasts)
  const bounds = { from: Math.max(from, first), last: Math.min(last, until - 1) }
  return bounds.from <= bounds.last ? bounds : undefined
}

interface Filled extends IntervalPlan {
  /** One variable for each source, and where each source begins and ends. */
  readonly sources: readonly PlanVariable[]
  readonly spans: readonly (SampleSpan | undefined)[]
}

/**
 * The first end from which on there can be a result: stretches in which a random source has nothing
 * may be very many intervals long, and are jumped over.
 */
async function nextFilled(
  { store }: ReadDeps,
  { plan, cycle, sources, spans }: Filled,
  { from, last }: RowBounds,
): Promise<number | undefined> {
  const isAny = plan.trigger === 'ANY'
  const needed = new Set(
    plainOf(plan)
      .filter(({ offset }) => offset === 0)
      .map((one) => one.handle),
  )
  const start = (cycle.periodOf(from - 1) ?? cycle.next(from - 1))?.from
  if (start === undefined || start >= last) return undefined
  const nexts: number[] = []
  for (const [at, { handle, source }] of sources.entries()) {
    if (!isAny && !needed.has(handle)) continue
    const span = spans[at]
    if (source.kind === 'interval') {
      if (span !== undefined && span.lastTime > start) nexts.push(Math.max(from, span.firstTime))
      continue
    }
    const { count, times } = await store.range(handle, {
      from: epochMs(Math.max(start, EARLIEST_TIME)),
      until: epochMs(last),
      limit: 1,
      order: 'oldest_first',
      isTimesOnly: true,
    })
    if (count > 0) nexts.push(Math.max(from, times[0] + 1))
    else if (!isAny) return undefined
  }
  if (isAny) return nexts.length === 0 ? undefined : Math.min(...nexts)
  return Math.max(from, ...nexts)
}

/** Returns the value of a source for each interval; equal requests are read once. */
function rollUps({ store, memory }: ReadDeps, intervals: IntervalRows) {
  const cuts = new Float64Array(intervals.count).fill(Number.POSITIVE_INFINITY)
  const known = new Map<string, Promise<CutValues>>()
  return (variable: PlanVariable, statistic: StatisticId): Promise<CutValues> => {
    const key = `${variable.handle} ${statistic}`
    return known.getOrInsertComputed(key, () => {
      const query = { ...cutQueryOf(variable), statistic, memory }
      return readCutPeriods(store.reads?.() ?? store, query, { ...intervals, cuts })
    })
  }
}

interface RollupRows {
  readonly intervals: IntervalRows
  /** How many intervals before its row a value lies. */
  readonly before: number
  /** What stands in for intervals without a sample. */
  readonly carry: readonly (number | string | undefined)[] | undefined
}

function rollupColumn(
  { data, isRecorded }: CutValues,
  { intervals, before, carry }: RollupRows,
): InputColumn {
  const count = intervals.count - intervals.before
  const column = new ColumnFiller(count)
  for (let row = 0; row < count; row++) {
    const at = intervals.before + row - before
    if (at < 0) continue
    const carriedValue = carry?.[at]
    if (isRecorded[at] === 1) column.set(row, data[at])
    else if (carriedValue !== undefined) column.set(row, carriedValue)
  }
  return column
}

/** The latest sample before each interval; undefined where there is none. */
async function carried(
  { store, memory }: ReadDeps,
  { handle, source }: PlanVariable,
  { intervals, lasts }: { readonly intervals: IntervalRows; readonly lasts: CutValues },
): Promise<(number | string | undefined)[]> {
  // A sample at the start of an interval is its own, unless it stands for the interval before.
  const until = intervals.froms[0] + (source.kind === 'interval' ? 1 : 0)
  const earlier = await store.range(handle, {
    from: EARLIEST_TIME,
    until: epochMs(Math.max(until, EARLIEST_TIME)),
    limit: 1,
    order: 'latest_first',
    memory,
  })
  let value = earlier.count === 0 ? undefined : (earlier.texts?.[0] ?? earlier.numbers[0])
  return lasts.data.map((last) => {
    const before = value
    value = last ?? value
    return before
  })
}

/** A statistic of the period in which each interval ends, over the samples up to that end. */
function periodColumn(
  deps: ReadDeps,
  variable: PlanVariable & { readonly window: NonNullable<PlanVariable['window']> },
  ends: Float64Array,
): Promise<InputColumn> {
  // A sample of an interval stream at the end is the last of what lies before it.
  const more = variable.source.kind === 'interval' ? 1 : 0
  return windowColumn(deps, variable, {
    instants: ends.map((end) => end - 1),
    cuts: ends.map((end) => end + more),
  })
}

/** Takes rows out in whose interval no source has a sample. */
function onlyTouched(
  column: InputColumn,
  touched: readonly CutValues[],
  { before }: IntervalRows,
): InputColumn {
  const absent = Uint8Array.from(column.numbers, (_, row) => {
    const isTouched = touched.some(({ isRecorded }) => isRecorded[before + row] === 1)
    return isTouched && column.absent?.[row] !== 1 ? 0 : 1
  })
  return { ...column, absent }
}
