import type { Static } from 'typebox'
import { type Principal, requirePermit } from '../../access/index.ts'
import { Type } from '../../base/index.ts'
import { EXPRESSION_LENGTH_MAX } from '../../expression/index.ts'
import { expressionTypeOf } from '../shape/expression-type.ts'
import { readTimeZoneField, shapeCheck } from '../shape/record-checks.ts'
import { VALUE_TYPES } from '../shape/value-type.ts'

/** As many variables as an expression may have. */
const VARIABLES_MAX = 1_000

/** An expression that is being written, and what its names stand for. */
export const expressionCheckShape = Type.Object(
  {
    expression: Type.String({ maxLength: EXPRESSION_LENGTH_MAX, description: 'Its text' }),
    variables: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          valueType: Type.Optional(
            Type.Unsafe<(typeof VALUE_TYPES)[number]>({
              type: 'string',
              enum: [...VALUE_TYPES],
              description: 'As of a stream; blank: not known yet',
            }),
          ),
        }),
        { maxItems: VARIABLES_MAX },
      ),
    ),
    timeZoneId: Type.Optional(
      Type.String({ description: 'Where functions of dates are given none; UTC by default' }),
    ),
  },
  {
    title: 'ExpressionCheckBody',
    examples: [
      {
        expression: '(flow - return) / 2',
        variables: [
          { name: 'flow', valueType: 'DOUBLE' },
          { name: 'return', valueType: 'DOUBLE' },
        ],
      },
    ],
  },
)

const checkShape = shapeCheck('check', expressionCheckShape)

/** The result of a check: the type of the expression, or its first error. */
export interface ExpressionCheck {
  readonly isValid: boolean
  /** The type of its values, UNKNOWN where that shows at run time. */
  readonly type: string | null
  /** The variables that it uses, as they were given. */
  readonly used: readonly string[]
  /** The expression in its usual spelling. */
  readonly text: string | null
  readonly error: ExpressionMistake | null
  /** What can be run but is likely a mistake. */
  readonly warnings: readonly ExpressionMistake[]
}

interface ExpressionMistake {
  readonly message: string
  readonly line: number
  readonly column: number
  readonly length: number
  readonly pointer: string
}

/** Reads and checks an expression without running or keeping it. */
export async function checkExpressionText(
  principal: Principal,
  input: unknown,
): Promise<ExpressionCheck> {
  requirePermit(principal, 'component', 'GET')
  checkShape(input)
  const { expression, variables = [], ...rest } = input as Static<typeof expressionCheckShape>
  const timeZoneId = readTimeZoneField('timeZoneId', rest.timeZoneId || 'UTC')
  // Loaded by the first who asks: a service that calculates nothing needs no parser.
  const language = await import('../../expression/index.ts')
  try {
    const checked = language.checkExpression(expression, {
      timeZoneId,
      variables: variables.map(({ name, valueType = '' }) => ({
        name,
        type: expressionTypeOf(valueType),
      })),
    })
    const used = checked.used.map((index) => checked.variables[index].name)
    const text = language.printExpression(checked.tree)
    const warnings = checked.warnings.map(showMistake)
    return { isValid: true, type: checked.type, used, text, error: null, warnings }
  } catch (error) {
    if (!(error instanceof language.ExpressionError)) throw error
    const blank = { type: null, used: [], text: null, warnings: [] }
    return { isValid: false, ...blank, error: showMistake(error) }
  }
}

function showMistake(mistake: ExpressionMistake): ExpressionMistake {
  const { message, line, column, length, pointer } = mistake
  return { message, line, column, length, pointer }
}

/** A function of expressions, as an editor completes it. */
export interface ShownFunction {
  readonly name: string
  readonly group: string
  readonly signature: string
  readonly result: string
  readonly help: string
  readonly example: string
}

/** Every function that expressions may use. */
export async function listExpressionFunctions(principal: Principal): Promise<ShownFunction[]> {
  requirePermit(principal, 'component', 'GET')
  const { expressionFunctions, signatureOf } = await import('../../expression/index.ts')
  return expressionFunctions.map((entry) => {
    const { name, group, result, help, examples } = entry
    return { name, group, signature: signatureOf(entry), result, help, example: examples[0][0] }
  })
}
