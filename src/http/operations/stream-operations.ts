/** The streams of a component, and what is derived from what. */
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { refuse, Type } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { STREAM_TYPES, type StreamType, streamShape } from '../../catalog/shape/index.ts'
import type { DerivationViews, HistoryJobs } from '../../derivation/index.ts'
import { answersOf } from '../openapi/answer-schema.ts'
import { type HttpOperation, httpOperation, json } from '../table/http-operation.ts'
import { streamRecord } from '../wire/catalog-answers.ts'
import { readQueryText, unwrap, wrapped } from '../wire/catalog-wire.ts'
import { graphRecord, previewRecord } from '../wire/derivation-answers.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'
import { deriveShape, jobRecord } from '../wire/job-answers.ts'

/** What the operations of streams need. */
interface StreamOperationsDeps {
  readonly catalog: Catalog
  readonly identity: Identity
  readonly derivation: { readonly jobs: HistoryJobs; readonly views: DerivationViews }
}

const PATH = '/api/component/:componentUid/stream'
const ALL = 'component/{componentUid}/stream'
const ONE = `${ALL}/{uid}` as const
const answers = answersOf('stream', streamRecord)
const allIds = Type.Object({ componentUid: Type.String() })
const oneIds = Type.Object({ componentUid: Type.String(), uid: Type.String() })
const newQuery = Type.Object({
  type: Type.Optional(Type.Enum([...STREAM_TYPES], { description: 'rdm_stream by default' })),
})
const body = wrapped('stream', streamShape, streamRecord)
const all = { path: PATH, callers: 'admin', tag: 'component', ids: allIds } as const
const one = { ...all, path: `${PATH}/:uid`, ids: oneIds } as const

/** The streams of a component in definition order, and deriving them. */
export function streamOperations(deps: StreamOperationsDeps): HttpOperation[] {
  const { views, jobs } = deps.derivation
  return [
    ...viewOperations(views),
    ...jobOperations(deps.identity, jobs),
    ...readingOperations(deps.catalog),
    ...writingOperations(deps),
  ]
}

function readingOperations({ streams }: Catalog): HttpOperation[] {
  return [
    httpOperation({
      ...all,
      name: 'listStreams',
      methods: ['GET'],
      needs: `GET ${ALL}`,
      summary: 'Streams in definition order',
      query: pageSchema,
      answer: answers.page,
      run: async ({ principal, ids, query }) => {
        const found = await streams.list(principal, ids.componentUid, readPage(query))
        return envelope('stream', found.records, found.totalCount)
      },
    }),
    httpOperation({
      ...all,
      name: 'newStream',
      methods: ['GET'],
      path: `${PATH}/new`,
      needs: `GET ${ALL}`,
      summary: 'Default values of a new stream',
      query: newQuery,
      answer: answers.one,
      run: ({ principal, ids, query }) => {
        const type = readStreamType(query)
        return envelope('stream', streams.make(principal, ids.componentUid, type))
      },
    }),
    httpOperation({
      ...one,
      name: 'getStream',
      methods: ['GET'],
      needs: `GET ${ONE}`,
      summary: 'Get a stream',
      answer: answers.one,
      run: async ({ principal, ids }) =>
        envelope('stream', await streams.get(principal, ids.componentUid, ids.uid)),
    }),
  ]
}

function writingOperations({
  catalog: { streams },
  identity,
}: StreamOperationsDeps): HttpOperation[] {
  return [
    httpOperation({
      ...all,
      name: 'insertStream',
      methods: ['PUT'],
      needs: `PUT ${ALL}`,
      summary: 'Add a stream',
      input: json(body),
      answer: answers.one,
      run: async (call) => {
        const input = unwrap('stream', call.body)
        const author = authorOf(identity, call.acting)
        return envelope('stream', await streams.insert(author, call.ids.componentUid, input))
      },
    }),
    httpOperation({
      ...one,
      name: 'updateStream',
      methods: ['POST'],
      needs: `POST ${ONE}`,
      summary: 'Change the given fields',
      input: json(body),
      answer: answers.one,
      run: async (call) => {
        const { componentUid, uid } = call.ids
        const input = unwrap('stream', call.body)
        const author = authorOf(identity, call.acting)
        return envelope('stream', await streams.update(author, { componentUid, uid }, input))
      },
    }),
    httpOperation({
      ...one,
      name: 'deleteStreamSeries',
      methods: ['DELETE'],
      path: `${PATH}/:uid/series`,
      needs: `POST ${ONE}`,
      summary: 'Take the series from a stream: its next point makes a new one',
      answer: answers.one,
      run: async ({ acting, ids: { componentUid, uid } }) => {
        const author = authorOf(identity, acting)
        return envelope('stream', await streams.detach(author, { componentUid, uid }))
      },
    }),
    httpOperation({
      ...one,
      name: 'deleteStream',
      methods: ['DELETE'],
      needs: `DELETE ${ONE}`,
      summary: 'Delete a stream and its samples',
      answer: answers.gone,
      run: async ({ acting, ids: { componentUid, uid } }) => {
        await streams.delete(authorOf(identity, acting), componentUid, uid)
        return envelope('stream', { uid })
      },
    }),
  ]
}

