/** Appends numbers to a growing buffer; all multi-byte values are little-endian. */
export class ByteWriter {
  #bytes: Uint8Array
  #view: DataView
  #length = 0
  /** Whether the output is replaced soon: then no time is spent on compression. */
  isBrief = false

  constructor(capacityBytes = 1024) {
    this.#bytes = new Uint8Array(capacityBytes)
    this.#view = new DataView(this.#bytes.buffer)
  }

  get length(): number {
    return this.#length
  }

  /** Makes room for `moreBytes` more bytes. */
  #reserve(moreBytes: number): void {
    if (this.#length + moreBytes <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + moreBytes))
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
    this.#view = new DataView(grown.buffer)
  }

  u8(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  u32(value: number): void {
    this.#reserve(4)
    this.#view.setUint32(this.#length, value, true)
    this.#length += 4
  }

  f64(value: number): void {
    this.#reserve(8)
    this.#view.setFloat64(this.#length, value, true)
    this.#length += 8
  }

  /** A whole number from 0 to 2⁵³, seven bits a byte, low bits first. */
  varint(value: number): void {
    this.#reserve(8)
    let rest = value
    while (rest >= 0x80) {
      const high = Math.floor(rest / 0x80)
      this.#bytes[this.#length++] = rest - high * 0x80 + 0x80
      rest = high
    }
    this.#bytes[this.#length++] = rest
  }

  /** A whole number of either sign, at most 2⁵² away from 0, as varint with the sign in bit 0. */
  zigzag(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1)
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#bytes.set(value, this.#length)
    this.#length += value.length
  }

  /** Starts over in the same memory. */
  clear(): void {
    this.#length = 0
  }

  /** What was written so far; valid until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** A copy of what was written, of exactly its size. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }
}
