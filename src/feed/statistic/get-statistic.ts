import type { Principal } from '../../access/index.ts'
import { refuse } from '../../base/index.ts'
import type { Catalog, ComponentEntry } from '../../catalog/index.ts'
import { VALUE_CODE } from '../../catalog/shape/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import { ALL_PERIODS, type Cycle } from '../../time/index.ts'
import { addressPath, findStreams } from '../find-streams.ts'
import { type FeedSeries, withMore } from '../get/feed-series.ts'
import { countAddresses, type GetCommand, type GetDeps, nextSlice } from '../get/get-feed.ts'
import { baseCycleOf } from '../stream-facts.ts'
import { compiledCycle } from './compiled-cycles.ts'
import { placementOf } from './fold-periods.ts'
import { readStatistics, type StatisticColumns, type StatisticQuery } from './statistic.ts'
import { isStreamValue, type StatisticId } from './statistic-id.ts'
import type { StatisticValue } from './statistic-value.ts'

/** How many cycles a message lists. */
const CYCLES_LISTED_MAX = 100

/** Streams read before others get their turn: about a millisecond. */
const STREAMS_PER_SLICE = 32

/** What a statistic call asks for. */
export interface StatisticCommand extends GetCommand {
  readonly cycleId: string
  readonly statistic: StatisticId
}

/** A statistic of each stream of a path, in definition order, latest first, up to the limit. */
export function getStatistics(
  deps: GetDeps,
  principal: Principal,
  command: StatisticCommand,
): Promise<FeedSeries[]> {
  return collect(deps, principal, { ...command, isLast: false })
}

/** The last statistic sample of each stream of a path that has one, up to the limit. */
export function getLastStatistics(
  deps: GetDeps,
  principal: Principal,
  command: StatisticCommand,
): Promise<FeedSeries[]> {
  return collect(deps, principal, { ...command, isLast: true })
}

async function collect(
  deps: GetDeps,
  principal: Principal,
  command: StatisticCommand & { readonly isLast: boolean },
): Promise<FeedSeries[]> {
  const { index } = deps.catalog
  const { component, handles } = findStreams(index, principal, command.path, 'GET')
  const cycle = await requireCycle(deps.catalog, component, command.cycleId)
  const list: FeedSeries[] = []
  let left = command.limit
  // The first slice waits, too: hundreds of calls may begin in one turn.
  const isWide = handles.length > STREAMS_PER_SLICE
  for (const [at, handle] of handles.entries()) {
    // Streams without samples cost no limit, and a component may have very many of them.
    if (at % STREAMS_PER_SLICE === 0 && isWide) await nextSlice(command)
    const query: StatisticQuery = {
      handle,
      baseCycle: baseCycleOf(index, handle),
      cycle,
      statistic: command.statistic,
      range: { from: command.from ?? ALL_PERIODS.from, until: command.until ?? ALL_PERIODS.until },
      limit: command.isLast ? 1 : left,
      isFilledOnly: command.isLast,
      isDecimal: index.valueCodeOf(handle) === VALUE_CODE.BIG_DECIMAL,
      memory: command.memory,
    }
    if (left === 0) {
      if (await hasPeriod(deps.store, query, query.range.until)) return withMore(list)
      continue
    }
    const columns = await readStatistics(deps.store, query)
    if (columns.count === 0) continue
    list.push(await showStatistic(deps, { compId: component.compId, handle, columns }, command))
    left -= columns.count
    if (left > 0 || command.isLast) continue
    const oldest = columns.froms[columns.count - 1]
    if (await hasPeriod(deps.store, query, oldest)) return withMore(list)
  }
  return list
}

