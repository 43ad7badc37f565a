import { orderOf } from './comparisons.ts'
import { type ExpressionFunction, parametersOf, type TermTools } from './function-entry.ts'
import { finite, isLong, shortenLong } from './numbers.ts'
import type { NumberLoop, Operation, Present, Run, Term } from './operation.ts'

type Example = readonly [text: string, result: number]

/** A function of one DOUBLE. */
function ofOne(name: string, help: string, of: (x: number) => number, ...examples: Example[]) {
  const operation: Operation = {
    name,
    value: (run, x) => finite(run, of(Number(x)), `${name}()`),
    number: (out, [argument], uncertain, count) => {
      for (let row = 0; row < count; row++) {
        const x = argument[row]
        const result = of(x)
        out[row] = result
        if (result - result !== 0 && !Number.isNaN(x)) uncertain[row] = 1
      }
    },
  }
  return entry({ name, help, words: ['x'], operation, examples })
}

/** A function of two DOUBLEs. */
function ofTwo(
  { name, help, words }: { name: string; help: string; words: readonly string[] },
  of: (x: number, y: number) => number,
  ...examples: Example[]
) {
  const operation: Operation = {
    name,
    value: (run, x, y) => finite(run, of(Number(x), Number(y)), `${name}()`),
    number: (out, [first, second], uncertain, count) => {
      for (let row = 0; row < count; row++) {
        const x = first[row]
        const y = second[row]
        const isNull = Number.isNaN(x) || Number.isNaN(y)
        const result = isNull ? Number.NaN : of(x, y)
        out[row] = result
        if (!isNull && result - result !== 0) uncertain[row] = 1
      }
    },
  }
  return entry({ name, help, words, operation, examples })
}

interface Entry {
  readonly name: string
  readonly help: string
  readonly words: readonly string[]
  readonly operation: Operation
  readonly examples: readonly Example[]
}

function entry({ name, help, words, operation, examples }: Entry): ExpressionFunction {
  return {
    name,
    group: 'Numbers',
    help,
    examples,
    result: 'number',
    parameters: parametersOf('number', ...words),
    making: { operation, type: 'DOUBLE' },
    operations: [operation],
  }
}

/** A function that keeps the type of its number, and LONGs beyond 2^53 exact. */
function keepingType(
  { name, help }: { name: string; help: string },
  double: (x: number) => number,
  bigint: (x: bigint) => bigint,
  ...examples: Example[]
): ExpressionFunction {
  const operation: Operation = {
    name,
    value: (_run, x) => {
      if (typeof x !== 'bigint') return double(Number(x))
      const whole = bigint(x)
      return isLong(whole) ? shortenLong(whole) : Number(whole)
    },
    number: (out, [argument], _uncertain, count) => {
      for (let row = 0; row < count; row++) out[row] = double(argument[row])
    },
  }
  return {
    name,
    group: 'Numbers',
    help,
    examples,
    result: 'as x',
    parameters: parametersOf('number', 'x'),
    making: { make: (args, tools) => keepType(operation, args, tools) },
    operations: [operation],
  }
}

function keepType(operation: Operation, [of]: readonly Term[], tools: TermTools): Term {
  const argument = tools.number(of)
  return { kind: 'apply', operation, args: [argument], type: argument.type, span: tools.span }
}

/** The number rounded half away from zero, as people round by hand. */
function roundAway(x: number): number {
  return x < 0 ? -Math.round(-x) : Math.round(x)
}

/** Powers of ten that a double holds exactly, by which a quotient is rounded once. */
const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

/** Rounds a number as it is written in decimals, so that 1.005 with two of them is 1.01. */
function roundTo(x: number, digits: number): number {
  const places = Math.trunc(digits)
  const amount = Math.abs(x)
  const shifted = amount * POWERS[places]
  // Off a half by more than a product's rounding the product decides; NaN, without a power, does not.
  const isClear = shifted < 1e12 && Math.abs(shifted - Math.floor(shifted) - 0.5) > 1e-3
  const rounded = isClear ? Math.round(shifted) / POWERS[places] : roundDigits(amount, places)
  return x < 0 ? 0 - rounded : rounded
}

