/**
 * Every setting of the service in one table: name, default, meaning and how it is read. They come
 * from the environment or, for those the environment does not set, from the JSON file WEIR_CONFIG.
 * `docs/configuration.md` lists the same table; a test compares the two.
 */

import {
  BODY_BYTES_DEFAULT,
  CONNECTIONS_DEFAULT,
  CONNECTIONS_PER_ADDRESS_DEFAULT,
  FILE_BYTES_DEFAULT,
  SAMPLES_PER_CALL_MAX,
  STREAMS_CREATED_PER_CALL_MAX,
} from '../limits.ts'
import { trimEndOf } from '../trim-end.ts'
import { type Brands, readBrands } from './brands.ts'
import {
  type CassandraHosts,
  findClusterMistakes,
  type Replication,
  readCassandraHosts,
  readKeyspace,
  readPostgresUrl,
  readReplication,
  readStore,
} from './cluster-figures.ts'
import { type LiveFigures, readLiveFigures } from './live-figures.ts'
import { type Quotas, readQuotas } from './quota-figures.ts'
import { type RateFigures, readRateFigures } from './rate-figures.ts'
import {
  findTlsMistake,
  readAddressList,
  readEmail,
  readFilePath,
  readFolderPath,
  readHostList,
  readInteger,
  readOneOf,
  readPassword,
  readSecretKey,
  readSettingsFile,
  readText,
  readTimeZone,
  SettingMistake,
  type SettingReader,
} from './setting-readers.ts'
import { findSmtpMistakes, readSmtpFrom, readSmtpUrl, type SmtpServer } from './smtp-figures.ts'

/** One row of the table of settings. */
export interface Setting<T> {
  readonly name: string
  /** A name that it had, which is taken as well. */
  readonly formerly?: string
  /** The text that holds when the setting is absent; '' when it is then unset. */
  readonly default: string
  readonly meaning: string
  readonly read: SettingReader<T>
}

const port = readInteger({ min: 0, max: 65_535 })
const nodePort = readInteger({ min: 1, max: 65_535 })
const bytes = readInteger({ min: 1_000, max: 1_000_000_000_000 })
const megabytes = readInteger({ min: 300, max: 16_777_216 })
const connections = readInteger({ min: 1, max: 1_000_000 })
const streams = readInteger({ min: 1, max: SAMPLES_PER_CALL_MAX })
const lifetime = readInteger({ min: 1, max: 315_360_000 })
const runners = readInteger({ min: 1, max: 64 })
const seconds = readInteger({ min: 1, max: 3_600 })
const handedRows = readInteger({ min: 1_000, max: 100_000_000 })
const importedSamples = readInteger({ min: 1, max: 1_000_000_000 })
const runMegabytes = readInteger({ min: 32, max: 65_536 })
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** A setting that may stay unset. */
function optional<T>(read: SettingReader<T>): SettingReader<T | undefined> {
  return read
}