function readStreamType(query: unknown): StreamType {
  const type = readQueryText(query, 'type') ?? 'rdm_stream'
  if ((STREAM_TYPES as readonly string[]).includes(type)) return type as StreamType
  return refuse('bad_input', { what: `type must be one of ${STREAM_TYPES.join(', ')}` })
}

/** What an editor of derived streams asks: what a formula would give, and what depends on what. */
function viewOperations(views: DerivationViews): HttpOperation[] {
  return [
    httpOperation({
      ...all,
      name: 'getDerivationPreview',
      methods: ['POST'],
      path: `${PATH}/preview`,
      needs: `GET ${ALL}`,
      summary: 'Preview the newest results of a derived stream. Stores nothing',
      input: json(body),
      answer: answersOf('preview', previewRecord).one,
      run: async (call) => {
        const input = unwrap('stream', call.body)
        const { principal, ids } = call
        return envelope('preview', await views.preview(principal, ids.componentUid, input))
      },
    }),
    httpOperation({
      ...one,
      name: 'getStreamGraph',
      methods: ['GET'],
      path: `${PATH}/:uid/graph`,
      needs: `GET ${ONE}`,
      summary: 'Dependencies: sources of a stream, and streams derived from it',
      answer: answersOf('graph', graphRecord).one,
      run: async ({ principal, ids: { componentUid, uid } }) =>
        envelope('graph', await views.graph(principal, { componentUid, uid })),
    }),
  ]
}

const jobAnswers = answersOf('job', jobRecord)

/** Deriving over history, and the jobs that do it. */
function jobOperations(identity: Identity, jobs: HistoryJobs): HttpOperation[] {
  const job = { path: '/api/job/:uid', callers: 'admin', tag: 'job', ids: uidParams } as const
  return [
    httpOperation({
      name: 'startDerivation',
      methods: ['POST'],
      path: `${PATH}/:uid/derive`,
      callers: 'admin',
      needs: `POST ${ONE}`,
      tag: 'job',
      summary: 'Start to recalculate a stream over history in the background',
      ids: oneIds,
      input: json(deriveShape),
      answer: jobAnswers.one,
      status: 202,
      run: async (call) => {
        const { componentUid, uid } = call.ids
        const author = authorOf(identity, call.acting)
        return envelope('job', await jobs.start(author, { componentUid, uid }, call.body))
      },
    }),
    httpOperation({
      name: 'listJobs',
      methods: ['GET'],
      path: '/api/job',
      callers: 'admin',
      needs: 'GET job',
      tag: 'job',
      summary: 'Jobs, newest first',
      query: pageSchema,
      answer: jobAnswers.page,
      run: async ({ principal, query }) => {
        const { records, totalCount } = await jobs.list(principal, readPage(query))
        return envelope('job', records, totalCount)
      },
    }),
    httpOperation({
      ...job,
      name: 'getJob',
      methods: ['GET'],
      needs: 'GET job/{uid}',
      summary: 'Progress of a job',
      answer: jobAnswers.one,
      run: async ({ principal, ids }) => envelope('job', await jobs.get(principal, ids.uid)),
    }),
    httpOperation({
      ...job,
      name: 'endJob',
      methods: ['DELETE'],
      needs: 'DELETE job/{uid}',
      summary: 'Cancel a job. Results stored so far stay',
      answer: jobAnswers.one,
      run: async ({ acting, ids }) =>
        envelope('job', await jobs.cancel(authorOf(identity, acting), ids.uid)),
    }),
  ]
}
