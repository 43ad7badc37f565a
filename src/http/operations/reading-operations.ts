/** What people read beside samples and plots: small lines, extents, properties, and live samples. */
import { networkOf } from '../../access/index.ts'
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { LIVE_NAMES_MAX, readFlag, readId, readLoosePairs, Type } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type { LiveCall, LiveHub } from '../../feed/live/index.ts'
import type { FeedCalls } from '../feed/feed-calls.ts'
import { componentPath } from '../feed/feed-wire.ts'
import { sparksAnswer, sparksQuery } from '../feed/plot-wire.ts'
import { EventSink } from '../live/event-sink.ts'
import { readLiveQuery } from '../live/live-query.ts'
import type { Call } from '../table/call.ts'
import { type HttpOperation, httpOperation, json } from '../table/http-operation.ts'
import { nodeReplyOf } from '../transport/http-reply.ts'
import { envelope } from '../wire/envelope.ts'
import { extentAnswer } from '../wire/extent-answers.ts'
import {
  propertyAnswer,
  propertyBody,
  propertyQuery,
  propertySetAnswer,
  readPropertyBody,
} from '../wire/property-wire.ts'

/** What these operations need. */
interface ReadingOperationsDeps {
  readonly calls: FeedCalls
  readonly catalog: Catalog
  readonly identity: Identity
  readonly live: LiveHub
}

/** The operations of small lines, extents, properties, and live samples. */
export function readingOperations(deps: ReadingOperationsDeps): HttpOperation[] {
  const { calls } = deps
  return [
    httpOperation({
      methods: ['GET'],
      callers: 'uncounted',
      needs: 'GET component/{uid}/feed',
      tag: 'feed',
      name: 'getSparks',
      path: '/api/component/:componentUid/spark',
      summary: 'Sparklines of the streams of a component',
      ids: Type.Object({ componentUid: Type.String() }),
      query: sparksQuery,
      answer: sparksAnswer,
      run: async ({ principal, ids, queryText }) => {
        const spark = await calls.sparks(principal, ids.componentUid, queryText)
        return { message: '', spark, success: true }
      },
    }),
    ...extentOperations(calls),
    ...propertyOperations(deps),
    liveOperation(deps),
  ]
}

/** How much hangs on a component or a stream, for a caller who is about to delete it. */
function extentOperations(calls: FeedCalls): HttpOperation[] {
  const extent = { methods: ['GET'], callers: 'admin', tag: 'component' } as const
  return [
    httpOperation({
      ...extent,
      name: 'getComponentExtent',
      path: '/api/component/:componentUid/extent',
      needs: 'GET component/{componentUid}/feed',
      summary: 'Number of its streams and samples, and of streams derived from them',
      ids: Type.Object({ componentUid: Type.String() }),
      answer: extentAnswer,
      run: async ({ principal, ids: { componentUid } }) =>
        envelope('extent', await calls.extent(principal, { componentUid })),
    }),
    httpOperation({
      ...extent,
      name: 'getStreamExtent',
      path: '/api/component/:componentUid/stream/:uid/extent',
      needs: 'GET component/{componentUid}/stream/{uid}/feed',
      summary: 'Number of its samples, and of streams derived from it',
      ids: Type.Object({ componentUid: Type.String(), uid: Type.String() }),
      answer: extentAnswer,
      run: async ({ principal, ids: { componentUid, uid } }) =>
        envelope('extent', await calls.extent(principal, { componentUid, streamUid: uid })),
    }),
  ]
}

