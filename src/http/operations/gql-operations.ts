/** Running GS SQL, what its editor asks, and the queries that are saved. */
import type { Principal } from '../../access/index.ts'
import type { Identity } from '../../auth/index.ts'
import { type Clock, Refusal, refusal } from '../../base/index.ts'
import { queryShape } from '../../catalog/record/index.ts'
import type { GqlOutcome, Queries, QueryCall } from '../../gql/index.ts'
import { CSV_TYPE } from '../feed/feed-csv.ts'
import { gqlCheckBody, gqlCheckRecord, gqlLanguageRecord } from '../gql/gql-editor-wire.ts'
import {
  gqlBody,
  gqlQuery,
  gqlRows,
  postQuery,
  queryRecord,
  readForm,
  readGqlBody,
  readGqlQuery,
  readQueryRange,
  resultsQuery,
} from '../gql/gql-wire.ts'
import { onceLeft } from '../gql/once-left.ts'
import { EnoughRows, RowsWriter } from '../gql/rows-writer.ts'
import { answersOf } from '../openapi/answer-schema.ts'
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import { type HttpOperation, httpOperation, json } from '../table/http-operation.ts'
import { JSON_TYPE } from '../transport/answer.ts'
import { nodeReplyOf } from '../transport/http-reply.ts'
import { envelope } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'
import { recordOperations } from './record-operations.ts'

/** What the operations of GS SQL need. */
interface GqlOperationsDeps {
  readonly queries: Queries
  readonly clock: Clock
  readonly identity: Identity
}

const RETRY_AFTER_SECONDS = 5

/** Marks that rows were left out, as the feed does for samples. */
const MORE = 'Weir-More'

const READ_ERRORS = [400, 401, 403, 404, 422, 429]
const RUN_ERRORS = [...READ_ERRORS, 408, 409, 413, 415]
const about = { callers: 'admin', tag: 'query' } as const

/** The operations of GS SQL. */
export function gqlOperations(deps: GqlOperationsDeps): HttpOperation[] {
  const { identity, queries } = deps
  return [
    ...recordOperations(identity, {
      noun: 'query',
      title: 'A query',
      shape: queryShape,
      answer: queryRecord,
      records: queries,
    }),
    ...runOperations(deps),
    ...editorOperations(deps),
  ]
}

function runOperations(deps: GqlOperationsDeps): HttpOperation[] {
  const { identity, queries } = deps
  const rows = { ...about, answer: gqlRows, output: 'stream' } as const
  return [
    httpOperation({
      ...rows,
      name: 'getGqlRows',
      methods: ['GET'],
      path: '/api/gql',
      needs: 'GET query',
      summary: 'Run GS SQL (SET and SELECT)',
      query: gqlQuery,
      errors: READ_ERRORS,
      run: async (call) => {
        const { principal, query } = call
        queries.permit(principal, 'GET')
        const { sql, timeZoneId } = readGqlQuery(query)
        const zone = timeZoneId ?? (await zoneOf(identity, principal))
        const range = readQueryRange(query)
        return await answerRows({ deps, call }, (running) =>
          queries.select(principal, { ...running, sql, timeZoneId: zone, range }),
        )
      },
    }),
    httpOperation({
      ...rows,
      name: 'startGqlRun',
      methods: ['POST'],
      path: '/api/gql',
      needs: 'POST query',
      summary: 'Run GS SQL (SET, SELECT, and INSERT), or dry-run it',
      query: postQuery,
      input: json(gqlBody),
      errors: RUN_ERRORS,
      run: async (call) => {
        const { principal } = call
        queries.permit(principal, 'POST')
        const { sql, timeZoneId, isDry, range } = readGqlBody(call.body)
        const zone = timeZoneId ?? (await zoneOf(identity, principal))
        const renew = async () => call.renew()
        // What INSERTs give is stored when all statements have ended.
        const goesOn = /\binsert\b/i.test(sql)
        return await answerRows({ deps, call, goesOn }, (running) =>
          queries.run(principal, { ...running, sql, timeZoneId: zone, isDry, renew, range }),
        )
      },
    }),
    httpOperation({
      ...rows,
      name: 'getQueryResults',
      methods: ['GET'],
      path: '/api/query/:uid/results',
      needs: 'GET query/{uid}',
      summary: 'Run a saved query',
      ids: uidParams,
      query: resultsQuery,
      errors: READ_ERRORS,
      run: async (call) => {
        const range = readQueryRange(call.query)
        return await answerRows({ deps, call }, (running) =>
          queries.runSaved(call.principal, call.ids.uid, { ...running, range }),
        )
      },
    }),
  ]
}

