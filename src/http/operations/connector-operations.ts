/** What brings samples from elsewhere: connectors with their payloads and runs, imports, and connections. */
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { readFlag, readLoosePairs, Type } from '../../base/index.ts'
import {
  type Connections,
  type Connectors,
  connectionShape,
  connectorShape,
  dryRunShape,
  type Imports,
  type KeptPayloads,
  previewShape,
  scheduleCheckShape,
} from '../../connectors/index.ts'
import type { GqlOutcome } from '../../gql/index.ts'
import { onceLeft } from '../gql/once-left.ts'
import type { IssuerReader } from '../issuer.ts'
import { answersOf, doneAnswer } from '../openapi/answer-schema.ts'
import type { Call } from '../table/call.ts'
import { type HttpOperation, httpOperation, json } from '../table/http-operation.ts'
import type { Exchange } from '../transport/exchange.ts'
import { nodeReplyOf } from '../transport/http-reply.ts'
import { connectionRecord, connectionTest, rowPreview } from '../wire/connection-answers.ts'
import {
  connectorRecord,
  dryRunAnswer,
  payloadRecord,
  runRecord,
  scheduleCheckRecord,
  wholePayloadRecord,
} from '../wire/connector-answers.ts'
import { envelope, pageSchema, readPage } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'
import { recordOperations } from './record-operations.ts'

/** What the operations of connectors need. */
interface ConnectorOperationsDeps {
  readonly connections: Connections
  readonly connectors: Connectors
  readonly identity: Identity
  readonly imports: Imports
  readonly issuerOf: IssuerReader
  readonly keptPayloads: KeptPayloads
}

const PAYLOAD = '/api/connector/:uid/payload/:payloadUid'
const payloadIds = Type.Object({ uid: Type.String(), payloadUid: Type.String() })
const payloadAnswers = answersOf('payload', payloadRecord)
const about = { callers: 'admin', tag: 'connector' } as const
const runErrors = [400, 401, 403, 404, 408, 409, 413, 415, 422, 429]

/** Connectors, their payloads and runs, trying SQL out, imports, and the databases that these read. */
export function connectorOperations(deps: ConnectorOperationsDeps): HttpOperation[] {
  const { connections, connectors, identity, issuerOf } = deps
  return [
    ...importOperations(deps),
    ...recordOperations(identity, {
      noun: 'connector',
      title: 'A connector',
      shape: connectorShape,
      answer: connectorRecord,
      records: connectors,
      show: (record, call) => showConnector(record, call, issuerOf),
    }),
    ...listOperations(deps),
    ...runOperations(deps),
    ...recordOperations(identity, {
      noun: 'connection',
      title: 'A connection',
      shape: connectionShape,
      answer: connectionRecord,
      records: connections,
    }),
    httpOperation({
      name: 'beginConnectionTest',
      methods: ['POST'],
      path: '/api/connection/:uid/test',
      callers: 'admin',
      needs: 'POST connection/{uid}',
      tag: 'connection',
      summary: 'Test the connection: sign in to the database and out again',
      ids: uidParams,
      answer: answersOf('test', connectionTest).one,
      run: async ({ principal, ids, exchange }) =>
        envelope('test', await connections.test(principal, ids.uid, signalOf(exchange))),
    }),
    httpOperation({
      ...about,
      name: 'getImportPreview',
      methods: ['POST'],
      path: '/api/connector/import_preview',
      needs: 'POST connector',
      summary:
        'Run an unsaved statement in a database and return its first rows. Also needs POST on the connection',
      errors: [400, 401, 403, 404, 409, 429],
      input: json(previewShape),
      answer: answersOf('preview', rowPreview).one,
      run: async ({ principal, body, exchange }) =>
        envelope('preview', await connections.preview(principal, body, signalOf(exchange))),
    }),
  ]
}

/** Aborts when the client has left. */
function signalOf(exchange: Exchange): AbortSignal {
  const gone = new AbortController()
  onceLeft(nodeReplyOf(exchange), () => gone.abort())
  return gone.signal
}

function showConnector(record: object, { principal, exchange }: Call, issuerOf: IssuerReader) {
  const { id, ...rest } = record as { id: string; connType: string }
  const place = `${principal.orgUid}/${encodeURIComponent(id)}`
  const hasSink = id !== '' && rest.connType === 'HTTP'
  return { ...rest, id, sinkUrl: hasSink ? `${issuerOf(exchange.req)}/api/conn_sink/${place}` : '' }
}

