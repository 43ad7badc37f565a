import type { FastifyReply, FastifyRequest } from 'fastify'
import { invariant } from '../../../base/index.ts'
import { needs } from '../../admit/needs.ts'
import type { App } from '../../app-type.ts'
import { operation } from '../../openapi/answer-schema.ts'
import { forSinks } from '../../openapi/security-schemes.ts'
import { SINK_METHODS, SINK_PATTERN } from '../../sink/sink-path.ts'
import { sinkAnswer, sinkBody, sinkParams, sinkQuery } from '../../sink/sink-wire.ts'
import { exchangeOf, type FastLane } from '../../transport/exchange.ts'
import { queryOf } from '../../transport/target.ts'
import { documented } from '../record-routes.ts'

/** A body of any type is taken; generators refuse a wildcard. */
const anyBody = { consumes: ['application/octet-stream'], 'x-optional-body': true }

const NAMES = { PUT: '', POST: 'ByPost', GET: 'ByGet', DELETE: 'ByDelete' } as const

/** Adds the sinks of HTTP connectors; the lane takes nearly all calls before Fastify sees them. */
export function sinkRoutes(app: App, { lane }: { lane: FastLane }): void {
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const exchange = exchangeOf(request.raw)
    const { orgUid, connectorId } = request.params as { orgUid: string; connectorId: string }
    const path = `/api/conn_sink/${encodeURIComponent(orgUid)}/${encodeURIComponent(connectorId)}`
    const serve = lane(request.method, `${path}?${queryOf(request.url)}`)
    invariant(exchange !== undefined && serve !== undefined, 'the lane does not know its own route')
    reply.hijack()
    serve(exchange)
  }
  for (const method of SINK_METHODS) {
    const hasBody = method === 'PUT' || method === 'POST'
    const schema = {
      ...operation(`putConnectorSink${NAMES[method]}`, sinkAnswer),
      ...needs(method, 'conn_sink/{connectorId}'),
      security: forSinks,
      'x-errors': [400, 401, 403, 404, 408, 413, 422, 429],
      tags: ['connector'],
      params: sinkParams,
      querystring: sinkQuery,
      summary: 'Hand data to an HTTP connector, whose SQL makes samples of it',
      ...(hasBody ? { body: sinkBody, ...anyBody } : {}),
    }
    const options = { ...documented(schema), onRequest, exposeHeadRoute: false }
    app.route({ method, url: SINK_PATTERN, ...options, handler: unreached })
  }
}

async function unreached(): Promise<void> {
  invariant(false, 'the lane has left a call of a sink to Fastify')
}
