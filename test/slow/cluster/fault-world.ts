/**
 * The systems that nightly faults act on: three nodes of Cassandra that check passwords and permissions. Each round
 * adds a PostgreSQL primary with a synchronous standby, a database to import from, and three processes. The test sets
 * the clocks of these processes.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeKeyspace } from '../../../src/store/cassandra/connection/make-keyspace.ts'
import { Cluster, type ClusterSettings } from '../../../src/store/cassandra/index.ts'
import { signIn } from '../../support/caller.ts'
import {
  CASSANDRA_HOSTS,
  type CassandraNodes,
  FIRST_ADMINISTRATOR,
  startCassandraNodes,
} from '../../support/cassandra-nodes.ts'
import { type ChildService, startChildService } from '../../support/child-service.ts'
import { LOCAL } from '../../support/import-home.ts'
import { urlOf } from '../../support/postgres-home.ts'
import {
  type PostgresqlServer,
  startPostgresql,
  startStandby,
} from '../../support/postgresql-server.ts'
import { eventually } from '../../support/settle.ts'
import { clusterServiceSettings } from '../../support/test-cluster.ts'
import type { LoadTarget } from './fault-load.ts'

const PROCESSES = 3
/** The owner of each world. */
export const ACCOUNT = { email: 'owner@localhost', password: 'correct horse battery' } as const
const KEY = 'ab'.repeat(32)
const ROLE = { user: 'weir', password: 'let me in' } as const
const [FAKETIME] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
/** Between two steps of a clock that drifts; libfaketime reads the file once a second. */
const DRIFT_STEP_MS = 500
/** Two runs on one machine must not remove each other's rules. */
const CHAIN = `WEIR-FAULTS-${process.pid}`

/** Why the clocks of processes cannot be set here, or undefined. */
export function clockLack(): string | undefined {
  if (FAKETIME !== undefined) return undefined
  return 'no libfaketime on this machine: apt install faketime'
}

/** Why packets cannot be dropped here, or undefined. */
export function firewallLack(): string | undefined {
  const { error, status } = spawnSync('iptables', ['-L', 'INPUT', '-n'])
  if (error === undefined && status === 0) return undefined
  return 'no iptables that this user may change: apt install iptables, and run as root'
}

/** Starts the nodes, with a role that has the rights that docs/cluster.md names. */
export async function startGuardedNodes(folder: string): Promise<CassandraNodes> {
  const nodes = await startCassandraNodes(folder, {
    settings: {
      authenticator: 'PasswordAuthenticator',
      authorizer: 'CassandraAuthorizer',
      roles_validity: '500ms',
      permissions_validity: '500ms',
      credentials_validity: '500ms',
    },
  })
  try {
    const copies = CASSANDRA_HOSTS.length
    await eventually(() =>
      administer(nodes, [
        `ALTER KEYSPACE system_auth WITH replication = {'class': 'SimpleStrategy', 'replication_factor': ${copies}}`,
        `CREATE ROLE IF NOT EXISTS ${ROLE.user} WITH LOGIN = true AND PASSWORD = '${ROLE.password}'`,
      ]),
    )
    return nodes
  } catch (error) {
    await nodes.stop()
    throw error
  }
}

function settingsOf({ port }: CassandraNodes, keyspace: string): ClusterSettings {
  const places = { hosts: CASSANDRA_HOSTS, port, dataCentre: 'datacenter1', keyspace }
  return { ...places, replication: CASSANDRA_HOSTS.length }
}

/** Runs statements as an administrator, in a keyspace that is made where it is not there. */
async function administer(
  nodes: CassandraNodes,
  statements: readonly string[],
  keyspace = 'administration',
): Promise<void> {
  const settings = { ...settingsOf(nodes, keyspace), ...FIRST_ADMINISTRATOR }
  await makeKeyspace(settings, {})
  const cluster = await Cluster.open(settings)
  try {
    for (const cql of statements) await cluster.alter(cql)
  } finally {
    await cluster.close()
  }
}

/** How far the clock of a process is off: by some seconds, and by more with each second since a moment. */
interface WrongClock {
  readonly seconds: number
  readonly rate: number
  readonly sinceMs: number
}

