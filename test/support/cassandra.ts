/** The nodes of Cassandra that all test files of a run share, and a keyspace for each file. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { makeKeyspace } from '../../src/store/cassandra/connection/make-keyspace.ts'
import { Cluster, type ClusterSettings } from '../../src/store/cassandra/index.ts'
import { firstTables } from '../../src/store/cassandra/schema/schema-steps.ts'
import { NODES_START_MS_MAX, TEST_HOSTS } from './cassandra-nodes.ts'
import { cassandraLack } from './cassandra-programs.ts'
import { clusterFolder, needCluster } from './cassandra-users.ts'

export { cassandraSkip } from './cassandra-programs.ts'

const LOOK_MS = 200

/** A keyspace of a test file. */
export interface TestKeyspace {
  readonly settings: ClusterSettings
  readonly cluster: Cluster
  dispose(): Promise<void>
}

/**
 * Opens a keyspace of this test file's own with the tables that it needs, as each takes a fifth of a second to make;
 * starts the cluster when it does not run.
 */
export async function openTestKeyspace(
  name: string,
  tables: readonly string[],
): Promise<TestKeyspace> {
  const settings = await testKeyspaceSettings(name)
  await makeKeyspace(settings, {})
  const cluster = await Cluster.open(settings)
  await cluster.alter(...firstTables, ...tables)
  return {
    settings,
    cluster,
    dispose: async () => {
      await dropTestKeyspaces(cluster, [settings])
      await cluster.close()
    },
  }
}

/** Drops keyspaces, but in a cluster that goes with the tests: there that takes longer than it is worth. */
export async function dropTestKeyspaces(
  cluster: Cluster,
  all: readonly ClusterSettings[],
): Promise<void> {
  if (process.env.WEIR_TEST_CASSANDRA === undefined) return
  const drops = all.map(({ keyspace }) => `DROP KEYSPACE IF EXISTS ${keyspace}`)
  // On a busy machine nodes agree late: what is left over harms nobody.
  await cluster.alter(...drops).catch(() => {})
}

/** The settings of a keyspace that nobody has made yet, with a copy of each row on each node; starts the cluster when it does not run. */
export async function testKeyspaceSettings(name: string): Promise<ClusterSettings> {
  const port = await clusterPort()
  const keyspace = `weir_${name}_${process.pid}_${Date.now().toString(36)}`
  const places = { hosts: TEST_HOSTS, port, dataCentre: 'datacenter1' }
  return { ...places, keyspace, replication: TEST_HOSTS.length }
}

async function clusterPort(): Promise<number> {
  const named = process.env.WEIR_TEST_CASSANDRA
  if (named !== undefined) return Number(named.split(':').at(-1))
  const lack = cassandraLack()
  if (lack !== undefined) throw new Error(`Cassandra cannot be started: ${lack}`)
  const folder = clusterFolder()
  needCluster(folder)
  const deadline = performance.now() + NODES_START_MS_MAX
  for (let looks = 0; performance.now() < deadline; looks++) {
    const port = readyPort(folder)
    if (port !== undefined) return port
    // One that finds another at work ends at once.
    if (looks % 50 === 0) startKeeper(folder)
    await pause(LOOK_MS)
  }
  throw new Error(`Cassandra does not start: ${whyNot(folder)}`)
}

/** Starts the cluster for the test files of a run, so that it serves when the first comes and until the last is done. */
export function startClusterAhead(): void {
  if (process.env.WEIR_TEST_CASSANDRA !== undefined || cassandraLack() !== undefined) return
  const folder = clusterFolder()
  needCluster(folder)
  startKeeper(folder)
}

function readyPort(folder: string): number | undefined {
  try {
    const { port, keeper } = JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'))
    process.kill(keeper, 0)
    return port
  } catch {
    return undefined
  }
}

function startKeeper(folder: string): void {
  const script = fileURLToPath(new URL('cassandra-keeper.ts', import.meta.url))
  const log = openSync(join(folder, 'keeper.log'), 'a')
  const stdio = ['ignore', log, log] as const
  spawn(process.execPath, [script, folder], { detached: true, stdio: [...stdio] }).unref()
  closeSync(log)
}

function whyNot(folder: string): string {
  try {
    return readFileSync(join(folder, 'failed.txt'), 'utf8')
  } catch {
    return `see ${folder}`
  }
}
