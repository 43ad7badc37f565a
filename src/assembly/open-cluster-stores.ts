/** A piece of the composition root: the four stores on a cluster, each opened and closed in its turn. */
import type { Clock } from '../base/index.ts'
import {
  type Cluster,
  type ClusterSettings,
  openCluster,
  openClusterBlobs,
  openClusterCatalog,
  openClusterPayloads,
  openClusterSamples,
} from '../store/cassandra/index.ts'

/** Connects to a cluster, waits for it where it is away, and opens its catalog. */
export async function openClusterAndCatalog(
  settings: ClusterSettings,
  options: Parameters<typeof openCluster>[1] & { readonly clock?: Clock },
  opened: AsyncDisposableStack,
) {
  const { clock, ...watch } = options
  const cluster = await openCluster(settings, watch)
  opened.defer(() => cluster.close())
  const catalog = await openClusterCatalog(cluster, { clock })
  opened.defer(() => catalog.close())
  return { cluster, catalog }
}

/** What the stores beside the catalog are opened with. */
interface ClusterStoresOptions {
  readonly clock?: Clock
  /** Told of samples that could not be compacted. */
  readonly onFailure?: (error: unknown) => void
  /** Told of payloads that do not check. */
  readonly onDamage?: (what: string) => void
}

/** Opens the stores of samples, bodies and payloads. */
export async function openStoresOfCluster(
  cluster: Cluster,
  { clock, onFailure, onDamage }: ClusterStoresOptions,
  opened: AsyncDisposableStack,
) {
  const samples = await openClusterSamples(cluster, { clock, onFailure })
  opened.defer(() => samples.close())
  const blobs = await openClusterBlobs(cluster, { clock })
  opened.defer(() => blobs.close())
  const payloads = await openClusterPayloads(cluster, { clock, onDamage })
  opened.defer(() => payloads.close())
  return { samples, blobs, payloads }
}
