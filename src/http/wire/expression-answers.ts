/** What the check of an expression answers. */

import { Type } from '../../base/index.ts'
import { named, orNull } from '../openapi/answer-schema.ts'

const mistake = named('ExpressionMistake', {
  message: Type.String(),
  line: Type.Integer({ description: 'Counted from 1' }),
  column: Type.Integer({ description: 'Counted from 1, in UTF-16 units' }),
  length: Type.Integer(),
  pointer: Type.String({ description: 'The line, with ^^^ below the error' }),
})

/** An expression that was checked. */
export const expressionCheckRecord = named(
  'ExpressionCheck',
  {
    isValid: Type.Boolean(),
    type: orNull(
      Type.String({
        description: 'LONG, DOUBLE, BIGDECIMAL, STRING, BOOLEAN, NULL, or UNKNOWN until it runs',
      }),
    ),
    used: Type.Array(Type.String(), { description: 'Variables used' }),
    text: orNull(Type.String({ description: 'The expression in standard format' })),
    error: orNull(mistake),
    warnings: Type.Array(mistake, { description: 'Warnings about likely mistakes' }),
  },
  {
    isValid: false,
    type: null,
    used: [],
    text: null,
    warnings: [],
    error: {
      message: 'Unknown variable "flw": did you mean "flow"?',
      line: 1,
      column: 1,
      length: 3,
      pointer: 'flw / 2\n^^^',
    },
  },
)

/** A function of expressions. */
export const expressionFunctionRecord = named(
  'ExpressionFunction',
  {
    name: Type.String(),
    group: Type.String(),
    signature: Type.String(),
    result: Type.String(),
    help: Type.String(),
    example: Type.String(),
  },
  {
    name: 'abs',
    group: 'Numbers',
    signature: 'abs(x)',
    result: 'as x',
    help: 'The amount of x, without its sign.',
    example: 'abs(-2.5)',
  },
)
