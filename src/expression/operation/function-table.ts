import { choiceFunctions } from './choice-functions.ts'
import { dateFunctions } from './date-functions.ts'
import type { ExpressionFunction } from './function-entry.ts'
import { numberFunctions } from './number-functions.ts'
import { textFunctions } from './text-functions.ts'

/** Every function of the language, as documentation and completion tell them. */
export const expressionFunctions: readonly ExpressionFunction[] = [
  ...choiceFunctions,
  ...numberFunctions,
  ...textFunctions,
  ...dateFunctions,
]

const byName = new Map(expressionFunctions.map((entry) => [entry.name.toLowerCase(), entry]))

/** The function of a name in any capitals, or undefined. */
export function findFunction(name: string): ExpressionFunction | undefined {
  return byName.get(name.toLowerCase())
}
