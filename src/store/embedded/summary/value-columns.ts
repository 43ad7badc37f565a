import { lowestBitExponent, powerOf2 } from '../../../base/plain.ts'
import type { WindowStatistic } from '../../ports/sample-port.ts'
import { DamagedBytes } from '../chunk/damaged-bytes.ts'
import { decimalInteger, decimalScale, fewestDecimals } from '../chunk/decimals.ts'
import { PACKED_MAX, readPacked, skipPacked, writePacked } from './packed-column.ts'
import type { RecordReader, RecordWriter } from './record-parts.ts'
import { BLOCKS_MAX, type SummaryTable, wants } from './summary-table.ts'
import { pick } from './time-columns.ts'

/** Form bytes below this are a number of decimals. */
const PLAIN_FORM = 16

/** First, last, min and max. */
const VALUE_COLUMNS = 4

/** A sum has at most this many parts: the range of doubles over the bits of one. */
const PARTS_MAX = 40

/** Below this 2^-exponent could overflow; such sums are written plainly. */
const REST_EXPONENT_MIN = -1_000

/** Writes first, last, min, max and the exact sums; false when a sum is beyond the doubles. */
export function writeValues(
  record: RecordWriter,
  table: SummaryTable,
  rows: readonly number[],
): boolean {
  const parts: number[][] = []
  for (const row of rows) {
    const part = table.sums.parts(row)
    if (part === undefined) return false
    parts.push(part)
  }
  const counts = pick(table.numberCount, rows)
  const values = valuesOf(table, rows)
  if (!writeDecimals(record, { counts, values, parts })) writePlain(record, { values, parts })
  return true
}

/** All firsts, then all lasts, minima and maxima; a text counts as 0 here. */
function valuesOf(table: SummaryTable, rows: readonly number[]): Float64Array {
  const length = rows.length
  const values = new Float64Array(length * VALUE_COLUMNS)
  for (let at = 0; at < length; at++) {
    const row = rows[at]
    const first = table.first[row]
    const last = table.last[row]
    values[at] = typeof first === 'number' ? first : 0
    values[length + at] = typeof last === 'number' ? last : 0
    values[2 * length + at] = table.min[row]
    values[3 * length + at] = table.max[row]
  }
  return values
}

/** Reads what writeValues wrote: all of it, or what one statistic needs. */
export function readValues(
  record: RecordReader,
  table: SummaryTable,
  only?: WindowStatistic,
): void {
  const form = record.header.u8()
  if (form < PLAIN_FORM) readDecimals(record, table, { decimals: form, only })
  else if (form === PLAIN_FORM) readPlain(record, table)
  else throw new DamagedBytes(`values are in the unknown form ${form}`)
}

function writePlain({ header }: RecordWriter, { values, parts }: Omit<Rows, 'counts'>): void {
  header.u8(PLAIN_FORM)
  for (const value of values) header.f64(value)
  let partsMax = 0
  for (const part of parts) partsMax = Math.max(partsMax, part.length)
  header.varint(partsMax)
  for (let at = 0; at < partsMax; at++) for (const part of parts) header.f64(part[at] ?? 0)
}

function readPlain({ header }: RecordReader, table: SummaryTable): void {
  for (const column of [table.first, table.last, table.min, table.max]) {
    for (let row = 0; row < table.length; row++) column[row] = header.f64()
  }
  const partsMax = header.countUpTo(PARTS_MAX)
  for (let at = 0; at < partsMax; at++) {
    for (let row = 0; row < table.length; row++) table.sums.add(row, header.f64())
  }
}

interface Rows {
  /** How many numbers each row has. */
  readonly counts: Float64Array
  /** As valuesOf() gives them. */
  readonly values: Float64Array
  /** The exact sums. */
  readonly parts: readonly number[][]
}

/**
 * Values as whole numbers near each other: first after the last before, extremes beyond the ends,
 * the scaled sum near the middle of the extremes, and what rounding of each sample left over.
 */
function writeDecimals({ header, bits }: RecordWriter, { counts, values, parts }: Rows): boolean {
  const decimals = fewestDecimals(values)
  if (decimals === undefined) return false
  const integers = new Float64Array(values.length)
  for (let at = 0; at < values.length; at++) {
    integers[at] = decimalInteger(values[at], decimals) ?? Number.NaN
  }
  const sums = splitSums(parts, decimals)
  if (sums === undefined) return false
  const length = counts.length
  const [first, last, min, max] = [0, 1, 2, 3].map((column) =>
    integers.subarray(column * length, (column + 1) * length),
  )
  for (let at = 0; at < length; at++) {
    const near = middle(counts[at], min[at], max[at])
    if (Math.abs(near) > PACKED_MAX / 4) return false
    sums.scaled[at] -= near
    // Each of these is needed as it is by those that follow, so the columns turn around from here.
    max[at] -= first[at]
    min[at] = first[at] - min[at]
  }
  for (let at = length - 1; at >= 0; at--) {
    last[at] -= first[at]
    if (at > 0) first[at] -= last[at - 1]
  }
  header.u8(decimals)
  for (const column of [first, last, min, max, sums.scaled]) writePacked(bits, column)
  header.zigzag(sums.exponent)
  writePacked(bits, sums.rests)
  return true
}

