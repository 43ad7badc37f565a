import { Type } from '../../base/index.ts'
import { CORRECTION_ACTIONS } from '../../correct/index.ts'
import { msOf, named, oneOf } from '../openapi/answer-schema.ts'

const value = Type.Union([Type.Number(), Type.String()])

/** What a correction would do. */
export const correctionPreview = named(
  'CorrectionPreview',
  {
    action: oneOf(CORRECTION_ACTIONS),
    from: msOf('Start of the range'),
    until: msOf('End of the range (exclusive)'),
    sampleCount: Type.Integer({ format: 'int64' }),
    canUndo: Type.Boolean({ description: 'Whether it can be undone for 24 hours' }),
    samples: Type.Array(
      Type.Object({
        time: msOf('Time of the sample'),
        before: Type.Union([Type.Number(), Type.String(), Type.Boolean()]),
        after: Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()], {
          description: 'Null: deleted',
        }),
      }),
      { description: 'The first and the last samples of the range' },
    ),
  },
  {
    action: 'offset',
    from: 1767225600000,
    until: 1767312000000,
    sampleCount: 1,
    canUndo: true,
    samples: [{ time: 1767225600000, before: 21.5, after: 21 }],
  },
)

/** What a job does to samples. */
export const jobCorrection = named('JobCorrection', {
  action: oneOf(CORRECTION_ACTIONS),
  value,
  sampleCount: Type.Integer({ format: 'int64' }),
  undoUntil: Type.Union([msOf('Until when it can be undone'), Type.Null()]),
  undoneBy: Type.String({ description: 'UID of the job that has undone it, else blank' }),
  undoOf: Type.String({ description: 'Of an undo: UID of the correction, else blank' }),
  leftCount: Type.Integer({
    description: 'Of an undo: how many samples were written again since, and stay',
  }),
})
