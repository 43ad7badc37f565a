import { countAtMost, countBelow } from '../../../base/index.ts'
import type { SampleColumns, Summaries } from '../../sample-port.ts'
import { addRow, SummaryTable, takeEnds, takeExtremes } from './summary-table.ts'

/**
 * Gathers the summaries of the intervals between ascending edges, from samples and from summaries of
 * samples, in any order; every sample must be given once.
 */
export class SummaryFold extends SummaryTable {
  readonly edges: Float64Array

  constructor(edges: Float64Array) {
    super(Math.max(edges.length - 1, 0))
    this.edges = edges
  }

  /** The row of a time, -1 before the first edge, length at or after the last. */
  rowOf(time: number): number {
    return countAtMost(this.edges, time) - 1
  }

  /** What was gathered, sums and means rounded. */
  finish(): Summaries {
    const sum = new Float64Array(this.length)
    const mean = new Float64Array(this.length)
    for (let row = 0; row < this.length; row++) {
      if (this.numberCount[row] === 0) continue
      sum[row] = this.sums.value(row)
      mean[row] = this.sums.quotient(row, this.numberCount[row])
    }
    const { length, count, numberCount, min, minTime, max, maxTime } = this
    const { firstTime, first, lastTime, last } = this
    return {
      ...{ length, count, numberCount, sum, mean, min, minTime, max, maxTime },
      ...{ firstTime, first, lastTime, last },
    }
  }
}

/** Adds ascending samples; those outside the edges are left out. */
export function foldColumns(columns: SampleColumns, into: SummaryFold): void {
  const { times, count } = columns
  const { edges } = into
  if (edges.length < 2) return
  let start = countBelow(times, edges[0], count)
  while (start < count) {
    const row = into.rowOf(times[start])
    if (row >= into.length) return
    const until = edges[row + 1]
    const end = times[count - 1] < until ? count : countBelow(times, until, count)
    foldRange(columns, into, { row, start, end })
    start = end
  }
}

/**
 * Adds the blocks of a chunk's summary. Where an edge cuts through a block it adds nothing and tells
 * so by false: then the chunk has to be decoded.
 */
export function foldSummary(blocks: SummaryTable, into: SummaryFold): boolean {
  const rows = new Int32Array(blocks.length)
  for (let block = 0; block < blocks.length; block++) {
    rows[block] = into.rowOf(blocks.firstTime[block])
    if (into.rowOf(blocks.lastTime[block]) !== rows[block]) return false
  }
  for (let block = 0; block < blocks.length; block++) {
    const row = rows[block]
    if (row >= 0 && row < into.length) addRow(into, row, blocks, block)
  }
  return true
}

interface RowRange {
  readonly row: number
  readonly start: number
  readonly end: number
}

function foldRange(columns: SampleColumns, into: SummaryFold, range: RowRange): void {
  const { row, start, end } = range
  const { times, numbers, texts } = columns
  takeEnds(into, row, {
    firstTime: times[start],
    first: texts?.[start] ?? numbers[start],
    lastTime: times[end - 1],
    last: texts?.[end - 1] ?? numbers[end - 1],
  })
  into.count[row] += end - start
  if (texts === undefined) {
    foldNumbers(columns, into, range)
    return
  }
  for (let at = start; at < end; at++) {
    if (texts[at] === undefined) foldNumbers(columns, into, { row, start: at, end: at + 1 })
  }
}

function foldNumbers(columns: SampleColumns, into: SummaryFold, range: RowRange): void {
  const { row, start, end } = range
  const { times, numbers } = columns
  let min = numbers[start]
  let max = min
  let minAt = start
  let maxAt = start
  for (let at = start + 1; at < end; at++) {
    const value = numbers[at]
    if (value < min) {
      min = value
      minAt = at
    } else if (value > max) {
      max = value
      maxAt = at
    }
  }
  takeExtremes(into, row, { min, minTime: times[minAt], max, maxTime: times[maxAt] })
  into.numberCount[row] += end - start
  const magnitudeMax = Math.max(-min, max)
  into.sums.addRange(row, numbers, { start, end, magnitudeMax })
}
