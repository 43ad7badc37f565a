/** What an editor of GS SQL asks, and is answered. */

import { Type } from '../../base/index.ts'
import { named, orNull } from '../openapi/answer-schema.ts'

/** Body of a check. */
export const gqlCheckBody = Type.Object(
  {
    sql: Type.String({ description: 'GS SQL statements: SET, SELECT, and INSERT' }),
    tz: Type.Optional(
      Type.String({ description: 'IANA time zone, the time zone of the user by default' }),
    ),
  },
  { title: 'GqlCheckBody', examples: [{ sql: 'SELECT cid, id FROM STREAM' }] },
)

const mistake = named('GqlMistake', {
  message: Type.String(),
  line: Type.Integer({ description: 'Counted from 1' }),
  column: Type.Integer({ description: 'Counted from 1, in UTF-16 units' }),
  length: Type.Integer(),
  pointer: Type.String({ description: 'The line, with ^^^ below the error' }),
})

/** A text that was checked. */
export const gqlCheckRecord = named(
  'GqlCheck',
  { isValid: Type.Boolean(), error: orNull(mistake) },
  {
    isValid: false,
    error: {
      message: 'Unknown column "tmp": did you mean "temp"?',
      line: 1,
      column: 8,
      length: 3,
      pointer: 'SELECT tmp FROM t\n       ^^^',
    },
  },
)

const valueType = Type.String({ description: 'Blank if the type differs per value' })

/** What can be written. */
export const gqlLanguageRecord = named(
  'GqlLanguage',
  {
    keywords: Type.Array(Type.String()),
    functions: Type.Array(
      named('GqlFunction', {
        name: Type.String(),
        group: Type.String(),
        signature: Type.String(),
        help: Type.String(),
        example: Type.String(),
      }),
    ),
    variables: Type.Array(
      Type.Object(
        { name: Type.String(), valueType },
        { description: 'Variables set by the service' },
      ),
    ),
    tables: Type.Array(
      named('GqlTable', {
        name: Type.String(),
        columns: Type.Array(
          Type.Object({
            name: Type.String(),
            valueType,
            isHidden: Type.Boolean({ description: 'Whether * omits it' }),
          }),
        ),
      }),
    ),
  },
  {
    keywords: ['FROM', 'SELECT'],
    functions: [
      {
        name: 'abs',
        group: 'Numbers',
        signature: 'abs(x)',
        help: 'The amount of x, without its sign.',
        example: 'abs(-2.5)',
      },
    ],
    variables: [{ name: '@HTTP_BODY', valueType: 'STRING' }],
    tables: [{ name: 'STREAM', columns: [{ name: 'cid', valueType: 'STRING', isHidden: false }] }],
  },
)
