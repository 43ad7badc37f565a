import { Readable } from 'node:stream'
import type { FastifyRequest, FastifySchema } from 'fastify'
import type { Identity } from '../../auth/index.ts'
import {
  type EpochMs,
  type MemoryBudget,
  readId,
  readLoosePairs,
  readQueryPairs,
  readSingle,
  refuse,
} from '../../base/index.ts'
import type { OneStreamPath } from '../../feed/index.ts'
import type { FileService, PutFile } from '../../files/index.ts'
import { readPutOptions } from '../../intake/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import type { FeedCalls } from '../feed/feed-calls.ts'
import { base64Stream } from '../files/base64-text.ts'
import { type AskedFile, planFileAnswer } from '../files/file-answer.ts'
import { readContentType, readDisposition } from '../files/file-headers.ts'
import { holdDecoder, isForm, openUpload } from '../files/file-upload.ts'
import {
  filePath,
  getFileAnswers,
  getFileQuery,
  putFileAnswer,
  putFileBody,
  putFileQuery,
  readBase64Range,
  readFileTime,
  timedFilePath,
  uidFilePath,
  uidTimedFilePath,
} from '../files/file-wire.ts'
import { queryOf } from '../transport/target.ts'
import { warnBy } from '../transport/warning-header.ts'

interface FileRoutesDeps {
  readonly files: FileService
  readonly calls: Pick<FeedCalls, 'targetOf'>
  readonly gate: Gate
  readonly identity: Pick<Identity, 'exports'>
  /** What all calls in flight may hold. */
  readonly budget: MemoryBudget
}

/** A way to say which stream a file is of. */
interface FileWay {
  readonly path: string
  readonly params: typeof filePath | typeof uidFilePath
  readonly timedParams: typeof timedFilePath | typeof uidTimedFilePath
  /** Behind the names of its operations, and of their summaries. */
  readonly suffix: string
  readonly about: string
}

const WAYS: readonly FileWay[] = [
  {
    path: '/api/comp/:compId/stream/:streamId/feed/file',
    suffix: '',
    about: '',
    params: filePath,
    timedParams: timedFilePath,
  },
  {
    path: '/api/component/:componentUid/stream/:uid/feed/file',
    suffix: 'ByUid',
    about: ', by UIDs',
    params: uidFilePath,
    timedParams: uidTimedFilePath,
  },
]

/** The calls read their parameters themselves, so that a refusal says what to change. */
const documented = (schema: FastifySchema) => ({
  schema: { tags: ['files'], ...schema },
  validatorCompiler: () => () => true,
})

/** Adds upload and download of files; bodies are streamed both ways. */
export function fileRoutes(app: App, deps: FileRoutesDeps): void {
  for (const way of WAYS) {
    putRoute(app, deps, way)
    getRoutes(app, deps, way)
  }
}

/** Has a type that is none read as one: the server refuses such a call before it comes to its route. */
async function readType({ headers }: FastifyRequest): Promise<void> {
  const named = headers['content-type']
  if (named && !isForm(named)) headers['content-type'] = readContentType(named)
}

function putRoute(app: App, { files, gate, budget }: FileRoutesDeps, way: FileWay): void {
  // A scope of its own: here a body of any type is left alone until the file is stored.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (_request: FastifyRequest, _payload: Readable) => null)
    scope.put(
      `${way.path}/:fileName`,
      {
        ...documented({
          ...needs('PUT', 'component/{uid}/feed'),
          params: way.params,
          querystring: putFileQuery,
          body: putFileBody,
          operationId: `putFile${way.suffix}`,
          response: { 200: putFileAnswer },
          summary: `Store a file: the field "file" of a form, or the body as it is${way.about}`,
        }),
        onRequest: [gate.guard('feed'), readType],
      },
      async (request, reply) => {
        const { principal, raw, standing } = request
        const renew = async () => (await standing.renew()).principal
        using _decoder = await holdDecoder(raw, budget)
        const { time, url, warnings } = await files.put(
          { principal, renew },
          readPutFile(request),
          () => openUpload(raw, files.fileBytesMax),
        )
        warnBy(reply)(warnings)
        return { success: true, message: '', time, url }
      },
    )
  })
}

function getRoutes(app: App, deps: FileRoutesDeps, way: FileWay): void {
  const { files, gate, identity, calls } = deps
  const described = {
    querystring: getFileQuery,
    response: getFileAnswers,
    ...needs('GET', 'component/{uid}/feed'),
  }
  const places = [
    {
      at: ':fileName',
      params: way.params,
      about: { operationId: 'getFile', summary: 'The newest file of a stream' },
    },
    {
      at: ':time/:fileName',
      params: way.timedParams,
      about: { operationId: 'getFileAt', summary: 'The file of a stream at a time' },
    },
  ]
  for (const { at, params, about } of places) {
    const operationId = `${about.operationId}${way.suffix}`
    const summary = `${about.summary}${way.about}`
    app.get(
      `${way.path}/${at}`,
      {
        ...documented({ ...described, params, operationId, summary }),
        onRequest: gate.guard(undefined),
      },
      async (request, reply) => {
        const asked = readAskedFile(request)
        const { record, body } = await files.open(
          request.principal,
          { ...pathOf(request), time: timeOf(request) },
          (found) => planFileAnswer(asked, found).range,
        )
        const { status, headers, range } = planFileAnswer(asked, record)
        reply.status(status).headers(headers)
        if (status === 416) {
          const what = `The Range begins past the end: the file has ${record.bytes} bytes`
          refuse('range_not_satisfiable', { what })
        }
        // Fastify keeps the Content-Length of a HEAD only beside a stream.
        if (asked.isHead && status !== 304) return reply.send(Readable.from([]))
        if (body === undefined || range === undefined) return reply.send()
        try {
          const target = calls.targetOf(request.principal, pathOf(request))
          const { componentUid, compId, streamId } = target
          identity.exports.note(actingIn(request), {
            form: 'file',
            componentUid,
            compId,
            streamId,
            amount: range.end - range.start,
          })
        } catch (cause) {
          // The stream may have gone since its file was opened: nobody else would close it.
          body.destroy()
          throw cause
        }
        return reply.send(asked.base64 === undefined ? body : base64Stream(body))
      },
    )
  }
}

function readPutFile(request: FastifyRequest): PutFile {
  const pairs = readQueryPairs(queryOf(request.url))
  const time = readSingle(pairs, 'time')
  return {
    ...pathOf(request),
    name: (request.params as { fileName: string }).fileName,
    time: time === undefined ? undefined : readFileTime(time),
    creation: readPutOptions(pairs).creation,
  }
}

function readAskedFile({ url, headers, method }: FastifyRequest): AskedFile {
  const pairs = readLoosePairs(queryOf(url))
  return {
    disposition: readDisposition(readSingle(pairs, 'disposition'), headers['content-disposition']),
    base64: readBase64Range(pairs),
    isHead: method === 'HEAD',
    range: headers.range,
    ifRange: headers['if-range'] as string | undefined,
    ifNoneMatch: headers['if-none-match'],
  }
}

function pathOf(request: FastifyRequest): OneStreamPath {
  const params = request.params as Record<string, string>
  const { compId, streamId, componentUid, uid } = params
  if (componentUid !== undefined) return { componentUid, streamUid: uid }
  return {
    compId: readId(compId, 'the path', 'compId'),
    streamId: readId(streamId, 'the path', 'streamId'),
  }
}

function timeOf(request: FastifyRequest): EpochMs | undefined {
  const { time } = request.params as { time?: string }
  return time === undefined ? undefined : readFileTime(time)
}
