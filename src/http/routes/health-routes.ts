import { collectDefaultMetrics, Registry } from 'prom-client'
import { refusal } from '../../base/index.ts'
import type { App } from '../app-type.ts'
import { errorEnvelope } from '../transport/error-reply.ts'
import { type HttpMetrics, metricsText } from '../transport/http-metrics.ts'

/** One thing without which calls cannot be served: undefined while it is well, else what is wrong. */
export interface ReadinessCheck {
  readonly name: string
  readonly findProblem: () => string | undefined
}

interface HealthRoutesDeps {
  readonly readiness: readonly ReadinessCheck[]
  /** What an operator should know although calls are served; for everyone to read, so no names. */
  readonly findDetails?: () => readonly string[]
  readonly metrics: HttpMetrics
  /** Counts of other parts, in Prometheus' text format. */
  readonly moreMetrics?: () => string
}

/** Health is asked by machines that carry no credential. */
const open = { tags: ['health'], security: [] as [] }

/** Adds /healthz (the process lives), /readyz (it can serve) and /metrics. */
export function healthRoutes(app: App, deps: HealthRoutesDeps): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  app.addHook('onClose', async () => registry.clear())
  app.get('/healthz', { schema: { ...open, summary: 'The process lives' } }, async () => ({
    status: 'ok',
  }))
  app.get(
    '/readyz',
    { schema: { ...open, summary: 'Calls can be served; 503 says why not' } },
    async (_request, reply) => {
      const problems = deps.readiness.flatMap(({ name, findProblem }) => {
        const problem = findProblem()
        return problem === undefined ? [] : [`${name}: ${problem}`]
      })
      const details = deps.findDetails?.() ?? []
      if (problems.length === 0)
        return { status: 'ready', ...(details.length === 0 ? {} : { details }) }
      const { code, message } = refusal('read_only', {
        what: problems.join('; '),
        retryAfterSeconds: 30,
      })
      reply.status(503).header('Retry-After', '30').type('application/json; charset=utf-8')
      return reply.send(errorEnvelope(code, message))
    },
  )
  app.get(
    '/metrics',
    { schema: { ...open, summary: 'Counts for Prometheus' } },
    async (_request, reply) => {
      reply.type(registry.contentType)
      return `${deps.moreMetrics?.() ?? ''}${await metricsText(deps.metrics, registry)}`
    },
  )
}
