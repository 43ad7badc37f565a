import { type ExpressionFunction, parametersOf } from './function-entry.ts'
import type { Term } from './operation.ts'

/** Functions that choose among their arguments; what is not chosen is not evaluated. */
export const choiceFunctions: readonly ExpressionFunction[] = [
  {
    name: 'if',
    group: 'Choices and NULL',
    result: 'as the chosen',
    help: 'The second argument when the condition is TRUE, the third when it is FALSE or NULL.',
    parameters: parametersOf('any', 'condition:condition', 'then', 'else'),
    examples: [["if(21 > 20, 'warm', 'cold')", 'warm']],
    making: {
      make: ([condition, then, otherwise], tools) => {
        const [one, other] = tools.unify([then, otherwise])
        const args = [tools.condition(condition), one, other]
        return { kind: 'choose', args, type: one.type, span: tools.span }
      },
    },
    operations: [],
  },
  {
    name: 'isNull',
    group: 'Choices and NULL',
    result: 'BOOLEAN',
    help: 'Whether x is NULL, as x IS NULL.',
    parameters: parametersOf('any', 'x'),
    examples: [['isNull(1 / 0)', true]],
    making: { make: ([x], { span }) => ({ kind: 'isNull', args: [x], type: 'BOOLEAN', span }) },
    operations: [],
  },
  {
    name: 'ifNull',
    group: 'Choices and NULL',
    result: 'as the chosen',
    help: 'x, or y when x is NULL.',
    parameters: parametersOf('any', 'x', 'y'),
    examples: [['ifNull(NULL, 0)', 0]],
    making: { make: (args, tools) => firstPresent(tools.unify(args), tools) },
    operations: [],
  },
  {
    name: 'coalesce',
    group: 'Choices and NULL',
    result: 'as the chosen',
    help: 'The first of two or more arguments that is not NULL.',
    parameters: parametersOf('any', 'x', 'y', 'more…'),
    examples: [["coalesce(NULL, NULL, 'none')", 'none']],
    making: { make: (args, tools) => firstPresent(tools.unify(args), tools) },
    operations: [],
  },
  {
    name: 'nullIf',
    group: 'Choices and NULL',
    result: 'as x',
    help: 'NULL when x equals y, else x: takes out a value that stands for a failed reading.',
    parameters: parametersOf('any', 'x', 'y'),
    examples: [['nullIf(-999, -999)', null]],
    making: {
      make: (args, { double, span }) => {
        // Comparisons take decimals as numbers.
        const [x, y] = args.map((arg) => (arg.type === 'BIGDECIMAL' ? double(arg) : arg))
        return { kind: 'nullIf', args: [x, y], type: x.type, span }
      },
    },
    operations: [],
  },
]

function firstPresent(args: readonly Term[], { span }: { span: Term['span'] }): Term {
  return { kind: 'coalesce', args, type: args[0].type, span }
}
