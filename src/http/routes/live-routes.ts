import type { FastifySchema } from 'fastify'
import { networkOf } from '../../access/index.ts'
import type { Identity } from '../../auth/index.ts'
import { invariant, LIVE_NAMES_MAX, readLoosePairs, Type } from '../../base/index.ts'
import type { LiveCall, LiveHub } from '../../feed/live/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { EventSink } from '../live/event-sink.ts'
import { readLiveQuery } from '../live/live-query.ts'
import { exchangeOf } from '../transport/exchange.ts'
import { queryOf } from '../transport/target.ts'

interface LiveRoutesDeps {
  readonly live: LiveHub
  readonly gate: Gate
  readonly identity: Pick<Identity, 'exports'>
}

const names = (description: string) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: LIVE_NAMES_MAX })], {
      description,
    }),
  )
const flag = (description: string) =>
  Type.Optional(Type.Boolean({ description: `${description}; present counts, false and 0 do not` }))

const liveQuery = Type.Object({
  comp: names('Component ID; may come often. Without "stream" behind it, all its streams'),
  stream: names('Stream ID of the "comp" before it; may come often'),
  compUid: names('As comp, by UID'),
  streamUid: names('As stream, by UID'),
  last: flag('Only the last sample of a stream, when several came'),
  retFData: flag('Adds fData, the value formatted with its unit'),
  catalog: flag('Tells of components, streams and folders that change, by events "catalog"'),
  lastEventId: Type.Optional(
    Type.String({ description: 'As the header Last-Event-ID, which beats it' }),
  ),
})

const liveAnswer = {
  description:
    'Server-sent events without end: sample, change, gap, missing, catalog and end, told in docs/api.md',
  content: {
    'text/event-stream': {
      schema: Type.String({
        examples: [
          'event: sample\ndata: {"compId":"c1","compUid":"…","streamId":"s1","streamUid":"…","time":1767225600000,"data":70.1}\n\n',
        ],
      }),
    },
  },
}

const schema: FastifySchema = {
  tags: ['feed'],
  operationId: 'getLive',
  querystring: liveQuery,
  summary: 'Samples as they come, as server-sent events',
  response: { 200: liveAnswer },
  ...needs('GET', 'component/{uid}/feed'),
}

/** Adds the call that tells of samples as they come. */
export function liveRoutes(app: App, deps: LiveRoutesDeps): void {
  const { live, gate } = deps
  const options = { schema, onRequest: gate.guard(undefined), exposeHeadRoute: false }
  app.get('/api/live', options, async (request, reply) => {
    const { raw: response } = reply
    const exchange = exchangeOf(request.raw)
    invariant(exchange !== undefined, 'a live call came past our server')
    const sink = new EventSink(exchange, response)
    const given = request.headers['last-event-id']
    const query = readLiveQuery(readLoosePairs(queryOf(request.url)))
    const { principal, standing, caller } = request
    const acting = actingIn(request)
    const call: LiveCall = {
      ...query,
      principal,
      sink,
      credentialName: caller.credentialName,
      since: typeof given === 'string' && given !== '' ? given : query.since,
      network: networkOf(exchange.address),
      renew: async (isTimed) =>
        (await (isTimed ? standing.renewAnew() : standing.renew())).principal,
      onSent: ({ uid: componentUid, compId }, amount) =>
        deps.identity.exports.note(acting, {
          form: 'json',
          componentUid,
          compId,
          streamId: undefined,
          amount,
          answer: sink,
        }),
    }
    const leave = await live.open(call)
    reply.hijack()
    // A client that closes its side is gone: it has nobody to read what comes.
    request.raw.socket.once('end', () => response.destroy())
    response.once('close', leave)
    if (response.destroyed) leave()
    return reply
  })
}
