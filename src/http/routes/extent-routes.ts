import type { FastifySchema } from 'fastify'
import { Type } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import type { FeedCalls } from '../feed/feed-calls.ts'
import { EXAMPLE_UID, named, operation } from '../openapi/answer-schema.ts'
import { envelope } from '../wire/envelope.ts'
import { documented } from './record-routes.ts'

const derivedUse = named('DerivedUse', {
  componentUid: Type.String(),
  componentId: Type.String(),
  componentName: Type.String(),
  streamUid: Type.String(),
  streamId: Type.String(),
  streamName: Type.String(),
})

const extentAnswer = named(
  'ExtentAnswer',
  {
    message: Type.String({ description: 'Blank' }),
    extent: named('Extent', {
      streamCount: Type.Integer(),
      sampleCount: Type.Integer({ format: 'int64' }),
      isWhole: Type.Boolean({ description: 'Whether the samples of all its streams are counted' }),
      derivedCount: Type.Integer({
        description: 'Other streams that are derived of it, also by way of others; at most 1000',
      }),
      derived: Type.Array(derivedUse, {
        description: 'The nearest 20 of these that the caller may see',
      }),
    }),
    totalCount: Type.Integer(),
    success: Type.Literal(true),
  },
  {
    message: '',
    extent: {
      streamCount: 12,
      sampleCount: 3_400_000,
      isWhole: true,
      derivedCount: 1,
      derived: [
        {
          componentUid: EXAMPLE_UID,
          componentId: 'plant',
          componentName: 'Plant',
          streamUid: EXAMPLE_UID,
          streamId: 'power',
          streamName: 'Power',
        },
      ],
    },
    totalCount: 1,
    success: true,
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
    summary: 'How many streams and samples it has, and what is derived of them',
    params: Type.Object({ componentUid: Type.String() }),
  }
  app.get('/api/component/:componentUid/extent', described(ofComponent), async (request) => {
    const { componentUid } = request.params as { componentUid: string }
    return envelope('extent', await calls.extent(request.principal, { componentUid }))
  })
  const ofStream = {
    ...operation('getStreamExtent', extentAnswer),
    ...needs('GET', 'component/{componentUid}/stream/{uid}/feed'),
    summary: 'How many samples it has, and what is derived of it',
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
