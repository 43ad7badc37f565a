/** The settings of a cluster of PostgreSQL and Cassandra: how they are read, and which do not go together. */
import { isIPv6 } from 'node:net'
import { findAuthorityMistake, findTlsMistake, SettingMistake } from './setting-readers.ts'

/** Nodes of a cluster, and the ports that they are named with; undefined where one is named without. */
export interface CassandraHosts {
  readonly hosts: readonly string[]
  readonly ports: ReadonlySet<number | undefined>
}

/** Copies in the data centre of the process, or in each of several by name. */
export type Replication = number | Readonly<Record<string, number>>

const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]{1,253}))(?::(\d{1,5}))?$/i
const COPIES_MAX = 99

/** Where data is kept; `folder` is what `embedded` was called. */
export function readStore(text: string): 'embedded' | 'cluster' {
  const store = text === 'folder' ? 'embedded' : text
  if (store === 'embedded' || store === 'cluster') return store
  if (store === 'cassandra') {
    throw new SettingMistake(
      'can no longer be "cassandra". Set WEIR_STORE=cluster and WEIR_POSTGRES_URL',
    )
  }
  throw new SettingMistake(`must be one of embedded, cluster, not "${text}"`)
}

/** The form only: the adapter reads the parts. The text may hold a password, so a mistake does not repeat it. */
export function readPostgresUrl(text: string): string {
  if (/^postgres(ql)?:\/\/[^/?#]+\/[^/?#]/i.test(text)) return text
  throw new SettingMistake(
    'must be a URL with a database, such as postgres://user:password@host1,host2:5433/weir',
  )
}

/** Reads `host[:port]` with commas in between; addresses of IPv6 with a port stand in brackets. */
export function readCassandraHosts(text: string): CassandraHosts {
  const items = text.split(',').map((item) => item.trim())
  const nodes = items.filter((item) => item !== '').map(readNode)
  if (nodes.length === 0) throw new SettingMistake('must name at least one host')
  return {
    hosts: [...new Set(nodes.map(({ host }) => host))],
    ports: new Set(nodes.map(({ port }) => port)),
  }
}

/** The ports of all nodes, of which there may be one only; those that are named without have the default. */
export function clusterPortsOf({ ports }: CassandraHosts, portDefault: number): number[] {
  return [...new Set([...ports].map((port) => port ?? portDefault))]
}

function readNode(item: string): { readonly host: string; readonly port: number | undefined } {
  if (isIPv6(item)) return { host: item, port: undefined }
  const [, inBrackets, name, digits] = HOST.exec(item) ?? []
  const host = inBrackets ?? name
  const port = digits === undefined ? undefined : Number(digits)
  const isPort = port === undefined || (port >= 1 && port <= 65_535)
  const isWrong = inBrackets !== undefined && !isIPv6(inBrackets)
  if (host === undefined || isWrong || !isPort) {
    throw new SettingMistake(`must list hosts as host or host:port, got "${item}"`)
  }
  return { host, port }
}

/** A name that CQL takes without quotes. */
export function readKeyspace(text: string): string {
  if (/^[a-z][a-z0-9_]{0,47}$/.test(text)) return text
  throw new SettingMistake(
    `must have 1 to 48 lowercase letters, digits, and underscores, and start with a letter, got "${text}"`,
  )
}

/** Reads `3`, or copies by data centre such as `dc1=3,dc2=3`. */
export function readReplication(text: string): Replication {
  if (/^\d{1,2}$/.test(text) && Number(text) >= 1) return Number(text)
  const copies: Record<string, number> = {}
  for (const part of text.split(',')) {
    const [, name, digits] = /^\s*([^=,\s'"]{1,100})=(\d{1,2})\s*$/.exec(part) ?? []
    const count = Number(digits)
    if (name === undefined || !(count >= 1 && count <= COPIES_MAX) || Object.hasOwn(copies, name)) {
      throw new SettingMistake(
        `must be a number of replicas from 1 to ${COPIES_MAX}, or one per data center such as dc1=3,dc2=3, got "${text}"`,
      )
    }
    copies[name] = count
  }
  return copies
}

/** What does not go together; secrets are not repeated. */
export function findClusterMistakes(
  given: ReadonlyMap<string, string>,
  config: Readonly<Record<string, unknown>>,
): string[] {
  const mistakes: string[] = []
  const isCluster = config.store === 'cluster'
  for (const name of ['WEIR_POSTGRES_URL', 'WEIR_CASSANDRA_HOSTS']) {
    if (isCluster && !given.has(name))
      mistakes.push(`${name} must be set when WEIR_STORE is cluster`)
  }
  if (!isCluster && config.index === 'used') {
    mistakes.push('WEIR_INDEX=used needs WEIR_STORE=cluster')
  }
  if (given.has('WEIR_CASSANDRA_USER') !== given.has('WEIR_CASSANDRA_PASSWORD')) {
    mistakes.push('WEIR_CASSANDRA_USER and WEIR_CASSANDRA_PASSWORD must be set together')
  }
  const { cassandraHosts: named, cassandraPort: portDefault } = config
  if (named !== undefined && portDefault !== undefined) {
    const ports = clusterPortsOf(named as CassandraHosts, portDefault as number)
    if (ports.length > 1) {
      const all = ports.join(', ')
      mistakes.push(`WEIR_CASSANDRA_HOSTS must have the same port on all hosts, not ${all}`)
    }
  }
  const { cassandraDataCentre: centre, cassandraReplication: copies } = config
  if (typeof copies === 'object' && copies !== null && !Object.hasOwn(copies, String(centre))) {
    mistakes.push(
      `WEIR_CASSANDRA_REPLICATION must have replicas in "${centre}", the data center of this process`,
    )
  }
  return [...mistakes, ...findTlsMistakes(given, config)]
}

function findTlsMistakes(
  given: ReadonlyMap<string, string>,
  config: Readonly<Record<string, unknown>>,
): string[] {
  const names = ['WEIR_CASSANDRA_TLS_CA', 'WEIR_CASSANDRA_TLS_CERT', 'WEIR_CASSANDRA_TLS_KEY']
  const [ca, cert, key] = names
  const unused = names.filter((name) => given.has(name))
  if (config.cassandraTls === 'off' && unused.length > 0) {
    return [`${unused.join(' and ')} must not be set while WEIR_CASSANDRA_TLS is off`]
  }
  const mistakes: string[] = []
  const { cassandraTlsCa, cassandraTlsCert, cassandraTlsKey } = config
  if (typeof cassandraTlsCa === 'string') {
    const mistake = findAuthorityMistake(cassandraTlsCa)
    if (mistake !== undefined) mistakes.push(`${ca} ${mistake}`)
  }
  if (given.has(cert) !== given.has(key)) mistakes.push(`${cert} and ${key} must be set together`)
  if (typeof cassandraTlsCert === 'string' && typeof cassandraTlsKey === 'string') {
    const mistake = findTlsMistake(cassandraTlsCert, cassandraTlsKey)
    if (mistake !== undefined) mistakes.push(`${cert} and ${key} ${mistake}`)
  }
  return mistakes
}
