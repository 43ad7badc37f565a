import { Type } from '../../base/index.ts'
import { JOB_KINDS, JOB_STATUSES } from '../../derivation/index.ts'
import { EXAMPLE_UID, msOf, named, oneOf, orNull, timeOf } from '../openapi/answer-schema.ts'
import { jobCorrection } from './correction-answers.ts'

/** A job as it is answered. */
export const jobRecord = named(
  'Job',
  {
    uid: Type.String(),
    kind: oneOf(JOB_KINDS, 'derive: results of a formula. correct, undo: samples of a range'),
    correction: Type.Optional(jobCorrection),
    status: oneOf(JOB_STATUSES, 'RUNNING also while the job is queued'),
    done: Type.Integer({
      format: 'int64',
      description: 'Milliseconds of history processed. Of a correction: samples',
    }),
    total: Type.Integer({
      format: 'int64',
      description: 'Milliseconds of history in total, 0 until known. Of a correction: samples',
    }),
    message: Type.String({ description: 'Reason of the failure, else blank' }),
    componentUid: Type.String(),
    streamUid: Type.String({ description: 'The stream' }),
    from: msOf('Start of the range'),
    until: msOf('End of the range (exclusive)'),
    start: msOf('Time of the request'),
    end: orNull(msOf('End time')),
  },
  {
    uid: EXAMPLE_UID,
    kind: 'derive',
    status: 'RUNNING',
    done: 3_600_000,
    total: 86_400_000,
    message: '',
    componentUid: EXAMPLE_UID,
    streamUid: EXAMPLE_UID,
    from: 1_704_067_200_000,
    until: 1_704_153_600_000,
    start: 1_704_200_000_000,
    end: null,
  },
)

/** The span that a job is asked to derive. */
export const deriveShape = Type.Object(
  {
    from: Type.Optional(timeOf('Start of the range. Default: all history')),
    until: Type.Optional(timeOf('End of the range (exclusive). Default: the latest sample')),
  },
  {
    additionalProperties: false,
    examples: [{ from: 1_704_067_200_000, until: 1_704_153_600_000 }],
  },
)
