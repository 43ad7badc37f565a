import { Type } from '../../base/index.ts'
import { answerWith, EXAMPLE_UID, named } from '../openapi/answer-schema.ts'

const derivedUse = named('DerivedUse', {
  componentUid: Type.String(),
  componentId: Type.String(),
  componentName: Type.String(),
  streamUid: Type.String(),
  streamId: Type.String(),
  streamName: Type.String(),
})

/** How much hangs on a component or a stream. */
export const extentAnswer = answerWith(
  'ExtentAnswer',
  {
    extent: named('Extent', {
      streamCount: Type.Integer(),
      sampleCount: Type.Integer({ format: 'int64' }),
      isWhole: Type.Boolean({ description: 'Whether the samples of all streams are counted' }),
      derivedCount: Type.Integer({
        description:
          'Number of other streams derived from it, directly or indirectly, at most 1000',
      }),
      derived: Type.Array(derivedUse, {
        description: 'The nearest 20 of them that the caller can access',
      }),
    }),
    totalCount: Type.Integer(),
  },
  {
    extent: {
      streamCount: 12,
      sampleCount: 3_400_000,
      isWhole: true,
      derivedCount: 1,
      derived: [
        {
          componentUid: EXAMPLE_UID,
          componentId: 'plant',
          componentName: 'Plant',
          streamUid: EXAMPLE_UID,
          streamId: 'power',
          streamName: 'Power',
        },
      ],
    },
    totalCount: 1,
  },
)
