import { DamagedBytes } from './damaged-bytes.ts'

/** Reads what ByteWriter wrote; throws DamagedBytes rather than read past the end. */
export class ByteReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #end: number
  #at: number

  constructor(bytes: Uint8Array, range?: { readonly start: number; readonly end: number }) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = range?.start ?? 0
    this.#end = range?.end ?? bytes.length
  }

  get remaining(): number {
    return this.#end - this.#at
  }

  #take(bytes: number): number {
    const at = this.#at
    if (at + bytes > this.#end) throw new DamagedBytes('the bytes end too early')
    this.#at = at + bytes
    return at
  }

  u8(): number {
    return this.#bytes[this.#take(1)]
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true)
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true)
  }

  varint(): number {
    let value = 0
    let scale = 1
    for (let length = 0; length < 8; length++) {
      const byte = this.u8()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 0x80
    }
    throw new DamagedBytes('a number is too long')
  }

  zigzag(): number {
    const value = this.varint()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  /** A count that must not exceed what its reader is ready to hold. */
  countUpTo(max: number): number {
    const count = this.varint()
    if (count > max) throw new DamagedBytes(`a count is ${count} where at most ${max} can be`)
    return count
  }

  bytes(length: number): Uint8Array {
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }
}
