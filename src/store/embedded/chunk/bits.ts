import { DamagedBytes } from './damaged-bytes.ts'

/** The most bits one step moves: with up to 7 waiting they still fit a 32-bit integer. */
const STEP_BITS = 24
const STEP = 2 ** STEP_BITS

/** How many bits a whole number from 0 to 2⁵³ needs. */
export function bitLength(value: number): number {
  if (value < 0x1_0000_0000) return 32 - Math.clz32(value)
  return 64 - Math.clz32(value / 0x1_0000_0000)
}

/** Packs whole numbers of any width up to 53 bits, low bits first, without gaps. */
export class BitWriter {
  #bytes: Uint8Array
  #length = 0
  #waiting = 0
  #waitingBits = 0

  constructor(capacityBytes = 256) {
    this.#bytes = new Uint8Array(capacityBytes)
  }

  write(value: number, bits: number): void {
    let rest = value
    let left = bits
    while (left > STEP_BITS) {
      const high = Math.floor(rest / STEP)
      this.#step(rest - high * STEP, STEP_BITS)
      rest = high
      left -= STEP_BITS
    }
    this.#step(rest, left)
  }

  #step(value: number, bits: number): void {
    this.#waiting |= value << this.#waitingBits
    this.#waitingBits += bits
    while (this.#waitingBits >= 8) {
      this.#push(this.#waiting & 0xff)
      this.#waiting >>>= 8
      this.#waitingBits -= 8
    }
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes[this.#length++] = byte
  }

  /** Everything written, the last byte filled up with zeros. */
  finish(): Uint8Array {
    if (this.#waitingBits > 0) this.#push(this.#waiting & 0xff)
    this.#waiting = 0
    this.#waitingBits = 0
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Reads what BitWriter packed. */
export class BitReader {
  readonly #bytes: Uint8Array
  #at = 0
  #waiting = 0
  #waitingBits = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  read(bits: number): number {
    if (bits <= STEP_BITS) return this.#step(bits)
    let value = 0
    let scale = 1
    let left = bits
    while (left > STEP_BITS) {
      value += this.#step(STEP_BITS) * scale
      scale *= STEP
      left -= STEP_BITS
    }
    return value + this.#step(left) * scale
  }

  #step(bits: number): number {
    while (this.#waitingBits < bits) {
      // Past the end this adds zeros; finish() tells.
      this.#waiting |= this.#bytes[this.#at++] << this.#waitingBits
      this.#waitingBits += 8
    }
    const value = this.#waiting & ((1 << bits) - 1)
    this.#waiting >>>= bits
    this.#waitingBits -= bits
    return value
  }

  /** Where a faster loop may go on by itself: bytes taken, and the bits of them still to be used. */
  place(): { at: number; waiting: number; waitingBits: number } {
    return { at: this.#at, waiting: this.#waiting, waitingBits: this.#waitingBits }
  }

  /** Throws when more was read than there is. */
  finish(): void {
    if (this.#at > this.#bytes.length) throw new DamagedBytes('the bits end too early')
  }
}
