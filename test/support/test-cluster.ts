/** A cluster of a test file's own: a keyspace on the nodes of Cassandra, and a schema on the PostgreSQL of its process. */
import type { ClusterPlace } from '../../src/assembly/open-cluster-stores.ts'
import { Cluster } from '../../src/store/cassandra/index.ts'
import { cassandraSkip, testKeyspaceSettings } from './cassandra.ts'
import { makePostgresHome } from './postgres-home.ts'
import { postgresqlSkip } from './postgresql-server.ts'

/** Why tests of a cluster cannot run here, for the `skip` option. */
export function clusterSkip(): string | false {
  return cassandraSkip() || postgresqlSkip()
}

/** Places that nobody has used yet; starts the servers that do not run. */
export async function testClusterPlace(name: string): Promise<ClusterPlace> {
  const [cassandra, home] = await Promise.all([testKeyspaceSettings(name), makePostgresHome()])
  return { cassandra, postgresUrl: home.url }
}

/** The settings of a service that keeps its data in a cluster. */
export function clusterServiceSettings({
  cassandra,
  postgresUrl,
}: ClusterPlace): Record<string, string> {
  return {
    WEIR_STORE: 'cluster',
    WEIR_POSTGRES_URL: postgresUrl,
    WEIR_CASSANDRA_HOSTS: cassandra.hosts.map((host) => `${host}:${cassandra.port}`).join(','),
    WEIR_CASSANDRA_KEYSPACE: cassandra.keyspace,
    WEIR_CASSANDRA_REPLICATION: String(cassandra.replication),
  }
}

/** Drops the keyspace, but on nodes that go with the tests: there that takes longer than it is worth. */
export async function dropTestCluster({ cassandra }: ClusterPlace): Promise<void> {
  if (process.env.WEIR_TEST_CASSANDRA === undefined) return
  const cluster = await Cluster.open(cassandra)
  // On a busy machine nodes agree late: what is left over harms nobody.
  await cluster.alter(`DROP KEYSPACE IF EXISTS ${cassandra.keyspace}`).catch(() => {})
  await cluster.close()
}
