import { powerOf2 } from './double-bits.ts'

const LIMB_BITS = 32
/** 2,099 bits hold every finite double as a multiple of 2⁻¹⁰⁷⁴; the rest is room for carries. */
const LIMBS = 68
/** Each add changes a limb by less than 2³², so this many leave it exact in a double. */
const ADDS_BETWEEN_CARRIES = 2 ** 20
const UNIT_EXPONENT = -1_074
const BASE = 2 ** LIMB_BITS

const scratch = new Float64Array(1)
const scratchWords = new Uint32Array(scratch.buffer)

/** The sum of any doubles as one fixed-point number that spans their whole range: never rounded. */
export class WideSum {
  readonly #limbs = new Float64Array(LIMBS)
  #adds = 0

  add(value: number): void {
    scratch[0] = value
    const low = scratchWords[0]
    const word = scratchWords[1]
    const exponent = (word >>> 20) & 0x7ff
    const high = exponent === 0 ? word & 0xfffff : (word & 0xfffff) | 0x100000
    const position = exponent === 0 ? 0 : exponent - 1
    const limb = position >>> 5
    const shift = position & 31
    const sign = word >>> 31 === 0 ? 1 : -1
    this.#limbs[limb] += sign * ((low << shift) >>> 0)
    if (shift === 0) this.#limbs[limb + 1] += sign * high
    else {
      this.#limbs[limb + 1] += sign * (((low >>> (32 - shift)) | (high << shift)) >>> 0)
      this.#limbs[limb + 2] += sign * (high >>> (32 - shift))
    }
    if (++this.#adds >= ADDS_BETWEEN_CARRIES) this.#carry()
  }

  addSum(other: WideSum): void {
    this.#carry()
    other.#carry()
    for (let limb = 0; limb < LIMBS; limb++) this.#limbs[limb] += other.#limbs[limb]
    this.#adds = 2
  }

  /** The exact sum rounded once, to nearest and even; infinite when beyond the doubles. */
  round(): number {
    return roundUnits(this.#units())
  }

  /** Doubles, largest first, whose exact sum this is; undefined when beyond the doubles. */
  parts(): number[] | undefined {
    const parts: number[] = []
    let rest = this.#units()
    while (rest !== 0n) {
      const part = roundUnits(rest)
      if (!Number.isFinite(part)) return undefined
      parts.push(part)
      rest -= unitsOf(part)
    }
    return parts
  }

  #carry(): void {
    for (let limb = 0; limb < LIMBS - 1; limb++) {
      const carry = Math.floor(this.#limbs[limb] / BASE)
      this.#limbs[limb] -= carry * BASE
      this.#limbs[limb + 1] += carry
    }
    this.#adds = 0
  }

  #units(): bigint {
    let units = 0n
    for (let limb = LIMBS - 1; limb >= 0; limb--) {
      units = (units << BigInt(LIMB_BITS)) + BigInt(this.#limbs[limb])
    }
    return units
  }
}

/** A double as a whole number of 2⁻¹⁰⁷⁴. */
function unitsOf(value: number): bigint {
  scratch[0] = value
  const word = scratchWords[1]
  const exponent = (word >>> 20) & 0x7ff
  const fraction = (BigInt(word & 0xfffff) << 32n) | BigInt(scratchWords[0])
  const units = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1)
  return word >>> 31 === 0 ? units : -units
}

/** The double nearest to a whole number of 2⁻¹⁰⁷⁴, ties to even. */
function roundUnits(units: bigint): number {
  const magnitude = units < 0n ? -units : units
  const bits = magnitude.toString(16).length * 4
  // Number() rounds a bigint to nearest even; beyond 1,000 bits it would overflow, so the head is
  // rounded with one sticky bit for all that is cut off, and scaled after.
  const cut = bits > 1_000 ? bits - 128 : 0
  const head = magnitude >> BigInt(cut)
  const isCutExact = head << BigInt(cut) === magnitude
  const rounded = Number(isCutExact ? head : head | 1n)
  const result = scaleByPowerOf2(rounded, cut + UNIT_EXPONENT)
  return units < 0n ? -result : result
}

/** Exact wherever the result is: in steps that stay inside the range of doubles. */
function scaleByPowerOf2(value: number, exponent: number): number {
  let result = value
  let left = exponent
  for (; left > 500; left -= 500) result *= powerOf2(500)
  for (; left < -500; left += 500) result *= powerOf2(-500)
  return result * powerOf2(left)
}