function roundDigits(amount: number, places: number): number {
  const [mantissa, exponent = '0'] = String(amount).split('e')
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + places}`))
  const [back, backExponent = '0'] = String(shifted).split('e')
  const rounded = Number(`${back}e${Number(backExponent) - places}`)
  // Where that many digits are beyond what a double has, the number is as round as can be.
  return Number.isFinite(shifted) && Number.isFinite(rounded) ? rounded : amount
}

const roundOne = keepingType({ name: 'round_one', help: '' }, roundAway, (x) => x)
const roundTwo = ofTwo({ name: 'round_two', help: '', words: ['x', 'digits'] }, roundTo)

const round: ExpressionFunction = {
  name: 'round',
  group: 'Numbers',
  result: 'as x, with digits number',
  help: 'x rounded, halves away from zero; to a number of decimals when digits are given, to tens, hundreds … when they are negative.',
  parameters: parametersOf('number', 'x', 'digits?'),
  examples: [
    ['round(1.005, 2)', 1.01],
    ['round(-2.5)', -3],
    ['round(1250, -2)', 1300],
  ],
  making: {
    make: (args, tools) => {
      if (args.length === 1 && 'make' in roundOne.making) return roundOne.making.make(args, tools)
      const [operation] = roundTwo.operations
      const doubles = args.map((arg) => tools.double(arg))
      return { kind: 'apply', operation, args: doubles, type: 'DOUBLE', span: tools.span }
    },
  },
  operations: [...roundOne.operations, ...roundTwo.operations],
}

/** min or max: of any values by the order of comparisons. */
function extreme(name: 'min' | 'max', help: string, examples: Example[]): ExpressionFunction {
  const sign = name === 'min' ? -1 : 1
  const pick = (run: Run, ...args: readonly Present[]): Present =>
    args.reduce((best, value) => (orderOf(run, value, best) * sign > 0 ? value : best))
  const operation: Operation = {
    name,
    value: pick,
    number: name === 'min' ? leastLoop : greatestLoop,
  }
  return {
    name,
    group: 'Numbers',
    help,
    examples,
    result: 'as the arguments',
    parameters: parametersOf('any', 'x', 'y', 'more…'),
    making: {
      make: (args, tools) => {
        // Comparisons take decimals as numbers.
        const comparable = args.map((arg) => (arg.type === 'BIGDECIMAL' ? tools.double(arg) : arg))
        const terms = tools.unify(comparable)
        return { kind: 'apply', operation, args: terms, type: terms[0].type, span: tools.span }
      },
    },
    operations: [operation],
  }
}

/** The least of the columns; NaN, which is NULL, when one is. */
const leastLoop: NumberLoop = (out, [first, ...rest], _uncertain, count) => {
  if (out !== first) out.set(first.subarray(0, count))
  for (const column of rest) {
    for (let row = 0; row < count; row++) out[row] = Math.min(out[row], column[row])
  }
}

/** The greatest of the columns; NaN, which is NULL, when one is. */
const greatestLoop: NumberLoop = (out, [first, ...rest], _uncertain, count) => {
  if (out !== first) out.set(first.subarray(0, count))
  for (const column of rest) {
    for (let row = 0; row < count; row++) out[row] = Math.max(out[row], column[row])
  }
}

/** Operations on the 64 bits of whole numbers. */
function ofBits(
  name: string,
  help: string,
  of: (x: bigint, y: bigint) => bigint,
  example: Example,
) {
  const operation: Operation = {
    name: name.toLowerCase(),
    gives: 'LONG',
    value: (run, x, y) => shortenLong(of(bitsOf(run, x, name), bitsOf(run, y, name))),
  }
  const result: ExpressionFunction = {
    name,
    group: 'Numbers',
    help,
    examples: [example],
    result: 'LONG',
    parameters: parametersOf('whole', 'x', 'y'),
    making: { operation, type: 'LONG' },
    operations: [operation],
  }
  return result
}

function bitsOf(run: Run, value: Present, name: string): bigint {
  if (typeof value === 'bigint') return value
  const number = Number(value)
  if (Number.isSafeInteger(number)) return BigInt(number)
  return run.fail(`${name}() needs integers, got ${number}. Round it`)
}

const piOperation: Operation = {
  name: 'pi',
  value: () => Math.PI,
  number: (out) => out.fill(Math.PI),
}

/** Functions of numbers. */
export const numberFunctions: readonly ExpressionFunction[] = [
  keepingType(
    { name: 'abs', help: 'The amount of x, without its sign.' },
    Math.abs,
    (x) => (x < 0n ? -x : x),
    ['abs(-2.5)', 2.5],
  ),
  keepingType(
    { name: 'sign', help: '-1, 0 or 1 by the sign of x.' },
    Math.sign,
    (x) => (x < 0n ? -1n : 1n),
    ['sign(-7)', -1],
  ),
  round,
  keepingType(
    { name: 'floor', help: 'The greatest whole number that is not above x.' },
    Math.floor,
    (x) => x,
    ['floor(-1.5)', -2],
  ),
  keepingType(
    { name: 'ceil', help: 'The least whole number that is not below x.' },
    Math.ceil,
    (x) => x,
    ['ceil(1.2)', 2],
  ),
  keepingType({ name: 'trunc', help: 'x without its fraction.' }, Math.trunc, (x) => x, [
    'trunc(-1.7)',
    -1,
  ]),
  extreme(
    'min',
    'The least of two or more values, NULL if one is NULL; numbers come before texts.',
    [['min(3, 1.5, 2)', 1.5]],
  ),
  extreme(
    'max',
    'The greatest of two or more values, NULL if one is NULL; texts come behind numbers.',
    [['max(3, 1.5, 2)', 3]],
  ),
  ofOne('sqrt', 'The square root of x; fails below 0.', Math.sqrt, ['sqrt(2.25)', 1.5]),
  ofTwo({ name: 'pow', help: 'x to the power of y.', words: ['x', 'y'] }, (x, y) => x ** y, [
    'pow(2, 10)',
    1024,
  ]),
  ofOne('exp', 'e to the power of x.', Math.exp, ['exp(0)', 1]),
  ofOne('ln', 'The natural logarithm of x; fails at 0 and below.', Math.log, ['ln(1)', 0]),
  ofOne('log10', 'The logarithm of x to base 10; fails at 0 and below.', Math.log10, [
    'log10(1000)',
    3,
  ]),
  ofOne('log2', 'The logarithm of x to base 2; fails at 0 and below.', Math.log2, ['log2(8)', 3]),
  {
    name: 'pi',
    group: 'Numbers',
    result: 'number',
    help: 'The number π.',
    parameters: [],
    examples: [['round(2 * pi(), 3)', 6.283]],
    making: { operation: piOperation, type: 'DOUBLE' },
    operations: [piOperation],
  },
  ofOne('sin', 'The sine of x, in radians like all angles.', Math.sin, ['sin(0)', 0]),
  ofOne('cos', 'The cosine of x.', Math.cos, ['cos(0)', 1]),
  ofOne('tan', 'The tangent of x.', Math.tan, ['tan(0)', 0]),
  ofOne('asin', 'The angle whose sine is x; fails beyond -1 to 1.', Math.asin, ['asin(0)', 0]),
  ofOne('acos', 'The angle whose cosine is x; fails beyond -1 to 1.', Math.acos, ['acos(1)', 0]),
  ofOne('atan', 'The angle whose tangent is x.', Math.atan, ['atan(0)', 0]),
  ofTwo(
    { name: 'atan2', help: 'The angle of the point (x, y), from -π to π.', words: ['y', 'x'] },
    Math.atan2,
    ['round(atan2(1, 1), 6)', 0.785398],
  ),
  ofOne('sinh', 'The hyperbolic sine of x.', Math.sinh, ['sinh(0)', 0]),
  ofOne('cosh', 'The hyperbolic cosine of x.', Math.cosh, ['cosh(0)', 1]),
  ofOne('tanh', 'The hyperbolic tangent of x.', Math.tanh, ['tanh(0)', 0]),
  ofOne('degrees', 'An angle in degrees, of x in radians.', (x) => x * (180 / Math.PI), [
    'degrees(pi())',
    180,
  ]),
  ofOne('radians', 'An angle in radians, of x in degrees.', (x) => x * (Math.PI / 180), [
    'round(radians(90), 3)',
    1.571,
  ]),
  ofBits('bitAnd', 'The bits that both whole numbers have.', (x, y) => x & y, ['bitAnd(13, 6)', 4]),
  ofBits('bitOr', 'The bits that one of the whole numbers has.', (x, y) => x | y, [
    'bitOr(12, 3)',
    15,
  ]),
  ofBits('bitXor', 'The bits that just one of the whole numbers has.', (x, y) => x ^ y, [
    'bitXor(6, 3)',
    5,
  ]),
]
