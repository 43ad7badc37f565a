/** The block format of Snappy, in which remote write sends its bodies. */
import { refuse } from '../../base/index.ts'

/** A varint of 32 bits has at most five bytes. */
const LENGTH_BYTES_MAX = 5
const LENGTH_MAX = 2 ** 32 - 1

/** Literals whose length follows in one to four bytes. */
const LONG_LITERAL = 60

/** Short copies are faster in a loop than by a call. */
const LOOP_BYTES_MAX = 24

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
export function inflateSnappy(block: Buffer): Buffer {
  const { length, at: start } = readHeader(block)
  const inflated = Buffer.allocUnsafe(length)
  let at = start
  let to = 0
  while (at < block.length) {
    const tag = block[at]
    at += 1
    let count = 0
    let offset = 0
    switch (tag & 3) {
      case 0: {
        count = (tag >>> 2) + 1
        if (count > LONG_LITERAL) {
          const bytes = count - LONG_LITERAL
          count = readNumber(block, at, bytes) + 1
          at += bytes
        }
        if (count > block.length - at || count > length - to) refuseAt(at)
        if (count > LOOP_BYTES_MAX) block.copy(inflated, to, at, at + count)
        else for (let place = 0; place < count; place++) inflated[to + place] = block[at + place]
        at += count
        to += count
        continue
      }
      case 1:
        count = ((tag >>> 2) & 7) + 4
        offset = ((tag >>> 5) << 8) | readNumber(block, at, 1)
        at += 1
        break
      case 2:
        count = (tag >>> 2) + 1
        offset = readNumber(block, at, 2)
        at += 2
        break
      default:
        count = (tag >>> 2) + 1
        offset = readNumber(block, at, 4)
        at += 4
    }
    if (offset === 0 || offset > to || count > length - to) refuseAt(at)
    copyWithin(inflated, to, offset, count)
    to += count
  }
  if (to !== length) refuseAt(at)
  return inflated
}

/** Copies bytes from before `to`. The source may overlap what is being written, which repeats it. */
function copyWithin(inflated: Buffer, to: number, offset: number, count: number): void {
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

/** A little-endian number of one to four bytes. */
function readNumber(block: Buffer, at: number, bytes: number): number {
  if (at + bytes > block.length) refuseAt(at)
  let number = 0
  for (let place = 0; place < bytes; place++) number += block[at + place] * 2 ** (8 * place)
  return number
}

function refuseAt(at: number): never {
  refuse('bad_input', { what: `The body is not a Snappy block: it is wrong at byte ${at}` })
}
