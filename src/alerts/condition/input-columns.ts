/** The values of a condition's inputs for some samples of one stream. */
import { EARLIEST_TIME, epochMs, Pacer } from '../../base/index.ts'
import type { StatisticId } from '../../catalog/shape/index.ts'
import { readCutPeriods } from '../../feed/statistic/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import type { Cycle, Period } from '../../time/index.ts'
import type { ConditionInput } from './condition-inputs.ts'

/** Samples whose inputs are read. */
interface InputRows {
  readonly count: number
  readonly times: Float64Array
  readonly numbers: Float64Array
  readonly texts?: readonly (string | undefined)[] | undefined
}

/** The stream, and what its conditions refer to. */
export interface InputSource {
  readonly store: SampleStore
  readonly handle: StreamHandle
  /** Of an interval stream its base cycle. */
  readonly baseCycle: Cycle | undefined
  readonly isDecimal: boolean
  /** A cycle by its ID, in the component's zone. */
  readonly findCycle: (cycleId: string) => Cycle | undefined
  /** Another stream of the component. */
  readonly findStream: (streamId: string) => StreamHandle | undefined
}

/** The values of one input: numbers, or texts where there are some. NaN without a text: nothing. */
export interface ValueColumn {
  readonly numbers: Float64Array
  readonly texts?: (string | undefined)[] | undefined
}

const MINUTE_MS = 60_000
/** Windows that are read before others get a turn: each may take a millisecond. */
const WINDOWS_PER_SLICE = 8
/** Samples of other streams that are read before others get a turn. */
const READS_PER_SLICE = 256

/** Whether the values of an input are those of the samples themselves. */
export function isOwn(input: ConditionInput): boolean {
  return (input.kind === 'value' || input.kind === 'time') && input.back === 0
}

/** Reads the column of an input. */
export async function readColumn(
  source: InputSource,
  input: ConditionInput,
  rows: InputRows,
): Promise<ValueColumn> {
  switch (input.kind) {
    case 'value':
    case 'time':
      return await earlierColumn(source, input, rows)
    case 'stat':
      return await periodColumn(source, input, rows)
    case 'recent':
      return await recentColumn(source, input, rows)
    case 'stream':
      return await otherColumn(source, input.streamId, rows)
  }
}

/** Samples that many places before each. */
async function earlierColumn(
  { store, handle }: InputSource,
  { kind, back }: Extract<ConditionInput, { kind: 'value' | 'time' }>,
  rows: InputRows,
): Promise<ValueColumn> {
  if (back === 0) return ownColumn(kind, rows)
  const before = await store.range(handle, {
    from: EARLIEST_TIME,
    until: epochMs(rows.times[0]),
    limit: back,
    order: 'latest_first',
  })
  const numbers = new Float64Array(rows.count).fill(Number.NaN)
  const texts: (string | undefined)[] = []
  for (let row = 0; row < rows.count; row += 1) {
    const inside = row - back
    const outside = back - row - 1
    const [from, at] = inside >= 0 ? [rows, inside] : [before, outside]
    if (at >= from.count) continue
    numbers[row] = kind === 'time' ? from.times[at] : from.numbers[at]
    const text = kind === 'time' ? undefined : from.texts?.[at]
    if (text !== undefined) texts[row] = text
  }
  return { numbers, texts: texts.length === 0 ? undefined : texts }
}

function ownColumn(kind: 'value' | 'time', rows: InputRows): ValueColumn {
  if (kind === 'time') return { numbers: rows.times }
  return { numbers: rows.numbers, texts: rows.texts && [...rows.texts] }
}

