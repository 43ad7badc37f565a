import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cluster, type ClusterSettings } from '../../src/store/cassandra/index.ts'
import { CASSANDRA_HOSTS, startCassandraNodes } from '../../test/support/cassandra-nodes.ts'
import { cassandraSkip } from '../../test/support/cassandra-programs.ts'
import { makePostgresHome } from '../../test/support/postgres-home.ts'
import { tell } from '../settings.ts'
import { cpuSecondsOf, type RunningPeer, stop } from './service.ts'
import { startWeir } from './weir.ts'

/** A cluster of three nodes on this machine, and a keyspace of this run. */
export interface BenchCluster {
  readonly settings: ClusterSettings
  /** Processor time of all nodes so far, in seconds; undefined where they are not this run's own. */
  nodeSeconds(): number | undefined
}

/** Runs work on nodes of its own, or on those that WEIR_TEST_CASSANDRA names, where the keyspace is dropped. */
export async function withCluster<T>(work: (cluster: BenchCluster) => Promise<T>): Promise<T> {
  const named = process.env.WEIR_TEST_CASSANDRA
  if (named !== undefined) return withNamed(Number(named.split(':').at(-1)), work)
  const missing = cassandraSkip()
  if (missing !== false) throw new Error(`There is no Cassandra: ${missing}`)
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-nodes-'))
  try {
    tell('Cassandra: three nodes start')
    const nodes = await startCassandraNodes(folder)
    try {
      const nodeSeconds = () => nodes.pids.reduce((sum, pid) => sum + (cpuSecondsOf(pid) ?? 0), 0)
      return await work({ settings: settingsOf(nodes.port), nodeSeconds })
    } finally {
      await nodes.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function withNamed<T>(port: number, work: (cluster: BenchCluster) => Promise<T>): Promise<T> {
  const settings = settingsOf(port)
  try {
    return await work({ settings, nodeSeconds: () => undefined })
  } finally {
    // What was measured is told also where nodes are too busy to drop it.
    await dropKeyspace(settings).catch((error) => tell(`${settings.keyspace} is left: ${error}`))
  }
}

async function dropKeyspace(settings: ClusterSettings): Promise<void> {
  const cluster = await Cluster.open(settings)
  try {
    await cluster.alter(`DROP KEYSPACE ${settings.keyspace}`)
  } finally {
    await cluster.close()
  }
}

function settingsOf(port: number): ClusterSettings {
  const keyspace = `weir_bench_${process.pid}`
  return { hosts: CASSANDRA_HOSTS, port, dataCentre: 'datacenter1', keyspace, replication: 3 }
}

/** Runs work on Weir processes that share a cluster, each with a folder of its own and all with one key for secrets. */
export async function withWeirs<T>(
  { hosts, port, keyspace }: ClusterSettings,
  count: number,
  work: (weirs: readonly RunningPeer[]) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  const home = await makePostgresHome()
  const weirs: RunningPeer[] = []
  try {
    for (let at = 0; at < count; at++) {
      const own = join(folder, `weir${at + 1}`)
      mkdirSync(own, { mode: 0o700 })
      const key = join(folder, 'weir1', 'secret.key')
      if (at > 0 && existsSync(key)) copyFileSync(key, join(own, 'secret.key'))
      tell(`Weir: process ${at + 1} on the cluster starts`)
      weirs.push(
        await startWeir(own, {
          WEIR_STORE: 'cluster',
          WEIR_POSTGRES_URL: home.url,
          WEIR_CASSANDRA_HOSTS: hosts.map((host) => `${host}:${port}`).join(','),
          WEIR_CASSANDRA_KEYSPACE: keyspace,
        }),
      )
    }
    return await work(weirs)
  } finally {
    await Promise.all(weirs.map((weir) => stop(weir.process)))
    await home.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}
