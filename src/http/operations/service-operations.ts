/** What operators ask: health, readiness, metrics, storage, the audit log; and preflights of browsers. */
import { Readable } from 'node:stream'
import { IpList, normalizeAddress } from '../../access/index.ts'
import {
  beginScrub,
  exportAudit,
  listAudit,
  readServiceMetrics,
  readStorage,
  type StorageParts,
} from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { hashSecret, type MetricsAccess, refuse, Type } from '../../base/index.ts'
import type { StreamPlaces } from '../../store/index.ts'
import { CSV_TYPE } from '../feed/feed-csv.ts'
import { METRICS_TYPE } from '../metrics/process-metrics.ts'
import { answersOf, named } from '../openapi/answer-schema.ts'
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import { type HttpOperation, httpOperation } from '../table/http-operation.ts'
import {
  asksForCsv,
  auditAnswer,
  auditCsv,
  auditQuery,
  readAuditFilter,
} from '../wire/audit-wire.ts'
import { envelope, readPage } from '../wire/envelope.ts'
import { showAudit } from '../wire/identity-wire.ts'
import { scrubRun, storageRecord } from '../wire/storage-answers.ts'
import { showRun, showStorage } from '../wire/storage-wire.ts'

/** One thing without which calls cannot be served: undefined while it is well, else what is wrong. */
export interface ReadinessCheck {
  readonly name: string
  readonly findProblem: () => string | undefined
}

/** What the operations of health need. */
interface HealthOperationsDeps {
  readonly readiness: readonly ReadinessCheck[]
  /** What an operator should know although calls are served; for everyone to read, so no names. */
  readonly findDetails?: () => readonly string[]
  /** Who may read the metrics; callers on this machine unless it is set. */
  readonly metricsAccess?: MetricsAccess
  readonly readMetrics: () => Promise<string>
}

const healthAnswer = named('Health', { status: Type.Literal('ok') }, { status: 'ok' })

const readinessAnswer = named(
  'Readiness',
  {
    status: Type.Literal('ready'),
    details: Type.Optional(Type.Array(Type.String(), { description: 'Warnings for the operator' })),
  },
  { status: 'ready' },
)

const metricsAnswer = Type.String({
  description: "Prometheus' text format",
  examples: ['weir_damaged_items{part="samples"} 0\n'],
})

/** Seconds after which the service may be ready. */
const READY_RETRY_SECONDS = 30

/** /healthz (the process lives), /readyz (it can serve) and /metrics, which carry no credential. */
export function healthOperations(deps: HealthOperationsDeps): HttpOperation[] {
  const open = { methods: ['GET'], callers: 'anyone', tag: 'health', security: [] } as const
  return [
    httpOperation({
      ...open,
      name: 'getHealth',
      path: '/healthz',
      summary: 'Liveness: the process runs',
      answer: healthAnswer,
      run: () => ({ status: 'ok' }),
    }),
    httpOperation({
      ...open,
      name: 'getReadiness',
      path: '/readyz',
      summary: 'Readiness: requests can be served. 503 has the reason if not',
      answer: readinessAnswer,
      run: () => readReadiness(deps),
    }),
    httpOperation({
      ...open,
      name: 'getMetrics',
      path: '/metrics',
      summary: 'Metrics for Prometheus',
      answer: metricsAnswer,
      produces: ['text/plain'],
      errors: [401, 403],
      run: async (call) => {
        requireMetricsAccess(call, deps.metricsAccess ?? 'loopback')
        return metricsText(await deps.readMetrics())
      },
    }),
    preflightOperation(),
  ]
}

function metricsText(text: string): Answer {
  return new Answer(text, { headers: { 'Content-Type': METRICS_TYPE } })
}

function readReadiness({ readiness, findDetails }: HealthOperationsDeps): object {
  const problems = readiness.flatMap(({ name, findProblem }) => {
    const problem = findProblem()
    return problem === undefined ? [] : [`${name}: ${problem}`]
  })
  if (problems.length > 0) {
    refuse('read_only', { what: problems.join('; '), retryAfterSeconds: READY_RETRY_SECONDS })
  }
  const details = findDetails?.() ?? []
  return details.length === 0 ? { status: 'ready' } : { status: 'ready', details }
}

