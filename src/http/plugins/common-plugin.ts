import type { FastifyReply, FastifyRequest } from 'fastify'
import type { MemoryBudget } from '../../base/index.ts'
import type { App } from '../app-type.ts'
import { commonHeaders, JSON_POLICY } from '../transport/answer.ts'
import { exchangeOf } from '../transport/exchange.ts'
import { holdUntilRead } from './hold-until-read.ts'

const POLICY = 'Content-Security-Policy'
const PREFLIGHT_SECONDS = '86400'
const ALLOWED_HEADERS =
  'Authorization, Content-Disposition, Content-Encoding, Content-Type, If-None-Match, If-Range, ' +
  'Last-Event-ID, Range, Weir-Otp, Weir-Password, X-Api-Key, X-Request-Id'

/** Puts the common headers on every answer of Fastify, counts long ones and answers CORS preflights. */
export function commonPlugin(app: App, budget?: MemoryBudget): void {
  app.addHook('onRequest', async (request, reply) => {
    const exchange = exchangeOf(request.raw)
    if (exchange === undefined) return
    exchange.route = request.routeOptions.url ?? 'unmatched'
    putCommonHeaders(request, reply)
  })
  // A body may have taken minutes: whoever has lost a right meanwhile must not act by it.
  app.addHook('preValidation', async (request) => {
    if (request.standing === undefined) return
    request.caller = await request.standing.renew()
    request.principal = request.caller.principal
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const type = reply.getHeader('content-type')
    const isJson = typeof type === 'string' && type.startsWith('application/json')
    if (isJson && !reply.hasHeader(POLICY)) reply.header(POLICY, JSON_POLICY)
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    return isWhole && budget !== undefined
      ? await holdUntilRead(budget, { request, reply, payload })
      : payload
  })
  // Cookies are not for other origins: no Allow-Credentials, so browsers leave them out.
  app.options('/api/*', { schema: { hide: true } }, async (_request, reply) => {
    reply
      .header('Access-Control-Allow-Methods', 'GET, HEAD, PUT, POST, DELETE')
      .header('Access-Control-Allow-Headers', ALLOWED_HEADERS)
      .header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
      .status(204)
    return reply.send()
  })
}

/** Gives an answer the headers that every answer has. */
export function putCommonHeaders({ raw }: FastifyRequest, reply: FastifyReply): void {
  const exchange = exchangeOf(raw)
  if (exchange === undefined) return
  const headers = commonHeaders(exchange)
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at], headers[at + 1])
}