function listOperations({ keptPayloads }: ConnectorOperationsDeps): HttpOperation[] {
  const reading = { ...about, methods: ['GET'], needs: 'GET connector/{uid}' } as const
  return [
    httpOperation({
      ...reading,
      name: 'listPayloads',
      path: '/api/connector/:uid/payload',
      summary: 'Received payloads, newest first',
      ids: uidParams,
      query: pageSchema,
      answer: payloadAnswers.page,
      run: async ({ principal, ids, query }) => {
        const found = await keptPayloads.list(principal, ids.uid, readPage(query))
        return envelope('payload', found.records, found.totalCount)
      },
    }),
    httpOperation({
      ...reading,
      name: 'listRuns',
      path: '/api/connector/:uid/run',
      summary: 'Runs, newest first',
      ids: uidParams,
      query: pageSchema,
      answer: answersOf('run', runRecord).page,
      run: async ({ principal, ids, query }) => {
        const found = await keptPayloads.listRuns(principal, ids.uid, readPage(query))
        return envelope('run', found.records, found.totalCount)
      },
    }),
    httpOperation({
      ...reading,
      name: 'getPayload',
      path: PAYLOAD,
      summary: 'One payload with its body',
      ids: payloadIds,
      answer: answersOf('payload', wholePayloadRecord).one,
      run: async ({ principal, ids }) =>
        envelope('payload', await keptPayloads.get(principal, ids.uid, ids.payloadUid)),
    }),
  ]
}

const forceQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: 'Run it even if it succeeded before. Off if false or 0' }),
  ),
})

function runOperations({ identity, keptPayloads }: ConnectorOperationsDeps): HttpOperation[] {
  const acting = {
    ...about,
    methods: ['POST'],
    needs: 'POST connector/{uid}',
    ids: payloadIds,
    errors: runErrors,
  } as const
  return [
    httpOperation({
      ...acting,
      name: 'startPayloadRun',
      path: `${PAYLOAD}/run`,
      summary: 'Run a payload again. Its samples keep their times',
      query: forceQuery,
      answer: payloadAnswers.one,
      run: async (call) => {
        const isForced = readFlag(readLoosePairs(call.queryText), 'force')
        const place = { connectorUid: call.ids.uid, uid: call.ids.payloadUid }
        const author = authorOf(identity, call.acting)
        return envelope('payload', await keptPayloads.run(author, place, isForced))
      },
    }),
    httpOperation({
      ...acting,
      name: 'getPayloadTrial',
      path: `${PAYLOAD}/dry_run`,
      summary: 'Dry-run a payload: return the samples without storing them',
      answer: dryRunAnswer,
      run: async ({ principal, ids }) =>
        showTrial(await keptPayloads.tryKept(principal, ids.uid, ids.payloadUid)),
    }),
    httpOperation({
      ...about,
      name: 'getConnectorTrial',
      methods: ['POST'],
      path: '/api/connector/dry_run',
      needs: 'POST connector',
      summary: 'Dry-run unsaved SQL: return the samples without storing them',
      errors: runErrors,
      input: json(dryRunShape),
      answer: dryRunAnswer,
      run: async ({ principal, body }) => showTrial(await keptPayloads.tryUnsaved(principal, body)),
    }),
  ]
}

function showTrial({ samples = [], sampleCount, created = [] }: GqlOutcome) {
  return { message: '', samples, sampleCount, created, success: true }
}

/** Running an import by hand, calling a run off, and checking schedules. */
function importOperations({ identity, imports }: ConnectorOperationsDeps): HttpOperation[] {
  const running = {
    ...about,
    path: '/api/connector/:uid/run',
    needs: 'POST connector/{uid}',
    ids: uidParams,
  } as const
  return [
    httpOperation({
      ...running,
      name: 'startRun',
      methods: ['POST'],
      summary: 'Start an import. The list of runs has its result',
      answer: answersOf('run', runRecord).one,
      run: async ({ acting, ids }) =>
        envelope('run', await imports.run(authorOf(identity, acting), ids.uid)),
    }),
    httpOperation({
      ...running,
      name: 'endRun',
      methods: ['DELETE'],
      summary: 'Cancel a running import. Fails with 409 if it is already storing',
      answer: doneAnswer,
      run: async ({ acting, ids }) => {
        await imports.cancel(authorOf(identity, acting), ids.uid)
        return { message: '', success: true }
      },
    }),
    httpOperation({
      ...about,
      name: 'getScheduleCheck',
      methods: ['POST'],
      path: '/api/connector/schedule_check',
      needs: 'GET connector',
      summary: 'Check a schedule and return its next runs',
      input: json(scheduleCheckShape),
      answer: answersOf('check', scheduleCheckRecord).one,
      run: async ({ principal, body }) =>
        envelope('check', await imports.checkSchedule(principal, body)),
    }),
  ]
}