// biome-ignore format: one setting a line keeps the table readable as a table.
export const settings = {
  host: { name: 'WEIR_HOST', default: '127.0.0.1', meaning: 'Address to listen on; 0.0.0.0 for every IPv4 interface, :: for all', read: readText },
  port: { name: 'WEIR_PORT', default: '8080', meaning: 'Port to listen on; 0 picks a free one', read: port },
  dataDir: { name: 'WEIR_DATA_DIR', default: './data', meaning: 'Data folder: all data of the service, or in a cluster only files of this process. Created if it does not exist', read: readFolderPath },
  store: { name: 'WEIR_STORE', default: 'embedded', meaning: 'Where data is stored: embedded (in WEIR_DATA_DIR, one process) or cluster (catalog in PostgreSQL, samples in Cassandra, shared by several processes)', read: readStore },
  postgresUrl: { name: 'WEIR_POSTGRES_URL', default: '', meaning: 'URL of the catalog database, such as postgres://user:password@host1,host2:5433/weir?sslmode=verify-full. With several hosts, the one that accepts writes is used', read: optional(readPostgresUrl) },
  index: { name: 'WEIR_INDEX', default: 'all', meaning: 'Cluster only. all: load the streams of every organization at startup, and run background jobs. used: load the streams of an organization at its first call, and leave background jobs to processes with all', read: readOneOf(['all', 'used'] as const) },
  cassandraHosts: { name: 'WEIR_CASSANDRA_HOSTS', default: '', meaning: 'Contact points of the Cassandra cluster, comma-separated: host or host:port. Other nodes are discovered', read: optional(readCassandraHosts) as SettingReader<CassandraHosts | undefined> },
  cassandraPort: { name: 'WEIR_CASSANDRA_PORT', default: '9042', meaning: 'CQL port of all nodes, unless WEIR_CASSANDRA_HOSTS has ports', read: nodePort },
  cassandraDataCentre: { name: 'WEIR_CASSANDRA_DATACENTER', formerly: 'WEIR_CASSANDRA_DATA_CENTRE', default: 'datacenter1', meaning: 'Name of the Cassandra data center that this process uses', read: readText },
  cassandraKeyspace: { name: 'WEIR_CASSANDRA_KEYSPACE', default: 'weir', meaning: 'Cassandra keyspace. Created if it does not exist', read: readKeyspace },
  cassandraReplication: { name: 'WEIR_CASSANDRA_REPLICATION', default: '3', meaning: 'Replication of a new keyspace: replicas in the data center, or per data center such as dc1=3,dc2=3', read: readReplication as SettingReader<Replication> },
  cassandraUser: { name: 'WEIR_CASSANDRA_USER', default: '', meaning: 'Cassandra user, together with WEIR_CASSANDRA_PASSWORD. Unset: no authentication', read: optional(readText) },
  cassandraPassword: { name: 'WEIR_CASSANDRA_PASSWORD', default: '', meaning: 'Password of WEIR_CASSANDRA_USER. Prefer the file WEIR_CONFIG to the environment', read: optional(readText) },
  cassandraTls: { name: 'WEIR_CASSANDRA_TLS', default: 'off', meaning: 'on: encrypt connections to Cassandra and verify the certificates of its nodes, including their host names', read: readOneOf(['off', 'on'] as const) },
  cassandraTlsCa: { name: 'WEIR_CASSANDRA_TLS_CA', default: '', meaning: 'PEM file with the certificate authorities of the nodes. Unset: those built into Node.js', read: optional(readFilePath) },
  cassandraTlsCert: { name: 'WEIR_CASSANDRA_TLS_CERT', default: '', meaning: 'PEM file with the client certificate for nodes that require one, together with WEIR_CASSANDRA_TLS_KEY', read: optional(readFilePath) },
  cassandraTlsKey: { name: 'WEIR_CASSANDRA_TLS_KEY', default: '', meaning: 'PEM file with the private key of the client certificate', read: optional(readFilePath) },
  keyFile: { name: 'WEIR_KEY_FILE', default: '', meaning: 'Cluster only: file with the encryption key for secrets, the same for all processes. Unset: secret.key in WEIR_DATA_DIR, created if it does not exist', read: optional(readFilePath) },
  ownerEmail: { name: 'WEIR_OWNER_EMAIL', default: 'owner@localhost', meaning: 'First start only: the owner\'s email address', read: readEmail },
  ownerPassword: { name: 'WEIR_OWNER_PASSWORD', default: '', meaning: 'First start only: the owner\'s password, 8 characters or more; generated and printed when unset', read: optional(readPassword) },
  ownerTimeZone: { name: 'WEIR_OWNER_TIME_ZONE', default: 'UTC', meaning: 'First start only: the owner\'s IANA time zone, the default for auto-created components', read: readTimeZone },
  feedKey: { name: 'WEIR_FEED_KEY', default: '', meaning: 'First start only: the secret of the key "Feed key"; generated and printed when unset', read: optional(readSecretKey) },
  trustedProxies: { name: 'WEIR_TRUSTED_PROXIES', default: '', meaning: 'Comma-separated IP addresses or CIDR ranges of proxies whose X-Forwarded-For is trusted', read: optional(readAddressList) },
  rateLimits: { name: 'WEIR_RATE_LIMITS', default: 'default', meaning: 'off, default, classic, or custom limits such as feed=5000/10s,admin=350/1m,failed=10/1m', read: readRateFigures as SettingReader<RateFigures> },
  rateCeiling: { name: 'WEIR_RATE_CEILING', default: '', meaning: 'Maximum limits that an organization can set for itself, written like WEIR_RATE_LIMITS. Unset: WEIR_RATE_LIMITS', read: optional(readRateFigures as SettingReader<RateFigures>) },
  tlsCert: { name: 'WEIR_TLS_CERT', default: '', meaning: 'PEM file with the certificate chain. Enables HTTPS together with WEIR_TLS_KEY', read: optional(readFilePath) },
  tlsKey: { name: 'WEIR_TLS_KEY', default: '', meaning: 'PEM file with the certificate\'s private key', read: optional(readFilePath) },
  logLevel: { name: 'WEIR_LOG_LEVEL', default: 'info', meaning: 'trace, debug (every request), info, warn, error, fatal or silent', read: readOneOf(logLevels) },
  memoryMb: { name: 'WEIR_MEMORY_MB', default: '', meaning: 'Memory the service may count on, in MB of 1,048,576 bytes; unset: the limit of its cgroup, else the machine\'s', read: optional(megabytes) },
  bodyBytesMax: { name: 'WEIR_BODY_BYTES_MAX', default: String(BODY_BYTES_DEFAULT), meaning: 'The largest feed body, counted after inflating it', read: bytes },
  fileBytesMax: { name: 'WEIR_FILE_BYTES_MAX', default: String(FILE_BYTES_DEFAULT), meaning: 'The largest file of a file stream', read: bytes },
  connectionsMax: { name: 'WEIR_CONNECTIONS_MAX', default: String(CONNECTIONS_DEFAULT), meaning: 'Connections at a time; fewer where the limit of open files leaves too little for the service itself', read: connections },
  connectionsPerAddress: { name: 'WEIR_CONNECTIONS_PER_ADDRESS', default: String(CONNECTIONS_PER_ADDRESS_DEFAULT), meaning: 'Connections at a time from one address, or one /64 of IPv6; WEIR_TRUSTED_PROXIES are exempt', read: connections },
  live: { name: 'WEIR_LIVE', default: 'default', meaning: 'Live connections at a time, and the most updates of each per second: default, or figures such as total=5000,organization=2000,user=200,address=1000,perSecond=5', read: readLiveFigures as SettingReader<LiveFigures> },
  createMax: { name: 'WEIR_CREATE_MAX', default: String(STREAMS_CREATED_PER_CALL_MAX), meaning: 'Streams one call may create, those of templates counted', read: streams },
  sqlRunners: { name: 'WEIR_SQL_RUNNERS', default: '3', meaning: 'Queries and webhooks that run GS SQL at a time, each kind, in one process each. There is one process more, so that neither kind waits for the other. Organizations of one owner, and those made from one another, have together all but one', read: runners },
  sqlSeconds: { name: 'WEIR_SQL_SECONDS', default: '20', meaning: 'How long a run of GS SQL may work, in seconds; then it is ended. The time in which the service reads stored data for it is apart', read: seconds },
  sqlMemoryMb: { name: 'WEIR_SQL_MEMORY_MB', default: '256', meaning: 'Memory that a run of GS SQL may take, in MB of 1,048,576 bytes, beside that of the service; then it is ended', read: runMegabytes },
  outboundAllow: { name: 'WEIR_OUTBOUND_ALLOW', default: '', meaning: 'Host names, addresses, or CIDR ranges, with commas, that connections may name although they are addresses of this machine, link-local, or metadata addresses', read: optional(readHostList) },
  outboundDeny: { name: 'WEIR_OUTBOUND_DENY', default: '', meaning: 'Host names, addresses, or CIDR ranges, with commas, that no connection may reach, such as 10.0.0.0/8; wins over WEIR_OUTBOUND_ALLOW', read: optional(readHostList) },
  connectionRole: { name: 'WEIR_CONNECTION_ROLE', default: 'MEMBER', meaning: 'The lowest role that may create, change, or delete connections to databases: MEMBER or ADMIN', read: readOneOf(['MEMBER', 'ADMIN'] as const) },
  driversDir: { name: 'WEIR_DRIVERS_DIR', default: '', meaning: 'Folder of the drivers that weir add installs, for SQL Server and Oracle; unset: weir-drivers next to the installation', read: optional(readFolderPath) },
  smtpServer: { name: 'WEIR_SMTP_URL', default: '', meaning: 'Mail server for channels of alerts, such as smtps://user:password@mail.example.com or smtp://mail.example.com:587?requireTls=true; verifyTls=false accepts any certificate. Unset: no email. Prefer the file WEIR_CONFIG to the environment', read: optional(readSmtpUrl) as SettingReader<SmtpServer | undefined> },
  smtpFrom: { name: 'WEIR_SMTP_FROM', default: '', meaning: 'Sender of email, such as Weir <weir@example.com>, together with WEIR_SMTP_URL', read: optional(readSmtpFrom) },
  sqlSamples: { name: 'WEIR_SQL_SAMPLES', default: '3000000', meaning: 'Rows of stored data, samples among them, that a run of GS SQL is handed at most; sums that the store knows count as one', read: handedRows },
  importSamples: { name: 'WEIR_IMPORT_SAMPLES', default: '10000000', meaning: 'Samples that one run of a database import may store at most; it is stored in puts of bounded size', read: importedSamples },
  metrics: { name: 'WEIR_METRICS', default: 'loopback', meaning: 'Who may read /metrics: loopback (this machine, past no proxy), open (all), or token:… (16 to 128 characters, sent as Authorization: Bearer)', read: readMetricsAccess },
  quotas: { name: 'WEIR_QUOTAS', default: 'default', meaning: 'What each organization may have: off, default, or figures such as components=5000,streams=100000,fileBytes=20GB,catalogBytes=500MB,organizations=3', read: readQuotas as SettingReader<Quotas> },
  oauthMode: { name: 'WEIR_OAUTH', default: 'open', meaning: 'open lets every OAuth client ask a user; strict only registered ones', read: readOneOf(['open', 'strict'] as const) },
  tokenLifetimeSeconds: { name: 'WEIR_TOKEN_LIFETIME_S', default: '86400', meaning: 'How long an OAuth access token lives, in seconds', read: lifetime },
  refreshLifetimeSeconds: { name: 'WEIR_REFRESH_LIFETIME_S', default: '7776000', meaning: 'How long an OAuth refresh token lives unused, in seconds', read: lifetime },
  brands: { name: 'WEIR_BRANDS', default: '', meaning: 'JSON object from host name to {"name", "logo"}: what the authorization page shows there', read: optional(readBrands) as SettingReader<Brands | undefined> },
  publicUrl: { name: 'WEIR_PUBLIC_URL', default: '', meaning: 'The address people and OAuth clients use, such as https://weir.example.com or https://example.com/weir; taken from the request when unset', read: optional(readPublicUrl) },
} as const

