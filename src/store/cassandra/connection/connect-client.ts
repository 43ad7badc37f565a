import { setTimeout as pause } from 'node:timers/promises'
import cassandra from 'cassandra-driver'
import { StoreUnusable } from '../../ports/store-unusable.ts'
import { isAway, isSignInRefused } from './away.ts'
import { untilKnown } from './behind.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { type TendedClient, tendClient } from './tended-client.ts'

/** Between two tries to reach a cluster that is away. */
const RETRY_MS = 1_000

/** A node that says nothing for this long is asked no more; another takes over. */
const READ_TIMEOUT_MS = 12_000
const CONNECT_TIMEOUT_MS = 5_000

/** Between two tries to reach a node again; a process that ends waits for no longer than this. */
const RECONNECT_MS_MAX = 2_000

/** A node that says nothing for this long is helped out by another, where a statement may be made twice. */
const HELP_AFTER_MS = 3_000

/** How a client is connected. */
interface ConnectOptions {
  /** None: for making one. Then the data centre is not looked at either. */
  readonly keyspace?: string
  readonly onWaiting?: (what: string) => void
  readonly signal?: AbortSignal
}

/** Connects a client of the driver; waits for a cluster that is away and rejects when it refuses this process. */
export async function connectClient(
  settings: ClusterSettings,
  { keyspace, onWaiting = () => {}, signal }: ConnectOptions,
): Promise<TendedClient> {
  for (;;) {
    const reasons: string[] = []
    let untrusted = 0
    // One by one: the driver forgets to close connections to those that it could not use.
    for (const host of settings.hosts) {
      const tended = tendClient(clientOptions(settings, { host, keyspace }))
      const { client } = tended
      try {
        await client.connect()
        // Not as an option: the driver leaves its connections open when it cannot be used.
        const use = () => client.execute(`USE ${keyspace}`)
        if (keyspace !== undefined) await untilKnown(use, { onWaiting, signal })
        return tended
      } catch (error) {
        await tended.end()
        const found = reasonsOf(error)
        reasons.push(...found.map((one) => `${messageOf(one)}${adviceOn(one, settings)}`))
        if (found.some(isUntrusted)) untrusted += 1
        // One node with a bad certificate is no reason to end while others can be used.
        const isHopeless = untrusted === settings.hosts.length
        if (isAway(error) && !found.some(isSignInRefused) && !isHopeless) continue
        const what = `Cannot use Cassandra at ${placeOf(settings)}: ${reasons.at(-1)}`
        throw new StoreUnusable('settings', what, { cause: error })
      }
    }
    onWaiting(`waits for Cassandra at ${placeOf(settings)}: ${[...new Set(reasons)].join('; ')}`)
    await pause(RETRY_MS, undefined, { signal })
  }
}

function clientOptions(
  settings: ClusterSettings,
  { host, keyspace }: { readonly host: string; readonly keyspace?: string },
): cassandra.ClientOptions {
  const { policies } = cassandra
  const { port, dataCentre, user, password, tls } = settings
  return {
    contactPoints: [host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`],
    ...(keyspace === undefined ? {} : { localDataCenter: dataCentre }),
    ...(user === undefined ? {} : { credentials: { username: user, password: password ?? '' } }),
    ...(tls === undefined ? {} : { sslOptions: { ...tls, rejectUnauthorized: true } }),
    // A process that changes the schema asks every node whether it knows: the driver asks one node about the others.
    protocolOptions: { port, maxSchemaAgreementWaitSeconds: 0 },
    encoding: { useBigIntAsLong: true },
    socketOptions: { readTimeout: READ_TIMEOUT_MS, connectTimeout: CONNECT_TIMEOUT_MS },
    policies: {
      speculativeExecution: new policies.speculativeExecution.ConstantSpeculativeExecutionPolicy(
        ...([HELP_AFTER_MS, 1] as const),
      ),
      // Nodes that came back are tried again soon, so that an outage ends when it is over.
      reconnection: new policies.reconnection.ExponentialReconnectionPolicy(
        250,
        RECONNECT_MS_MAX,
        false,
      ),
      ...(keyspace === undefined
        ? { loadBalancing: new policies.loadBalancing.RoundRobinPolicy() }
        : {}),
    },
  }
}

function placeOf({ hosts, port }: ClusterSettings): string {
  return hosts.map((host) => `${host}:${port}`).join(', ')
}

function reasonsOf(error: unknown): unknown[] {
  if (!(error instanceof cassandra.errors.NoHostAvailableError)) return [error]
  const inner = Object.values((error.innerErrors ?? {}) as Record<string, unknown>)
  return inner.length > 0 ? inner : [error]
}

/** Certificates that do not fit, of this process or of the node, by the codes of Node and OpenSSL. */
function isUntrusted(reason: unknown): boolean {
  return /CERT|UNABLE_TO_|SELF_SIGNED|UNKNOWN_CA/.test(codeOf(reason))
}

function codeOf(reason: unknown): string {
  const { code } = reason as { readonly code?: unknown }
  return typeof code === 'string' ? code : ''
}

function messageOf(reason: unknown): string {
  const text = reason instanceof Error ? reason.message : String(reason)
  // Node adds advice of its own, which is about its command line, behind a semicolon.
  return isUntrusted(reason) ? text.trim().split('; ', 1)[0] : text.trim()
}

/** Which settings somebody has to look at, where that is known. */
function adviceOn(reason: unknown, { user, tls }: ClusterSettings): string {
  if (isSignInRefused(reason) && user === undefined) {
    return ': set WEIR_CASSANDRA_USER and WEIR_CASSANDRA_PASSWORD'
  }
  if (tls === undefined) {
    // What a node does that takes encrypted connections only.
    return codeOf(reason) === 'ECONNRESET' ? ' (WEIR_CASSANDRA_TLS is off)' : ''
  }
  if (!isUntrusted(reason)) return ''
  // What a node said of us begins so; all else was found wrong here.
  return codeOf(reason).startsWith('ERR_SSL_')
    ? ': the nodes ask for a certificate that they trust in WEIR_CASSANDRA_TLS_CERT'
    : ': WEIR_CASSANDRA_TLS_CA must name who vouches for the nodes, and their certificates where they are reached'
}
