import { nextIteration } from '../../base/index.ts'
import type { SampleReads } from '../../store/index.ts'
import type { Cycle, Periods } from '../../time/index.ts'
import { foldPeriods, placementOf } from './fold-periods.ts'
import { periodReader, type StatisticQuery } from './statistic.ts'
import type { StatisticValue } from './statistic-value.ts'

/** Times whose periods are looked up before other calls may run. */
const PER_SLICE = 512

/** The periods that contain some times. */
interface PeriodsAt {
  readonly periods: Periods
  /** The period of each time, -1 where none contains it. */
  readonly places: Int32Array
}

/** The periods of a cycle that contain ascending times. */
export async function periodsAt(cycle: Cycle, times: Float64Array): Promise<PeriodsAt> {
  const places = new Int32Array(times.length).fill(-1)
  const froms = new Float64Array(times.length)
  const untils = new Float64Array(times.length)
  let count = 0
  for (let at = 0; at < times.length; at++) {
    if (at % PER_SLICE === PER_SLICE - 1) await nextIteration()
    if (count === 0 || times[at] >= untils[count - 1]) {
      const period = cycle.periodOf(times[at])
      if (period === undefined) continue
      froms[count] = period.from
      untils[count] = period.until
      count += 1
    }
    places[at] = count - 1
  }
  return {
    periods: { count, froms: froms.subarray(0, count), untils: untils.subarray(0, count) },
    places,
  }
}

/**
 * A statistic of one stream for some periods, null where there is none. As in `readStatistics`, periods without a sample
 * have no value, except those of an interval stream from its first sample to its last.
 */
export async function readStatisticsAt(
  store: SampleReads,
  query: Omit<StatisticQuery, 'cycle' | 'range' | 'limit'>,
  periods: Periods,
): Promise<StatisticValue[]> {
  const { handle, baseCycle, statistic, memory, isDecimal = false } = query
  const values = new Array<StatisticValue>(periods.count).fill(null)
  const span = await store.span(handle)
  if (span === undefined) return values
  const placement = placementOf(baseCycle)
  const first = placement.instantOf(span.firstTime)
  const last = placement.instantOf(span.lastTime)
  const recorded = indexesWhere(periods, (from, until) => from <= last && until > first)
  if (recorded.length === 0) return values
  const chosen = {
    count: recorded.length,
    froms: Float64Array.from(recorded, (at) => periods.froms[at]),
    untils: Float64Array.from(recorded, (at) => periods.untils[at]),
  }
  const stream = { handle, baseCycle, placement, isDecimal, memory }
  const part = await foldPeriods(store, stream, chosen)
  const wanted = indexesWhere(chosen, (_from, _until, at) => {
    return baseCycle !== undefined || part.entries[at] >= 0
  })
  const readOne = await periodReader(store, stream, { part, wanted, statistic })
  for (const at of wanted) values[recorded[at]] = readOne(at)
  return values
}

function indexesWhere(
  { count, froms, untils }: Periods,
  accepts: (from: number, until: number, at: number) => boolean,
): number[] {
  const found: number[] = []
  for (let at = 0; at < count; at++) if (accepts(froms[at], untils[at], at)) found.push(at)
  return found
}