/** A statistic of one stream for the latest periods of a range, and whether there are more of them. */
export async function readPeriods(
  { catalog, store }: GetDeps,
  stream: { readonly component: ComponentEntry; readonly handle: StreamHandle },
  asked: {
    readonly cycleId: string
    readonly statistic: StatisticId
    readonly range: StatisticQuery['range']
    readonly limit: number
    readonly memory?: StatisticQuery['memory']
  },
): Promise<{ readonly columns: StatisticColumns; readonly isMore: boolean }> {
  const { component, handle } = stream
  const { statistic, range, limit, memory } = asked
  const query: StatisticQuery = {
    handle,
    statistic,
    range,
    limit,
    memory,
    baseCycle: baseCycleOf(catalog.index, handle),
    cycle: await requireCycle(catalog, component, asked.cycleId),
    isDecimal: catalog.index.valueCodeOf(handle) === VALUE_CODE.BIG_DECIMAL,
  }
  const columns = await readStatistics(store, query)
  if (columns.count < limit) return { columns, isMore: false }
  return { columns, isMore: await hasPeriod(store, query, columns.froms[columns.count - 1]) }
}

/** Whether a query would find a period before a time; asked only where its limit is spent. */
async function hasPeriod(
  store: GetDeps['store'],
  query: StatisticQuery,
  until: number,
): Promise<boolean> {
  const { from } = query.range
  if (from >= until) return false
  // The first sample alone mostly shows it.
  const span = await store.span(query.handle)
  const first = span && placementOf(query.baseCycle).instantOf(span.firstTime)
  if (first === undefined || first >= until) return false
  if (first >= from && query.cycle.periodOf(first) !== undefined) return true
  // A count needs no values, which may be long.
  const cheap = { statistic: 'nongapcount', limit: 1, isDecimal: false } as const
  const heldBefore = query.memory?.bytes ?? 0
  const { count } = await readStatistics(store, { ...query, ...cheap, range: { from, until } })
  await query.memory?.resize(heldBefore)
  return count > 0
}

async function requireCycle(
  catalog: Catalog,
  component: ComponentEntry,
  cycleId: string,
): Promise<Cycle> {
  const definition = await catalog.findCycle(component.orgUid, cycleId)
  if (definition === undefined) {
    const known = await catalog.cycles.listIds(component.orgUid, CYCLES_LISTED_MAX)
    refuse('cycle_not_found', {
      what: `Cannot find cycle "${cycleId}". Cycles are ${known.join(', ')}`,
    })
  }
  return compiledCycle(definition, component.timeZone)
}

interface ReadStatistic {
  readonly compId: string
  readonly handle: StreamHandle
  readonly columns: StatisticColumns
}

async function showStatistic(
  deps: GetDeps,
  { compId, handle, columns }: ReadStatistic,
  { fields, statistic, memory }: StatisticCommand,
): Promise<FeedSeries> {
  const { index } = deps.catalog
  const { count, data, froms, untils, valueTimes } = columns
  const streamId = index.streamIdOf(handle)
  const isFile = index.valueCodeOf(handle) === VALUE_CODE.FILE
  const path = isFile ? addressPath(index, handle) : undefined
  if (path !== undefined) await countAddresses({ path, count }, memory)
  const show = (text: string, at: number): string =>
    path === undefined ? text : deps.showFile(text, { ...path, time: valueTimes[at] })
  const { numbers, texts, gaps } = splitValues(data, show)
  const hasUnit = isStreamValue(statistic) && (fields.fData || fields.unit)
  return {
    compId,
    streamId,
    count,
    times: untils,
    starts: froms,
    numbers,
    texts,
    gaps,
    isBoolean: false,
    isDecimal: index.valueCodeOf(handle) === VALUE_CODE.BIG_DECIMAL,
    unit: hasUnit ? await deps.catalog.unitOf(handle) : undefined,
  }
}

interface SplitValues {
  readonly numbers: Float64Array
  texts: (string | undefined)[] | undefined
  gaps: Uint8Array | undefined
}

/** Values as the columns of a series: numbers, and texts and gaps where there are any. */
function splitValues(
  data: readonly StatisticValue[],
  show: (text: string, at: number) => string,
): SplitValues {
  const count = data.length
  const split: SplitValues = {
    numbers: new Float64Array(count),
    texts: undefined,
    gaps: undefined,
  }
  for (let at = 0; at < count; at++) {
    const value = data[at]
    if (typeof value === 'number') {
      split.numbers[at] = value
    } else if (value === null) {
      split.gaps ??= new Uint8Array(count)
      split.gaps[at] = 1
    } else {
      split.texts ??= new Array<string | undefined>(count).fill(undefined)
      split.texts[at] = show(value, at)
    }
  }
  return split
}
