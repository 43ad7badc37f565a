import { choiceFunctions } from './choice-functions.ts'
import { dateFunctions } from './date-functions.ts'
import type { ExpressionFunction } from './function-entry.ts'
import { jsonFunctions } from './json-functions.ts'
import { numberFunctions } from './number-functions.ts'
import { textFunctions } from './text-functions.ts'

/** Every function of the language, as documentation and completion list them. */
export const expressionFunctions: readonly ExpressionFunction[] = [
  ...choiceFunctions,
  ...numberFunctions,
  ...textFunctions,
  ...jsonFunctions,
  ...dateFunctions,
]

const byName = new Map(expressionFunctions.map((entry) => [entry.name.toLowerCase(), entry]))

/** Names that functions have elsewhere, which are read as ours. */
export const FUNCTION_ALIASES: ReadonlyMap<string, string> = new Map([
  ...([
    ['iif', 'if'],
    ['nvl', 'ifNull'],
    ['length', 'len'],
    ['substring', 'substr'],
  ] as const),
  ...([
    ['replace', 'replaceAll'],
    ['instr', 'indexOf'],
    ['power', 'pow'],
    ['ceiling', 'ceil'],
  ] as const),
  ...([
    ['lcase', 'lower'],
    ['ucase', 'upper'],
    ['greatest', 'max'],
    ['least', 'min'],
  ] as const),
])

/** The function of a name in any capitals, or undefined. */
export function findFunction(name: string): ExpressionFunction | undefined {
  const key = name.toLowerCase()
  return byName.get((FUNCTION_ALIASES.get(key) ?? key).toLowerCase())
}
