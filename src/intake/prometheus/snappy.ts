/** The block format of Snappy, in which remote write sends its bodies. */
import { nextIteration, refuse } from '../../base/index.ts'

/** A varint of 32 bits has at most five bytes. */
const LENGTH_BYTES_MAX = 5
const LENGTH_MAX = 2 ** 32 - 1

/** Literals whose length follows in one to four bytes. */
const LONG_LITERAL = 60

/** Short copies are faster in a loop than by a call. */
const LOOP_BYTES_MAX = 24

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
  #at: number
  #to = 0

  constructor(block: Buffer) {
    const { length, at } = readHeader(block)
    this.inflated = Buffer.allocUnsafe(length)
    this.#block = block
    this.#at = at
  }

  /** Inflates about `bytesMax` more bytes. Returns true at the end of the block. */
  inflate(bytesMax: number): boolean {
    const { inflated } = this
    const block = this.#block
    const stopAt = this.#to + bytesMax
    while (this.#at < block.length) {
      if (this.#to >= stopAt) return false
      const tag = block[this.#at]
      this.#at += 1
      if ((tag & 3) === 0) this.#copyLiteral(tag)
      else this.#copyEarlier(tag)
    }
    if (this.#to !== inflated.length) refuseAt(this.#at)
    return true
  }

  #copyLiteral(tag: number): void {
    const { inflated } = this
    const block = this.#block
    let count = (tag >>> 2) + 1
    if (count > LONG_LITERAL) count = this.#take(count - LONG_LITERAL) + 1
    const at = this.#at
    const to = this.#to
    if (count > block.length - at || count > inflated.length - to) refuseAt(at)
    if (count > LOOP_BYTES_MAX) block.copy(inflated, to, at, at + count)
    else for (let place = 0; place < count; place++) inflated[to + place] = block[at + place]
    this.#at += count
    this.#to += count
  }

  #copyEarlier(tag: number): void {
    const isShort = (tag & 3) === 1
    const count = isShort ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
    const offset = isShort
      ? ((tag >>> 5) << 8) | this.#take(1)
      : this.#take((tag & 3) === 2 ? 2 : 4)
    const to = this.#to
    if (offset === 0 || offset > to || count > this.inflated.length - to) refuseAt(this.#at)
    copyEarlier(this.inflated, to, offset, count)
    this.#to += count
  }

  /** Takes a little-endian number of one to four bytes. */
  #take(bytes: number): number {
    const block = this.#block
    if (this.#at + bytes > block.length) refuseAt(this.#at)
    let number = 0
    for (let place = 0; place < bytes; place++) number += block[this.#at + place] * 2 ** (8 * place)
    this.#at += bytes
    return number
  }
}

/** Copies bytes from before `to`. The source may overlap what is being written, which repeats it. */
function copyEarlier(inflated: Buffer, to: number, offset: number, count: number): void {
  if (offset >= count && count > LOOP_BYTES_MAX) {
    inflated.copyWithin(to, to - offset, to - offset + count)
    return
  }
  for (let at = to; at < to + count; at++) inflated[at] = inflated[at - offset]
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
