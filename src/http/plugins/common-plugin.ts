import type { App } from '../app-type.ts'
import { commonHeaders, JSON_POLICY } from '../transport/answer.ts'
import { exchangeOf } from '../transport/exchange.ts'

const POLICY = 'Content-Security-Policy'
const PREFLIGHT_SECONDS = '86400'
const ALLOWED_HEADERS =
  'Authorization, Content-Disposition, Content-Encoding, Content-Type, If-None-Match, If-Range, ' +
  'Range, Weir-Password, X-Api-Key, X-Request-Id'

/** Puts the common headers on every answer of Fastify and answers CORS preflights. */
export function commonPlugin(app: App): void {
  app.addHook('onRequest', async (request, reply) => {
    const exchange = exchangeOf(request.raw)
    if (exchange === undefined) return
    exchange.route = request.routeOptions.url ?? 'unmatched'
    const headers = commonHeaders(exchange)
    for (let at = 0; at < headers.length; at += 2) reply.header(headers[at], headers[at + 1])
  })
  app.addHook('onSend', async (_request, reply) => {
    const type = reply.getHeader('content-type')
    if (typeof type !== 'string' || !type.startsWith('application/json')) return
    if (!reply.hasHeader(POLICY)) reply.header(POLICY, JSON_POLICY)
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
