import type { AddressInfo } from 'node:net'
import { parse as parseQuery } from 'node:querystring'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { fastify } from 'fastify'
import {
  ADMIN_BODY_BYTES_MAX,
  type Clock,
  invariant,
  type Log,
  type MemoryBudget,
  type MetricsAccess,
} from '../base/index.ts'
import type { Gate } from './admit/gate.ts'
import type { App } from './app-type.ts'
import { bodyPlugin } from './plugins/body-plugin.ts'
import { commonPlugin, putCommonHeaders } from './plugins/common-plugin.ts'
import { docsPlugin } from './plugins/docs-plugin.ts'
import { errorPlugin, sendError } from './plugins/error-plugin.ts'
import { lateValidators } from './plugins/late-validators.ts'
import { healthRoutes, type ReadinessCheck } from './routes/health-routes.ts'
import { noStudioPage } from './routes/studio-routes.ts'
import { describeBy } from './table/bridge.ts'
import { hotLane, operationsLane } from './table/find-serve.ts'
import type { KeepingUp } from './table/serve-operation.ts'
import { OperationTable } from './table/table.ts'
import { JSON_POLICY } from './transport/answer.ts'
import { ConnectionCount, type ConnectionLimits } from './transport/connection-count.ts'
import { exchangeOf, type FastLane } from './transport/exchange.ts'
import type { Front } from './transport/front/front.ts'
import type { TlsFiles } from './transport/listener.ts'
import { DEPARTURE_GRACE_MS, PaceWatch } from './transport/pace-watch.ts'
import { peerAddressReader } from './transport/peer-address.ts'
import { type RequestDeps, serveRequests } from './transport/serve-requests.ts'
import { Traffic } from './transport/traffic.ts'

/** What the server needs; the parts' routes are added by the function handed in. */
interface ServerDeps {
  readonly clock: Clock
  readonly log: Log
  readonly tls?: TlsFiles
  readonly trustedProxies: readonly string[]
  /** Where people reach the service, when that is set. */
  readonly publicUrl?: string
  /** Whether people reach the service over TLS, whoever ends it. */
  readonly isPublicSecure?: boolean
  /** How many connections are let in. */
  readonly connectionLimits?: ConnectionLimits
  readonly readiness: readonly ReadinessCheck[]
  /** Told by /readyz while it is ready. */
  readonly findDetails?: () => readonly string[]
  /** Who may read /metrics. */
  readonly metricsAccess?: MetricsAccess
  /** Told by /metrics besides the counts of requests. */
  readonly moreMetrics?: () => Promise<string>
  /** What all calls in flight may hold; without it only single calls are bounded. */
  readonly budget?: MemoryBudget
  /** Asked before the table. */
  readonly fastLane?: FastLane
  /** Lets callers in; without it only operations for anyone are served. */
  readonly gate?: Gate
  /** Undefined where no other process shares the store. */
  readonly keepingUp?: KeepingUp
  /** Adds what is served: to the table, or to Fastify. */
  readonly addRoutes: (
    app: App,
    table: OperationTable,
    readMetrics: () => Promise<string>,
  ) => void | Promise<void>
}

/** The listening service. */
export interface WeirServer {
  readonly app: App
  readonly traffic: Traffic
  /** The bodies that are arriving. */
  readonly arrivals: PaceWatch
  /** The answers that have not left. */
  readonly departures: PaceWatch
  /** Starts to listen; answers the port that was taken. */
  listen(place: { readonly host: string; readonly port: number }): Promise<number>
  /** Refuses what comes, lets what runs finish within the time given, then closes all connections. */
  close(withinMs: number): Promise<void>
}

/** Builds the server with all plugins and routes, not yet listening. */
export async function buildServer(deps: ServerDeps): Promise<WeirServer> {
  const { clock } = deps
  const addressOf = peerAddressReader(deps.trustedProxies)
  const traffic = new Traffic({ ...deps, addressOf })
  const limits = deps.connectionLimits ?? { connectionsMax: 1_000, perAddressMax: 1_000 }
  const arrivals = new PaceWatch(clock)
  const departures = new PaceWatch(clock, DEPARTURE_GRACE_MS)
  const connections = new ConnectionCount({ ...deps, limits })
  const table = new OperationTable()
  const { log, gate, budget, keepingUp, fastLane } = deps
  const serving = { log, gate, budget, keepingUp }
  const [lane, hot] = [operationsLane(table, serving), hotLane(table, serving)]
  const findServe: FastLane = (method, url) => fastLane?.(method, url) ?? lane(method, url)
  const findHot: FastLane = (method, url) => fastLane?.(method, url) ?? hot(method, url)
  const parts = { ...deps, arrivals, departures, connections, findServe, findHot }
  const { app, front } = createApp(parts, traffic)
  errorPlugin(app, { log, noPage: noStudioPage() })
  commonPlugin(app, deps.budget)
  bodyPlugin(app, deps.budget)
  await docsPlugin(app, deps.publicUrl)
  const moreMetrics = async () =>
    `${connections.metrics()}${deps.budget?.metrics() ?? ''}${(await deps.moreMetrics?.()) ?? ''}`
  const readMetrics = healthRoutes(app, { ...deps, metrics: traffic.metrics, moreMetrics })
  await deps.addRoutes(app, table, readMetrics)
  describeBy(app, table)
  await app.ready()
  return {
    app,
    traffic,
    arrivals,
    departures,
    listen: async ({ host, port }) => {
      await app.listen({ host, port, listenTextResolver: () => '' })
      return (app.server.address() as AddressInfo).port
    },
    close: async (withinMs) => {
      await drainWithin(traffic, withinMs)
      front.closeAllConnections()
      app.server.closeAllConnections()
      await app.close()
      arrivals.close()
      departures.close()
    },
  }
}

function createApp(deps: RequestDeps, traffic: Traffic): { app: App; front: Front } {
  const { log } = deps
  let front: Front | undefined
  const app = fastify({
    serverFactory: (handle) => {
      const serving = serveRequests(deps, traffic, handle)
      front = serving.front
      return serving.server
    },
    // The listener has its own; Fastify would add a second answer to the same socket.
    clientErrorHandler: () => {},
    // A path that cannot be read is refused before any hook runs.
    frameworkErrors: (error, request, reply) => {
      putCommonHeaders(request, reply)
      reply.header('Content-Security-Policy', JSON_POLICY)
      sendError(error, { request, reply, log })
    },
    genReqId: (req) => exchangeOf(req)?.id ?? '',
    // The feed and file routes set their own.
    bodyLimit: ADMIN_BODY_BYTES_MAX,
    forceCloseConnections: false,
    schemaController: { compilersFactory: { buildValidator: lateValidators() } },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true } },
    routerOptions: {
      // The head's limit bounds the path already.
      maxParamLength: 262_144,
      querystringParser: (text) => parseQuery(text, '&', '=', { maxKeys: 0 }),
    },
  }).withTypeProvider<TypeBoxTypeProvider>()
  invariant(front !== undefined, 'Fastify has not asked for its server')
  return { app, front }
}

async function drainWithin(traffic: Traffic, withinMs: number): Promise<void> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<void>()
  const timer = setTimeout(giveUp, withinMs)
  await Promise.race([traffic.drain(), late])
  clearTimeout(timer)
}
