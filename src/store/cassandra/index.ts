/** The adapters of the storage ports on a cluster of Apache Cassandra; opened only by app.ts and tests. */
export { openClusterBlobs } from './blobs/cluster-blobs.ts'
export {
  fingerprintOfCluster,
  isCatalogOfCluster,
  isKeyOfCluster,
  reserveHandles,
  stampsOf,
  takesFingerprint,
} from './cluster-meta.ts'
export { startErrorOf } from './connection/away.ts'
export { Cluster } from './connection/cluster.ts'
export { type ClusterSettings, countCopies } from './connection/cluster-settings.ts'
export { openCluster } from './open-cluster.ts'
export type { ClusterSamples } from './samples/cluster-samples.ts'
export { openClusterSamples } from './samples/open-cluster-samples.ts'