/** The two calls on a component's properties, by component ID. */
function propertyOperations({ catalog, identity }: ReadingOperationsDeps): HttpOperation[] {
  const { components } = catalog
  const property = {
    path: '/api/comp/:compId/property',
    callers: 'admin',
    tag: 'property',
    ids: componentPath,
  } as const
  const compIdOf = ({ ids }: Call) => readId(ids.compId, 'the path', 'compId')
  return [
    httpOperation({
      ...property,
      name: 'getProperties',
      methods: ['GET'],
      needs: 'GET component/{uid}/property',
      summary: 'Read properties',
      query: propertyQuery,
      answer: propertyAnswer,
      run: async (call) => {
        const found = await components.getProperties(call.principal, compIdOf(call))
        const { name, description } = found
        const pairs = readLoosePairs(call.queryText)
        const component = {
          ...(readFlag(pairs, 'name') ? { name } : {}),
          ...(readFlag(pairs, 'description') ? { description } : {}),
        }
        return [{ message: '', component, success: true }]
      },
    }),
    httpOperation({
      ...property,
      name: 'setProperties',
      methods: ['POST'],
      needs: 'POST component/{uid}/property',
      summary: 'Set properties',
      input: json(propertyBody, { takesAnyType: true }),
      answer: propertySetAnswer,
      run: async (call) => {
        const author = authorOf(identity, call.acting)
        const read = () => readPropertyBody(call.body)
        await components.setProperties(author, compIdOf(call), read)
        return [{ success: true, message: '' }]
      },
    }),
  ]
}

const names = (description: string) =>
  Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: LIVE_NAMES_MAX })], {
      description,
    }),
  )
const flag = (description: string) =>
  Type.Optional(Type.Boolean({ description: `${description}. Off if false or 0` }))

const liveQuery = Type.Object({
  comp: names('Component ID. Can be repeated. Without a "stream" after it, all its streams'),
  stream: names('Stream ID of the "comp" before it. Can be repeated'),
  compUid: names('Same as comp, by UID'),
  streamUid: names('Same as stream, by UID'),
  last: flag('Only the last sample of a stream if several arrived'),
  retFData: flag('Adds fData, the value formatted with its unit'),
  catalog: flag('Adds "catalog" events for changes of components, streams, and folders'),
  lastEventId: Type.Optional(
    Type.String({ description: 'Same as the header Last-Event-ID, which takes precedence' }),
  ),
})

const liveAnswer = {
  description:
    'Endless server-sent events: sample, change, gap, missing, catalog, and end. See docs/api.md',
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

/** Samples as they are stored, as server-sent events. */
function liveOperation({ live, identity }: ReadingOperationsDeps): HttpOperation {
  return httpOperation({
    name: 'getLive',
    methods: ['GET'],
    path: '/api/live',
    hasHead: false,
    callers: 'uncounted',
    needs: 'GET component/{uid}/feed',
    tag: 'feed',
    summary: 'New samples as server-sent events',
    query: liveQuery,
    answer: liveAnswer,
    output: 'events',
    // It follows the catalog by itself.
    isCurrent: true,
    run: (call) => openLive(live, identity, call),
  })
}

async function openLive(live: LiveHub, identity: Identity, asked: Call): Promise<void> {
  const { exchange, principal, callerCheck, caller, acting } = asked
  const { request, response } = nodeReplyOf(exchange)
  const sink = new EventSink(exchange, response)
  const given = asked.header('last-event-id') ?? ''
  const query = readLiveQuery(readLoosePairs(asked.queryText))
  const call: LiveCall = {
    ...query,
    principal,
    sink,
    credentialName: caller.credentialName,
    since: given === '' ? query.since : given,
    network: networkOf(exchange.address),
    renew: async (isTimed) =>
      (await (isTimed ? callerCheck.renewNow() : callerCheck.renew())).principal,
    onSent: ({ uid: componentUid, compId }, amount) =>
      identity.exports.note(acting, {
        form: 'json',
        componentUid,
        compId,
        streamId: undefined,
        amount,
        answer: sink,
      }),
  }
  const leave = await live.open(call)
  // A client that closes its side is gone: it has nobody to read what comes.
  request.socket.once('end', () => response.destroy())
  response.once('close', leave)
  if (response.destroyed) leave()
}
