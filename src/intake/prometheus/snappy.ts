/** The block format of Snappy, in which remote write sends its bodies. */
import { nextIteration, refuse } from '../../base/index.ts'

/** A varint of 32 bits has at most five bytes. */
const LENGTH_BYTES_MAX = 5
const LENGTH_MAX = 2 ** 32 - 1

/** Literals whose length follows in one to four bytes. */
const LONG_LITERAL = 60

/** Short copies are faster in a loop than by a call. */
const LOOP_BYTES_MAX = 24
const WORD = 4

/** Bytes that are inflated before other calls run: about a millisecond. */
const BYTES_PER_SLICE = 1 << 20

interface SnappyHeader {
  /** Length of the inflated bytes. */
  readonly length: number
  /** Where the first element starts. */
  readonly at: number
}

/** The length that the header of a block declares. Refuses a block without a valid header. */
export function snappyLength(block: Buffer): number {
  return readHeader(block).length
}

/** Inflates a block into bytes of exactly the declared length. Check `snappyLength()` before. */
export async function inflateSnappy(block: Buffer): Promise<Buffer> {
  const inflater = new Inflater(block)
  while (!inflater.inflate(BYTES_PER_SLICE)) await nextIteration()
  return inflater.inflated
}

class Inflater {
  readonly inflated: Buffer
  readonly #block: Buffer
  readonly #inflatedView: DataView
  #at: number
  #to = 0

  constructor(block: Buffer) {
    const { length, at } = readHeader(block)
    this.inflated = Buffer.allocUnsafe(length)
    this.#block = block
    this.#inflatedView = viewOf(this.inflated)
    this.#at = at
  }

  /** Inflates about `bytesMax` more bytes. Returns true at the end of the block. One loop: elements are a few bytes long. */
  inflate(bytesMax: number): boolean {
    const { inflated } = this
    const block = this.#block
    const view = this.#inflatedView
    const stopAt = this.#to + bytesMax
    let at = this.#at
    let to = this.#to
    while (at < block.length && to < stopAt) {
      const tag = block[at]
      at += 1
      const extra = extraBytesOf(tag)
      if (at + extra > block.length) refuseAt(at)
      const number = extra === 0 ? 0 : numberAt(block, at, extra)
      at += extra
      const kind = tag & 3
      if (kind === 0) {
        const count = (extra === 0 ? tag >>> 2 : number) + 1
        if (count > block.length - at || count > inflated.length - to) refuseAt(at)
        if (count > LOOP_BYTES_MAX) block.copy(inflated, to, at, at + count)
        else for (let place = 0; place < count; place++) inflated[to + place] = block[at + place]
        at += count
        to += count
      } else {
        const count = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
        const offset = kind === 1 ? ((tag >>> 5) << 8) | number : number
        if (offset === 0 || offset > to || count > inflated.length - to) refuseAt(at)
        repeat(view, to, offset, count)
        to += count
      }
    }
    this.#at = at
    this.#to = to
    if (at < block.length) return false
    if (to !== inflated.length) refuseAt(at)
    return true
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

/** Bytes of a length or an offset behind the tag of an element. */
function extraBytesOf(tag: number): number {
  const kind = tag & 3
  if (kind === 0) return Math.max(0, (tag >>> 2) + 1 - LONG_LITERAL)
  return kind === 3 ? 4 : kind
}

/** A little-endian number of one to four bytes. */
function numberAt(block: Buffer, at: number, bytes: number): number {
  let number = block[at]
  if (bytes > 1) number |= block[at + 1] << 8
  if (bytes > 2) number |= block[at + 2] << 16
  return bytes > 3 ? number + block[at + 3] * 2 ** 24 : number
}

/** Copies bytes from before `to`, in words where none overlaps what it is copied to. Nearer ones repeat. */
function repeat(view: DataView, to: number, offset: number, count: number): void {
  const until = to + count
  let at = to
  if (offset >= WORD) {
    for (; at + WORD <= until; at += WORD) view.setInt32(at, view.getInt32(at - offset, true), true)
  }
  for (; at < until; at++) view.setUint8(at, view.getUint8(at - offset))
}

function readHeader(block: Buffer): SnappyHeader {
  let length = 0
  for (let at = 0; at < LENGTH_BYTES_MAX && at < block.length; at++) {
    length += (block[at] & 0x7f) * 2 ** (7 * at)
    if (block[at] < 0x80 && length <= LENGTH_MAX) return { length, at: at + 1 }
  }
  refuse('bad_input', { what: 'The body is not a Snappy block: its header has no valid length' })
}

function refuseAt(at: number): never {
  refuse('bad_input', { what: `The body is not a Snappy block: it is wrong at byte ${at}` })
}
