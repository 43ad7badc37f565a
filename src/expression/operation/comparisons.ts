import type { ComparisonOperator } from '../syntax/expression-tree.ts'
import { compareValues } from './compare.ts'
import {
  type NumberLoop,
  type Operation,
  type Present,
  type Run,
  withoutAffinity,
} from './operation.ts'

/** A comparison, for all types and for columns of numbers. */
function comparison(
  { name, sign }: { name: string; sign: string },
  holds: (order: number) => boolean,
  number: NumberLoop,
): Operation {
  return {
    name,
    value: (run, left, right) => holds(orderOf(run, left, right)),
    number,
    sql: ([left, right]) => `${withoutAffinity(left)} ${sign} ${withoutAffinity(right)}`,
  }
}

/** The order of two values, with the work on texts counted. */
export function orderOf(run: Run, left: Present, right: Present): number {
  if (typeof left === 'string' && typeof right === 'string') {
    run.charge(Math.min(left.length, right.length))
  }
  return compareValues(left, right)
}

const NULL = Number.NaN

const equal: NumberLoop = (out, [left, right], _uncertain, count) => {
  for (let row = 0; row < count; row++) {
    const one = left[row]
    const other = right[row]
    out[row] = one === other ? 1 : Number.isNaN(one) || Number.isNaN(other) ? NULL : 0
  }
}

const unequal: NumberLoop = (out, [left, right], _uncertain, count) => {
  for (let row = 0; row < count; row++) {
    const one = left[row]
    const other = right[row]
    out[row] = one === other ? 0 : Number.isNaN(one) || Number.isNaN(other) ? NULL : 1
  }
}

const less: NumberLoop = (out, [left, right], _uncertain, count) => {
  for (let row = 0; row < count; row++) {
    const one = left[row]
    const other = right[row]
    out[row] = one < other ? 1 : one >= other ? 0 : NULL
  }
}

const lessEqual: NumberLoop = (out, [left, right], _uncertain, count) => {
  for (let row = 0; row < count; row++) {
    const one = left[row]
    const other = right[row]
    out[row] = one <= other ? 1 : one > other ? 0 : NULL
  }
}

const greater: NumberLoop = (out, [left, right], uncertain, count) =>
  less(out, [right, left], uncertain, count)

const greaterEqual: NumberLoop = (out, [left, right], uncertain, count) =>
  lessEqual(out, [right, left], uncertain, count)

/** The six comparisons by their operators. */
export const comparisons: Readonly<Record<ComparisonOperator, Operation>> = {
  '=': comparison({ name: 'equal', sign: '=' }, (order) => order === 0, equal),
  '<>': comparison({ name: 'unequal', sign: '<>' }, (order) => order !== 0, unequal),
  '<': comparison({ name: 'less', sign: '<' }, (order) => order < 0, less),
  '<=': comparison({ name: 'less_equal', sign: '<=' }, (order) => order <= 0, lessEqual),
  '>': comparison({ name: 'greater', sign: '>' }, (order) => order > 0, greater),
  '>=': comparison({ name: 'greater_equal', sign: '>=' }, (order) => order >= 0, greaterEqual),
}

/** NOT: TRUE of FALSE, FALSE of TRUE. */
export const negation: Operation = {
  name: 'not',
  value: (_run, value) => value === false,
  // NaN, which is NULL, stays.
  number: (out, [of], _uncertain, count) => {
    for (let row = 0; row < count; row++) out[row] = 1 - of[row]
  },
  sql: ([of]) => `NOT ${of.text}`,
}
