/**
 * The systems that nightly faults act on: three nodes of Cassandra that check passwords and permissions. Each round
 * adds a PostgreSQL primary with a synchronous standby, and three processes whose clocks the test sets.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
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
import { urlOf } from '../../support/postgres-home.ts'
import { startPostgresql, startStandby } from '../../support/postgresql-server.ts'
import { eventually } from '../../support/settle.ts'
import { clusterServiceSettings } from '../../support/test-cluster.ts'
import type { LoadTarget } from './fault-load.ts'

const PROCESSES = 3
const PASSWORD = 'correct horse battery'
const ROLE = { user: 'weir', password: 'let me in' } as const
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'
const CHAIN = 'WEIR-FAULTS'

/** Why the clocks of processes cannot be set here, or undefined. */
export function clockLack(): string | undefined {
  return existsSync(FAKETIME) ? undefined : 'no libfaketime on this machine: apt install faketime'
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

/** The servers and processes of a round. */
export class FaultWorld {
  readonly nodes: CassandraNodes
  readonly targets: LoadTarget[] = Array.from({ length: PROCESSES }, () => ({
    url: '',
    cookie: '',
  }))
  readonly #folder: string
  readonly #settings: Record<string, string>
  readonly #postgres: Postgres
  #services: ChildService[] = []
  #hasRules = false

  private constructor(folder: string, parts: Parts) {
    this.#folder = folder
    this.nodes = parts.nodes
    this.#postgres = parts.postgres
    this.#settings = parts.settings
  }

  static async open(nodes: CassandraNodes, folder: string, keyspace: string): Promise<FaultWorld> {
    const postgres = await startPair()
    const grant = `GRANT CREATE, SELECT, MODIFY ON KEYSPACE ${keyspace} TO ${ROLE.user}`
    await administer(nodes, [grant], keyspace)
    const cassandra = settingsOf(nodes, keyspace)
    const settings = {
      ...clusterServiceSettings({ cassandra, postgresUrl: postgres.url }),
      WEIR_CASSANDRA_USER: ROLE.user,
      WEIR_CASSANDRA_PASSWORD: ROLE.password,
      WEIR_OWNER_PASSWORD: PASSWORD,
      WEIR_RATE_LIMITS: 'off',
    }
    const world = new FaultWorld(folder, { nodes, postgres, settings })
    try {
      for (let at = 0; at < PROCESSES; at += 1) world.#makeFolder(at)
      await world.startAll()
      const cookie = await signIn(world.#services[0], 'owner@localhost', PASSWORD)
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
    const preload = clockLack() === undefined ? FAKETIME : ''
    const clock = {
      LD_PRELOAD: preload,
      FAKETIME_TIMESTAMP_FILE: this.#clockFile(at),
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
    const folder = join(this.#folder, `weir${at}`)
    this.#services[at] = await startChildService(folder, { ...this.#settings, ...clock })
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

  /** Sets the clock of a process: `+55` seconds from the true time, or `+0 x1.5` for one that drifts. */
  setClock(at: number, offset: string): void {
    writeFileSync(this.#clockFile(at), offset)
  }

  /** Kills the primary of PostgreSQL and promotes the standby; once. */
  promote(): Promise<void> {
    return this.#postgres.promote()
  }

  get postgresPort(): number {
    return this.#postgres.port
  }

  /** Drops all packets to an address or port, until rejoin(). */
  part(rule: { readonly host?: string; readonly from?: string; readonly port: number }): void {
    if (!this.#hasRules) {
      iptables('-N', CHAIN)
      iptables('-I', 'INPUT', '1', '-i', 'lo', '-p', 'tcp', '-j', CHAIN)
      this.#hasRules = true
    }
    const to = rule.host === undefined ? [] : ['-d', rule.host]
    const from = rule.from === undefined ? [] : ['-s', rule.from]
    iptables('-A', CHAIN, ...from, ...to, '-p', 'tcp', '--dport', String(rule.port), '-j', 'DROP')
  }

  rejoin(): void {
    if (!this.#hasRules) return
    iptables('-D', 'INPUT', '-i', 'lo', '-p', 'tcp', '-j', CHAIN)
    iptables('-F', CHAIN)
    iptables('-X', CHAIN)
    this.#hasRules = false
  }

  async close(): Promise<void> {
    this.rejoin()
    await Promise.all(this.#services.map((service) => service?.kill()))
    await this.#postgres.stop()
  }

  /** One key for all, as an operator gives it to them. */
  #makeFolder(at: number): void {
    const folder = join(this.#folder, `weir${at}`)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, 'secret.key'), 'ab'.repeat(32), { mode: 0o600 })
    this.setClock(at, '+0')
  }

  #clockFile(at: number): string {
    return join(this.#folder, `clock${at}`)
  }
}

interface Postgres {
  readonly url: string
  readonly port: number
  promote(): Promise<void>
  stop(): Promise<void>
}

interface Parts {
  readonly nodes: CassandraNodes
  readonly postgres: Postgres
  readonly settings: Record<string, string>
}

async function startPair(): Promise<Postgres> {
  const primary = await startPostgresql()
  const standby = await startStandby(primary)
  await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await primary.ask('SELECT pg_reload_conf()')
  let { port } = primary
  return {
    url: urlOf([primary.port, standby.port], 'public'),
    get port() {
      return port
    },
    promote: async () => {
      await primary.kill()
      await standby.promote()
      port = standby.port
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
