import { ExactSums } from '../../../base/plain.ts'
import type { WindowStatistic } from '../../ports/sample-port.ts'

const COLUMNS = 10

/** No chunk has more blocks than samples. */
export const BLOCKS_MAX = 4_096

/**
 * Summaries as columns, one row per block or interval, with their exact sums. Where count is 0 the
 * other columns of the row are meaningless, where numberCount is 0 min and max are.
 */
export class SummaryTable {
  readonly length: number
  readonly count: Float64Array
  readonly numberCount: Float64Array
  readonly sums: ExactSums
  readonly min: Float64Array
  readonly minTime: Float64Array
  readonly max: Float64Array
  readonly maxTime: Float64Array
  readonly firstTime: Float64Array
  readonly first: Array<number | string>
  readonly lastTime: Float64Array
  readonly last: Array<number | string>
  /** At most the bytes that the first and last samples take which are texts. */
  textBytes = 0

  constructor(length: number) {
    this.length = length
    // One piece of memory for all columns: ten pieces would take longer than filling them.
    const buffer = new ArrayBuffer(length * COLUMNS * 8)
    const column = (index: number) => new Float64Array(buffer, index * length * 8, length)
    this.count = column(0)
    this.numberCount = column(1)
    this.min = column(2)
    this.minTime = column(3)
    this.max = column(4)
    this.maxTime = column(5)
    this.firstTime = column(6)
    this.lastTime = column(7)
    this.sums = new ExactSums(column(8), column(9))
    this.first = new Array<number | string>(length).fill(0)
    this.last = new Array<number | string>(length).fill(0)
  }
}

/** A table for one summary after another: memory outside of the heap costs more than to fill it. */
export class ReusedTable extends SummaryTable {
  declare length: number

  constructor() {
    super(BLOCKS_MAX)
  }

  /** Begins another summary. Rows hold what they held before, but for their sums. */
  begin(length: number): void {
    this.length = length
    this.sums.clear(length)
  }
}

/** Whether a part of a row counts: all do unless there is only one statistic. An average needs its sum. */
export function wants(
  part: 'min' | 'max' | 'sum' | 'last',
  only: WindowStatistic | undefined,
): boolean {
  return only === undefined || only === part || (only === 'avg' && part === 'sum')
}

/**
 * Adds a row of one table to a row of another, all of it or what one statistic needs. The samples of both must be
 * different ones.
 */
export function addRow(into: SummaryTable, row: number, { from, fromRow, only }: AddedRow): void {
  if (from.count[fromRow] === 0) return
  if (wants('last', only)) {
    takeEnds(into, row, {
      firstTime: from.firstTime[fromRow],
      first: from.first[fromRow],
      lastTime: from.lastTime[fromRow],
      last: from.last[fromRow],
    })
  }
  into.count[row] += from.count[fromRow]
  if (from.numberCount[fromRow] === 0) return
  if (wants('min', only)) takeMin(into, row, from.min[fromRow], from.minTime[fromRow])
  if (wants('max', only)) takeMax(into, row, from.max[fromRow], from.maxTime[fromRow])
  into.numberCount[row] += from.numberCount[fromRow]
  if (wants('sum', only)) into.sums.addSum(row, from.sums, fromRow)
}

interface AddedRow {
  readonly from: SummaryTable
  readonly fromRow: number
  readonly only?: WindowStatistic
}

/** Adds all rows of a table of the same length, row by row. */
export function mergeSummaries(into: SummaryTable, from: SummaryTable): void {
  for (let row = 0; row < into.length; row++) addRow(into, row, { from, fromRow: row })
}

/** Takes first and last samples into a row; the caller raises count after. */
export function takeEnds(
  into: SummaryTable,
  row: number,
  ends: {
    readonly firstTime: number
    readonly first: number | string
    readonly lastTime: number
    readonly last: number | string
  },
): void {
  const isEmpty = into.count[row] === 0
  if (isEmpty || ends.firstTime < into.firstTime[row]) {
    into.textBytes += bytesOf(ends.first) - bytesOf(into.first[row])
    into.firstTime[row] = ends.firstTime
    into.first[row] = ends.first
  }
  if (isEmpty || ends.lastTime > into.lastTime[row]) {
    into.textBytes += bytesOf(ends.last) - bytesOf(into.last[row])
    into.lastTime[row] = ends.lastTime
    into.last[row] = ends.last
  }
}

function bytesOf(value: number | string): number {
  return typeof value === 'string' ? 2 * value.length : 0
}

/** Takes extremes into a row, of equal ones the earliest; the caller raises numberCount after. */
export function takeExtremes(
  into: SummaryTable,
  row: number,
  extremes: {
    readonly min: number
    readonly minTime: number
    readonly max: number
    readonly maxTime: number
  },
): void {
  takeMin(into, row, extremes.min, extremes.minTime)
  takeMax(into, row, extremes.max, extremes.maxTime)
}

function takeMin(into: SummaryTable, row: number, min: number, time: number): void {
  const known = into.min[row]
  const isLess = min < known || (min === known && time < into.minTime[row])
  if (!isLess && into.numberCount[row] > 0) return
  into.min[row] = min
  into.minTime[row] = time
}

function takeMax(into: SummaryTable, row: number, max: number, time: number): void {
  const known = into.max[row]
  const isMore = max > known || (max === known && time < into.maxTime[row])
  if (!isMore && into.numberCount[row] > 0) return
  into.max[row] = max
  into.maxTime[row] = time
}
