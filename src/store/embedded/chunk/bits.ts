import { growColumn } from '../../../base/plain.ts'
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
    if (this.#length === this.#bytes.length) this.#reserve(1)
    this.#bytes[this.#length++] = byte
  }

  /** Packs numbers of at most 12 bits, each with its width above them: width << 12 | number. */
  writeSteps(steps: Uint16Array, count: number): void {
    this.#reserve(2 * count + 2)
    const bytes = this.#bytes
    let at = this.#length
    let waiting = this.#waiting
    let waitingBits = this.#waitingBits
    for (let index = 0; index < count; index++) {
      const step = steps[index]
      waiting |= (step & 0xfff) << waitingBits
      waitingBits += step >>> 12
      if (waitingBits >= 16) {
        bytes[at] = waiting
        bytes[at + 1] = waiting >>> 8
        at += 2
        waiting >>>= 16
        waitingBits -= 16
      }
    }
    this.#length = at
    this.#waiting = 0
    this.#waitingBits = 0
    this.#step(waiting, waitingBits)
  }

  #reserve(moreBytes: number): void {
    this.#bytes = growColumn(this.#bytes, this.#length + moreBytes)
  }

  /** Starts over; what finish() gave is overwritten from here on. */
  clear(): void {
    this.#length = 0
    this.#waiting = 0
    this.#waitingBits = 0
  }

  /** Everything written, the last byte filled up with zeros; valid until clear(). */
  finish(): Uint8Array {
    if (this.#waitingBits > 0) this.#push(this.#waiting & 0xff)
    this.#waiting = 0
    this.#waitingBits = 0
    return this.#bytes.subarray(0, this.#length)
  }
}

/** How a column of numbers is packed: bits of each, and what is added to them. */
interface PackedForm {
  readonly width: number
  readonly least: number
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
      // Past the end this adds zeros. finish() detects it.
      this.#waiting |= this.#bytes[this.#at++] << this.#waitingBits
      this.#waitingBits += 8
    }
    const value = this.#waiting & ((1 << bits) - 1)
    this.#waiting >>>= bits
    this.#waitingBits -= bits
    return value
  }

  /** Reads numbers of one width into the first places of a column, each above `least`. */
  readInto(into: Float64Array, length: number, { width, least }: PackedForm): void {
    if (width > STEP_BITS) {
      for (let index = 0; index < length; index++) into[index] = least + this.read(width)
      return
    }
    const bytes = this.#bytes
    const mask = (1 << width) - 1
    let at = this.#at
    let waiting = this.#waiting
    let waitingBits = this.#waitingBits
    for (let index = 0; index < length; index++) {
      while (waitingBits < width) {
        waiting |= bytes[at++] << waitingBits
        waitingBits += 8
      }
      into[index] = least + (waiting & mask)
      waiting >>>= width
      waitingBits -= width
    }
    this.#at = at
    this.#waiting = waiting
    this.#waitingBits = waitingBits
  }

  /** Passes over bits. */
  skip(bits: number): void {
    if (bits <= this.#waitingBits) {
      this.#step(bits)
      return
    }
    const left = bits - this.#waitingBits
    this.#at += left >>> 3
    this.#waiting = 0
    this.#waitingBits = 0
    this.#step(left & 7)
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