type Settings = typeof settings

/** The settings, read. */
export type Config = { readonly [K in keyof Settings]: ReturnType<Settings[K]['read']> }

/** Settings that cannot be used together or at all; lists every mistake. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[]

  constructor(mistakes: readonly string[]) {
    super(`Cannot start: ${mistakes.length === 1 ? 'a setting is' : 'settings are'} wrong`)
    this.name = 'ConfigError'
    this.mistakes = mistakes
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads all settings at once; throws a ConfigError with every mistake, and touches nothing. */
export function readConfig(environment: Environment): Config {
  const mistakes: string[] = []
  const given = gatherSettings(environment, mistakes)
  const config: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(settings) as [string, Setting<unknown>][]) {
    const text = given.get(setting.name) ?? setting.default
    try {
      config[key] = text === '' ? undefined : setting.read(text)
    } catch (error) {
      if (!(error instanceof SettingMistake)) throw error
      mistakes.push(`${setting.name} ${error.message}`)
    }
  }
  mistakes.push(...findTlsMistakes(given, config), ...findClusterMistakes(given, config))
  mistakes.push(...findSmtpMistakes(given))
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  return config as Config
}

function findTlsMistakes(
  given: ReadonlyMap<string, string>,
  config: Readonly<Record<string, unknown>>,
): string[] {
  if (given.has('WEIR_TLS_CERT') !== given.has('WEIR_TLS_KEY')) {
    return ['WEIR_TLS_CERT and WEIR_TLS_KEY must be set together']
  }
  const { tlsCert, tlsKey } = config
  if (typeof tlsCert !== 'string' || typeof tlsKey !== 'string') return []
  const mistake = findTlsMistake(tlsCert, tlsKey)
  return mistake === undefined ? [] : [`WEIR_TLS_CERT and WEIR_TLS_KEY ${mistake}`]
}

