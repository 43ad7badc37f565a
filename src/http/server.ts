import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock, Log, MemoryBudget, MetricsAccess } from '../base/index.ts'
import type { Gate } from './admit/gate.ts'
import { ProcessMetrics } from './metrics/process-metrics.ts'
import { describeApi } from './openapi/describe-api.ts'
import { docsOperations, noStudioPage } from './operations/page-operations.ts'
import { healthOperations, type ReadinessCheck } from './operations/service-operations.ts'
import { hotLookup, operationsLookup } from './table/find-serve.ts'
import type { HttpOperation } from './table/http-operation.ts'
import type { KeepingUp } from './table/serve-operation.ts'
import type { NoPage } from './table/serve-unknown.ts'
import { OperationTable } from './table/table.ts'
import { ConnectionCount, type ConnectionLimits } from './transport/connection-count.ts'
import type { TlsFiles } from './transport/listener.ts'
import { DEPARTURE_GRACE_MS, PaceWatch } from './transport/pace-watch.ts'
import { peerAddressReader } from './transport/peer-address.ts'
import { serveRequests } from './transport/serve-requests.ts'
import { pathPrefixOf } from './transport/target.ts'
import { Traffic } from './transport/traffic.ts'

/** What the server needs. */
interface ServerDeps {
  readonly clock: Clock
  readonly log: Log
  readonly tls?: TlsFiles
  readonly trustedProxies: readonly string[]
  /** Where people reach the service, when that is set. */
  readonly publicUrl?: string
  /** Whether users reach the service over TLS, wherever it ends. */
  readonly isPublicSecure?: boolean
  /** How many connections are let in. */
  readonly connectionLimits?: ConnectionLimits
  readonly readiness: readonly ReadinessCheck[]
  /** Shown by /readyz while it is ready. */
  readonly findDetails?: () => readonly string[]
  /** Who may read /metrics. */
  readonly metricsAccess?: MetricsAccess
  /** Shown by /metrics besides the counts of requests. */
  readonly moreMetrics?: () => Promise<string>
  /** What all calls in flight may hold. */
  readonly budget: MemoryBudget
  /** Lets callers in; without it only operations for anyone are served. */
  readonly gate?: Gate
  /** Undefined where no other process shares the store. */
  readonly keepingUp?: KeepingUp
  /** What is served beside health, metrics and the description. */
  readonly operations: (readMetrics: () => Promise<string>) => readonly HttpOperation[]
  /** What a browser is shown at an address at which nothing is; the studio by default. */
  readonly noPage?: NoPage
  /** Has Node's HTTP parser read every request, so that tests can compare the front with it. */
  readonly isFrontOff?: boolean
}

/** The listening service. */
export interface WeirServer {
  readonly traffic: Traffic
  /** The bodies that are arriving. */
  readonly arrivals: PaceWatch
  /** The answers that have not left. */
  readonly departures: PaceWatch
  /** The port that is listened on; 0 before. */
  readonly port: number
  /** The description of all operations, in OpenAPI. */
  describe(): object
  /** Starts to listen; answers the port that was taken. */
  listen(place: { readonly host: string; readonly port: number }): Promise<number>
  /** Refuses what comes, lets what runs finish within the time given, then closes all connections. */
  close(withinMs: number): Promise<void>
}

/** Builds the server with all operations, not yet listening. */
export function buildServer(deps: ServerDeps): WeirServer {
  const { clock, log, publicUrl, gate, budget, keepingUp } = deps
  const pathPrefix = pathPrefixOf(publicUrl)
  const traffic = new Traffic({ ...deps, addressOf: peerAddressReader(deps.trustedProxies) })
  const limits = deps.connectionLimits ?? { connectionsMax: 1_000, perAddressMax: 1_000 }
  const arrivals = new PaceWatch(clock)
  const departures = new PaceWatch(clock, DEPARTURE_GRACE_MS)
  const connections = new ConnectionCount({ ...deps, limits })
  const ofProcess = new ProcessMetrics()
  const readMetrics = async () =>
    `${connections.metrics()}${budget.metrics()}${(await deps.moreMetrics?.()) ?? ''}` +
    `${traffic.metrics.text()}${await ofProcess.text()}`
  const table = new OperationTable()
  const describe = () => describeApi(table.operations, publicUrl)
  table.add(...docsOperations({ publicUrl, describe }))
  table.add(...healthOperations({ ...deps, readMetrics }))
  table.add(...deps.operations(readMetrics))
  const serving = {
    log,
    gate,
    budget,
    keepingUp,
    table,
    noPage: deps.noPage ?? noStudioPage(pathPrefix),
  }
  const { server, front } = serveRequests(
    {
      ...deps,
      arrivals,
      departures,
      connections,
      pathPrefix,
      findServe: operationsLookup(serving),
      findHot: deps.isFrontOff === true ? () => undefined : hotLookup(serving),
    },
    traffic,
  )
  return {
    traffic,
    arrivals,
    departures,
    get port() {
      return (server.address() as AddressInfo | null)?.port ?? 0
    },
    describe,
    listen: (place) => listen(server, place),
    close: async (withinMs) => {
      await drainWithin(traffic, withinMs)
      front.closeAllConnections()
      server.closeAllConnections()
      // A server that does not listen says so, and is closed.
      if (server.listening) await new Promise((resolve) => server.close(resolve))
      ofProcess.close()
      arrivals.close()
      departures.close()
    },
  }
}

async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return (server.address() as AddressInfo).port
}

async function drainWithin(traffic: Traffic, withinMs: number): Promise<void> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<void>()
  const timer = setTimeout(giveUp, withinMs)
  await Promise.race([traffic.drain(), late])
  clearTimeout(timer)
}
