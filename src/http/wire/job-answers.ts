import { Type } from '../../base/index.ts'
import { JOB_STATUSES } from '../../derivation/index.ts'
import { EXAMPLE_UID, msOf, named, oneOf, orNull, timeOf } from '../openapi/answer-schema.ts'

/** A job as it is answered. */
export const jobRecord = named(
  'Job',
  {
    uid: Type.String(),
    kind: oneOf(['derive']),
    status: oneOf(JOB_STATUSES, 'RUNNING also while it waits for its turn'),
    done: Type.Integer({
      format: 'int64',
      description: 'Milliseconds of history that are through',
    }),
    total: Type.Integer({ format: 'int64', description: 'Of how many; 0 until that is known' }),
    message: Type.String({ description: 'Why it failed; else blank' }),
    componentUid: Type.String(),
    streamUid: Type.String({ description: 'What is derived' }),
    from: msOf('The first result that may be derived'),
    until: msOf('Results before this'),
    start: msOf('When it was asked for'),
    end: orNull(msOf('When it was over')),
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
    from: Type.Optional(timeOf('The first result; all history when absent')),
    until: Type.Optional(timeOf('Results before this; to the end when absent')),
  },
  {
    additionalProperties: false,
    examples: [{ from: 1_704_067_200_000, until: 1_704_153_600_000 }],
  },
)