/** The packed columns of one record, only until its rows are made of them. */
const packed = {
  firsts: new Float64Array(BLOCKS_MAX),
  lasts: new Float64Array(BLOCKS_MAX),
  mins: new Float64Array(BLOCKS_MAX),
  maxs: new Float64Array(BLOCKS_MAX),
  sums: new Float64Array(BLOCKS_MAX),
  rests: new Float64Array(BLOCKS_MAX),
}

function readDecimals(
  { header, bits }: RecordReader,
  table: SummaryTable,
  form: { readonly decimals: number; readonly only: WindowStatistic | undefined },
): void {
  const { length } = table
  const { firsts, lasts, mins, maxs, sums, rests } = packed
  const scale = decimalScale(form.decimals)
  // The middle of the extremes is a part of the sum.
  const wantsSums = wants('sum', form.only)
  const wantsMin = wantsSums || wants('min', form.only)
  const wantsMax = wantsSums || wants('max', form.only)
  readPacked(bits, firsts, length)
  readPacked(bits, lasts, length)
  if (wantsMin) readPacked(bits, mins, length)
  else skipPacked(bits, length)
  if (wantsMax) readPacked(bits, maxs, length)
  let lastBefore = 0
  for (let row = 0; row < length; row++) {
    const first = lastBefore + firsts[row]
    const last = first + lasts[row]
    table.first[row] = first / scale
    table.last[row] = last / scale
    // From here on these are no differences.
    if (wantsMin) mins[row] = first - mins[row]
    if (wantsMax) maxs[row] = first + maxs[row]
    if (wantsMin) table.min[row] = mins[row] / scale
    if (wantsMax) table.max[row] = maxs[row] / scale
    lastBefore = last
  }
  if (!wantsSums) return
  readPacked(bits, sums, length)
  const unit = powerOf2(header.zigzag())
  readPacked(bits, rests, length)
  for (let row = 0; row < length; row++) {
    const scaled = sums[row] + middle(table.numberCount[row], mins[row], maxs[row])
    const { quotient, remainder } = divide(scaled, scale)
    table.sums.add(row, quotient)
    table.sums.add(row, (rests[row] + Math.round(remainder / unit)) * unit)
  }
}

function middle(count: number, min: number, max: number): number {
  return Math.floor((count * (min + max)) / 2)
}

/**
 * Each exact sum as a scaled whole number plus a rest of whole units of 2^exponent, or undefined
 * when one does not fit. The rest is what the doubles differ from the decimals they stand for.
 */
function splitSums(
  parts: readonly number[][],
  decimals: number,
): { scaled: Float64Array; rests: Float64Array; exponent: number } | undefined {
  const scale = decimalScale(decimals)
  const scaled = new Float64Array(parts.length)
  const rests = new Float64Array(parts.length)
  let exponent = Number.POSITIVE_INFINITY
  for (let at = 0; at < parts.length; at++) {
    scaled[at] = Math.round((parts[at][0] ?? 0) * scale)
    const rest = exactRest(parts[at], divide(scaled[at], scale).quotient)
    if (rest === undefined || Math.abs(scaled[at]) > PACKED_MAX / 4) return undefined
    rests[at] = rest
    if (rest !== 0) exponent = Math.min(exponent, lowestBitExponent(rest))
  }
  if (exponent < REST_EXPONENT_MIN) return undefined
  if (exponent === Number.POSITIVE_INFINITY) exponent = 0
  const unit = powerOf2(exponent)
  for (let at = 0; at < parts.length; at++) {
    const units = rests[at] / unit
    if (Math.abs(units) > PACKED_MAX / 2) return undefined
    rests[at] = units - Math.round(divide(scaled[at], scale).remainder / unit)
    if (Math.abs(rests[at]) > PACKED_MAX) return undefined
  }
  return { scaled, rests, exponent }
}

/**
 * A quotient rounded to a double, and about what it lacks: with both, what is left of a sum is only
 * how the samples' own roundings add up, a few bits.
 */
function divide(dividend: number, divisor: number): { quotient: number; remainder: number } {
  const quotient = dividend / divisor
  // Veltkamp's split keeps the products of the halves exact for up to 11 decimals; beyond, the
  // remainder is only near, which costs bits but stays the same for writer and reader.
  const spread = quotient * 134_217_729
  const high = spread - (spread - quotient)
  const low = quotient - high
  return { quotient, remainder: (dividend - high * divisor - low * divisor) / divisor }
}

/** A sum of parts minus a double, when that is a double itself. */
function exactRest(parts: readonly number[], less: number): number | undefined {
  for (let at = 2; at < parts.length; at++) if (parts[at] !== 0) return undefined
  const difference = exactSum(parts[0] ?? 0, -less)
  return difference === undefined ? undefined : exactSum(difference, parts[1] ?? 0)
}

function exactSum(left: number, right: number): number | undefined {
  const sum = left + right
  const back = sum - left
  return left - (sum - back) + (right - back) === 0 ? sum : undefined
}
