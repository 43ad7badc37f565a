import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterSettings } from '../../src/store/cassandra/index.ts'
import { CASSANDRA_HOSTS, startCassandraNodes } from '../../test/support/cassandra-nodes.ts'
import { cassandraLack } from '../../test/support/cassandra-programs.ts'
import { startPostgresql } from '../../test/support/postgresql-server.ts'
import { printProgress } from '../settings.ts'
import { cpuSecondsOf, type RunningPeer, stop } from './service.ts'
import { startWeir } from './weir.ts'

/** A cluster of three nodes on this machine. */
export interface BenchCluster {
  readonly settings: ClusterSettings
  /** Processor time of all nodes so far, in seconds. */
  nodeSeconds(): number
}

/** Runs work on nodes of its own. */
export async function withCluster<T>(work: (cluster: BenchCluster) => Promise<T>): Promise<T> {
  const missing = cassandraLack()
  if (missing !== undefined) throw new Error(`Cannot start Cassandra: ${missing}`)
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-nodes-'))
  try {
    printProgress('Cassandra: three nodes start')
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

function settingsOf(port: number): ClusterSettings {
  const places = { hosts: CASSANDRA_HOSTS, port, dataCentre: 'datacenter1' }
  return { ...places, keyspace: 'weir_bench', replication: CASSANDRA_HOSTS.length }
}

/** Runs work on Weir processes that share a cluster, with the seconds that each start took. */
export async function withWeirs<T>(
  { hosts, port, keyspace }: ClusterSettings,
  count: number,
  work: (weirs: readonly RunningPeer[], starts: readonly number[]) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-'))
  const postgres = await startPostgresql()
  const weirs: RunningPeer[] = []
  const starts: number[] = []
  try {
    for (let at = 0; at < count; at++) {
      const own = join(folder, `weir${at + 1}`)
      mkdirSync(own, { mode: 0o700 })
      const key = join(folder, 'weir1', 'secret.key')
      if (at > 0 && existsSync(key)) copyFileSync(key, join(own, 'secret.key'))
      printProgress(`Weir: process ${at + 1} on the cluster starts`)
      const began = performance.now()
      weirs.push(
        await startWeir(own, {
          WEIR_STORE: 'cluster',
          WEIR_POSTGRES_URL: `postgres://weir:the-password@127.0.0.1:${postgres.port}/weir`,
          WEIR_CASSANDRA_HOSTS: hosts.map((host) => `${host}:${port}`).join(','),
          WEIR_CASSANDRA_KEYSPACE: keyspace,
        }),
      )
      starts.push((performance.now() - began) / 1_000)
    }
    return await work(weirs, starts)
  } finally {
    await Promise.all(weirs.map((weir) => stop(weir.process)))
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
