import { Pacer } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { VALUE_CODE } from '../../catalog/shape/index.ts'
import { baseCycleOf } from '../../feed/index.ts'
import {
  compiledCycle,
  periodsAt,
  readStatisticsAt,
  STATISTIC_IDS,
  type StatisticId,
} from '../../feed/statistic/index.ts'
import { PromqlError, type SeriesStatistics, type StatisticValues } from '../../promql/plain.ts'
import type { SampleStore, StreamHandle, TextMemory } from '../../store/index.ts'

/** Cycles that an error lists. */
const CYCLES_LISTED_MAX = 100

/** Statistics that are times. PromQL has times in seconds. */
const TIMES: ReadonlySet<string> = new Set(['minoccurrence', 'maxoccurrence'])

/** What a period costs, in times that are filled with its value. */
const PERIOD_WORK = 8

interface CalendarParts {
  readonly catalog: Catalog
  readonly store: SampleStore
  readonly orgUid: string
  readonly memory: TextMemory
  readonly mayRead: (handle: number) => handle is StreamHandle
  /** Throws when the query has ended. */
  readonly checkStop: () => void
}

/** The statistic of the period that contains each time, for some streams. */
export async function calendarStatistics(
  parts: CalendarParts,
  { refs, cycle: cycleId, statistic: text, times }: SeriesStatistics,
): Promise<StatisticValues> {
  const { catalog, store, memory, mayRead } = parts
  const { index } = catalog
  const statistic = readStatistic(text)
  const definition = await catalog.findCycle(parts.orgUid, cycleId)
  if (definition === undefined) throw await unknownCycle(parts, cycleId)
  const byZone = new Map<string, ReturnType<typeof periodsAt>>()
  const values = new Float64Array(refs.length * times.length)
  const present = new Uint8Array(values.length)
  const scale = TIMES.has(statistic) ? 1_000 : 1
  const reads = store.reads?.() ?? store
  const pacer = new Pacer()
  for (const [row, handle] of refs.entries()) {
    parts.checkStop()
    if (!mayRead(handle)) continue
    const { timeZone } = index.componentOf(handle)
    const known = byZone.get(timeZone) ?? periodsAt(compiledCycle(definition, timeZone), times)
    byZone.set(timeZone, known)
    const { periods, places } = await known
    if (!index.has(handle)) continue
    const query = {
      handle,
      baseCycle: baseCycleOf(index, handle),
      statistic,
      isDecimal: index.valueCodeOf(handle) === VALUE_CODE.BIG_DECIMAL,
      memory,
    }
    const found = await readStatisticsAt(reads, query, periods)
    for (const [at, place] of places.entries()) {
      const value = place < 0 ? null : found[place]
      if (value === null) continue
      values[row * times.length + at] = Number(value) / scale
      present[row * times.length + at] = 1
    }
    const waiting = pacer.spend(times.length + PERIOD_WORK * periods.count)
    if (waiting !== undefined) await waiting
  }
  return { values, present }
}

function readStatistic(text: string): StatisticId {
  const id = STATISTIC_IDS.find((known) => known === text)
  if (id !== undefined) return id
  const known = STATISTIC_IDS.join(', ')
  throw new PromqlError(
    'bad_data',
    `unknown statistic "${text}" in __stat__. Statistics are ${known}`,
  )
}

async function unknownCycle(
  { catalog, orgUid }: CalendarParts,
  cycleId: string,
): Promise<PromqlError> {
  const known = await catalog.cycles.listIds(orgUid, CYCLES_LISTED_MAX)
  const shown = cycleId.slice(0, 60)
  return new PromqlError(
    'bad_data',
    `unknown cycle "${shown}" in __cycle__. Cycles are ${known.join(', ')}`,
  )
}
