import type { ByteReader } from '../chunk/byte-reader.ts'
import { readPacked, writePacked } from './packed-column.ts'
import type { RecordReader, RecordWriter } from './record-parts.ts'
import type { SummaryTable } from './summary-table.ts'

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
  const counts = pick(table.count, rows)
  const firstTimes = pick(table.firstTime, rows)
  const lastTimes = pick(table.lastTime, rows)
  const numberCounts = pick(table.numberCount, rows)
  const offsets = [pick(table.minTime, rows), pick(table.maxTime, rows)].map((times) =>
    times.map((time, index) => (numberCounts[index] === 0 ? 0 : time - firstTimes[index])),
  )
  const gaps = firstTimes.map((time, index) => (index === 0 ? 0 : time - lastTimes[index - 1]))
  const spans = lastTimes.map((time, index) => time - firstTimes[index])
  const step = regularStep(counts, gaps, spans)
  const isEven = counts.every(
    (count, at) => at < 2 || at === rows.length - 1 || count === counts[1],
  )
  const isMixed = counts.some((count, index) => count !== numberCounts[index])
  header.u8((step > 0 ? REGULAR : 0) | (isEven ? EVEN : 0) | (isMixed ? MIXED : 0))
  header.zigzag(firstTimes[0])
  if (isEven) for (const at of evenPlaces(rows.length)) header.varint(counts[at])
  else writePacked(bits, counts)
  if (isMixed) writePacked(bits, numberCounts)
  const columns = step > 0 ? offsets : [gaps, spans, ...offsets]
  const unit = commonUnit(columns)
  if (step > 0) header.varint(step)
  header.varint(unit)
  for (const column of columns) {
    writePacked(
      bits,
      column.map((value) => value / unit),
    )
  }
}

/** Reads what writeTimes wrote into an empty table. */
export function readTimes({ header, bits }: RecordReader, table: SummaryTable): void {
  const { count, numberCount, firstTime, lastTime, minTime, maxTime } = table
  const flags = header.u8()
  const start = header.zigzag()
  if ((flags & EVEN) !== 0) readEvenCounts(header, table)
  else readPacked(bits, count)
  if ((flags & MIXED) === 0) numberCount.set(count)
  else readPacked(bits, numberCount)
  const isRegular = (flags & REGULAR) !== 0
  const step = isRegular ? header.varint() : 0
  const unit = header.varint()
  if (!isRegular) {
    readPacked(bits, firstTime)
    readPacked(bits, lastTime)
  }
  readPacked(bits, minTime)
  readPacked(bits, maxTime)
  // The columns hold gaps, spans and offsets until here.
  let first = start
  for (let row = 0; row < table.length; row++) {
    if (row > 0) first = lastTime[row - 1] + (isRegular ? step : firstTime[row] * unit)
    firstTime[row] = first
    lastTime[row] = first + (isRegular ? (count[row] - 1) * step : lastTime[row] * unit)
    minTime[row] = first + minTime[row] * unit
    maxTime[row] = first + maxTime[row] * unit
  }
}

/** The values of a column at some rows. */
export function pick(column: Float64Array, rows: readonly number[]): Float64Array {
  return Float64Array.from(rows, (row) => column[row])
}

/** Where the first, the repeated and the last count stand. */
function evenPlaces(length: number): number[] {
  return [0, 1, length - 1].filter(
    (at, index, places) => at >= 0 && at < length && places.indexOf(at) === index,
  )
}

function readEvenCounts(reader: ByteReader, table: SummaryTable): void {
  const [first, repeated, last] = evenPlaces(table.length).map(() => reader.varint())
  if (repeated !== undefined) table.count.fill(repeated)
  if (last !== undefined) table.count[table.length - 1] = last
  table.count[0] = first
}

/** The step between samples if it explains all first and last times, else 0. */
function regularStep(counts: Float64Array, gaps: Float64Array, spans: Float64Array): number {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total < 2) return 0
  const duration = [...gaps, ...spans].reduce((sum, part) => sum + part, 0)
  const step = duration / (total - 1)
  const isRegular =
    Number.isInteger(step) &&
    gaps.every((gap, index) => index === 0 || gap === step) &&
    spans.every((span, index) => span === (counts[index] - 1) * step)
  return isRegular ? step : 0
}

function commonUnit(columns: readonly Float64Array[]): number {
  let unit = 0
  for (const column of columns) {
    for (const value of column) {
      let other = value
      while (other !== 0) [unit, other] = [other, unit % other]
    }
  }
  return Math.max(unit, 1)
}
