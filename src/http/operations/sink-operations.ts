import type { Method } from '../../access/index.ts'
import { invariant } from '../../base/index.ts'
import { SINK_BODY_BYTES_MAX, type SinkCalls } from '../../connectors/index.ts'
import { forSinks } from '../openapi/security-schemes.ts'
import { bodyText } from '../sink/body-text.ts'
import { sinkAnswer, sinkBody, sinkParams, sinkQuery } from '../sink/sink-wire.ts'
import type { Call } from '../table/call.ts'
import { sinkDialect } from '../table/dialect.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { knownEncoding } from '../transport/body.ts'

/** By which method a sink is called makes no difference. */
const METHODS: readonly (readonly [Method, string])[] = [
  ['PUT', ''],
  ['POST', 'ByPost'],
  ['GET', 'ByGet'],
  ['DELETE', 'ByDelete'],
]

/** The sinks of HTTP connectors: gateways send as many calls of them as devices send puts. */
export function sinkOperations(deps: { readonly sinks: SinkCalls }): HttpOperation[] {
  return METHODS.map(([method, suffix]) => {
    const hasBody = method === 'PUT' || method === 'POST'
    return httpOperation({
      name: `putConnectorSink${suffix}`,
      methods: [method],
      path: '/api/conn_sink/:orgUid/:connectorId',
      hasHead: false,
      callers: 'uncounted',
      needs: `${method} conn_sink/{connectorId}`,
      dialect: sinkDialect,
      tag: 'connector',
      summary: 'Send a payload to a connector, whose SQL converts it to samples',
      ids: sinkParams,
      query: sinkQuery,
      input: {
        kind: 'bytes',
        limitBytes: SINK_BODY_BYTES_MAX,
        // Devices name as an encoding what is none, such as utf-8: it says nothing.
        encodingOf: knownEncoding,
        schema: hasBody ? sinkBody : undefined,
      },
      // A body of any type is taken; generators refuse a wildcard.
      consumes: ['application/octet-stream'],
      isBodyOptional: hasBody,
      answer: sinkAnswer,
      security: forSinks,
      errors: [400, 401, 403, 404, 408, 413, 422, 429],
      isWrite: true,
      isHot: true,
      isCurrent: true,
      undecodable: () => 'Cannot decode the path: write a % as %25',
      run: (call) => receive(deps.sinks, method, call),
    })
  })
}

async function receive(sinks: SinkCalls, method: Method, call: Call): Promise<string> {
  const { principal, ids, exchange, queryText: query } = call
  invariant(principal.actor.kind === 'api_key', 'a sink request had no key')
  const target = { method, orgUid: ids.orgUid, connectorId: ids.connectorId }
  const connector = sinks.findNow(principal, target) ?? (await sinks.find(principal, target))
  const secret = sinkDialect.readCredentials(exchange).credential?.value ?? ''
  const type = exchange.req.headers['content-type']
  const samples = await call.withBytes((bytes) =>
    sinks.receive(connector, { method, query, body: bodyText(bytes, type), secret }),
  )
  return `{"success":true,"message":"","samples":${samples}}`
}
