import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import { announceAct } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { invariant, readId, Type } from '../../base/index.ts'
import type { OneStreamPath } from '../../feed/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import type { FeedCalls } from '../feed/feed-calls.ts'
import { type FeedRoute, feedTarget, PUT_ROUTE, READ_ROUTES } from '../feed/feed-paths.ts'
import {
  asPutQuery,
  componentPath,
  deleteFeedQuery,
  feedAnswer,
  feedByUidQuery,
  feedQuery,
  putFeedAnswer,
  putFeedBody,
  putFeedQuery,
  statisticPath,
  streamPath,
  uidPath,
} from '../feed/feed-wire.ts'
import { doneAnswer, operation } from '../openapi/answer-schema.ts'
import { exchangeOf, type FastLane } from '../transport/exchange.ts'
import { queryOf } from '../transport/target.ts'

/** What the routes of the feed need. */
interface FeedRoutesDeps {
  readonly calls: FeedCalls
  readonly gate: Gate
  readonly identity: Identity
  /** Serves the calls of the feed's table, also those that come this way. */
  readonly lane: FastLane
}

/** What a call of the feed needs, whichever components it names. */
const FEED = 'component/{uid}/feed'

/** What a read answers, by its call. */
const SUMMARIES = {
  put: 'Store samples, all or none; answers when they are durable',
  get: 'The latest samples',
  lastValue: 'The last value',
  statistic: 'A statistic for each period of a cycle, latest first,',
  lastStatistic: 'A statistic of the last period that has a value,',
} as const

/** What the operations of a stream's reads are called, behind `get`. */
const NAMES = {
  put: 'Feed',
  get: 'Feed',
  lastValue: 'LastValue',
  statistic: 'Statistic',
  lastStatistic: 'LastStatistic',
} as const

/** The calls read their parameters themselves: these schemas only describe them. */
const documented = (schema: FastifySchema) => ({
  schema: { tags: ['feed'], ...schema },
  validatorCompiler: () => () => true,
})

/**
 * Adds the feed's calls. Those of its table are the lane's, which takes nearly all of them before
 * Fastify sees them; here they are described, and come here only when the path is spelled unusually.
 */
export function feedRoutes(app: App, deps: FeedRoutesDeps): void {
  putRoutes(app, deps.lane)
  for (const route of READ_ROUTES) readRoute(app, deps.lane, route)
  deleteRoutes(app, deps)
}

/** Gives a request to the lane before Fastify reads its body. */
function servedBy(lane: FastLane, route: FeedRoute) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const exchange = exchangeOf(request.raw)
    const ids = request.params as Record<string, string>
    const serve = lane(request.method, feedTarget(route, ids, queryOf(request.url)))
    invariant(exchange !== undefined && serve !== undefined, 'the lane does not know its own route')
    reply.hijack()
    serve(exchange)
  }
}

async function unreached(): Promise<void> {
  invariant(false, 'the lane has left a call of the feed to Fastify')
}

function putRoutes(app: App, lane: FastLane): void {
  const { pattern } = PUT_ROUTE
  const onRequest = servedBy(lane, PUT_ROUTE)
  const response = { 200: putFeedAnswer }
  const described = { response, ...needs('PUT', FEED) }
  const put = {
    ...described,
    operationId: 'putFeed',
    summary: SUMMARIES.put,
    querystring: putFeedQuery,
    body: putFeedBody,
    'x-optional-body': true,
  }
  app.put(pattern, { ...documented(put), onRequest }, unreached)
  const asPut = {
    ...described,
    operationId: 'putFeedByGet',
    summary: 'With asPut: the same as PUT',
    querystring: asPutQuery,
    // Without asPut it is a 405.
    'x-errors': [400, 401, 403, 404, 405, 409, 429],
  }
  app.get(pattern, { ...documented(asPut), onRequest, exposeHeadRoute: false }, unreached)
}

function readRoute(app: App, lane: FastLane, route: FeedRoute): void {
  const { pattern, call } = route
  const isByUid = pattern.includes(':uid')
  const isOfStream = isByUid || pattern.includes(':streamId')
  const place = isByUid ? uidPath : isOfStream ? streamPath : componentPath
  const params = pattern.includes(':statId')
    ? Type.Object({ ...place.properties, ...statisticPath.properties })
    : place
  const summary = `${SUMMARIES[call]} of ${isOfStream ? 'one stream' : 'every stream of a component'}`
  const operationId = `get${isOfStream ? '' : 'Component'}${NAMES[call]}${isByUid ? 'ByUid' : ''}`
  const schema = {
    operationId,
    summary: isByUid ? `${summary}, by UIDs` : summary,
    params,
    querystring: isByUid ? feedByUidQuery : feedQuery,
    response: { 200: feedAnswer },
    ...needs('GET', FEED),
  }
  app.get(pattern, { ...documented(schema), onRequest: servedBy(lane, route) }, unreached)
}

/** Adds a delete by IDs, and one by UIDs. */
function deleteRoutes(app: App, deps: FeedRoutesDeps): void {
  const byId = { path: '/api/comp/:compId/stream/:streamId/feed', params: streamPath }
  deleteRoute(app, deps, {
    ...byId,
    operationId: 'deleteFeed',
    summary: 'Delete the samples of a range',
    pathOf: (request) => {
      const params = request.params as { compId: string; streamId: string }
      return {
        compId: readId(params.compId, 'the path', 'compId'),
        streamId: readId(params.streamId, 'the path', 'streamId'),
      }
    },
  })
  const byUid = { path: '/api/component/:componentUid/stream/:uid/feed', params: uidPath }
  deleteRoute(app, deps, {
    ...byUid,
    operationId: 'deleteFeedByUid',
    summary: 'Delete the samples of a range, by UIDs',
    pathOf: (request) => {
      const { componentUid, uid } = request.params as { componentUid: string; uid: string }
      return { componentUid, streamUid: uid }
    },
  })
}

/** A way to say which stream samples are deleted of. */
interface DeleteWay {
  readonly path: string
  readonly params: TSchema
  readonly operationId: string
  readonly summary: string
  readonly pathOf: (request: FastifyRequest) => OneStreamPath
}

function deleteRoute(app: App, { calls, gate, identity }: FeedRoutesDeps, way: DeleteWay): void {
  const schema = {
    params: way.params,
    querystring: deleteFeedQuery,
    summary: way.summary,
    ...operation(way.operationId, doneAnswer),
    ...needs('DELETE', FEED),
  }
  const options = { ...documented(schema), onRequest: gate.guard('feed') }
  app.delete(way.path, options, async (request) => {
    const path = way.pathOf(request)
    await calls.delete(request.principal, path, queryOf(request.url), ({ from, until }) => {
      const { streamUid: target, compId, streamId } = calls.targetOf(request.principal, path)
      const place = `${JSON.stringify(compId)} / ${JSON.stringify(streamId)}`
      const detail = `${place}, sd ${from}, ed ${until}`
      const deletion = { act: 'samples_deleted', target, detail } as const
      return announceAct(identity, actingIn(request), deletion)
    })
    return { success: true, message: '' }
  })
}
