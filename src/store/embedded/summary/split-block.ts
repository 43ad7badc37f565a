/**
 * Blocks that an edge of a fold cuts, for a fold of which one statistic counts. Windows of PromQL begin behind their
 * edge, so the first sample of a block often belongs to the window before. It is known, and so is the rest. For
 * extremes any cut is allowed: the time of an extreme tells its side, and bounds that of the other side.
 */
import type { WindowStatistic } from '../../ports/sample-port.ts'
import { type SummaryTable, takeEnds, takeExtremes } from './summary-table.ts'

/** A row whose extreme may be beyond the one that it has, but not beyond a bound. */
export interface Doubt {
  readonly row: number
  readonly bound: number
}

/** Rows between edges, of which one statistic counts. */
interface SplitInto extends SummaryTable {
  readonly edges: Float64Array
  readonly statistic: WindowStatistic | undefined
  rowOf(time: number): number
}

/** Whether the parts of a block that an edge cuts are known well enough. */
export function maySplit(into: SplitInto, blocks: SummaryTable, block: number): boolean {
  const { statistic, edges } = into
  if (statistic === undefined || blocks.count[block] !== blocks.numberCount[block]) return false
  const row = into.rowOf(blocks.firstTime[block])
  if (into.rowOf(blocks.lastTime[block]) !== row + 1) return false
  if (statistic === 'min' || statistic === 'max') return true
  return edges[row + 1] === blocks.firstTime[block] + 1
}

/** Adds the parts of a block. Returns the row whose extreme is only bounded. */
export function addSplit(into: SplitInto, blocks: SummaryTable, block: number): Doubt | undefined {
  const firstTime = blocks.firstTime[block]
  const left = into.rowOf(firstTime)
  const first = { time: firstTime, value: Number(blocks.first[block]) }
  const last = { time: blocks.lastTime[block], value: Number(blocks.last[block]) }
  if (left >= 0) addSample(into, left, first)
  const right = left + 1
  if (right < into.length) {
    addSample(into, right, last)
    // For an extreme it only matters that there are samples, and all of them are numbers.
    into.count[right] += blocks.count[block] - 2
    into.numberCount[right] += blocks.count[block] - 2
    into.sums.addSum(right, blocks.sums, block)
    into.sums.add(right, -first.value)
    into.sums.add(right, -last.value)
  }
  const { statistic } = into
  if (statistic !== 'min' && statistic !== 'max') return undefined
  const value = blocks[statistic][block]
  const time = statistic === 'min' ? blocks.minTime[block] : blocks.maxTime[block]
  const side = time < into.edges[right] ? left : right
  if (side >= 0 && side < into.length) takeExtreme(into, side, { time, value })
  const isFirstAlone = into.edges[right] === firstTime + 1
  const other = side === left ? right : left
  const isKnown = other < 0 || other >= into.length || (other === left && isFirstAlone)
  return isKnown ? undefined : { row: other, bound: value }
}

/** Whether samples are needed to know the extreme of a row. Of zeros the first one decides the sign. */
export function isOpen(into: SplitInto, { row, bound }: Doubt): boolean {
  const isMax = into.statistic === 'max'
  const known = isMax ? into.max[row] : into.min[row]
  if (bound === known) return bound === 0
  return isMax ? bound > known : bound < known
}

interface KnownSample {
  readonly time: number
  readonly value: number
}

function addSample(into: SplitInto, row: number, { time, value }: KnownSample): void {
  takeEnds(into, row, { firstTime: time, first: value, lastTime: time, last: value })
  into.count[row] += 1
  takeExtreme(into, row, { time, value })
  into.numberCount[row] += 1
  into.sums.add(row, value)
}

function takeExtreme(into: SplitInto, row: number, { time, value }: KnownSample): void {
  takeExtremes(into, row, { min: value, minTime: time, max: value, maxTime: time })
}
