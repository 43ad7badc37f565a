import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { queryOf, readId } from '../../intake/index.ts'
import { requireOwnSite } from '../admit/own-site.ts'
import type { App } from '../app-type.ts'
import { requireAsPut } from '../feed/as-put.ts'
import type { UseBody } from '../feed/feed-body-reader.ts'
import type { FeedLaneDeps } from '../feed/feed-lane.ts'
import {
  componentPath,
  deleteFeedQuery,
  feedAnswer,
  feedQuery,
  putFeedAnswer,
  putFeedBody,
  putFeedQuery,
  streamPath,
} from '../feed/feed-wire.ts'
import { warnBy } from '../transport/warning-header.ts'

const tags = ['feed']
const JSON_TYPE = 'application/json; charset=utf-8'
const PUT_SUMMARY = 'Store samples, all or none; answers when they are durable'

/** The calls read their parameters themselves, so that the fast lane and these routes agree. */
const documented = (schema: FastifySchema) => ({
  schema: { tags, ...schema },
  validatorCompiler: () => () => true,
})

function pathOf(request: FastifyRequest): { compId: string; streamId: string | undefined } {
  const { compId, streamId } = request.params as { compId: string; streamId?: string }
  return {
    compId: readId(compId, 'the path', 'compId'),
    streamId: streamId === undefined ? undefined : readId(streamId, 'the path', 'streamId'),
  }
}

/** Adds the feed calls of samples and last values; most of them are served by the fast lane. */
export function feedRoutes(app: App, deps: FeedLaneDeps): void {
  putRoutes(app, deps)
  getRoutes(app, deps)
  deleteRoute(app, deps)
}

function putRoutes(app: App, { calls, bodies, gate }: FeedLaneDeps): void {
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const { principal, url } = request
    const warn = warnBy(reply)
    const put: UseBody<string> = (body, held) =>
      calls.put(principal, queryOf(url), body, { held, warn })
    return reply.type(JSON_TYPE).send(await bodies.read(request.raw, put))
  }
  // A scope of its own: here a body is left alone until the call reads it, whatever its type.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', async (_request: FastifyRequest, _payload: Readable) => null)
    const response = { 200: putFeedAnswer }
    const schema = { querystring: putFeedQuery, body: putFeedBody, response, summary: PUT_SUMMARY }
    scope.put('/api/feed', { ...documented(schema), onRequest: gate.guard('feed') }, serve)
    const admit = gate.guard('feed')
    scope.get(
      '/api/feed',
      {
        ...documented({
          ...{ querystring: putFeedQuery, response },
          summary: 'With asPut: the same as PUT',
        }),
        exposeHeadRoute: false,
        onRequest: async (request, reply) => {
          reply.header('Allow', 'PUT')
          requireAsPut(request.url)
          reply.removeHeader('Allow')
          await admit(request, reply)
          requireOwnSite(request.raw, request.caller)
        },
      },
      serve,
    )
  })
}

function getRoutes(app: App, { calls, gate }: FeedLaneDeps): void {
  const onRequest = gate.guard(undefined)
  const response = { 200: feedAnswer }
  const places = [
    { at: '/api/comp/:compId', params: componentPath, of: 'of every stream of a component' },
    { at: '/api/comp/:compId/stream/:streamId', params: streamPath, of: 'of one stream' },
  ]
  for (const { at, params, of } of places) {
    const schema = { params, querystring: feedQuery, response }
    app.get(
      `${at}/feed`,
      { ...documented({ ...schema, summary: `The latest samples ${of}` }), onRequest },
      async (request, reply) => {
        const { principal, url } = request
        const body = await calls.get(principal, pathOf(request), queryOf(url))
        return reply.type(JSON_TYPE).send(body)
      },
    )
    app.get(
      `${at}/last_value`,
      { ...documented({ ...schema, summary: `The last value ${of}` }), onRequest },
      async (request, reply) => {
        const { principal, url } = request
        const body = await calls.lastValue(principal, pathOf(request), queryOf(url))
        return reply.type(JSON_TYPE).send(body)
      },
    )
  }
}

function deleteRoute(app: App, { calls, gate }: FeedLaneDeps): void {
  const schema = {
    params: streamPath,
    querystring: deleteFeedQuery,
    summary: 'Delete the samples of a range',
  }
  app.delete(
    '/api/comp/:compId/stream/:streamId/feed',
    { ...documented(schema), onRequest: gate.guard('feed') },
    async (request) => {
      const { compId, streamId = '' } = pathOf(request)
      await calls.delete(request.principal, { compId, streamId }, queryOf(request.url))
      return { success: true, message: '' }
    },
  )
}
