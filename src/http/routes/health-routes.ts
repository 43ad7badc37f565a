import type { FastifyRequest } from 'fastify'
import { IpList, normalizeAddress } from '../../access/index.ts'
import { hashSecret, type MetricsAccess, refusal, refuse, Type } from '../../base/index.ts'
import type { App } from '../app-type.ts'
import type { HttpMetrics } from '../metrics/http-metrics.ts'
import { METRICS_TYPE, ProcessMetrics } from '../metrics/process-metrics.ts'
import { named, operation } from '../openapi/answer-schema.ts'
import { errorEnvelope, hiddenReason, shownMessage } from '../transport/error-reply.ts'
import { tellReason } from '../transport/exchange.ts'

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
  /** Who may read the metrics; whoever is on this machine unless it is set. */
  readonly metricsAccess?: MetricsAccess
  /** Counts of other parts, in Prometheus' text format. */
  readonly moreMetrics?: () => Promise<string>
}

const healthAnswer = named('Health', { status: Type.Literal('ok') }, { status: 'ok' })

const readinessAnswer = named(
  'Readiness',
  {
    status: Type.Literal('ready'),
    details: Type.Optional(
      Type.Array(Type.String(), { description: 'What an operator should know nevertheless' }),
    ),
  },
  { status: 'ready' },
)

/** What metrics are answered as. */
export const metricsAnswer = Type.String({
  description: "Prometheus' text format",
  examples: ['weir_damaged_items{part="samples"} 0\n'],
})

/** Health is asked by machines that carry no credential. */
const open = { tags: ['health'], security: [] as [] }

/** Adds /healthz (the process lives), /readyz (it can serve) and /metrics; answers how the metrics are read. */
export function healthRoutes(app: App, deps: HealthRoutesDeps): () => Promise<string> {
  const ofProcess = new ProcessMetrics()
  app.addHook('onClose', async () => ofProcess.close())
  const readMetrics = async () =>
    `${(await deps.moreMetrics?.()) ?? ''}${deps.metrics.text()}${await ofProcess.text()}`
  const health = { ...open, ...operation('getHealth', healthAnswer), summary: 'The process lives' }
  app.get('/healthz', { schema: health }, async () => ({
    status: 'ok',
  }))
  app.get(
    '/readyz',
    {
      schema: {
        ...open,
        ...operation('getReadiness', readinessAnswer),
        summary: 'Calls can be served; 503 says why not',
      },
    },
    async (request, reply) => {
      const problems = deps.readiness.flatMap(({ name, findProblem }) => {
        const problem = findProblem()
        return problem === undefined ? [] : [`${name}: ${problem}`]
      })
      const details = deps.findDetails?.() ?? []
      if (problems.length === 0)
        return { status: 'ready', ...(details.length === 0 ? {} : { details }) }
      const refused = refusal('read_only', {
        what: problems.join('; '),
        retryAfterSeconds: 30,
      })
      tellReason(request.raw, { code: refused.code, reason: hiddenReason(refused) })
      reply.status(503).header('Retry-After', '30').type('application/json; charset=utf-8')
      return reply.send(errorEnvelope(refused.code, shownMessage(refused)))
    },
  )
  app.get(
    '/metrics',
    {
      schema: {
        ...open,
        ...operation('getMetrics', metricsAnswer),
        produces: ['text/plain'],
        'x-errors': [401, 403],
        summary: 'Counts for Prometheus',
      },
    },
    async (request, reply) => {
      requireMetricsAccess(request, deps.metricsAccess ?? 'loopback')
      reply.type(METRICS_TYPE)
      return await readMetrics()
    },
  )
  return readMetrics
}

/** Routes and counts tell how a service is used: they are for its operators. */
function requireMetricsAccess(request: FastifyRequest, access: MetricsAccess): void {
  if (access === 'open') return
  if (access !== 'loopback') {
    const given = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
    // Hashes have one length and tell nothing by the time that comparing them takes.
    if (hashSecret(given) === hashSecret(access.token)) return
    refuse('unauthorized', { what: 'Give the token of WEIR_METRICS as Authorization: Bearer' })
  }
  const address = normalizeAddress(request.raw.socket.remoteAddress ?? '')
  // A proxy on this machine speaks for anybody.
  const isProxied = PROXY_HEADERS.some((name) => request.headers[name] !== undefined)
  if (!isProxied && LOOPBACK.includes(address)) return
  refuse('forbidden', { what: 'The metrics are for this machine only: see WEIR_METRICS' })
}

/** What proxies add to the calls they pass on. */
const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-server',
]

const LOOPBACK = new IpList(['127.0.0.0/8', '::1'])