/** Variables of the test and benchmark commands, which may stay set in a developer's shell. */
const NOT_OURS = /^WEIR_(?:TEST|BENCH|CRASH)_/

/** The settings by name, the environment before the file; blank ones count as absent. */
function gatherSettings(environment: Environment, mistakes: string[]): Map<string, string> {
  const given = new Map<string, string>()
  const known = knownNames()
  const add = (source: string, values: Environment) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined || value === '' || name === 'WEIR_CONFIG') continue
      const setting = known.get(name)
      const isTwice = setting !== name && setting !== undefined && (values[setting] ?? '') !== ''
      if (setting === undefined) {
        mistakes.push(`${name} (${source}) is not a setting. See docs/configuration.md`)
      } else if (isTwice)
        mistakes.push(`${name} (${source}) is the former name of ${setting}. Set only one of them`)
      else given.set(setting, value)
    }
  }
  const file = environment.WEIR_CONFIG
  if (file !== undefined && file !== '') {
    try {
      add(`in ${file}`, readSettingsFile(file))
    } catch (error) {
      if (!(error instanceof SettingMistake)) throw error
      mistakes.push(`WEIR_CONFIG ${error.message}`)
    }
  }
  const ours = Object.entries(environment).filter(
    ([name]) => name.startsWith('WEIR_') && !NOT_OURS.test(name),
  )
  add('in the environment', Object.fromEntries(ours))
  return given
}

