/** Nodes of a Cassandra cluster on one machine: 127.0.0.1, .2 and .3, all with the same two ports. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { connectClient } from '../../src/store/cassandra/connection/connect-client.ts'
import { findCassandra, findJava } from './cassandra-programs.ts'
import { roundsBy } from './random.ts'
import { eventually } from './settle.ts'

/** Where the nodes listen. */
export const CASSANDRA_HOSTS = ['127.0.0.1', '127.0.0.2', '127.0.0.3'] as const
/**
 * The hosts of the test cluster. Every run has one node, which takes about a third of the CPU time of three.
 * `npm run test:nightly` has three and proves what needs several copies.
 */
export const TEST_HOSTS: readonly string[] = CASSANDRA_HOSTS.slice(
  0,
  roundsBy({ everyRun: 1, nightly: CASSANDRA_HOSTS.length }),
)
/** A third of the ring for each node. */
const TOKENS = ['-9223372036854775808', '-3074457345618258603', '3074457345618258602']

/** Whom nodes know that ask for passwords. */
export const FIRST_ADMINISTRATOR = { user: 'cassandra', password: 'cassandra' } as const

/** Below what systems hand out to programs that ask for any port. */
const [FIRST_PORT, PORT_COUNT] = [20_000, 12_000]
const TRIES_MAX = 50

/** A start of three takes a minute of two cores, of which other tests leave them a part. Below the limit of a test. */
export const NODES_START_MS_MAX = 540_000

