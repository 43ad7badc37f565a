import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../../auth/index.ts'
import { type Clock, Refusal, refusal } from '../../base/index.ts'
import { queryShape } from '../../catalog/record/index.ts'
import type { GqlOutcome, Queries, QueryCall } from '../../gql/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { CSV_TYPE } from '../feed/feed-csv.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { documented, recordRoutes } from '../routes/record-routes.ts'
import { tellReason } from '../transport/exchange.ts'
import { envelope } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'
import { gqlCheckBody, gqlCheckRecord, gqlLanguageRecord } from './gql-editor-wire.ts'
import {
  gqlBody,
  gqlOperation,
  gqlQuery,
  postQuery,
  queryRecord,
  readForm,
  readGqlBody,
  readGqlQuery,
  readQueryRange,
  resultsQuery,
} from './gql-wire.ts'
import { onceLeft } from './once-left.ts'
import { EnoughRows, RowsWriter } from './rows-writer.ts'

/** What the routes of GS SQL need. */
interface GqlRoutesDeps {
  readonly queries: Queries
  readonly clock: Clock
  readonly gate: Gate
  readonly identity: Identity
}

const JSON_TYPE = 'application/json; charset=utf-8'
const RETRY_AFTER_SECONDS = 5

/** Tells that rows were left out, as the feed tells it of samples. */
const MORE = 'Weir-More'

const READ_ERRORS = [400, 401, 403, 404, 422, 429]
const RUN_ERRORS = [...READ_ERRORS, 408, 409, 413, 415]

/** Adds running GS SQL, and the queries that are saved. */
export function gqlRoutes(app: App, deps: GqlRoutesDeps): void {
  const { gate, identity, queries } = deps
  recordRoutes(app, {
    noun: 'query',
    title: 'A query',
    shape: queryShape,
    answer: queryRecord,
    records: queries,
    gate,
    identity,
  })
  const onRequest = gate.guard('admin')
  const tags = ['query']
  const getting = {
    tags,
    summary: 'Run SET and SELECT of GS SQL',
    querystring: gqlQuery,
    ...gqlOperation('getGqlRows'),
    ...needs('GET', 'query'),
    'x-errors': READ_ERRORS,
  }
  app.get('/api/gql', { ...documented(getting), onRequest }, async (request, reply) => {
    queries.permit(request.principal, 'GET')
    const { sql, timeZoneId } = readGqlQuery(request.query)
    const zone = timeZoneId ?? (await zoneOf(identity, request))
    const range = readQueryRange(request.query)
    return answer({ deps, request, reply }, (call) =>
      queries.select(request.principal, { ...call, sql, timeZoneId: zone, range }),
    )
  })
  const posting = {
    tags,
    summary: 'Run SET, SELECT and INSERT of GS SQL, or try it',
    body: gqlBody,
    ...gqlOperation('startGqlRun'),
    ...needs('POST', 'query'),
    'x-errors': RUN_ERRORS,
    querystring: postQuery,
  }
  app.post('/api/gql', { ...documented(posting), onRequest }, async (request, reply) => {
    queries.permit(request.principal, 'POST')
    const { sql, timeZoneId, isDry, range } = readGqlBody(request.body)
    const zone = timeZoneId ?? (await zoneOf(identity, request))
    const renew = async () => (await request.standing.renew()).principal
    // What INSERTs give is stored when all statements have ended.
    const goesOn = /\binsert\b/i.test(sql)
    return answer({ deps, request, reply, goesOn }, (call) =>
      queries.run(request.principal, { ...call, sql, timeZoneId: zone, isDry, renew, range }),
    )
  })
  editorRoutes(app, deps)
  const results = {
    tags,
    summary: 'Run a saved query',
    params: uidParams,
    querystring: resultsQuery,
    ...gqlOperation('getQueryResults'),
    ...needs('GET', 'query/{uid}'),
    'x-errors': READ_ERRORS,
  }
  app.get(
    '/api/query/:uid/results',
    { ...documented(results), onRequest },
    async (request, reply) => {
      const { uid } = request.params as { uid: string }
      const range = readQueryRange(request.query)
      return answer({ deps, request, reply }, (call) =>
        queries.runSaved(request.principal, uid, { ...call, range }),
      )
    },
  )
}

