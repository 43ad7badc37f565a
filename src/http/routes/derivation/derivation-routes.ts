import type { FastifySchema } from 'fastify'
import { Type } from '../../../base/index.ts'
import { streamShape } from '../../../catalog/shape/index.ts'
import type { DerivationViews } from '../../../derivation/index.ts'
import type { Gate } from '../../admit/gate.ts'
import { needs } from '../../admit/needs.ts'
import type { App } from '../../app-type.ts'
import { answersOf, operation } from '../../openapi/answer-schema.ts'
import { streamRecord } from '../../wire/catalog-answers.ts'
import { unwrap, wrapped } from '../../wire/catalog-wire.ts'
import { graphRecord, previewRecord } from '../../wire/derivation-answers.ts'
import { envelope } from '../../wire/envelope.ts'
import { documented } from '../record-routes.ts'

const ALL = 'component/{componentUid}/stream'

/** Adds what an editor of derived streams asks: what a formula would give, and what depends on what. */
export function derivationRoutes(
  app: App,
  { gate, views }: { readonly gate: Gate; readonly views: DerivationViews },
): void {
  const onRequest = gate.guard('admin')
  const described = (summary: string, more: FastifySchema) => ({
    ...documented({ tags: ['component'], summary, ...more }),
    onRequest,
  })
  const preview = {
    params: Type.Object({ componentUid: Type.String() }),
    body: wrapped('stream', streamShape, streamRecord),
    ...operation('getDerivationPreview', answersOf('preview', previewRecord).one),
    ...needs('GET', ALL),
  }
  const previewing = 'The newest results that a derived stream would have; saves nothing'
  const path = '/api/component/:componentUid/stream'
  app.post(`${path}/preview`, described(previewing, preview), async (request) => {
    const { componentUid } = request.params as { componentUid: string }
    const input = unwrap('stream', request.body)
    return envelope('preview', await views.preview(request.principal, componentUid, input))
  })
  const graph = {
    params: Type.Object({ componentUid: Type.String(), uid: Type.String() }),
    ...operation('getStreamGraph', answersOf('graph', graphRecord).one),
    ...needs('GET', `${ALL}/{uid}`),
  }
  const showing = 'What a stream is derived from, and what is derived from it'
  app.get(`${path}/:uid/graph`, described(showing, graph), async (request) => {
    const stream = request.params as { componentUid: string; uid: string }
    return envelope('graph', await views.graph(request.principal, stream))
  })
}
