import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import type { Identity } from '../../auth/index.ts'
import { type MemoryBudget, readId, readLoosePairs, refuse, Type } from '../../base/index.ts'
import type { OneStreamPath, Plot } from '../../feed/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import type { FeedCalls } from '../feed/feed-calls.ts'
import { streamPath, uidPath } from '../feed/feed-wire.ts'
import { isPlainPlot } from '../feed/plot-query.ts'
import {
  plotAnswer,
  plotAnswers,
  plotByIdQuery,
  plotQuery,
  sparksAnswer,
  sparksQuery,
} from '../feed/plot-wire.ts'
import { writePlainPlot, writePlot } from '../feed/plot-writer.ts'
import { operation } from '../openapi/answer-schema.ts'
import { packAnswer } from '../plugins/pack-answer.ts'
import { queryOf } from '../transport/target.ts'
import { documented } from './record-routes.ts'

/** What the routes of plots need. */
interface PlotRoutesDeps {
  readonly calls: FeedCalls
  readonly gate: Gate
  readonly identity: Identity
  readonly budget: MemoryBudget
}

/** Adds the two ways to a plot: by IDs as the feed is read, and by UIDs, which every stream has. */
export function plotRoutes(app: App, deps: PlotRoutesDeps): void {
  const add = (
    path: string,
    about: FastifySchema,
    pathOf: (request: FastifyRequest) => OneStreamPath,
  ): void => {
    const schema = {
      tags: ['feed'],
      summary: 'What of a range can be seen on so many pixels',
      ...about,
      ...needs('GET', 'component/{uid}/feed'),
    }
    const onRequest = deps.gate.guard(undefined)
    app.get(path, { ...documented(schema), onRequest }, async (request, reply) => {
      const plot = await deps.calls.plot(request.principal, pathOf(request), queryOf(request.url))
      return answer(deps, plot, { request, reply })
    })
  }
  const byId = {
    params: streamPath,
    querystring: plotByIdQuery,
    ...operation('getPlot', plotAnswers),
  }
  add('/api/comp/:compId/stream/:streamId/plot', byId, (request) => {
    const params = request.params as { compId: string; streamId: string }
    return {
      compId: readId(params.compId, 'the path', 'compId'),
      streamId: readId(params.streamId, 'the path', 'streamId'),
    }
  })
  const byUid = {
    params: uidPath,
    querystring: plotQuery,
    ...operation('getPlotByUid', plotAnswer),
  }
  add('/api/component/:componentUid/stream/:uid/plot', byUid, (request) => {
    if (isPlain(request)) refuse('bad_input', { what: 'By UIDs give "from" and "until"' })
    const { componentUid, uid } = request.params as { componentUid: string; uid: string }
    return { componentUid, streamUid: uid }
  })
  sparksRoute(app, deps)
}

function sparksRoute(app: App, { calls, gate }: PlotRoutesDeps): void {
  const schema = {
    tags: ['feed'],
    summary: 'Small lines of the streams of a component, for lists',
    params: Type.Object({ componentUid: Type.String() }),
    querystring: sparksQuery,
    ...operation('getSparks', sparksAnswer),
    ...needs('GET', 'component/{uid}/feed'),
  }
  const options = { ...documented(schema), onRequest: gate.guard(undefined) }
  app.get('/api/component/:componentUid/spark', options, async (request) => {
    const { componentUid } = request.params as { componentUid: string }
    const spark = await calls.sparks(request.principal, componentUid, queryOf(request.url))
    return { message: '', spark, success: true }
  })
}

async function answer(
  { identity, budget }: PlotRoutesDeps,
  plot: Plot,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  // Sums are a picture; samples as they are have been taken out.
  if (plot.form === 'samples') {
    const { componentUid, compId, streamId } = plot
    const amount = plot.columns[0].numbers.length
    identity.exports.note(actingIn(request), {
      form: 'json',
      componentUid,
      compId,
      streamId,
      amount,
    })
  }
  const write = isPlain(request) ? writePlainPlot : writePlot
  const body = write(plot)
  const packed = await packAnswer(body, {
    budget,
    acceptEncoding: request.headers['accept-encoding'],
  })
  reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding')
  if (packed !== undefined) reply.header('content-encoding', 'gzip')
  return reply.send(packed ?? body)
}

function isPlain({ url }: FastifyRequest): boolean {
  return isPlainPlot(readLoosePairs(queryOf(url)))
}
