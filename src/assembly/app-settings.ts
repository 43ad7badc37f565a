/** What the composition root reads out of the settings. */
import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import {
  type Config,
  clusterPortsOf,
  connectionsWithin,
  findMemoryBytes,
  findOpenFilesMax,
} from '../base/index.ts'
import type { ClusterSettings } from '../store/cassandra/index.ts'
import type { ClusterPlace } from './open-cluster-stores.ts'

/** Below this the samples that wait to be sealed would take what calls need. */
const LITTLE_MEMORY_BYTES = 1024 * 1024 * 1024
const LITTLE_MEMORY_STORE = { backlogMax: 1, segmentBytes: 8 * 1024 * 1024 }
/** Below this puts wait while a segment is sealed: each long put that is not sealed holds 16 MB. */
const LEAST_MEMORY_BYTES = 512 * 1024 * 1024
const LEAST_MEMORY_STORE = { ...LITTLE_MEMORY_STORE, backlogMax: 0 }
/**
 * The more segments wait, the more are sealed in one pass, which with very many streams costs a fraction. One takes some
 * 50 MB, twice that with texts.
 */
const MEMORY_PER_SEGMENT = 512 * 1024 * 1024
const BACKLOG_LEAST = 3
const BACKLOG_MOST = 15

/** What the OAuth part takes from the settings. */
export function oauthSettings(config: Config) {
  return {
    mode: config.oauthMode,
    accessTokenSeconds: config.tokenLifetimeSeconds,
    refreshTokenSeconds: config.refreshLifetimeSeconds,
  }
}

/** The files of the certificate, if there is one. */
export function tlsFiles({ tlsCert, tlsKey }: Config) {
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  return { certFile: tlsCert, keyFile: tlsKey }
}

/** How many connections may be open, below what the system lets this process have. */
export function connectionLimits(
  config: Config,
  openFilesMax = findOpenFilesMax() ?? Number.POSITIVE_INFINITY,
) {
  const connectionsMax = Math.min(config.connectionsMax, connectionsWithin(openFilesMax))
  // One address must not take all places, however few there are.
  const perAddressMax = Math.min(config.connectionsPerAddress, Math.ceil((connectionsMax * 3) / 4))
  return { connectionsMax, perAddressMax }
}

/** The addresses of this machine that others can reach, those of IPv4 first. */
function outerAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !/^(?:fe80:|169\.254\.)/.test(address))
    .sort((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address)
}

/** Whether only programs on this machine can reach the service, as far as its settings show. */
export function isForThisMachine({ host, publicUrl }: Config): boolean {
  return publicUrl === undefined && /^(?:127\.|::1$|localhost$)/.test(host)
}

/** The URL to print: one that can be opened, not the wildcard address. */
export function addressOf(config: Config, port: number): string {
  const [outer] = outerUrls(config, port)
  return outer ?? urlOf(config, isWildcard(config) ? 'localhost' : config.host, port)
}

/** The URLs under which other machines reach the service; none where it listens for this machine alone. */
export function outerUrls(config: Config, port: number): string[] {
  if (config.publicUrl !== undefined) return [config.publicUrl]
  if (isForThisMachine(config)) return []
  const hosts = isWildcard(config) ? outerAddresses() : [config.host]
  const heard = config.host === '0.0.0.0' ? hosts.filter((host) => !host.includes(':')) : hosts
  return heard.map((host) => urlOf(config, host, port))
}

const isWildcard = ({ host }: Config) => host === '0.0.0.0' || host === '::'

function urlOf({ tlsCert }: Config, host: string, port: number): string {
  const scheme = tlsCert === undefined ? 'http' : 'https'
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The memory that the service may count on. */
export function memoryBytesOf({ memoryMb }: Config): number {
  return memoryMb === undefined ? findMemoryBytes() : memoryMb * 1024 * 1024
}

/** How much the sample store may keep in memory before it is sealed, where memory is short. */
export function storeLimitsFor(memoryBytes: number): {
  backlogMax?: number
  segmentBytes?: number
} {
  if (memoryBytes < LEAST_MEMORY_BYTES) return LEAST_MEMORY_STORE
  if (memoryBytes < LITTLE_MEMORY_BYTES) return LITTLE_MEMORY_STORE
  const segments = Math.floor(memoryBytes / MEMORY_PER_SEGMENT) - 1
  return { backlogMax: Math.min(Math.max(segments, BACKLOG_LEAST), BACKLOG_MOST) }
}

/** The flag of V8 for a memory, if it needs one: with little of it a heap is collected before it is twice what lives. */
export function heapFlagFor(memoryBytes: number): string | undefined {
  return memoryBytes < LITTLE_MEMORY_BYTES ? '--heap-growing-percent=30' : undefined
}

/** The message for a backup or restore of data that is kept in a cluster. */
export const NO_BACKUP =
  'Data is stored in PostgreSQL and Cassandra. Back it up there (docs/cluster.md), together with secret.key'

/** Where PostgreSQL and Cassandra of the settings are; both must be set. */
export function clusterPlaceOf(config: Config): ClusterPlace {
  return { postgresUrl: config.postgresUrl ?? '', cassandra: clusterSettingsOf(config) }
}

/** Where Cassandra is, and who this process is to it; its hosts must be set. */
export function clusterSettingsOf(config: Config): ClusterSettings {
  const named = config.cassandraHosts ?? { hosts: [], ports: new Set() }
  const { hosts } = named
  const [port = 0] = clusterPortsOf(named, config.cassandraPort)
  const { cassandraUser: user, cassandraPassword: password } = config
  return {
    hosts,
    port,
    user,
    password,
    tls: clusterTls(config),
    dataCentre: config.cassandraDataCentre,
    keyspace: config.cassandraKeyspace,
    replication: config.cassandraReplication,
  }
}

function clusterTls(config: Config): ClusterSettings['tls'] {
  if (config.cassandraTls === 'off') return undefined
  const read = (file: string | undefined) =>
    file === undefined ? undefined : readFileSync(file, 'utf8')
  return {
    ca: read(config.cassandraTlsCa),
    cert: read(config.cassandraTlsCert),
    key: read(config.cassandraTlsKey),
  }
}
