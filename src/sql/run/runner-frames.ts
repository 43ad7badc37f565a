/**
 * Frames of the channel between the service and a runner: the length of the body (uint32), the kind
 * (uint8), the body. Both sides are started from the same sources, so the format has no version.
 */
import type { CellWriter } from './cell-codec.ts'

/** What a frame is; the service sends the first four, a runner the others. */
export const FRAME = {
  /** slot, program as JSON: it is known by its slot from here on. */
  program: 1,
  /** slot, time of the call, most rows, values of all variables: the program of a slot runs. */
  run: 2,
  /** Columns of rows that a runner has asked for. */
  input: 3,
  /** 1: that were all rows; 0: there will be no more, the run fails. */
  inputEnd: 4,
  /** The runner waits for its first call. */
  ready: 11,
  /** statement, columns, cells: rows of a statement's answer. */
  rows: 12,
  /** statement, columns, cells: the one row of an INSERT's options. */
  options: 13,
  /** statement, read, what is given and what bounds it: rows of a stored table are asked for. */
  want: 14,
  /** rows: the run is over. */
  done: 15,
  /** kind, from, until, problem: the run has failed. */
  failed: 16,
} as const

const HEAD_BYTES = 5

/** The most a frame holds: a row with a text of the greatest length, and others beside it. */
export const FRAME_BYTES_MAX = 48 * 1024 * 1024

/** Rows are put into one frame up to here: the service shows them to the caller frame by frame. */
export const ROWS_BYTES = 64 * 1024

/** A frame that came. */
export interface Frame {
  readonly kind: number
  readonly body: Buffer
}

/** Writes the head of a frame whose body follows; `endFrame` writes its length. */
export function beginFrame(writer: CellWriter, kind: number): number {
  const at = writer.length
  writer.uint32(0)
  writer.uint8(kind)
  return at
}

/** Ends the frame that begins at `at`. */
export function endFrame(writer: CellWriter, at: number): void {
  writer.uint32At(at, writer.length - at - HEAD_BYTES)
}

/** Makes frames of the pieces that arrive; the bytes of a frame that comes in one piece are not copied. */
export class FrameReader {
  readonly #head = Buffer.alloc(HEAD_BYTES)
  #headBytes = 0
  #body: Buffer | undefined
  #bodyBytes = 0
  #piece: Buffer = Buffer.alloc(0)
  #at = 0

  /** Takes a piece; the one before must have been read to its end. */
  push(piece: Buffer): void {
    this.#piece = this.#at < this.#piece.length ? Buffer.concat([this.#left(), piece]) : piece
    this.#at = 0
  }

  /** The next frame that is complete. Throws a RangeError when one is longer than a frame may be. */
  next(): Frame | undefined {
    if (!this.#fillHead()) return undefined
    const length = this.#head.readUInt32LE(0)
    if (length > FRAME_BYTES_MAX) throw new RangeError(`A frame of ${length} bytes`)
    const body = this.#fillBody(length)
    if (body === undefined) return undefined
    this.#headBytes = 0
    this.#body = undefined
    return { kind: this.#head[4], body }
  }

  #fillHead(): boolean {
    const count = Math.min(HEAD_BYTES - this.#headBytes, this.#piece.length - this.#at)
    this.#piece.copy(this.#head, this.#headBytes, this.#at, this.#at + count)
    this.#headBytes += count
    this.#at += count
    return this.#headBytes === HEAD_BYTES
  }

  #fillBody(length: number): Buffer | undefined {
    if (this.#body === undefined) {
      if (this.#piece.length - this.#at >= length) {
        const body = this.#piece.subarray(this.#at, this.#at + length)
        this.#at += length
        return body
      }
      this.#body = Buffer.allocUnsafeSlow(length)
      this.#bodyBytes = 0
    }
    const count = Math.min(length - this.#bodyBytes, this.#piece.length - this.#at)
    this.#piece.copy(this.#body, this.#bodyBytes, this.#at, this.#at + count)
    this.#bodyBytes += count
    this.#at += count
    return this.#bodyBytes === length ? this.#body : undefined
  }

  #left(): Buffer {
    return this.#piece.subarray(this.#at)
  }
}
