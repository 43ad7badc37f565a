import { TEXT_LENGTH_MAX } from '../../base/plain.ts'
import type { ValueType } from '../../catalog/shape/index.ts'
import { numberRules } from './number-rules.ts'
import { canonicalDecimal } from './number-text.ts'
import { showNumber } from './unit-format.ts'

/** Why a stream cannot keep a value that was computed for it. */
export class Unsettled {
  readonly problem: string

  constructor(problem: string) {
    this.problem = problem
  }
}

/** A value as formulas compute it. */
type Computed = number | bigint | string | boolean

/** What a stream of a type keeps of a computed value: a number (1 and 0 for booleans) or a text. */
export function settleComputed(value: Computed, type: ValueType): number | string | Unsettled {
  switch (type) {
    case 'STRING':
      return settleText(showComputed(value))
    case 'BIG_DECIMAL':
      return (
        canonicalDecimal(typeof value === 'boolean' ? (value ? '1' : '0') : showComputed(value)) ??
        unfit('a decimal number', value)
      )
    case 'BOOLEAN':
      if (typeof value === 'string') return unfit('TRUE or FALSE', value)
      return Number(value) === 0
        ? 0
        : Number(value) === 1
          ? 1
          : unfit('TRUE, FALSE, 1, or 0', value)
    case 'FILE':
      return new Unsettled('A file stream cannot store calculated values')
    case '':
      return typeof value === 'string' ? settleText(value) : settleNumber(value, 'DOUBLE')
    default:
      return settleNumber(value, type)
  }
}

/** Whether every number that a formula may give is one that a stream of the type keeps as it is. */
export function keepsAnyNumber(type: ValueType): boolean {
  return type === 'DOUBLE' || type === 'ELEVATION' || type === ''
}

function settleNumber(value: Computed, type: ValueType): number | Unsettled {
  const rule = numberRules[type]
  if (typeof value === 'string' || rule === undefined) return unfit('a number', value)
  const number = Number(value)
  const isInside = number >= rule.min && number <= rule.max
  if (isInside && (!rule.isWhole || Number.isInteger(number))) return number
  return unfit(`${rule.words} for a stream of type ${type}`, value)
}

function settleText(text: string): string | Unsettled {
  if (text.length <= TEXT_LENGTH_MAX) return text
  return new Unsettled(
    `The result has ${text.length} characters, at most ${TEXT_LENGTH_MAX} are allowed`,
  )
}

function showComputed(value: Computed): string {
  return typeof value === 'number' ? showNumber(value) : String(value)
}

function unfit(wanted: string, value: Computed): Unsettled {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : showComputed(value)
  return new Unsettled(`The result must be ${wanted}, but is ${shown}`)
}
