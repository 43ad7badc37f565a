/** What faults are made on: the shared nodes behind ways that are cut and halted, or nodes of a test's own that die and hang. */
import type { ClusterSettings } from '../../../src/store/cassandra/index.ts'
import { testKeyspaceSettings } from '../../support/cassandra.ts'
import { startCassandraNodes, TEST_HOSTS } from '../../support/cassandra-nodes.ts'
import { startClusterProxy } from '../../support/cluster-proxy.ts'

/** The nodes, as the processes of the service see them. */
export interface FaultyNodes {
  readonly settings: ClusterSettings
  /** Takes a node away from now on. */
  lose(node: number): Promise<void>
  /** Has one back that was lost. */
  regain(node: number): Promise<void>
  /** A node that answers nothing, until it goes on. */
  halt(node: number): void
  goOn(node: number): void
  /** All of them go away together, and come back. */
  restartAll(): Promise<void>
  stop(): Promise<void>
}

/**
 * The nodes that all test files share, each behind its own proxy. A process that cannot reach a node is reported the same
 * as by a node that is dead or hangs, and no node has to start, which takes 14 s of a processor.
 */
export async function openCutNodes(): Promise<FaultyNodes> {
  const settings = await testKeyspaceSettings('faults')
  const ways = await startClusterProxy(settings.port)
  return {
    settings: { ...settings, port: ways.port },
    lose: async (node) => ways.cut(node),
    regain: (node) => ways.repair(node),
    halt: (node) => ways.halt(node),
    goOn: (node) => ways.goOn(node),
    restartAll: async () => {
      ways.cut()
      await ways.repair()
    },
    stop: async () => ways.close(),
  }
}

/** Nodes of the test's own, with their data in a folder. */
export async function openDyingNodes(folder: string): Promise<FaultyNodes> {
  const nodes = await startCassandraNodes(folder)
  const all = TEST_HOSTS.map((_, node) => node)
  const { port } = nodes
  const places = { hosts: TEST_HOSTS, port, dataCentre: 'datacenter1' }
  return {
    settings: { ...places, keyspace: 'weir_faults', replication: TEST_HOSTS.length },
    lose: (node) => nodes.kill(node),
    regain: (node) => nodes.restart(node),
    halt: (node) => nodes.signal(node, 'SIGSTOP'),
    goOn: (node) => nodes.signal(node, 'SIGCONT'),
    restartAll: async () => {
      await Promise.all(all.map((node) => nodes.kill(node)))
      await Promise.all(all.map((node) => nodes.restart(node)))
    },
    stop: () => nodes.stop(),
  }
}