const RIGHT_CLOCK: WrongClock = { seconds: 0, rate: 0, sinceMs: 0 }

/** Where `weir move` and a service find a cluster. */
export interface MovePlace {
  readonly settings: Record<string, string>
  /** For services. */
  readonly store: Record<string, string>
}

/** The servers and processes of a round. */
export class FaultWorld {
  readonly nodes: CassandraNodes
  readonly targets: LoadTarget[] = Array.from({ length: PROCESSES }, () => ({
    url: '',
    cookie: '',
  }))
  readonly #folder: string
  readonly #settings: Parts['settings']
  readonly #postgres: Postgres
  /** The database that imports read. */
  readonly source: PostgresqlServer
  /** By process. */
  clocks: readonly WrongClock[] = new Array<WrongClock>(PROCESSES).fill(RIGHT_CLOCK)
  readonly #drifting: NodeJS.Timeout
  #services: ChildService[] = []
  #hasRules = false

  private constructor(folder: string, parts: Parts) {
    this.#folder = folder
    this.nodes = parts.nodes
    this.#postgres = parts.postgres
    this.source = parts.source
    this.#settings = parts.settings
    this.#drifting = setInterval(() => this.#setClocks(), DRIFT_STEP_MS)
  }

  static async open(nodes: CassandraNodes, folder: string, keyspace: string): Promise<FaultWorld> {
    const [postgres, source] = [await startPair(), await startPostgresql()]
    const grant = `GRANT CREATE, SELECT, MODIFY ON KEYSPACE ${keyspace} TO ${ROLE.user}`
    await administer(nodes, [grant], keyspace)
    const cassandra = settingsOf(nodes, keyspace)
    const settings = {
      WEIR_STORE: 'cluster',
      ...clusterServiceSettings({ cassandra, postgresUrl: postgres.url }),
      WEIR_CASSANDRA_USER: ROLE.user,
      WEIR_CASSANDRA_PASSWORD: ROLE.password,
      WEIR_OWNER_PASSWORD: ACCOUNT.password,
      WEIR_SQL_SECONDS: '120',
      ...LOCAL,
    }
    const world = new FaultWorld(folder, { nodes, postgres, source, settings })
    try {
      for (const at of world.processes) makeKeyFolder(world.folderOf(at))
      world.#setClocks()
      await world.startAll()
      const cookie = await signIn(world.#services[0], ACCOUNT.email, ACCOUNT.password)
      for (const target of world.targets) target.cookie = cookie
      return world
    } catch (error) {
      await world.close()
      throw error
    }
  }

  get processes(): readonly number[] {
    return this.targets.map((_, at) => at)
  }

  async startAll(): Promise<void> {
    await Promise.all(this.processes.map((at) => this.start(at)))
  }

  async start(at: number): Promise<void> {
    const clock = {
      LD_PRELOAD: FAKETIME ?? '',
      FAKETIME_TIMESTAMP_FILE: this.#clockFile(at),
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
    this.#services[at] = await startChildService(this.folderOf(at), { ...this.#settings, ...clock })
    this.targets[at].url = this.#services[at].url
  }

  kill(at: number): Promise<void> {
    return this.#services[at].kill()
  }

  async stop(at: number): Promise<void> {
    assert.equal(await this.#services[at].stop(), 0)
  }

  /** Halts a process, or lets it go on. */
  signal(at: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    process.kill(this.#services[at].pid, signal)
  }

  /** The data folder of a process. */
  folderOf(at: number): string {
    return join(this.#folder, `weir${at}`)
  }

  /** The process that reads the rows of an import, or stores them; undefined while none does. */
  importingProcess(): number | undefined {
    const isImporting = (at: number) => {
      const [folder] = globSync(join(this.folderOf(at), 'imports'))
      return folder !== undefined && readdirSync(folder).some((name) => name !== 'holder')
    }
    return this.processes.find(isImporting)
  }

  /**
   * Sets the clock of a process some seconds off. With a rate it drifts from there: by 0.25 s in each second, for
   * example.
   */
  setClock(at: number, seconds: number, rate = 0): void {
    this.clocks = this.clocks.with(at, { seconds, rate, sinceMs: performance.now() })
    this.#setClocks()
  }

  /** Kills the primary of PostgreSQL and promotes the standby; once. */
  promote(): Promise<void> {
    return this.#postgres.promote()
  }

  get postgresPort(): number {
    return this.#postgres.port
  }

  /** Drops all packets to an address or port, until rejoin(). */
  part(rule: { readonly host?: string; readonly port: number }): void {
    if (!this.#hasRules) {
      iptables('-N', CHAIN)
      iptables('-I', 'INPUT', '1', '-i', 'lo', '-p', 'tcp', '-j', CHAIN)
      this.#hasRules = true
    }
    const to = rule.host === undefined ? [] : ['-d', rule.host]
    iptables('-A', CHAIN, ...to, '-p', 'tcp', '--dport', String(rule.port), '-j', 'DROP')
  }

  rejoin(): void {
    if (!this.#hasRules) return
    iptables('-D', 'INPUT', '-i', 'lo', '-p', 'tcp', '-j', CHAIN)
    iptables('-F', CHAIN)
    iptables('-X', CHAIN)
    this.#hasRules = false
  }

  /** The cluster of this world. */
  get place(): MovePlace {
    const { WEIR_STORE, ...settings } = this.#settings
    return { settings, store: { WEIR_STORE } }
  }

  /** A cluster on the same servers that has nothing yet. */
  async makePlace(name: string): Promise<MovePlace> {
    await this.#postgres.ask(`CREATE SCHEMA ${name}`)
    const grant = `GRANT CREATE, SELECT, MODIFY ON KEYSPACE ${name} TO ${ROLE.user}`
    await administer(this.nodes, [grant], name)
    const { settings, store } = this.place
    const places = {
      WEIR_POSTGRES_URL: urlOf(this.#postgres.port, name),
      WEIR_CASSANDRA_KEYSPACE: name,
    }
    return { settings: { ...settings, ...places }, store }
  }

  async close(): Promise<void> {
    clearInterval(this.#drifting)
    this.rejoin()
    await Promise.all(this.#services.map((service) => service?.kill()))
    await Promise.all([this.#postgres.stop(), this.source.stop()])
  }

  #setClocks(): void {
    for (const [at, { seconds, rate, sinceMs }] of this.clocks.entries()) {
      const off = seconds + (rate * (performance.now() - sinceMs)) / 1_000
      writeFileSync(this.#clockFile(at), `${off < 0 ? '' : '+'}${off.toFixed(3)}`)
    }
  }

  #clockFile(at: number): string {
    return join(this.#folder, `clock${at}`)
  }
}

/** Makes a data folder with the key that all processes have. */
export function makeKeyFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'secret.key'), KEY, { mode: 0o600 })
}

interface Postgres {
  readonly url: string
  readonly port: number
  /** Runs statements on the primary. */
  ask(sql: string): Promise<unknown>
  promote(): Promise<void>
  stop(): Promise<void>
}

interface Parts {
  readonly nodes: CassandraNodes
  readonly postgres: Postgres
  readonly source: PostgresqlServer
  readonly settings: Record<string, string> & { readonly WEIR_STORE: string }
}

async function startPair(): Promise<Postgres> {
  const primary = await startPostgresql()
  const standby = await startStandby(primary)
  await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.ask('SELECT pg_reload_conf()')
  let { port, ask } = primary
  return {
    ask: (sql) => ask(sql),
    url: urlOf([primary.port, standby.port], 'public'),
    get port() {
      return port
    },
    promote: async () => {
      await primary.kill()
      await standby.promote()
      ;({ port, ask } = standby)
    },
    stop: async () => {
      await primary.stop()
      await standby.stop()
    },
  }
}

function iptables(...words: string[]): void {
  const { status, stderr } = spawnSync('iptables', words, { encoding: 'utf8' })
  assert.equal(status, 0, `iptables ${words.join(' ')}: ${stderr}`)
}
