import { powerOf2 } from './double-bits.ts'

const LIMB_BITS = 32
/** 2,099 bits hold every finite double as a multiple of 2⁻¹⁰⁷⁴; the rest is room for carries. */
const LIMBS = 68
/** Each add changes a limb by less than 2³², so this many leave it exact in a double. */
const ADDS_BETWEEN_CARRIES = 2 ** 20
const UNIT_EXPONENT = -1_074
const BASE = 2 ** LIMB_BITS
/** Up to here every whole number is a double. */
const WHOLE_DOUBLES = 2n ** 53n
/** Bits kept below the units of a quotient, so that its sticky bit lies below the one that rounds. */
const SPARE_BITS = 64n

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

  /** Adds value · factor; the factor is a whole number from 0 to 2⁵³. */
  addProduct(value: number, factor: number): void {
    const units = unitsOf(value) * BigInt(factor)
    const sign = units < 0n ? -1 : 1
    let rest = units < 0n ? -units : units
    for (let limb = 0; rest !== 0n; limb++) {
      this.#limbs[limb] += sign * Number(BigInt.asUintN(LIMB_BITS, rest))
      rest >>= BigInt(LIMB_BITS)
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

  /** The exact sum over a positive whole number, rounded once like round(). */
  quotient(divisor: number): number {
    return roundUnits(this.#units(), BigInt(divisor))
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

/** The double nearest to a whole number of 2⁻¹⁰⁷⁴ over a positive one, ties to even; zero is +0. */
function roundUnits(units: bigint, divisor = 1n): number {
  const magnitude = units < 0n ? -units : units
  const whole = magnitude / divisor
  const result =
    whole < WHOLE_DOUBLES
      ? scaleByPowerOf2(Number(roundHalfEven(magnitude, divisor)), UNIT_EXPONENT)
      : roundLarge(magnitude << SPARE_BITS, divisor)
  return units < 0n && result !== 0 ? -result : result
}

/** The nearest whole number: below 2⁵³ units the doubles are the whole numbers. */
function roundHalfEven(dividend: bigint, divisor: bigint): bigint {
  const whole = dividend / divisor
  const twice = (dividend - whole * divisor) * 2n
  const isUp = twice > divisor || (twice === divisor && (whole & 1n) === 1n)
  return isUp ? whole + 1n : whole
}

/** As roundUnits(), of a dividend with SPARE_BITS below its units and a quotient of 2⁵³ units or more. */
function roundLarge(dividend: bigint, divisor: bigint): number {
  const whole = dividend / divisor
  // Number() rounds a bigint to nearest even; beyond 1,000 bits it would overflow, so the head is
  // rounded with one sticky bit for all that is cut off, and scaled after.
  const cut = Math.max(whole.toString(16).length * 4 - 128, 0)
  const head = whole >> BigInt(cut)
  const isExact = (head << BigInt(cut)) * divisor === dividend
  const rounded = Number(isExact ? head : head | 1n)
  return scaleByPowerOf2(rounded, cut - Number(SPARE_BITS) + UNIT_EXPONENT)
}

/** Exact wherever the result is: in steps that stay inside the range of doubles. */
function scaleByPowerOf2(value: number, exponent: number): number {
  let result = value
  let left = exponent
  for (; left > 500; left -= 500) result *= powerOf2(500)
  for (; left < -500; left += 500) result *= powerOf2(-500)
  return result * powerOf2(left)
}
