/** Calls of sinks as they are described and answered. */

import { Type } from '../../base/index.ts'
import { named } from '../openapi/answer-schema.ts'

/** The names in the path of a sink. */
export const sinkParams = Type.Object({
  orgUid: Type.String({ description: 'Organization of the connector and the key' }),
  connectorId: Type.String({ description: 'The ID of the connector, percent-encoded' }),
})

/** The parameters that a sink itself looks at; SQL sees all. */
export const sinkQuery = Type.Object({
  api_key: Type.Optional(Type.String({ description: 'An API key with permission for conn_sink' })),
})

/** What a sink takes: anything, as text. */
export const sinkBody = Type.String({
  format: 'binary',
  description: 'Text of any content type. @HTTP_BODY in SQL',
  examples: ['{"device":"d1","values":[{"id":"temp","value":21.5}]}'],
})

/** What a sink answers when payload and samples are durable. */
export const sinkAnswer = named(
  'SinkAnswer',
  {
    success: Type.Literal(true),
    message: Type.String({ description: 'Blank' }),
    samples: Type.Integer({ description: 'Number of stored samples' }),
  },
  { success: true, message: '', samples: 10 },
)
