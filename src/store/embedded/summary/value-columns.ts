import { DamagedBytes } from '../chunk/damaged-bytes.ts'
import { decimalInteger, decimalScale, fewestDecimals } from '../chunk/decimals.ts'
import { lowestBitExponent, powerOf2 } from './double-bits.ts'
import { PACKED_MAX, readPacked, writePacked } from './packed-column.ts'
import type { RecordReader, RecordWriter } from './record-parts.ts'
import type { SummaryTable } from './summary-table.ts'
import { pick } from './time-columns.ts'

/** Form bytes below this mean decimals of so many digits. */
const PLAIN_FORM = 16

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
  const parts = rows.map((row) => table.sums.parts(row))
  if (!parts.every((part) => part !== undefined)) return false
  const ends = [table.first, table.last].map((column) =>
    Float64Array.from(rows, (row) => (typeof column[row] === 'number' ? column[row] : 0)),
  )
  const values = [...ends, pick(table.min, rows), pick(table.max, rows)]
  if (!writeDecimals(record, table, { rows, values, parts })) writePlain(record, values, parts)
  return true
}

/** Reads what writeValues wrote. */
export function readValues(record: RecordReader, table: SummaryTable): void {
  const form = record.header.u8()
  if (form < PLAIN_FORM) readDecimals(record, table, form)
  else if (form === PLAIN_FORM) readPlain(record, table)
  else throw new DamagedBytes(`values are in the unknown form ${form}`)
}

function writePlain(
  { header }: RecordWriter,
  values: readonly Float64Array[],
  parts: readonly number[][],
): void {
  header.u8(PLAIN_FORM)
  for (const column of values) for (const value of column) header.f64(value)
  const partsMax = Math.max(...parts.map((part) => part.length))
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
  readonly rows: readonly number[]
  readonly values: readonly Float64Array[]
  readonly parts: readonly number[][]
}

/**
 * Values as whole numbers near each other: first after the last before, extremes beyond the ends,
 * the scaled sum near the middle of the extremes, and what rounding of each sample left over.
 */
function writeDecimals({ header, bits }: RecordWriter, table: SummaryTable, rows: Rows): boolean {
  const decimals = fewestDecimals(Float64Array.from(rows.values.flatMap((column) => [...column])))
  if (decimals === undefined) return false
  const [first, last, min, max] = rows.values.map((column) =>
    column.map((value) => decimalInteger(value, decimals) ?? Number.NaN),
  )
  const sums = splitSums(rows.parts, decimals)
  if (sums === undefined) return false
  const counts = pick(table.numberCount, rows.rows)
  const middles = counts.map((count, at) => middle(count, min[at], max[at]))
  if (middles.some((value) => Math.abs(value) > PACKED_MAX / 4)) return false
  header.u8(decimals)
  const write = (value: (at: number) => number) =>
    writePacked(
      bits,
      Float64Array.from(rows.rows, (_, at) => value(at)),
    )
  write((at) => first[at] - (at === 0 ? 0 : last[at - 1]))
  write((at) => last[at] - first[at])
  write((at) => first[at] - min[at])
  write((at) => max[at] - first[at])
  write((at) => sums.scaled[at] - middles[at])
  header.zigzag(sums.exponent)
  write((at) => sums.rests[at])
  return true
}

function readDecimals({ header, bits }: RecordReader, table: SummaryTable, decimals: number): void {
  const scale = decimalScale(decimals)
  const [firsts, lasts, mins, maxs, sums, rests] = Array.from(
    { length: 6 },
    () => new Float64Array(table.length),
  )
  for (const column of [firsts, lasts, mins, maxs, sums]) readPacked(bits, column)
  const unit = powerOf2(header.zigzag())
  readPacked(bits, rests)
  let lastBefore = 0
  for (let row = 0; row < table.length; row++) {
    const first = lastBefore + firsts[row]
    const last = first + lasts[row]
    const min = first - mins[row]
    const max = first + maxs[row]
    table.first[row] = first / scale
    table.last[row] = last / scale
    table.min[row] = min / scale
    table.max[row] = max / scale
    const scaled = sums[row] + middle(table.numberCount[row], min, max)
    const { quotient, remainder } = divide(scaled, scale)
    table.sums.add(row, quotient)
    table.sums.add(row, (rests[row] + Math.round(remainder / unit)) * unit)
    lastBefore = last
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
): { scaled: number[]; rests: number[]; exponent: number } | undefined {
  const scale = decimalScale(decimals)
  const scaled = parts.map(([head = 0]) => Math.round(head * scale))
  const rests = parts.map((part, at) => exactRest(part, divide(scaled[at], scale).quotient))
  if (!rests.every((rest) => rest !== undefined)) return undefined
  if (scaled.some((integer) => Math.abs(integer) > PACKED_MAX / 4)) return undefined
  const exponents = rests.filter((rest) => rest !== 0).map(lowestBitExponent)
  const exponent = exponents.length === 0 ? 0 : Math.min(...exponents)
  if (exponent < REST_EXPONENT_MIN) return undefined
  const unit = powerOf2(exponent)
  const units = rests.map(
    (rest, at) => rest / unit - Math.round(divide(scaled[at], scale).remainder / unit),
  )
  if (rests.some((rest) => Math.abs(rest / unit) > PACKED_MAX / 2)) return undefined
  if (units.some((rest) => Math.abs(rest) > PACKED_MAX)) return undefined
  return { scaled, rests: units, exponent }
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
  const [head = 0, tail = 0, ...more] = parts
  const difference = exactSum(head, -less)
  if (difference === undefined || more.some((part) => part !== 0)) return undefined
  return exactSum(difference, tail)
}

function exactSum(left: number, right: number): number | undefined {
  const sum = left + right
  const back = sum - left
  return left - (sum - back) + (right - back) === 0 ? sum : undefined
}
