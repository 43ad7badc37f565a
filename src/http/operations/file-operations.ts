/** Files as samples of a stream: upload and download. Bodies are streamed both ways. */
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
import type { FeedCalls } from '../feed/feed-calls.ts'
import { base64Stream } from '../files/base64-text.ts'
import { type AskedFile, planFileAnswer } from '../files/file-answer.ts'
import { readDisposition } from '../files/file-headers.ts'
import { holdDecoder, openUpload } from '../files/file-upload.ts'
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
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'

/** What the operations of files need. */
interface FileOperationsDeps {
  readonly files: FileService
  readonly calls: Pick<FeedCalls, 'targetOf'>
  readonly identity: Pick<Identity, 'exports'>
  /** What all calls in flight may hold. */
  readonly budget: MemoryBudget
}

/** A way to say which stream a file is of. */
interface FileWay {
  readonly path: string
  readonly ids: typeof filePath | typeof uidFilePath
  readonly timedIds: typeof timedFilePath | typeof uidTimedFilePath
  /** Behind the names of its operations, and of their summaries. */
  readonly suffix: string
  readonly about: string
}

const WAYS: readonly FileWay[] = [
  {
    path: '/api/comp/:compId/stream/:streamId/feed/file',
    suffix: '',
    about: '',
    ids: filePath,
    timedIds: timedFilePath,
  },
  {
    path: '/api/component/:componentUid/stream/:uid/feed/file',
    suffix: 'ByUid',
    about: ', by UIDs',
    ids: uidFilePath,
    timedIds: uidTimedFilePath,
  },
]

/** The operations of files. */
export function fileOperations(deps: FileOperationsDeps): HttpOperation[] {
  return WAYS.flatMap((way) => [...getOperations(deps, way), putOperation(deps, way)])
}

function putOperation({ files, budget }: FileOperationsDeps, way: FileWay): HttpOperation {
  return httpOperation({
    name: `putFile${way.suffix}`,
    methods: ['PUT'],
    path: `${way.path}/:fileName`,
    callers: 'feed',
    needs: 'PUT component/{uid}/feed',
    tag: 'files',
    summary: `Store a file: the form field "file", or the raw body${way.about}`,
    ids: way.ids,
    query: putFileQuery,
    input: { kind: 'stream', schema: putFileBody },
    answer: putFileAnswer,
    run: async (call) => {
      const { principal, incoming } = call
      const renew = async () => call.renew()
      using _decoder = await holdDecoder(incoming, budget)
      const { time, url, warnings } = await files.put({ principal, renew }, readPutFile(call), () =>
        openUpload(incoming, files.fileBytesMax),
      )
      call.warn(warnings)
      return { success: true, message: '', time, url }
    },
  })
}

function getOperations(deps: FileOperationsDeps, way: FileWay): HttpOperation[] {
  const get = {
    methods: ['GET'],
    callers: 'uncounted',
    needs: 'GET component/{uid}/feed',
    tag: 'files',
    query: getFileQuery,
    answers: getFileAnswers,
    output: 'stream',
    run: (call: Call) => sendFile(deps, call),
  } as const
  return [
    httpOperation({
      ...get,
      name: `getFile${way.suffix}`,
      path: `${way.path}/:fileName`,
      summary: `Latest file of a stream${way.about}`,
      ids: way.ids,
    }),
    httpOperation({
      ...get,
      name: `getFileAt${way.suffix}`,
      path: `${way.path}/:time/:fileName`,
      summary: `File of a stream at a time${way.about}`,
      ids: way.timedIds,
    }),
  ]
}

async function sendFile(
  { files, identity, calls }: FileOperationsDeps,
  call: Call,
): Promise<Answer> {
  const asked = readAskedFile(call)
  const path = pathOf(call)
  const { record, body } = await files.open(
    call.principal,
    { ...path, time: timeOf(call) },
    (found) => planFileAnswer(asked, found).range,
  )
  const { status, headers, range } = planFileAnswer(asked, record)
  if (status === 416) {
    const what = `The Range starts after the end. The file has ${record.bytes} bytes`
    call.errorHeaders = headers
    refuse('range_not_satisfiable', { what })
  }
  if (body === undefined || range === undefined) return new Answer('', { status, headers })
  try {
    const { componentUid, compId, streamId } = calls.targetOf(call.principal, path)
    const amount = range.end - range.start
    const exported = { form: 'file', componentUid, compId, streamId, amount } as const
    if (!isShown(call)) identity.exports.note(call.acting, exported)
  } catch (cause) {
    // The stream may have gone since its file was opened: nobody else would close it.
    body.destroy()
    throw cause
  }
  return new Answer(asked.base64 === undefined ? body : base64Stream(body), { status, headers })
}

/**
 * Whether a page of the service shows a picture to a person who is signed in. Browsers set these headers, and let no
 * page change them.
 */
function isShown(call: Call): boolean {
  const isOwnPage = call.header('sec-fetch-site') === 'same-origin'
  const isPicture = call.header('sec-fetch-dest') === 'image'
  return isOwnPage && isPicture && call.callerCheck.sessionToken !== undefined
}

function readPutFile(call: Call): PutFile {
  const pairs = readQueryPairs(call.queryText)
  const time = readSingle(pairs, 'time')
  return {
    ...pathOf(call),
    name: call.ids.fileName,
    time: time === undefined ? undefined : readFileTime(time),
    creation: readPutOptions(pairs).creation,
  }
}

function readAskedFile(call: Call): AskedFile {
  const pairs = readLoosePairs(call.queryText)
  return {
    disposition: readDisposition(
      readSingle(pairs, 'disposition'),
      call.header('content-disposition'),
    ),
    base64: readBase64Range(pairs),
    isHead: call.method === 'HEAD',
    range: call.header('range'),
    ifRange: call.header('if-range'),
    ifNoneMatch: call.header('if-none-match'),
  }
}

function pathOf({ ids: { compId, streamId, componentUid, uid } }: Call): OneStreamPath {
  if (componentUid !== undefined) return { componentUid, streamUid: uid }
  return {
    compId: readId(compId, 'the path', 'compId'),
    streamId: readId(streamId, 'the path', 'streamId'),
  }
}

function timeOf({ ids: { time } }: Call): EpochMs | undefined {
  return time === undefined ? undefined : readFileTime(time)
}
