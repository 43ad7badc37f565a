/**
 * Calculating with numbers. LONG stays exact up to 2^63 and becomes DOUBLE beyond; a DOUBLE that is not
 * finite fails; a division by zero is NULL. For types that show at run time there is a third form.
 */
import { finite, isExactWhole, isLong, needNumber, shortenLong, textOfValue } from './numbers.ts'
import type { NumberLoop, Operation, Present, Run, SqlOperand } from './operation.ts'
import { joinTexts } from './text-work.ts'

/** A calculation for LONG, for DOUBLE, and for numbers whose type shows at run time. */
export interface Arithmetic {
  readonly long: Operation
  readonly double: Operation
  readonly unknown: Operation
}

/** DOUBLE ends at 2^1024: what has fewer bits cannot overflow. */
const DOUBLE_BITS = 1_024

interface Calculation {
  readonly name: string
  readonly sign: '+' | '-' | '*'
  readonly doubles: (left: number, right: number) => number
  readonly bigints: (left: bigint, right: bigint) => bigint
  /** How many bits a result may have. */
  readonly bits: (left: number, right: number) => number
  /** The calculation on columns, written out for each so that no call is in the loop. */
  readonly loop: NumberLoop
}

function calculation(of: Calculation): Arithmetic {
  const doubles = (run: Run, left: Present, right: Present): number =>
    finite(run, of.doubles(Number(left), Number(right)), `"${of.sign}"`)
  const longs = (run: Run, left: Present, right: Present): number | bigint => {
    if (typeof left === 'number' && typeof right === 'number') {
      const result = of.doubles(left, right)
      if (Number.isSafeInteger(result)) return result
    }
    if (!isExactWhole(left) || !isExactWhole(right)) return doubles(run, left, right)
    const exact = of.bigints(BigInt(left), BigInt(right))
    return isLong(exact) ? shortenLong(exact) : doubles(run, left, right)
  }
  return {
    long: {
      name: `${of.name}_long`,
      value: longs,
      number: (out, args, uncertain, count) => {
        of.loop(out, args, uncertain, count)
        markUnsafe(out, uncertain, count)
      },
      sql: ([left, right]) => {
        if (left.bits === undefined || right.bits === undefined) return undefined
        const isSafe = of.bits(left.bits, right.bits) < DOUBLE_BITS
        return isSafe ? `${left.text} ${of.sign} ${right.text}` : undefined
      },
    },
    double: { name: `${of.name}_double`, value: doubles, number: of.loop },
    unknown: {
      name: `${of.name}_any`,
      value: (run, left, right) => longs(run, needNumber(run, left), needNumber(run, right)),
    },
  }
}

/** Doubts whole numbers that a double may not hold exactly. */
function markUnsafe(out: Float64Array, uncertain: Uint8Array, count: number): void {
  for (let row = 0; row < count; row++) {
    const result = out[row]
    if (result > Number.MAX_SAFE_INTEGER || result < Number.MIN_SAFE_INTEGER) uncertain[row] = 1
  }
}

/** Doubts a result that is not finite though both operands are there. */
function isUncertain(one: number, other: number, result: number): boolean {
  return result - result !== 0 && !Number.isNaN(one) && !Number.isNaN(other)
}

const addition = calculation({
  name: 'add',
  sign: '+',
  doubles: (left, right) => left + right,
  bigints: (left, right) => left + right,
  bits: (left, right) => Math.max(left, right) + 1,
  loop: (out, [left, right], uncertain, count) => {
    for (let row = 0; row < count; row++) {
      const one = left[row]
      const other = right[row]
      const result = one + other
      out[row] = result
      if (isUncertain(one, other, result)) uncertain[row] = 1
    }
  },
})

/** a + b on numbers; of unknown types it joins when one turns out to be a text. */
export const add: Arithmetic = {
  ...addition,
  unknown: {
    name: 'add_any',
    value: (run, left, right) => {
      if (typeof left !== 'string' && typeof right !== 'string') {
        return addition.unknown.value(run, left, right)
      }
      return joinTexts(run, textOfValue(left), textOfValue(right))
    },
  },
}