/** Nodes that run. */
export interface CassandraNodes {
  readonly port: number
  /** By which the nodes reach each other. */
  readonly storagePort: number
  readonly pids: readonly number[]
  /** Ends a node at once, as kill -9 does. */
  kill(node: number): Promise<void>
  /** Halts a node, or lets it go on. */
  signal(node: number, signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Starts a node that was killed, with what it had, and waits until it serves. */
  restart(node: number): Promise<void>
  /** Ends all of them. */
  stop(): Promise<void>
}

const opened = [
  'lang.module',
  'io',
  'lang',
  'util',
  'nio',
  'util.concurrent',
  'util.concurrent.atomic',
  'lang.reflect',
].map((name) => `java.base/java.${name}`)
const openedInside = ['loader', 'ref', 'reflect', 'math', 'module', 'util.jar'].map(
  (name) => `java.base/jdk.internal.${name}`,
)
const exported = [
  'java.base/jdk.internal.misc',
  'java.base/jdk.internal.ref',
  'java.base/sun.nio.ch',
  'java.management.rmi/com.sun.jmx.remote.internal.rmi',
  'java.rmi/sun.rmi.registry',
  'java.rmi/sun.rmi.server',
  'java.rmi/sun.rmi.transport.tcp',
  'java.sql/java.sql',
  'java.base/java.lang.ref',
  'jdk.unsupported/sun.misc',
]
/** The options of Java 17 that open to Cassandra and its tools what they need. */
export const JAVA_MODULES: readonly string[] = [
  ...exported.flatMap((name) => ['--add-exports', `${name}=ALL-UNNAMED`]),
  ...[
    ...opened,
    ...openedInside,
    'java.base/sun.nio.ch',
    'jdk.management/com.sun.management.internal',
    'java.rmi/sun.rmi.transport.tcp',
  ].flatMap((name) => ['--add-opens', `${name}=ALL-UNNAMED`]),
]
/** Little memory, under 4 GB for twice three, and a compiler that is soon done: they share a machine with the tests. */
const machine = [
  '-Xms128M',
  '-Xmx512M',
  '-XX:MaxDirectMemorySize=128M',
  '-XX:MaxMetaspaceSize=128M',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
]
/** Behind tests that wait for a page or a process, but not so far that tests which wait for nodes never get on. */
const NICENESS = 5
const logging = `<configuration><appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
<encoder><pattern>%level %date{ISO8601} %logger{0} %msg%n</pattern></encoder></appender>
<root level="WARN"><appender-ref ref="OUT"/></root></configuration>
`

/** How nodes are started. */
interface NodeOptions {
  /** Whether a node that is killed finds its tables again; making them takes three times as long. */
  readonly keepsSchema?: boolean
  /** How many of the hosts have one: 3, by default. */
  readonly count?: number
  /** What their cassandra.yaml has beside, or in place of, what all have. */
  readonly settings?: Readonly<Record<string, string>>
  /** A port of 127.0.0.1 for each node, by which nodetool reaches it; without, nodes do not offer JMX. */
  readonly jmxPorts?: readonly number[]
}

/** Starts nodes with their data in a folder, and waits until all of them serve and know each other. */
export async function startCassandraNodes(
  folder: string,
  {
    keepsSchema = true,
    count = CASSANDRA_HOSTS.length,
    settings = {},
    jmxPorts = [],
  }: NodeOptions = {},
): Promise<CassandraNodes> {
  const [storagePort, port] = [await freeClusterPort(), await freeClusterPort()]
  writeFileSync(join(folder, 'logback.xml'), logging)
  const hosts = CASSANDRA_HOSTS.slice(0, count)
  const start = (node: number) =>
    startNode(folder, node, { hosts, storagePort, port, keepsSchema, settings, jmxPorts })
  const children = hosts.map((_, node) => start(node))
  const kill = async (node: number) => {
    const child = children[node]
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  const serves = (node: number) =>
    eventually(async () => {
      const { exitCode, signalCode } = children[node]
      if (exitCode !== null || signalCode !== null) return false
      await reach(CASSANDRA_HOSTS[node], port)
      return true
    }, NODES_START_MS_MAX)
  const stop = async () => {
    await Promise.all(hosts.map((_, node) => kill(node)))
  }
  const serving = await Promise.all(hosts.map((_, node) => serves(node)))
  const dead = serving.indexOf(false)
  if (dead >= 0) {
    await stop()
    const output = readFileSync(logOf(folder, dead), 'utf8').slice(-4_000)
    throw new Error(`A node of Cassandra ended while it started:\n${output}`)
  }
  // One alone has nobody to know, and may let nobody in.
  const asked = count > 1 ? hosts : []
  await Promise.all(asked.map((host) => eventually(() => expectOthers(host, { hosts, port }))))
  return {
    port,
    storagePort,
    get pids() {
      return children.flatMap(({ pid }) => pid ?? [])
    },
    kill,
    signal: (node, signal) => void children[node].kill(signal),
    restart: async (node) => {
      children[node] = start(node)
      if (!(await serves(node))) throw new Error(`Node ${node + 1} of Cassandra ended`)
    },
    stop,
  }
}

/** Throws while a node has not heard of all others: each of them starts by itself, and what it made alone others would not know. */
async function expectOthers(
  host: string,
  { hosts, port }: Pick<NodePlaces, 'hosts' | 'port'>,
): Promise<void> {
  // Nodes that let everybody in do not ask for them.
  const place = { hosts: [host], port, dataCentre: '', keyspace: '', replication: 3 }
  const settings = { ...place, ...FIRST_ADMINISTRATOR }
  const { client, end } = await connectClient(settings, {})
  try {
    const { rows } = await client.execute('SELECT peer, schema_version FROM system.peers', [], {
      host: client.hosts.values().find(({ address }) => address.startsWith(`${host}:`)),
    })
    const known = rows.filter(({ schema_version }) => schema_version !== null)
    if (known.length < hosts.length - 1) throw new Error(`${host} is alone`)
  } finally {
    await end()
  }
}

type StartOptions = Required<Pick<NodeOptions, 'keepsSchema' | 'settings' | 'jmxPorts'>>

interface NodePlaces {
  readonly hosts: readonly string[]
  readonly storagePort: number
  readonly port: number
}

function startNode(folder: string, node: number, options: NodePlaces & StartOptions): ChildProcess {
  const [java, jars] = [findJava(), findCassandra()]
  if (java === undefined || jars === undefined) throw new Error('Cassandra or Java is missing')
  const home = join(folder, `node${node + 1}`)
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'cassandra.yaml'), settingsOf(home, node, options))
  const properties = {
    'jdk.attach.allowAttachSelf': 'true',
    'cassandra.config': `file://${join(home, 'cassandra.yaml')}`,
    'cassandra.storagedir': home,
    'cassandra.ring_delay_ms': '1000',
    'cassandra.skip_wait_for_gossip_to_settle': '0',
    // The first user is there as soon as somebody may sign in.
    'cassandra.superuser_setup_delay_ms': '0',
    'cassandra.test.flush_local_schema_changes': String(options.keepsSchema),
    // A node that is never restarted does not flush its system tables and does not wait for the disk.
    'cassandra.unsafesystem': String(!options.keepsSchema),
    'cassandra.skip_sync': String(!options.keepsSchema),
    // An estimate. Without it each node measures the value for 3 s when it starts.
    'cassandra.memtable.row_overhead_size': '150',
    ...jmxOf(options.jmxPorts[node]),
    // With the default, 2, a clock thread takes half of the processor time of an idle node.
    'cassandra.approximate_time_precision_ms': '50',
    // Otherwise a thread renames itself for each task.
    'cassandra.set_sep_thread_name': 'false',
    'logback.configurationFile': join(folder, 'logback.xml'),
  }
  const set = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`)
  const main = 'org.apache.cassandra.service.CassandraDaemon'
  const args = [
    '-n',
    String(NICENESS),
    java,
    ...machine,
    ...set,
    ...JAVA_MODULES,
    '-cp',
    jars,
    main,
  ]
  const log = openSync(logOf(folder, node), 'a')
  const env = { PATH: process.env.PATH, HOME: home }
  const child = spawn('nice', args, { cwd: home, env, stdio: ['ignore', log, log] })
  closeSync(log)
  return child
}

function jmxOf(port: number | undefined): Record<string, string> {
  // Every table registers a hundred metrics for JMX.
  if (port === undefined) return { 'org.apache.cassandra.disable_mbean_registration': 'true' }
  return { 'cassandra.jmx.local.port': String(port) }
}

function logOf(folder: string, node: number): string {
  return join(folder, `node${node + 1}.log`)
}

function settingsOf(
  home: string,
  node: number,
  { hosts, storagePort, port, keepsSchema, settings }: NodePlaces & StartOptions,
): string {
  const seeds = `{ seeds: "${hosts.join(',')}" }`
  const all: Record<string, string> = {
    cluster_name: 'weir-tests',
    num_tokens: '1',
    initial_token: TOKENS[node],
    partitioner: 'org.apache.cassandra.dht.Murmur3Partitioner',
    ...(keepsSchema
      ? { commitlog_sync: 'batch' }
      : { commitlog_sync: 'periodic', commitlog_sync_period: '10000ms' }),
    commitlog_directory: `${home}/commitlog`,
    data_file_directories: `[${home}/data]`,
    saved_caches_directory: `${home}/saved_caches`,
    hints_directory: `${home}/hints`,
    cdc_raw_directory: `${home}/cdc_raw`,
    listen_address: hosts[node],
    rpc_address: hosts[node],
    storage_port: String(storagePort),
    native_transport_port: String(port),
    endpoint_snitch: 'SimpleSnitch',
    auto_bootstrap: 'false',
    auto_snapshot: 'false',
    read_request_timeout: '10000ms',
    write_request_timeout: '10000ms',
    // A node that was kept waiting for longer than this never hears of a table.
    request_timeout: '60000ms',
    cas_contention_timeout: '5000ms',
    // Every one is a seed: one that is not ends when it starts before the others answer, as on a busy machine.
    seed_provider: `[{ class_name: org.apache.cassandra.locator.SimpleSeedProvider, parameters: [${seeds}] }]`,
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\n`)
  return lines.join('')
}

/** A port that is free on all addresses of the nodes. */
export async function freeClusterPort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORT_COUNT)
    const free = await Promise.all(CASSANDRA_HOSTS.map((host) => isFree(host, port)))
    if (free.every(Boolean)) return port
  }
  throw new Error(`No free port among ${TRIES_MAX} of ${FIRST_PORT} to ${FIRST_PORT + PORT_COUNT}`)
}

async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** Connects to a port and hangs up; rejects while nobody listens there. */
export async function reach(host: string, port: number): Promise<void> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect')
  } finally {
    socket.destroy()
  }
}
