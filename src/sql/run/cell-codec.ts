/**
 * Rows of cells as bytes, for the channel between the service and a runner. A cell is a tag and what
 * the tag asks for; a cell that equals the one above it is a tag alone, since IDs repeat from row to row.
 */
import { invariant } from '../../base/plain.ts'
import type { SqlCell } from '../compiled-sql.ts'

const NULL = 0
const INTEGER = 1
const REAL = 2
const TEXT = 3
const SAME = 4
const BYTES = 5

/** A cell of a row: TRUE and FALSE are bytes where a column has several types (`readCell`). */
export type RowCell = SqlCell | Uint8Array

/** Texts up to here are written without measuring them first: room for three bytes a unit is small. */
const SHORT_TEXT_UNITS = 1_024

/** How much memory stays for the next bytes. */
const KEPT_BYTES = 4_096

/** Bytes that grow at their end, written little-endian; `take()` hands them over and begins again. */
export class CellWriter {
  #buffer: Buffer
  #view: DataView
  #at = 0

  constructor(bytes = KEPT_BYTES) {
    this.#buffer = Buffer.allocUnsafeSlow(bytes)
    this.#view = viewOf(this.#buffer)
  }

  get length(): number {
    return this.#at
  }

  uint8(value: number): void {
    this.#reserve(1)
    this.#buffer[this.#at++] = value
  }

  uint32(value: number): void {
    this.#reserve(4)
    this.#view.setUint32(this.#at, value, true)
    this.#at += 4
  }

  float64(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#at, value, true)
    this.#at += 8
  }

  int64(value: bigint): void {
    this.#reserve(8)
    this.#view.setBigInt64(this.#at, value, true)
    this.#at += 8
  }

  /** A text with its length in bytes before it. */
  text(value: string): void {
    const room = value.length <= SHORT_TEXT_UNITS ? value.length * 3 : Buffer.byteLength(value)
    this.#reserve(4 + room)
    const bytes = this.#buffer.write(value, this.#at + 4, 'utf8')
    this.#view.setUint32(this.#at, bytes, true)
    this.#at += 4 + bytes
  }

  /** A cell; `above` is the cell over it, if there is one. */
  cell(value: RowCell, above?: RowCell): void {
    // Not ===, by which 0 and -0 are the same.
    if (Object.is(value, above)) {
      this.uint8(SAME)
    } else if (value === null) {
      this.uint8(NULL)
    } else if (typeof value === 'bigint') {
      this.uint8(INTEGER)
      this.int64(value)
    } else if (typeof value === 'number') {
      this.uint8(REAL)
      this.float64(value)
    } else if (typeof value === 'string') {
      this.uint8(TEXT)
      this.text(value)
    } else {
      this.uint8(BYTES)
      this.#bytes(value)
    }
  }

  #bytes(value: Uint8Array): void {
    this.#reserve(4 + value.length)
    this.#view.setUint32(this.#at, value.length, true)
    this.#buffer.set(value, this.#at + 4)
    this.#at += 4 + value.length
  }

  /** Changes four bytes that were written before. */
  uint32At(at: number, value: number): void {
    invariant(at + 4 <= this.#at, 'only what was written is changed')
    this.#view.setUint32(at, value, true)
  }

  /** What was written; the memory is used again by the next write. */
  written(): Buffer {
    return this.#buffer.subarray(0, this.#at)
  }

  /** Forgets what was written, or the last of it. */
  cut(length = 0): void {
    this.#at = length
  }

  /** What was written, in memory that is the caller's from here on. */
  take(): Buffer {
    const written = this.written()
    this.#at = 0
    if (written.length <= KEPT_BYTES) return Buffer.from(written)
    // Long memory is handed over, not copied.
    this.#buffer = Buffer.allocUnsafeSlow(KEPT_BYTES)
    this.#view = viewOf(this.#buffer)
    return written
  }

  #reserve(bytes: number): void {
    const needed = this.#at + bytes
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2))
    larger.set(this.written())
    this.#buffer = larger
    this.#view = viewOf(larger)
  }
}

/** Reads what a `CellWriter` has written; throws a RangeError where it ends too early. */
export class CellReader {
  readonly #buffer: Buffer
  readonly #view: DataView
  #at = 0

  constructor(buffer: Buffer) {
    this.#buffer = buffer
    this.#view = viewOf(buffer)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#buffer.length
  }

  uint8(): number {
    return this.#view.getUint8(this.#at++)
  }

  uint32(): number {
    const value = this.#view.getUint32(this.#at, true)
    this.#at += 4
    return value
  }

  float64(): number {
    const value = this.#view.getFloat64(this.#at, true)
    this.#at += 8
    return value
  }

  int64(): bigint {
    const value = this.#view.getBigInt64(this.#at, true)
    this.#at += 8
    return value
  }

  text(): string {
    const length = this.uint32()
    return this.bytes(length).toString('utf8')
  }

  /** A view of the next `length` bytes. */
  bytes(length: number): Buffer {
    const until = this.#at + length
    if (until > this.#buffer.length) throw new RangeError('The frame ends within a value')
    const found = this.#buffer.subarray(this.#at, until)
    this.#at = until
    return found
  }

  cell(above?: RowCell): RowCell {
    const tag = this.uint8()
    if (tag === TEXT) return this.text()
    if (tag === REAL) return this.float64()
    if (tag === INTEGER) return this.int64()
    if (tag === NULL) return null
    if (tag === BYTES) return Uint8Array.from(this.bytes(this.uint32()))
    if (tag === SAME && above !== undefined) return above
    throw new RangeError(`The frame has an unknown tag ${tag}`)
  }

  /** All remaining rows, each of `columnCount` cells. */
  rows(columnCount: number): RowCell[][] {
    if (columnCount < 1) throw new RangeError('The frame has rows without cells')
    const rows: RowCell[][] = []
    let above: RowCell[] = []
    while (!this.isAtEnd) {
      const row: RowCell[] = []
      for (let column = 0; column < columnCount; column += 1) row.push(this.cell(above[column]))
      rows.push(row)
      above = row
    }
    return rows
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
}
