import { EARLIEST_TIME, epochMs, nextIteration } from '../../base/index.ts'
import type {
  SampleColumns,
  SampleReads,
  SampleSpan,
  StreamHandle,
  TextMemory,
} from '../../store/index.ts'
import type { Cycle, Periods, Range } from '../../time/index.ts'
import { isDecimalStatistic } from './decimal-statistic.ts'
import { foldPeriods, type PlacedStream, placementOf } from './fold-periods.ts'
import { RunningStatistic } from './running-statistic.ts'
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
 * A statistic of periods as a statistic call would return it if the stream had ended before the cuts.
 * Whole periods are folded together; those that are cut one by one, or in one walk where they are many.
 */
export async function readCutPeriods(
  store: SampleReads,
  query: CutQuery,
  periods: CutPeriods,
): Promise<CutValues> {
  const { count } = periods
  const data = new Array<StatisticValue>(count).fill(null)
  const isRecorded = new Uint8Array(count)
  const span = await store.span(query.handle)
  if (span === undefined) return { data, isRecorded }
  const placement = placementOf(query.baseCycle)
  const stream: CutStream = { ...query, placement, span }
  const setValue = (row: number, value: StatisticValue, isKnown: boolean): void => {
    data[row] = value
    isRecorded[row] = isKnown ? 1 : 0
  }
  const groups = groupRows(periods, (instant) => placement.sampleTimeAt(instant))
  for (let at = 0; at < groups.length; ) {
    const run = runFrom(groups, at)
    at += run.length
    const isLong = run.length >= RUN_MIN
    if (isLong && !(query.isDecimal && isDecimalStatistic(query.statistic))) {
      await setRun(store, stream, { run, setValue })
    } else {
      for (const group of run) await setGroup(store, stream, { group, setValue })
    }
  }
  return { data, isRecorded }
}

/** Cuts of one period that are computed from its samples, read once, instead of a fold for each. */
const RUN_MIN = 16

/** Samples read at once. */
const PAGE_SAMPLES = 4_096

type Tell = (row: number, value: StatisticValue, isKnown: boolean) => void

interface CutStream extends CutQuery, PlacedStream {
  readonly span: SampleSpan
}

/** The groups from one on that cut the same period. */
function runFrom(groups: readonly RowGroup[], start: number): readonly RowGroup[] {
  const [from] = groups[start].periods.froms
  let end = start + 1
  const isCut = (group: RowGroup): boolean => Number.isFinite(group.cut)
  while (end < groups.length && isCut(groups[end]) && groups[end].periods.froms[0] === from)
    end += 1
  return isCut(groups[start]) ? groups.slice(start, end) : [groups[start]]
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

async function setGroup(
  store: SampleReads,
  query: CutStream,
  { group, setValue }: { readonly group: RowGroup; readonly setValue: Tell },
): Promise<void> {
  const { periods, cut } = group
  const bounded = (instant: number) => Math.min(query.placement.sampleTimeAt(instant), cut)
  const stream = { ...query, placement: { ...query.placement, sampleTimeAt: bounded } }
  const part = await foldPeriods(store, stream, periods)
  const wanted = Array.from({ length: periods.count }, (_, period) => period)
  const { statistic } = query
  const readOne = await periodReader(store, stream, { part, wanted, statistic })
  for (const [at, row] of group.rows.entries()) {
    const entry = group.entries[at]
    const range = { from: periods.froms[entry], until: periods.untils[entry] }
    setValue(
      row,
      readOne(entry),
      isKnown(query, { ...range, cut, hasSamples: part.entries[entry] >= 0 }),
    )
  }
}

/** Whether a period, as it is cut, holds a sample or a gap. */
function isKnown(
  { baseCycle, placement, span }: CutStream,
  period: Range & { readonly cut: number; readonly hasSamples: boolean },
): boolean {
  if (baseCycle === undefined) return period.hasSamples
  const first = Math.max(placement.sampleTimeAt(period.from), span.firstTime)
  const end = Math.min(placement.sampleTimeAt(period.until), period.cut)
  return first < end && first <= span.lastTime
}

/** Walks once through the samples of a period and returns its statistic at every cut. */
async function setRun(
  store: SampleReads,
  stream: CutStream,
  { run, setValue }: { readonly run: readonly RowGroup[]; readonly setValue: Tell },
): Promise<void> {
  const { handle, placement, memory } = stream
  const { periods } = run[0]
  const period = { from: periods.froms[0], until: periods.untils[0] }
  const running = new RunningStatistic(stream.statistic, stream.baseCycle)
  const until = epochMs(Math.max(run[run.length - 1].cut, EARLIEST_TIME))
  const heldBefore = memory?.bytes ?? 0
  let from = epochMs(placement.sampleTimeAt(period.from))
  let page = NO_SAMPLES
  let at = 0
  for (const { cut, rows } of run) {
    for (;;) {
      while (at < page.count && page.times[at] < cut) running.add(page, at++)
      if (at < page.count || from >= cut) break
      await memory?.resize(heldBefore)
      await nextIteration()
      const order = 'oldest_first' as const
      page = await store.range(handle, { from, until, limit: PAGE_SAMPLES, order, memory })
      from = page.count < PAGE_SAMPLES ? until : epochMs(page.times[page.count - 1] + 1)
      at = 0
    }
    const isShown = isKnown(stream, { ...period, cut, hasSamples: !running.isEmpty })
    for (const row of rows) setValue(row, running.value(period), isShown)
  }
}

const NO_SAMPLES: SampleColumns = {
  count: 0,
  times: new Float64Array(0),
  numbers: new Float64Array(0),
}
