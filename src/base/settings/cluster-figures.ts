/** The settings of a cluster of Cassandra: how they are read, and which do not go together. */
import { isIPv6 } from 'node:net'
import { findAuthorityMistake, findTlsMistake, SettingMistake } from './setting-readers.ts'

/** Nodes of a cluster, and the port that CQL has on every node. */
export interface CassandraHosts {
  readonly hosts: readonly string[]
  readonly port: number
}

/** Copies in the data centre of the process, or in each of several by name. */
export type Replication = number | Readonly<Record<string, number>>

const PORT_DEFAULT = 9_042
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]{1,253}))(?::(\d{1,5}))?$/i
const COPIES_MAX = 99

/** Reads `host[:port]` with commas in between; addresses of IPv6 with a port stand in brackets. */
export function readCassandraHosts(text: string): CassandraHosts {
  const items = text.split(',').map((item) => item.trim())
  const nodes = items.filter((item) => item !== '').map(readNode)
  const ports = new Set(nodes.map(({ port }) => port))
  if (nodes.length === 0) throw new SettingMistake('must name at least one host')
  if (ports.size > 1) {
    throw new SettingMistake(`must have the same port on all hosts, not ${[...ports].join(', ')}`)
  }
  return { hosts: [...new Set(nodes.map(({ host }) => host))], port: nodes[0].port }
}

function readNode(item: string): { readonly host: string; readonly port: number } {
  if (isIPv6(item)) return { host: item, port: PORT_DEFAULT }
  const [, inBrackets, name, digits] = HOST.exec(item) ?? []
  const host = inBrackets ?? name
  const port = Number(digits ?? PORT_DEFAULT)
  const isWrong = inBrackets !== undefined && !isIPv6(inBrackets)
  if (host === undefined || isWrong || port < 1 || port > 65_535) {
    throw new SettingMistake(`must list hosts as host or host:port: "${item}" is neither`)
  }
  return { host, port }
}

/** A name that CQL takes without quotes. */
export function readKeyspace(text: string): string {
  if (/^[a-z][a-z0-9_]{0,47}$/.test(text)) return text
  throw new SettingMistake(
    `must have 1 to 48 small letters, digits and underscores, a letter first, not "${text}"`,
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
        `must be a number of copies from 1 to ${COPIES_MAX}, or one for each data centre such as dc1=3,dc2=3, not "${text}"`,
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
  const isCluster = config.store === 'cassandra'
  if (isCluster && !given.has('WEIR_CASSANDRA_HOSTS')) {
    mistakes.push('WEIR_CASSANDRA_HOSTS must be set when WEIR_STORE is cassandra')
  }
  if (given.has('WEIR_CASSANDRA_USER') !== given.has('WEIR_CASSANDRA_PASSWORD')) {
    mistakes.push('WEIR_CASSANDRA_USER and WEIR_CASSANDRA_PASSWORD must be set together')
  }
  const { cassandraDataCentre: centre, cassandraReplication: copies } = config
  if (typeof copies === 'object' && copies !== null && !Object.hasOwn(copies, String(centre))) {
    mistakes.push(
      `WEIR_CASSANDRA_REPLICATION must have copies in "${centre}", the data centre of this process`,
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
