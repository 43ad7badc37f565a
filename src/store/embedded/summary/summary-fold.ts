import { countAtMost, countBelow } from '../../../base/plain.ts'
import type { SampleColumns, Summaries, WindowStatistic } from '../../ports/sample-port.ts'
import { addSplit, type Doubt, isOpen, maySplit } from './split-block.ts'
import { addRow, BLOCKS_MAX, SummaryTable, takeEnds, takeExtremes, wants } from './summary-table.ts'

/** How a fold takes blocks that an edge cuts. */
interface FoldForm {
  readonly looseMs?: number
  readonly statistic?: WindowStatistic
}

/**
 * Gathers the summaries of the intervals between ascending edges, from samples and from summaries of
 * samples, in any order; every sample must be given once.
 */
export class SummaryFold extends SummaryTable {
  readonly edges: Float64Array
  /** The only statistic of the rows that counts; undefined: all do. */
  readonly statistic: WindowStatistic | undefined
  /** Blocks up to so long may count on one side of an edge that cuts them; 0: none. */
  readonly #looseMs: number

  constructor(edges: Float64Array, { looseMs = 0, statistic }: FoldForm = {}) {
    super(Math.max(edges.length - 1, 0))
    this.edges = edges
    this.statistic = statistic
    this.#looseMs = looseMs
  }

  /** The row of a time, -1 before the first edge, length at or after the last. */
  rowOf(time: number): number {
    return countAtMost(this.edges, time) - 1
  }

  /**
   * The row that takes a block whole, by its middle where an edge cuts it; undefined: none may. Of blocks in the order
   * of time most lie in the row of the one before.
   */
  rowOfBlock(firstTime: number, lastTime: number, rowBefore: number): number | undefined {
    const { edges } = this
    const isNear = firstTime >= edges[rowBefore] && lastTime < edges[rowBefore + 1]
    if (isNear) return rowBefore
    const row = this.rowOf(firstTime)
    const lastRow = this.rowOf(lastTime)
    if (row === lastRow) return row
    // The first edge and the last are never loose: what lies beyond them was not asked for.
    const isInside = row >= 0 && lastRow < this.length
    if (!isInside || lastTime - firstTime > this.#looseMs) return undefined
    return this.rowOf(Math.floor((firstTime + lastTime) / 2))
  }

  /** What was gathered, sums and means rounded. */
  finish(): Summaries {
    const sum = new Float64Array(this.length)
    const mean = new Float64Array(this.length)
    const isSummed = wants('sum', this.statistic)
    for (let row = 0; isSummed && row < this.length; row++) {
      if (this.numberCount[row] === 0) continue
      sum[row] = this.sums.value(row)
      mean[row] = this.sums.quotient(row, this.numberCount[row])
    }
    const { length, count, numberCount, min, minTime, max, maxTime } = this
    const { firstTime, first, lastTime, last } = this
    return {
      length,
      count,
      numberCount,
      sum,
      mean,
      min,
      minTime,
      max,
      maxTime,
      firstTime,
      first,
      lastTime,
      last,
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

/** Rows whose extreme a summary only bounds. */
export type FoldDoubts = readonly Doubt[]

const NO_DOUBTS: FoldDoubts = []

/** The row of a block that an edge cuts. */
const SPLIT = -2

/** The rows of the blocks of one summary, until these are added. */
const rowsScratch = new Int32Array(BLOCKS_MAX)

/**
 * Adds the blocks of a chunk's summary. Where an edge cuts through a block that may not be taken whole, or in parts, it
 * adds nothing and returns undefined: then the chunk has to be decoded. With doubts, it has to be decoded and added
 * once more if `hasOpen` still says so when everything else is added.
 */
export function foldSummary(blocks: SummaryTable, into: SummaryFold): FoldDoubts | undefined {
  const rows = rowsScratch
  let near = -1
  for (let block = 0; block < blocks.length; block++) {
    const row = into.rowOfBlock(blocks.firstTime[block], blocks.lastTime[block], near)
    if (row === undefined && !maySplit(into, blocks, block)) return undefined
    rows[block] = row ?? SPLIT
    near = row ?? near + 1
  }
  const doubts: Doubt[] = []
  for (let block = 0; block < blocks.length; block++) {
    const row = rows[block]
    if (row === SPLIT) {
      const doubt = addSplit(into, blocks, block)
      if (doubt !== undefined) doubts.push(doubt)
    } else if (row >= 0 && row < into.length)
      addRow(into, row, { from: blocks, fromRow: block, only: into.statistic })
  }
  return doubts.length === 0 ? NO_DOUBTS : doubts
}

/** Whether the samples of a chunk with doubts could change an extreme. */
export function hasOpen(into: SummaryFold, doubts: FoldDoubts): boolean {
  return doubts.some((doubt) => isOpen(into, doubt))
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
  if (!wants('sum', into.statistic)) return
  const magnitudeMax = Math.max(-min, max)
  into.sums.addRange(row, numbers, { start, end, magnitudeMax })
}