/** What an editor of GS SQL asks: its words, and whether a text can be run. */
function editorOperations({ identity, queries }: GqlOperationsDeps): HttpOperation[] {
  return [
    httpOperation({
      ...about,
      name: 'getGqlLanguage',
      methods: ['GET'],
      path: '/api/gql/language',
      needs: 'GET query',
      summary: 'Keywords, functions, variables, and tables of GS SQL',
      answer: answersOf('language', gqlLanguageRecord).one,
      run: ({ principal }) => envelope('language', queries.language(principal)),
    }),
    httpOperation({
      ...about,
      name: 'getGqlCheck',
      methods: ['POST'],
      path: '/api/gql/check',
      needs: 'GET query',
      summary: 'Check GS SQL and return the place of the first error. Runs nothing',
      input: json(gqlCheckBody),
      answer: answersOf('check', gqlCheckRecord).one,
      run: async ({ principal, body }) => {
        queries.permit(principal, 'GET')
        const { sql, timeZoneId } = readGqlBody(body)
        const zone = timeZoneId ?? (await zoneOf(identity, principal))
        return envelope('check', await queries.check(principal, { sql, timeZoneId: zone }))
      },
    }),
  ]
}

/** The time zone of the caller; keys have none. */
async function zoneOf(identity: Identity, { actor }: Principal): Promise<string> {
  const user = actor.kind === 'user' ? await identity.users.find(actor.userUid) : undefined
  return user?.timeZone ?? 'UTC'
}

interface Answering {
  readonly deps: GqlOperationsDeps
  readonly call: Call
  /** Whether the run goes on when there are as many rows as were asked for. */
  readonly goesOn?: boolean
}

/** Runs a text and answers its rows: at once when they are few, else as they come. */
async function answerRows(
  { deps, call, goesOn = false }: Answering,
  run: (running: Pick<QueryCall, 'onRows' | 'onHanded' | 'signal' | 'now'>) => Promise<GqlOutcome>,
): Promise<Answer> {
  const { exchange, acting } = call
  const form = { ...readForm(call.query, call.header('accept')), goesOn }
  const writer = new RowsWriter(form)
  call.errorHeaders = { Vary: 'accept' }
  const gone = new AbortController()
  const reply = nodeReplyOf(exchange)
  // The client has left and cannot receive this error.
  const leave = () => gone.abort(refusal('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS }))
  onceLeft(reply, leave)
  const done = run({
    now: deps.clock.now(),
    signal: gone.signal,
    onRows: (rows, columns) => writer.take(rows, columns),
    // What statements make of samples is not known: they count as taken out.
    onHanded: (handed) =>
      deps.identity.exports.note(acting, {
        ...handed,
        form: form.isCsv ? 'csv' : 'json',
        answer: exchange,
      }),
  })
    .catch((error) => {
      if (error instanceof EnoughRows) return undefined
      throw error
    })
    .then((outcome) => writer.finish(outcome))
  const csvType = form.hasHeader ? CSV_TYPE : CSV_TYPE.replace('present', 'absent')
  const headers = { 'Content-Type': form.isCsv ? csvType : JSON_TYPE, Vary: 'accept' }
  const body = await Promise.race([writer.begun, done])
  if (body === undefined || typeof body === 'string') {
    const allHeaders = writer.hasMore ? { ...headers, [MORE]: 'true' } : headers
    return new Answer(body ?? '', { headers: allHeaders })
  }
  done.catch((error) => {
    if (error instanceof Refusal) exchange.code = error.code
    // What is cut off so has no end, but all that was written before.
    return writer.fail(error, () => reply.response.socket?.destroySoon())
  })
  // Only JSON has room for it behind the rows.
  const isTold = form.isCsv && Number.isFinite(form.rowsMax)
  const trailer = isTold ? { name: MORE, value: () => String(writer.hasMore) } : undefined
  return new Answer(body, { headers, trailer })
}
