import type { SampleStore, StreamHandle, TextMemory } from '../../store/index.ts'
import type { Cycle, Periods } from '../../time/index.ts'
import { foldPeriods, type PlacedStream, placementOf } from './fold-periods.ts'
import { periodReader } from './statistic.ts'
import type { StatisticId } from './statistic-id.ts'
import type { StatisticValue } from './statistic-value.ts'

/** A stream and the statistic that is asked of it. */
export interface CutQuery {
  readonly handle: StreamHandle
  /** Where the stream is an interval stream: its base cycle. */
  readonly baseCycle: Cycle | undefined
  /** Whether the stream's samples are decimal numbers, kept as texts. */
  readonly isDecimal: boolean
  readonly statistic: StatisticId
  readonly memory?: TextMemory
}

/** Periods that ascend and may repeat: of period i only samples before the time cuts[i] count. */
interface CutPeriods extends Periods {
  /** Ascending within a period; Infinity: the whole of it. */
  readonly cuts: Float64Array
}

/** Statistics of some periods. */
export interface CutValues {
  readonly data: readonly StatisticValue[]
  /**
   * Whether a period has a value or is known to have none (1): one with samples, or, of an interval
   * stream, one with intervals from its first to its last sample. 0: nothing is known of it.
   */
  readonly isRecorded: Uint8Array
}

/**
 * A statistic of periods as a statistic call would tell it if the stream had ended before the cuts.
 * Whole periods are folded together, those that are cut one by one.
 */
export async function readCutPeriods(
  store: SampleStore,
  query: CutQuery,
  periods: CutPeriods,
): Promise<CutValues> {
  const { count } = periods
  const data = new Array<StatisticValue>(count).fill(null)
  const isRecorded = new Uint8Array(count)
  const span = await store.span(query.handle)
  if (span === undefined) return { data, isRecorded }
  const placement = placementOf(query.baseCycle)
  const groups = groupRows(periods, (instant) => placement.sampleTimeAt(instant))
  for (const group of groups) {
    const bounded = (instant: number) => Math.min(placement.sampleTimeAt(instant), group.cut)
    const stream = { ...query, placement: { ...placement, sampleTimeAt: bounded } }
    const values = await readGroup(store, stream, group.periods)
    for (const [at, row] of group.rows.entries()) {
      const entry = group.entries[at]
      data[row] = values.data[entry]
      isRecorded[row] = values.isRecorded(entry, span) ? 1 : 0
    }
  }
  return { data, isRecorded }
}

/** Rows that are folded together: the whole periods, or those of one period with one cut. */
interface RowGroup {
  readonly cut: number
  readonly rows: number[]
  /** Which of the periods each row asks for. */
  readonly entries: number[]
  readonly periods: Periods
}

function groupRows(
  { count, froms, untils, cuts }: CutPeriods,
  sampleTimeAt: (instant: number) => number,
): RowGroup[] {
  const whole = { cut: Number.POSITIVE_INFINITY, rows: [] as number[], entries: [] as number[] }
  const [wholeFroms, wholeUntils]: number[][] = [[], []]
  const groups: RowGroup[] = []
  for (let row = 0; row < count; row++) {
    const isRepeated = row > 0 && froms[row] === froms[row - 1] && untils[row] === untils[row - 1]
    const latest = groups.at(-1)
    if (cuts[row] >= sampleTimeAt(untils[row])) {
      if (wholeFroms.at(-1) !== froms[row]) {
        wholeFroms.push(froms[row])
        wholeUntils.push(untils[row])
      }
      whole.rows.push(row)
      whole.entries.push(wholeFroms.length - 1)
    } else if (isRepeated && latest?.cut === cuts[row]) {
      latest.rows.push(row)
      latest.entries.push(0)
    } else {
      const periods = { count: 1, ...one(froms[row], untils[row]) }
      groups.push({ cut: cuts[row], rows: [row], entries: [0], periods })
    }
  }
  if (whole.rows.length > 0) groups.push({ ...whole, periods: periodsOf(wholeFroms, wholeUntils) })
  return groups
}

function one(from: number, until: number) {
  return { froms: Float64Array.of(from), untils: Float64Array.of(until) }
}

function periodsOf(froms: readonly number[], untils: readonly number[]): Periods {
  return {
    count: froms.length,
    froms: Float64Array.from(froms),
    untils: Float64Array.from(untils),
  }
}

async function readGroup(store: SampleStore, stream: CutQuery & PlacedStream, periods: Periods) {
  const { statistic, placement, baseCycle } = stream
  const part = await foldPeriods(store, stream, periods)
  const wanted = Array.from({ length: periods.count }, (_, period) => period)
  const readOne = await periodReader(store, stream, { part, wanted, statistic })
  const isRecorded = (entry: number, span: { firstTime: number; lastTime: number }): boolean => {
    if (baseCycle === undefined) return part.entries[entry] >= 0
    const first = Math.max(placement.sampleTimeAt(periods.froms[entry]), span.firstTime)
    return first < placement.sampleTimeAt(periods.untils[entry]) && first <= span.lastTime
  }
  return { data: wanted.map(readOne), isRecorded }
}
