import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import type { FeedCalls } from '../feed/feed-calls.ts'
import { named, operation } from '../openapi/answer-schema.ts'
import { envelope } from '../wire/envelope.ts'
import { documented } from './record-routes.ts'

const extentAnswer = named(
  'ExtentAnswer',
  {
    message: Type.String({ description: 'Blank' }),
    extent: named('Extent', {
      streamCount: Type.Integer(),
      sampleCount: Type.Integer({ format: 'int64' }),
      isWhole: Type.Boolean({ description: 'Whether the samples of all its streams are counted' }),
    }),
    totalCount: Type.Integer(),
    success: Type.Literal(true),
  },
  {
    ...{ message: '', extent: { streamCount: 12, sampleCount: 3_400_000, isWhole: true } },
    ...{ totalCount: 1, success: true },
  },
)

/** Adds how much hangs on a component or a stream, for whoever is about to delete it. */
export function extentRoutes(app: App, { calls, gate }: { calls: FeedCalls; gate: Gate }): void {
  const onRequest = gate.guard('admin')
  const described = (schema: FastifySchema) => ({
    ...documented({ tags: ['component'], ...schema }),
    onRequest,
  })
  const ofComponent = {
    ...operation('getComponentExtent', extentAnswer),
    ...needs('GET', 'component/{componentUid}/feed'),
    summary: 'How many streams and samples it has',
    params: Type.Object({ componentUid: Type.String() }),
  }
  app.get('/api/component/:componentUid/extent', described(ofComponent), async (request) => {
    const { componentUid } = request.params as { componentUid: string }
    return envelope('extent', await calls.extent(request.principal, { componentUid }))
  })
  const ofStream = {
    ...operation('getStreamExtent', extentAnswer),
    ...needs('GET', 'component/{componentUid}/stream/{uid}/feed'),
    summary: 'How many samples it has',
    params: Type.Object({ componentUid: Type.String(), uid: Type.String() }),
  }
  const path = '/api/component/:componentUid/stream/:uid/extent'
  app.get(path, described(ofStream), async (request) => {
    const { componentUid, uid } = request.params as { componentUid: string; uid: string }
    return envelope(
      'extent',
      await calls.extent(request.principal, { componentUid, streamUid: uid }),
    )
  })
}
