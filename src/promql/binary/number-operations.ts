type NumberOperation = (left: number, right: number) => number

/** A power as in IEEE 754 and Go: 1 to any power is 1, and -1 to an infinite power is 1. */
function power(base: number, exponent: number): number {
  if (base === 1) return 1
  if (base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY) return 1
  return base ** exponent
}

/** Operations that make a new number. */
export const arithmeticOperations: Readonly<Record<string, NumberOperation>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '^': power,
  atan2: Math.atan2,
}

/** Operations that keep or drop an element. */
export const comparisonOperations: Readonly<
  Record<string, (left: number, right: number) => boolean>
> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}