/** The statistic of the period that holds each sample, up to and including it, or of an earlier one as a whole. */
async function periodColumn(
  source: InputSource,
  input: Extract<ConditionInput, { kind: 'stat' }>,
  rows: InputRows,
): Promise<ValueColumn> {
  const cycle = source.findCycle(input.cycleId)
  const wanted: { row: number; period: Period; cut: number }[] = []
  for (let row = 0; cycle !== undefined && row < rows.count; row += 1) {
    const time = rows.times[row]
    // The sample of an interval stream stands at the end of its interval.
    const period = stepBack(cycle, source.baseCycle === undefined ? time : time - 1, input.back)
    if (period === undefined) continue
    wanted.push({ row, period, cut: input.back === 0 ? time + 1 : Number.POSITIVE_INFINITY })
  }
  return await statisticColumn(source, input.statistic, { wanted, count: rows.count })
}

function stepBack(cycle: Cycle, at: number, back: number): Period | undefined {
  let period = cycle.periodOf(at)
  for (let step = 0; step < back && period !== undefined; step += 1) {
    period = cycle.previous(period.from)
  }
  return period
}

interface WantedPeriod {
  readonly row: number
  readonly period: Period
  readonly cut: number
}

async function statisticColumn(
  { store, handle, baseCycle, isDecimal }: InputSource,
  statistic: StatisticId,
  { wanted, count }: { readonly wanted: readonly WantedPeriod[]; readonly count: number },
): Promise<ValueColumn> {
  const numbers = new Float64Array(count).fill(Number.NaN)
  const texts: (string | undefined)[] = []
  const found = await readCutPeriods(
    store.reads?.() ?? store,
    { handle, baseCycle, isDecimal, statistic },
    {
      count: wanted.length,
      froms: Float64Array.from(wanted, ({ period }) => period.from),
      untils: Float64Array.from(wanted, ({ period }) => period.until),
      cuts: Float64Array.from(wanted, ({ cut }) => cut),
    },
  )
  for (const [at, { row }] of wanted.entries()) {
    const value = found.data[at]
    if (found.isRecorded[at] !== 1 || value === null) continue
    if (typeof value === 'number') numbers[row] = value
    else texts[row] = value
  }
  return { numbers, texts: texts.length === 0 ? undefined : texts }
}

/** The statistic of the minutes before each sample, and of the sample. */
async function recentColumn(
  source: InputSource,
  { minutes, statistic }: Extract<ConditionInput, { kind: 'recent' }>,
  rows: InputRows,
): Promise<ValueColumn> {
  const numbers = new Float64Array(rows.count).fill(Number.NaN)
  const texts: (string | undefined)[] = []
  const pacer = new Pacer(WINDOWS_PER_SLICE)
  // Windows overlap, so each is read by itself.
  for (let row = 0; row < rows.count; row += 1) {
    const time = rows.times[row]
    const isPoint = source.baseCycle === undefined
    const until = isPoint ? time + 1 : time
    const period = { from: epochMs(until - minutes * MINUTE_MS), until: epochMs(until) }
    const wanted = [{ row: 0, period, cut: time + 1 }]
    const one = await statisticColumn(source, statistic, { wanted, count: 1 })
    numbers[row] = one.numbers[0]
    const text = one.texts?.[0]
    if (text !== undefined) texts[row] = text
    await pacer.spend(1)
  }
  return { numbers, texts: texts.length === 0 ? undefined : texts }
}

/** The latest value of another stream at the time of each sample. */
async function otherColumn(
  { store, findStream }: InputSource,
  streamId: string,
  rows: InputRows,
): Promise<ValueColumn> {
  const numbers = new Float64Array(rows.count).fill(Number.NaN)
  const texts: (string | undefined)[] = []
  const other = findStream(streamId)
  const pacer = new Pacer(READS_PER_SLICE)
  for (let row = 0; other !== undefined && row < rows.count; row += 1) {
    const { count, ...found } = await store.range(other, {
      from: EARLIEST_TIME,
      until: epochMs(rows.times[row] + 1),
      limit: 1,
      order: 'latest_first',
    })
    await pacer.spend(1)
    if (count === 0) continue
    numbers[row] = found.numbers[0]
    const text = found.texts?.[0]
    if (text !== undefined) texts[row] = text
  }
  return { numbers, texts: texts.length === 0 ? undefined : texts }
}
