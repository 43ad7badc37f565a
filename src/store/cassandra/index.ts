/** The adapters of the storage ports on a cluster of Apache Cassandra; opened only by app.ts and tests. */
export { openClusterBlobs } from './blobs/cluster-blobs.ts'
export { openClusterCatalog } from './catalog/cluster-catalog.ts'
export { Cluster } from './connection/cluster.ts'
export type { ClusterSettings } from './connection/cluster-settings.ts'
export { openCluster } from './open-cluster.ts'
export { openClusterPayloads } from './payloads/cluster-payloads.ts'
export type { ClusterSamples } from './samples/cluster-samples.ts'
export { openClusterSamples } from './samples/open-cluster-samples.ts'