/** a - b. */
export const subtract = calculation({
  name: 'subtract',
  sign: '-',
  doubles: (left, right) => left - right,
  bigints: (left, right) => left - right,
  bits: (left, right) => Math.max(left, right) + 1,
  loop: (out, [left, right], uncertain, count) => {
    for (let row = 0; row < count; row++) {
      const one = left[row]
      const other = right[row]
      const result = one - other
      out[row] = result
      if (isUncertain(one, other, result)) uncertain[row] = 1
    }
  },
})

/** a * b. */
export const multiply = calculation({
  name: 'multiply',
  sign: '*',
  doubles: (left, right) => left * right,
  bigints: (left, right) => left * right,
  bits: (left, right) => left + right,
  loop: (out, [left, right], uncertain, count) => {
    for (let row = 0; row < count; row++) {
      const one = left[row]
      const other = right[row]
      const result = one * other
      out[row] = result
      if (isUncertain(one, other, result)) uncertain[row] = 1
    }
  },
})

/** a / b of DOUBLEs; NULL when b is 0. */
export const divide: Operation = {
  name: 'divide',
  value: (run, left, right) => {
    const divisor = Number(right)
    return divisor === 0 ? null : finite(run, Number(left) / divisor, '"/"')
  },
  number: (out, [left, right], uncertain, count) => {
    for (let row = 0; row < count; row++) {
      const one = left[row]
      const other = right[row]
      const result = other === 0 ? Number.NaN : one / other
      out[row] = result
      if (other !== 0 && isUncertain(one, other, result)) uncertain[row] = 1
    }
  },
}

/** a % b: what is left of a division that cuts off, with the sign of a; NULL when b is 0. */
export const remainder: Arithmetic = {
  long: {
    name: 'remainder_long',
    value: remainderOf,
    number: remainderLoop,
    sql: ([left, right]) => (areLongs(left, right) ? `${left.text} % ${right.text}` : undefined),
  },
  double: {
    name: 'remainder_double',
    value: remainderOf,
    number: remainderLoop,
  },
  unknown: {
    name: 'remainder_any',
    value: (run, left, right) => remainderOf(run, needNumber(run, left), needNumber(run, right)),
  },
}

function remainderLoop(
  out: Float64Array,
  [left, right]: readonly Float64Array[],
  _: unknown,
  count: number,
) {
  // A divisor of 0 gives NaN, which is NULL.
  for (let row = 0; row < count; row++) out[row] = left[row] % right[row]
}

function remainderOf(_run: Run, left: Present, right: Present): number | bigint | null {
  const divisor = Number(right)
  if (divisor === 0) return null
  if (typeof left === 'number' && typeof right === 'number') return left % right
  if (!isExactWhole(left) || !isExactWhole(right)) return Number(left) % divisor
  return shortenLong(BigInt(left) % BigInt(right))
}

/** SQLite cuts operands off to LONGs before it takes their remainder. */
function areLongs(...operands: readonly SqlOperand[]): boolean {
  return operands.every(({ bits }) => bits !== undefined && bits <= 63)
}

/** -a. */
export const negate: Arithmetic = {
  long: {
    name: 'negate_long',
    value: (run, value) => subtract.long.value(run, 0, value),
    number: negateLoop,
    sql: ([of]) => (of.bits === undefined ? undefined : `0 - ${of.text}`),
  },
  double: {
    name: 'negate_double',
    value: (_run, value) => 0 - Number(value),
    number: negateLoop,
  },
  unknown: {
    name: 'negate_any',
    value: (run, value) => subtract.unknown.value(run, 0, value),
  },
}

function negateLoop(out: Float64Array, [of]: readonly Float64Array[], _: unknown, count: number) {
  for (let row = 0; row < count; row++) out[row] = 0 - of[row]
}
