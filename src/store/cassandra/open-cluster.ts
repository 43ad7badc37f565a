import { Cluster, type ClusterWatch } from './connection/cluster.ts'
import type { ClusterSettings } from './connection/cluster-settings.ts'
import { makeKeyspace } from './connection/make-keyspace.ts'
import { type LeaseStore, migrateSchema } from './schema/migrate-schema.ts'

/** Connects to a cluster, waits for it where it is away, and makes keyspace and tables what this version needs. */
export async function openCluster(
  settings: ClusterSettings,
  leases: LeaseStore,
  watch: ClusterWatch = {},
): Promise<Cluster> {
  await makeKeyspace(settings, watch)
  const cluster = await Cluster.open(settings, watch)
  try {
    await migrateSchema(cluster, leases, watch)
    return cluster
  } catch (error) {
    await cluster.close()
    throw error
  }
}
