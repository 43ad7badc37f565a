/** What people are shown of derived streams while they think about them. */

import { Type } from '../../base/index.ts'
import { VALUE_TYPES } from '../../catalog/shape/index.ts'
import { EXAMPLE_UID, msOf, named, oneOf } from '../openapi/answer-schema.ts'

const value = Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()])

/** What a formula would give of the newest samples. */
export const previewRecord = named(
  'DerivationPreview',
  {
    valueType: oneOf(VALUE_TYPES, 'Type of the results, blank if unknown'),
    rows: Type.Array(
      Type.Object({
        time: msOf('Time of the result'),
        value: Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()], {
          description: 'null without a result. Texts are cut after 200 characters',
        }),
        error: Type.String({ description: 'Reason of the failure, else blank' }),
        values: Type.Record(Type.String(), value, {
          description: 'Values of the variables, if the formula failed',
        }),
      }),
      { description: 'Newest first, at most 50' },
    ),
    isCut: Type.Boolean({
      description: 'Whether older ones were omitted because the calculation took too long',
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
    description: '0: the stream itself. Negative: sources. Positive: derived streams',
  }),
  isHidden: Type.Boolean({
    description: 'Whether the caller has no access. Other fields are then blank',
  }),
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
    nodes: Type.Array(graphNode, { description: 'The stream itself first, at most 100' }),
    edges: Type.Array(Type.Object({ from: Type.Integer(), to: Type.Integer() }), {
      description: 'Indexes in nodes: `to` is derived from `from`',
    }),
    isWhole: Type.Boolean({ description: 'Whether the graph is complete' }),
  },
  {
    nodes: [exampleNode(0, 'cost'), exampleNode(-1, 'use')],
    edges: [{ from: 1, to: 0 }],
    isWhole: true,
  },
)
