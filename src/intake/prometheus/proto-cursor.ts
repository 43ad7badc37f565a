/** Reads protobuf messages from bytes, without an object per field. */
import { refuse } from '../../base/index.ts'

/** How the value of a field is encoded. */
export const WIRE_VARINT = 0
export const WIRE_FIXED64 = 1
export const WIRE_BYTES = 2
const WIRE_FIXED32 = 5

const VARINT_BYTES_MAX = 10

/** Walks over the fields of a message. Refuses malformed bytes. */
export class ProtoCursor {
  readonly bytes: Buffer
  /** The next byte. */
  at = 0
  /** The end of the message. */
  until = 0
  /** The current field, and how its value is encoded. */
  field = 0
  wire = 0
  /** After `nextField()` of a field with bytes: where they start and end. Others: where the value is. */
  from = 0
  end = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Starts to read the message at from ≤ index < until. */
  enter(from: number, until: number): void {
    this.at = from
    this.until = until
  }

  /** Goes to the next field and past its value. Returns false at the end of the message. */
  nextField(): boolean {
    if (this.at >= this.until) return false
    const key = this.#readSmall()
    this.field = key >>> 3
    this.wire = key & 7
    if (this.field === 0) this.refuse()
    this.from = this.at
    switch (this.wire) {
      case WIRE_VARINT:
        this.#skipVarint()
        break
      case WIRE_FIXED64:
        this.at += 8
        break
      case WIRE_FIXED32:
        this.at += 4
        break
      case WIRE_BYTES: {
        const length = this.#readSmall()
        this.from = this.at
        if (length > this.until - this.at) this.refuse()
        this.at += length
        break
      }
      default:
        this.refuse()
    }
    if (this.at > this.until) this.refuse()
    this.end = this.at
    return true
  }

  /** The varint value of the current field as a signed integer of 64 bits; rounded beyond 2^53. */
  int64(): number {
    return int64At(this.bytes, this.from)
  }

  /** A tag, length, or reference: a varint that fits 32 bits. */
  #readSmall(): number {
    const { bytes } = this
    const first = bytes[this.at]
    if (first < 0x80 && this.at < this.until) {
      this.at += 1
      return first
    }
    let value = 0
    for (let place = 0; place < 5 && this.at < this.until; place++) {
      const byte = bytes[this.at]
      this.at += 1
      value += (byte & 0x7f) * 2 ** (7 * place)
      if (byte < 0x80) {
        if (value > 0xffffffff) break
        return value
      }
    }
    this.refuse()
  }

  #skipVarint(): void {
    const { bytes } = this
    const limit = Math.min(this.until, this.at + VARINT_BYTES_MAX)
    while (this.at < limit) {
      const byte = bytes[this.at]
      this.at += 1
      if (byte < 0x80) return
    }
    this.refuse()
  }

  /** Refuses the message at this place. */
  refuse(): never {
    refuse('bad_input', { what: `The body is not valid protobuf: it is wrong at byte ${this.at}` })
  }
}

/** The varint at a place as a signed integer of 64 bits; rounded beyond 2^53. */
function int64At(bytes: Uint8Array, from: number): number {
  let low = 0
  let high = 0
  for (let place = 0; place < VARINT_BYTES_MAX; place++) {
    const byte = bytes[from + place]
    const bits = byte & 0x7f
    if (place < 4) {
      low |= bits << (7 * place)
    } else if (place === 4) {
      low |= (bits & 0x0f) << 28
      high |= bits >>> 4
    } else {
      high |= bits << (7 * place - 32)
    }
    if (byte < 0x80) break
  }
  return high * 2 ** 32 + (low >>> 0)
}

/** The varint at a place as an unsigned integer of 32 bits. The upper bits of longer ones are dropped. */
export function uint32At(bytes: Uint8Array, from: number): number {
  let value = 0
  for (let place = 0; place < 5; place++) {
    const byte = bytes[from + place]
    value |= (byte & 0x7f) << (7 * place)
    if (byte < 0x80) break
  }
  return value >>> 0
}
