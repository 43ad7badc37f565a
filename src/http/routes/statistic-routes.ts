import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { refuse } from '../../base/index.ts'
import { STATISTIC_IDS } from '../../feed/index.ts'
import { queryOf } from '../../intake/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { App } from '../app-type.ts'
import type { FeedCalls } from '../feed/feed-calls.ts'
import { readStatisticPath } from '../feed/feed-path.ts'
import { componentPath, feedAnswer, feedQuery, streamPath } from '../feed/feed-wire.ts'

const cycleAndStatistic = Type.Object({
  cycleId: Type.String({ description: 'second, 10sec, minute, … year, or a cycle of your own' }),
  statId: Type.Enum([...STATISTIC_IDS]),
})
const CALLS = [
  { call: 'feed', what: 'A statistic for each period of a cycle, latest first,' },
  { call: 'last_value', what: 'A statistic of the last period that has a value,' },
] as const

/** The calls read their parameters themselves, so that the fast lane and these routes agree. */
const documented = (schema: FastifySchema) => ({
  schema: { tags: ['feed'], querystring: feedQuery, response: { 200: feedAnswer }, ...schema },
  validatorCompiler: () => () => true,
})

/** Adds the statistic calls, which are not rate limited; most are served by the fast lane. */
export function statisticRoutes(
  app: App,
  { calls, gate }: { readonly calls: FeedCalls; readonly gate: Gate },
): void {
  const onRequest = gate.guard(undefined)
  const places = [
    { at: '/api/comp/:compId', params: componentPath, of: 'of every stream of a component' },
    { at: '/api/comp/:compId/stream/:streamId', params: streamPath, of: 'of one stream' },
  ]
  for (const { at, params, of } of places) {
    for (const { call, what } of CALLS) {
      const all = Type.Intersect([params, cycleAndStatistic])
      app.get(
        `${at}/cycle/:cycleId/stat/:statId/${call}`,
        { ...documented({ params: all, summary: `${what} ${of}` }), onRequest },
        async (request, reply) => {
          const [target] = request.url.split('?', 1)
          const path = readStatisticPath(target)
          if (path === undefined) refuse('not_found', { what: `Cannot find ${target}` })
          reply.type('application/json; charset=utf-8')
          return reply.send(await calls.statistic(request.principal, path, queryOf(request.url)))
        },
      )
    }
  }
}
