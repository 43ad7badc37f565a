/** What people are shown of derived streams while they think about them. */

import { Type } from '../../base/index.ts'
import { VALUE_TYPES } from '../../catalog/shape/index.ts'
import { EXAMPLE_UID, msOf, named, oneOf } from '../openapi/answer-schema.ts'

const value = Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()])

/** What a formula would give of the newest samples. */
export const previewRecord = named(
  'DerivationPreview',
  {
    valueType: oneOf(VALUE_TYPES, 'Of the results; blank where there is none that tells'),
    rows: Type.Array(
      Type.Object({
        time: msOf('Of the result'),
        value: Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()], {
          description: 'null where the formula gives nothing; texts are cut after 200 characters',
        }),
        error: Type.String({ description: 'Why the formula failed there; else blank' }),
        values: Type.Record(Type.String(), value, {
          description: 'What the variables were, where it failed',
        }),
      }),
      { description: 'The newest first, at most 50' },
    ),
    isCut: Type.Boolean({
      description: 'Whether older ones were left out because it took too long',
    }),
  },
  {
    valueType: 'DOUBLE',
    rows: [{ time: 1_704_067_200_000, value: 21.5, error: '', values: {} }],
    isCut: false,
  },
)

const graphNode = Type.Object({
  level: Type.Integer({
    description: '0: the stream itself; below: sources; above: derived of it',
  }),
  isHidden: Type.Boolean({ description: 'Whether the caller may not see it: all else is blank' }),
  componentUid: Type.String(),
  componentId: Type.String(),
  componentName: Type.String(),
  streamUid: Type.String(),
  streamId: Type.String(),
  streamName: Type.String(),
})

const exampleNode = (level: number, streamId: string) => ({
  level,
  isHidden: false,
  componentUid: EXAMPLE_UID,
  componentId: 'meter',
  componentName: 'Meter',
  streamUid: EXAMPLE_UID,
  streamId,
  streamName: '',
})

/** What a stream is derived from, and what from it. */
export const graphRecord = named(
  'StreamGraph',
  {
    nodes: Type.Array(graphNode, { description: 'The stream itself first; at most 100' }),
    edges: Type.Array(Type.Object({ from: Type.Integer(), to: Type.Integer() }), {
      description: 'By places in nodes: `to` is derived from `from`',
    }),
    isWhole: Type.Boolean({ description: 'Whether there are no more than these' }),
  },
  {
    nodes: [exampleNode(0, 'cost'), exampleNode(-1, 'use')],
    edges: [{ from: 1, to: 0 }],
    isWhole: true,
  },
)
