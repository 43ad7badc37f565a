import type { FastifyRequest, FastifySchema } from 'fastify'
import { authorOf } from '../../../auth/administer/index.ts'
import type { Identity } from '../../../auth/index.ts'
import { readFlag, readLoosePairs, Type } from '../../../base/index.ts'
import {
  type Connectors,
  connectorShape,
  dryRunShape,
  type KeptPayloads,
} from '../../../connectors/index.ts'
import type { GqlOutcome } from '../../../gql/index.ts'
import { actingIn } from '../../admit/acting.ts'
import type { Gate } from '../../admit/gate.ts'
import { needs } from '../../admit/needs.ts'
import type { App } from '../../app-type.ts'
import type { IssuerReader } from '../../issuer.ts'
import { answersOf, operation } from '../../openapi/answer-schema.ts'
import { queryOf } from '../../transport/target.ts'
import {
  connectorRecord,
  dryRunAnswer,
  payloadRecord,
  runRecord,
  wholePayloadRecord,
} from '../../wire/connector-answers.ts'
import { envelope, pageSchema, readPage } from '../../wire/envelope.ts'
import { uidParams } from '../../wire/identity-wire.ts'
import { documented, recordRoutes } from '../record-routes.ts'

/** What the routes of connectors need. */
interface ConnectorRoutesDeps {
  readonly connectors: Connectors
  readonly gate: Gate
  readonly identity: Identity
  readonly issuerOf: IssuerReader
  readonly keptPayloads: KeptPayloads
}

const payloadParams = Type.Object({ uid: Type.String(), payloadUid: Type.String() })
const payloadAnswers = answersOf('payload', payloadRecord)
const OF_CONNECTOR = 'connector/{uid}'

/** Where a call of a payload leads. */
const placeOf = (request: FastifyRequest) => {
  const { uid, payloadUid } = request.params as { uid: string; payloadUid: string }
  return { connectorUid: uid, uid: payloadUid }
}

/** Adds connectors, their payloads and runs, and trying SQL out. */
export function connectorRoutes(app: App, deps: ConnectorRoutesDeps): void {
  const { connectors, gate, identity, issuerOf } = deps
  recordRoutes(app, {
    noun: 'connector',
    title: 'A connector',
    shape: connectorShape,
    answer: connectorRecord,
    records: connectors,
    gate,
    identity,
    show: (record, request) => {
      const { id, ...rest } = record as { id: string; connType: string }
      const place = `${request.principal.orgUid}/${encodeURIComponent(id)}`
      const sinkUrl =
        id === '' || rest.connType !== 'HTTP'
          ? ''
          : `${issuerOf(request.raw)}/api/conn_sink/${place}`
      return { ...rest, id, sinkUrl }
    },
  })
  listRoutes(app, deps)
  runRoutes(app, deps)
}

/** The admin calls of a tag, described. */
function describer(gate: Gate) {
  const onRequest = gate.guard('admin')
  return (summary: string, schema: FastifySchema) => ({
    ...documented({ tags: ['connector'], summary, ...schema }),
    onRequest,
  })
}

function listRoutes(app: App, { gate, keptPayloads }: ConnectorRoutesDeps): void {
  const described = describer(gate)
  const reading = { ...needs('GET', OF_CONNECTOR), params: uidParams, querystring: pageSchema }
  const uidOf = (request: FastifyRequest) => (request.params as { uid: string }).uid
  const payloads = { ...reading, ...operation('listPayloads', payloadAnswers.page) }
  app.get(
    '/api/connector/:uid/payload',
    described('What its sink was called with, the newest first', payloads),
    async (request) => {
      const page = readPage(request.query)
      const found = await keptPayloads.list(request.principal, uidOf(request), page)
      return envelope('payload', found.records, found.totalCount)
    },
  )
  const runs = { ...reading, ...operation('listRuns', answersOf('run', runRecord).page) }
  app.get(
    '/api/connector/:uid/run',
    described('Its runs, the newest first', runs),
    async (request) => {
      const page = readPage(request.query)
      const found = await keptPayloads.listRuns(request.principal, uidOf(request), page)
      return envelope('run', found.records, found.totalCount)
    },
  )
  const one = {
    ...needs('GET', OF_CONNECTOR),
    params: payloadParams,
    ...operation('getPayload', answersOf('payload', wholePayloadRecord).one),
  }
  app.get(
    '/api/connector/:uid/payload/:payloadUid',
    described('One of them, with its body', one),
    async (request) => {
      const { connectorUid, uid } = placeOf(request)
      return envelope('payload', await keptPayloads.get(request.principal, connectorUid, uid))
    },
  )
}

const forceQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: 'Also one that succeeded; present counts, false and 0 do not' }),
  ),
})

function runRoutes(app: App, { gate, identity, keptPayloads }: ConnectorRoutesDeps): void {
  const described = describer(gate)
  const errors = { 'x-errors': [400, 401, 403, 404, 408, 409, 413, 415, 422, 429] }
  const acting = { ...needs('POST', OF_CONNECTOR), params: payloadParams, ...errors }
  const again = {
    ...acting,
    querystring: forceQuery,
    ...operation('startPayloadRun', payloadAnswers.one),
  }
  app.post(
    '/api/connector/:uid/payload/:payloadUid/run',
    described('Run one again; its samples have the times that they had', again),
    async (request) => {
      const isForced = readFlag(readLoosePairs(queryOf(request.url)), 'force')
      const author = authorOf(identity, actingIn(request))
      const place = placeOf(request)
      return envelope('payload', await keptPayloads.run(author, place, isForced))
    },
  )
  const trying = { ...acting, ...operation('getPayloadTrial', dryRunAnswer) }
  app.post(
    '/api/connector/:uid/payload/:payloadUid/dry_run',
    described('What running one would store; stores nothing', trying),
    async (request) => {
      const { connectorUid, uid } = placeOf(request)
      return showTrial(await keptPayloads.tryKept(request.principal, connectorUid, uid))
    },
  )
  const unsaved = {
    ...needs('POST', 'connector'),
    body: dryRunShape,
    ...errors,
    ...operation('getConnectorTrial', dryRunAnswer),
  }
  app.post(
    '/api/connector/dry_run',
    described('What SQL that is not saved would store; stores nothing', unsaved),
    async (request) => showTrial(await keptPayloads.tryUnsaved(request.principal, request.body)),
  )
}

function showTrial({ samples = [], sampleCount, created = [] }: GqlOutcome) {
  return { message: '', samples, sampleCount, created, success: true }
}
