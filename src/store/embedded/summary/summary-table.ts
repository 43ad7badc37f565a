import { ExactSums } from '../../../base/plain.ts'

const COLUMNS = 10

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

/** Adds a row of one table to a row of another; the samples of both must be different ones. */
export function addRow(into: SummaryTable, row: number, from: SummaryTable, fromRow: number): void {
  if (from.count[fromRow] === 0) return
  takeEnds(into, row, {
    firstTime: from.firstTime[fromRow],
    first: from.first[fromRow],
    lastTime: from.lastTime[fromRow],
    last: from.last[fromRow],
  })
  into.count[row] += from.count[fromRow]
  if (from.numberCount[fromRow] === 0) return
  takeExtremes(into, row, {
    min: from.min[fromRow],
    minTime: from.minTime[fromRow],
    max: from.max[fromRow],
    maxTime: from.maxTime[fromRow],
  })
  into.numberCount[row] += from.numberCount[fromRow]
  into.sums.addSum(row, from.sums, fromRow)
}

/** Adds all rows of a table of the same length, row by row. */
export function mergeSummaries(into: SummaryTable, from: SummaryTable): void {
  for (let row = 0; row < into.length; row++) addRow(into, row, from, row)
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
  const { min, minTime, max, maxTime } = extremes
  const isEmpty = into.numberCount[row] === 0
  if (isEmpty || min < into.min[row] || (min === into.min[row] && minTime < into.minTime[row])) {
    into.min[row] = min
    into.minTime[row] = minTime
  }
  if (isEmpty || max > into.max[row] || (max === into.max[row] && maxTime < into.maxTime[row])) {
    into.max[row] = max
    into.maxTime[row] = maxTime
  }
}