/** Routes and counts show how a service is used: they are for its operators. */
function requireMetricsAccess(call: Call, access: MetricsAccess): void {
  if (access === 'open') return
  if (access !== 'loopback') {
    const given = /^Bearer (\S+)$/i.exec(call.header('authorization') ?? '')?.[1] ?? ''
    // Hashes have one length and reveal nothing by the time of comparing them.
    if (hashSecret(given) === hashSecret(access.token)) return
    refuse('unauthorized', { what: 'Send the token of WEIR_METRICS as Authorization: Bearer' })
  }
  const { headers, socket } = call.incoming
  // A proxy on this machine speaks for anybody.
  const isProxied = PROXY_HEADERS.some((name) => headers[name] !== undefined)
  if (!isProxied && LOOPBACK.includes(normalizeAddress(socket.remoteAddress ?? ''))) return
  refuse('forbidden', { what: 'Metrics are available only from this machine. See WEIR_METRICS' })
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

const PREFLIGHT_SECONDS = '86400'
const ALLOWED_HEADERS =
  'Authorization, Content-Disposition, Content-Encoding, Content-Type, If-None-Match, If-Range, ' +
  'Last-Event-ID, Range, Weir-Otp, Weir-Password, X-Api-Key, X-Request-Id'

/** Pages of other origins may call the API. Cookies are not for them: no Allow-Credentials, so browsers leave them out. */
function preflightOperation(): HttpOperation {
  const headers = {
    'Access-Control-Allow-Methods': 'GET, HEAD, PUT, POST, DELETE',
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': PREFLIGHT_SECONDS,
  }
  return httpOperation({
    methods: ['OPTIONS'],
    path: '/api/*',
    callers: 'anyone',
    isCurrent: true,
    run: () => new Answer('', { status: 204, headers }),
  })
}

/** What the operations of the storage need. */
export interface StorageOperationsDeps extends StorageParts {
  readonly places: StreamPlaces
}

/** The storage report for operators, and the scrub that they start. */
export function storageOperations(deps: StorageOperationsDeps): HttpOperation[] {
  const storage = { callers: 'admin', tag: 'storage' } as const
  return [
    httpOperation({
      ...storage,
      name: 'getStorage',
      methods: ['GET'],
      path: '/api/storage',
      needs: 'GET storage',
      summary: 'Sizes, the last scrub, and known damage',
      answer: answersOf('storage', storageRecord).one,
      run: async ({ acting, principal }) => {
        const facts = await readStorage(deps, acting)
        return envelope('storage', showStorage(facts, principal, deps.places))
      },
    }),
    httpOperation({
      ...storage,
      name: 'getStorageMetrics',
      methods: ['GET'],
      path: '/api/storage/metrics',
      needs: 'GET storage',
      summary: 'Same as /metrics, for signed-in operators',
      answer: metricsAnswer,
      produces: ['text/plain'],
      run: async ({ acting }) => metricsText(await readServiceMetrics(deps, acting)),
    }),
    httpOperation({
      ...storage,
      name: 'startScrub',
      methods: ['POST'],
      path: '/api/storage/scrub',
      needs: 'POST storage',
      summary: 'Start to check all stored data in the background',
      answer: answersOf('scrub', scrubRun).one,
      status: 202,
      run: async ({ acting }) => envelope('scrub', showRun(await beginScrub(deps, acting))),
    }),
  ]
}

/** The audit log of the organization that the call is about. */
export function auditOperation(identity: Identity): HttpOperation {
  return httpOperation({
    name: 'listAudit',
    methods: ['GET'],
    path: '/api/audit',
    callers: 'admin',
    needs: 'GET audit',
    tag: 'audit',
    summary: 'Audit entries, newest first',
    query: auditQuery,
    answer: auditAnswer,
    output: 'stream',
    run: async ({ acting, query, header }) => {
      const filter = readAuditFilter(query)
      if (asksForCsv(query, header('accept'))) {
        const steps = await exportAudit(identity, acting, filter)
        const text = Readable.from(auditCsv(steps), { objectMode: false })
        return new Answer(text, { headers: { 'Content-Type': CSV_TYPE } })
      }
      const found = await listAudit(identity, acting, { ...readPage(query), ...filter })
      const { entries, totalCount, readFrom } = found
      const shown = envelope('audit', entries.map(showAudit), totalCount)
      return readFrom === undefined ? shown : { ...shown, readFrom }
    },
  })
}
