import type { WindowStatistic } from '../../ports/sample-port.ts'
import type { ByteReader } from '../chunk/byte-reader.ts'
import { readPacked, skipPacked, writePacked } from './packed-column.ts'
import type { RecordReader, RecordWriter } from './record-parts.ts'
import { type SummaryTable, wants } from './summary-table.ts'

/** First and last times follow from the counts and one step. */
const REGULAR = 1
/** All counts but the first and the last are the same. */
const EVEN = 2
/** Some samples are texts, so the numbers have counts of their own. */
const MIXED = 4

/** Writes counts and times of the rows; offsets in time are multiples of one unit. */
export function writeTimes(
  record: RecordWriter,
  table: SummaryTable,
  rows: readonly number[],
): void {
  const { header, bits } = record
  const length = rows.length
  const counts = pick(table.count, rows)
  const numberCounts = pick(table.numberCount, rows)
  const { gaps, spans, minOffsets, maxOffsets } = offsetsOf(table, rows)
  const step = regularStep(counts, gaps, spans)
  const isEven = isEvenButEnds(counts)
  const isMixed = !isSame(counts, numberCounts)
  header.u8((step > 0 ? REGULAR : 0) | (isEven ? EVEN : 0) | (isMixed ? MIXED : 0))
  header.zigzag(table.firstTime[rows[0]])
  if (isEven) for (const at of evenPlaces(length)) header.varint(counts[at])
  else writePacked(bits, counts)
  if (isMixed) writePacked(bits, numberCounts)
  const offsets = [minOffsets, maxOffsets]
  const columns = step > 0 ? offsets : [gaps, spans, ...offsets]
  const unit = commonUnit(columns)
  if (step > 0) header.varint(step)
  header.varint(unit)
  for (const column of columns) {
    for (let at = 0; at < length; at++) column[at] /= unit
    writePacked(bits, column)
  }
}

/** Where the rows and their extremes lie in time, each relative to the one before. */
function offsetsOf(table: SummaryTable, rows: readonly number[]) {
  const length = rows.length
  const gaps = new Float64Array(length)
  const spans = new Float64Array(length)
  const minOffsets = new Float64Array(length)
  const maxOffsets = new Float64Array(length)
  for (let at = 0; at < length; at++) {
    const row = rows[at]
    const first = table.firstTime[row]
    if (at > 0) gaps[at] = first - table.lastTime[rows[at - 1]]
    spans[at] = table.lastTime[row] - first
    if (table.numberCount[row] === 0) continue
    minOffsets[at] = table.minTime[row] - first
    maxOffsets[at] = table.maxTime[row] - first
  }
  return { gaps, spans, minOffsets, maxOffsets }
}

function isEvenButEnds(counts: Float64Array): boolean {
  for (let at = 2; at < counts.length - 1; at++) if (counts[at] !== counts[1]) return false
  return true
}

function isSame(one: Float64Array, other: Float64Array): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}

/** Reads what writeTimes wrote into an empty table: all of it, or what one statistic needs. */
export function readTimes(
  { header, bits }: RecordReader,
  table: SummaryTable,
  only?: WindowStatistic,
): void {
  const { length, count, numberCount, firstTime, lastTime, minTime, maxTime } = table
  const flags = header.u8()
  const start = header.zigzag()
  if ((flags & EVEN) !== 0) readEvenCounts(header, table)
  else readPacked(bits, count, length)
  if ((flags & MIXED) !== 0) readPacked(bits, numberCount, length)
  else for (let row = 0; row < length; row++) numberCount[row] = count[row]
  const isRegular = (flags & REGULAR) !== 0
  const step = isRegular ? header.varint() : 0
  const unit = header.varint()
  if (!isRegular) {
    readPacked(bits, firstTime, length)
    readPacked(bits, lastTime, length)
  }
  if (wants('min', only)) readPacked(bits, minTime, length)
  else skipPacked(bits, length)
  if (wants('max', only)) readPacked(bits, maxTime, length)
  else skipPacked(bits, length)
  // The columns hold gaps, spans and offsets until here.
  let first = start
  for (let row = 0; row < length; row++) {
    if (row > 0) first = lastTime[row - 1] + (isRegular ? step : firstTime[row] * unit)
    firstTime[row] = first
    lastTime[row] = first + (isRegular ? (count[row] - 1) * step : lastTime[row] * unit)
    minTime[row] = first + minTime[row] * unit
    maxTime[row] = first + maxTime[row] * unit
  }
}

/** The values of a column at some rows. */
export function pick(column: Float64Array, rows: readonly number[]): Float64Array {
  const picked = new Float64Array(rows.length)
  for (let at = 0; at < rows.length; at++) picked[at] = column[rows[at]]
  return picked
}

/** Where the first, the repeated and the last count stand. */
function evenPlaces(length: number): number[] {
  return [0, 1, length - 1].filter(
    (at, index, places) => at >= 0 && at < length && places.indexOf(at) === index,
  )
}

function readEvenCounts(reader: ByteReader, table: SummaryTable): void {
  const [first, repeated, last] = evenPlaces(table.length).map(() => reader.varint())
  if (repeated !== undefined) table.count.fill(repeated, 0, table.length)
  if (last !== undefined) table.count[table.length - 1] = last
  table.count[0] = first
}

/** The step between samples if it explains all first and last times, else 0. */
function regularStep(counts: Float64Array, gaps: Float64Array, spans: Float64Array): number {
  let total = 0
  let duration = 0
  for (let at = 0; at < counts.length; at++) {
    total += counts[at]
    duration += gaps[at] + spans[at]
  }
  if (total < 2) return 0
  const step = duration / (total - 1)
  if (!Number.isInteger(step)) return 0
  for (let at = 0; at < counts.length; at++) {
    if ((at > 0 && gaps[at] !== step) || spans[at] !== (counts[at] - 1) * step) return 0
  }
  return step
}

function commonUnit(columns: readonly Float64Array[]): number {
  let unit = 0
  for (const column of columns) {
    for (let at = 0; at < column.length; at++) {
      let other = column[at]
      // The quotient of exact doubles this small is whole only where nothing is left over.
      if (unit !== 0 && Number.isInteger(other / unit)) continue
      while (other !== 0) [unit, other] = [other, unit % other]
    }
  }
  return Math.max(unit, 1)
}