/** Adds what an editor of GS SQL asks: its words, and whether a text can be run. */
function editorRoutes(app: App, { gate, identity, queries }: GqlRoutesDeps): void {
  const onRequest = gate.guard('admin')
  const tags = ['query']
  const words = {
    tags,
    summary: 'The words of GS SQL: keywords, functions, variables, tables',
    ...operation('getGqlLanguage', answersOf('language', gqlLanguageRecord).one),
    ...needs('GET', 'query'),
  }
  app.get('/api/gql/language', { schema: words, onRequest }, async ({ principal }) =>
    envelope('language', queries.language(principal)),
  )
  const check = {
    tags,
    summary: 'Check GS SQL: the place of its first mistake; runs nothing',
    ...operation('getGqlCheck', answersOf('check', gqlCheckRecord).one),
    ...needs('GET', 'query'),
    body: gqlCheckBody,
  }
  app.post('/api/gql/check', { ...documented(check), onRequest }, async (request) => {
    queries.permit(request.principal, 'GET')
    const { sql, timeZoneId } = readGqlBody(request.body)
    const zone = timeZoneId ?? (await zoneOf(identity, request))
    return envelope('check', await queries.check(request.principal, { sql, timeZoneId: zone }))
  })
}

/** The time zone of whoever calls; keys have none. */
async function zoneOf(identity: Identity, { principal }: FastifyRequest): Promise<string> {
  const { actor } = principal
  const user = actor.kind === 'user' ? await identity.users.find(actor.userUid) : undefined
  return user?.timeZone ?? 'UTC'
}

interface Answering {
  readonly deps: GqlRoutesDeps
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Whether the run goes on when there are as many rows as were asked for. */
  readonly goesOn?: boolean
}

/** Runs a text and answers its rows: at once when they are few, else as they come. */
async function answer(
  { deps, request, reply, goesOn = false }: Answering,
  run: (call: Pick<QueryCall, 'onRows' | 'onHanded' | 'signal' | 'now'>) => Promise<GqlOutcome>,
): Promise<FastifyReply> {
  const form = { ...readForm(request.query, request.headers.accept), goesOn }
  const writer = new RowsWriter(form)
  const by = actingIn(request)
  const gone = new AbortController()
  // Nobody is left to be told of this refusal.
  const leave = () => gone.abort(refusal('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS }))
  onceLeft(request, reply, leave)
  const done = run({
    now: deps.clock.now(),
    signal: gone.signal,
    onRows: (rows, columns) => writer.take(rows, columns),
    // What statements make of samples is not known: they count as taken out.
    onHanded: (handed) =>
      deps.identity.exports.note(by, {
        ...handed,
        form: form.isCsv ? 'csv' : 'json',
        answer: request,
      }),
  })
    .catch((error) => {
      if (error instanceof EnoughRows) return undefined
      throw error
    })
    .then((outcome) => writer.finish(outcome))
  const csvType = form.hasHeader ? CSV_TYPE : CSV_TYPE.replace('present', 'absent')
  reply.type(form.isCsv ? csvType : JSON_TYPE).header('vary', 'accept')
  const body = await Promise.race([writer.begun, done])
  if (body === undefined || typeof body === 'string') {
    if (writer.hasMore) reply.header(MORE, 'true')
    return reply.send(body)
  }
  // Only JSON has room for it behind the rows; HTTP/1.0 knows no trailers.
  if (form.isCsv && Number.isFinite(form.rowsMax) && request.raw.httpVersion !== '1.0') {
    reply.trailer(MORE, (_reply, _body, tell) => tell(null, String(writer.hasMore)))
  }
  done.catch((error) => {
    if (error instanceof Refusal) tellReason(request.raw, { code: error.code, reason: undefined })
    // What is cut off so has no end, but all that was written before.
    return writer.fail(error, () => reply.raw.socket?.destroySoon())
  })
  return reply.send(body)
}
