import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { Type } from '../../base/index.ts'
import { type Corrections, correctionShape } from '../../correct/index.ts'
import { answersOf } from '../openapi/answer-schema.ts'
import type { Call } from '../table/call.ts'
import { type HttpOperation, httpOperation, json } from '../table/http-operation.ts'
import { unwrap } from '../wire/catalog-wire.ts'
import { correctionPreview } from '../wire/correction-answers.ts'
import { envelope } from '../wire/envelope.ts'
import { jobRecord } from '../wire/job-answers.ts'

interface CorrectionOperationsDeps {
  readonly corrections: Corrections
  readonly identity: Identity
}

const PATH = '/api/component/:componentUid/stream/:uid/correction'
const FEED = 'component/{componentUid}/stream/{uid}/feed'
const ids = Type.Object({ componentUid: Type.String(), uid: Type.String() })
const body = Type.Object(
  { correction: correctionShape },
  {
    title: 'CorrectionBody',
    examples: [{ correction: { action: 'delete', from: 1767225600000, until: 1767312000000 } }],
  },
)
const jobs = answersOf('job', jobRecord)

const pathOf = ({ ids: { componentUid, uid } }: Call<unknown>) => ({ componentUid, uid })

/** Corrections of stored samples, and their undo. */
export function correctionOperations(deps: CorrectionOperationsDeps): HttpOperation[] {
  const { corrections, identity } = deps
  const one = { callers: 'admin', tag: 'component', ids } as const
  const writing = { ...one, methods: ['POST'], needs: `POST ${FEED}` } as const
  return [
    httpOperation({
      ...writing,
      name: 'getCorrectionPreview',
      path: `${PATH}/preview`,
      summary: 'Preview a correction of the samples of a range. Stores nothing',
      input: json(body),
      answer: answersOf('correction', correctionPreview).one,
      isWrite: false,
      run: async (call) => {
        const read = () => unwrap('correction', call.body)
        return envelope('correction', await corrections.preview(call.principal, pathOf(call), read))
      },
    }),
    httpOperation({
      ...writing,
      name: 'startCorrection',
      path: PATH,
      summary: 'Delete, set, offset, or scale the samples of a range, in the background',
      input: json(body),
      answer: jobs.one,
      status: 202,
      run: async (call) => {
        const author = authorOf(identity, call.acting)
        const read = () => unwrap('correction', call.body)
        return envelope('job', await corrections.start(author, pathOf(call), read))
      },
    }),
    httpOperation({
      ...one,
      name: 'listCorrections',
      methods: ['GET'],
      path: PATH,
      needs: `GET ${FEED}`,
      summary: 'Corrections of a stream, newest first',
      answer: jobs.page,
      run: async (call) => {
        const { records, totalCount } = await corrections.list(call.principal, pathOf(call))
        return envelope('job', records, totalCount)
      },
    }),
    httpOperation({
      ...writing,
      name: 'startCorrectionUndo',
      path: `${PATH}/:job/undo`,
      ids: Type.Object({ ...ids.properties, job: Type.String() }),
      summary: 'Put the samples of a correction back, within 24 hours',
      answer: jobs.one,
      status: 202,
      run: async (call) => {
        const author = authorOf(identity, call.acting)
        return envelope('job', await corrections.undo(author, pathOf(call), call.ids.job))
      },
    }),
  ]
}