/** Which setting each name is of. */
function knownNames(): Map<string, string> {
  const all: readonly Setting<unknown>[] = Object.values(settings)
  return new Map(
    all.flatMap(({ name, formerly = name }) => [
      [name, name],
      [formerly, name],
    ]),
  )
}

function readPublicUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new SettingMistake(`must be an http or https URL without a query string, got "${text}"`)
  }
  const [, first = '', ...rest] = trimEndOf(url.pathname, '/').split('/')
  if (rest.length === 0 && OWN_PATHS.has(first)) {
    throw new SettingMistake(`must not end with /${first}, which is a path of Weir itself`)
  }
  return trimEndOf(url.href, '/')
}

/** What paths of the service begin with. */
const OWN_PATHS: ReadonlySet<string> = new Set([
  'admin',
  'alerts',
  'alt',
  'api',
  'assets',
  'boards',
  'build',
  'c',
  'connect',
  'docs',
  'health',
  'healthz',
  'help',
  'influx',
  'metrics',
  'ping',
  'query',
  'readyz',
  'v1',
  'view',
  'write',
])

/** Who may read the metrics. */
export type MetricsAccess = 'loopback' | 'open' | { readonly token: string }

function readMetricsAccess(text: string): MetricsAccess {
  if (text === 'loopback' || text === 'open') return text
  if (text.startsWith('token:')) return { token: readSecretKey(text.slice('token:'.length)) }
  throw new SettingMistake('must be loopback, open, or token: followed by a token')
}
