import { type Clock, systemClock } from '../../../base/index.ts'
import type { SampleOrder } from '../../ports/sample-order.ts'
import type { Cluster } from '../connection/cluster.ts'
import { ClusterSamples } from './cluster-samples.ts'

/** How the samples are opened. */
interface OpenOptions {
  readonly clock?: Clock
  /** Whether it compacts in the background. Tests of compaction start it themselves. */
  readonly isCompacting?: boolean
  readonly onFailure?: (error: unknown) => void
}

/** Opens the samples of a cluster whose tables exist. */
export async function openClusterSamples(
  cql: Cluster,
  order: SampleOrder,
  { clock = systemClock, isCompacting = true, onFailure = () => {} }: OpenOptions = {},
): Promise<ClusterSamples> {
  const store = new ClusterSamples({ cql, clock, order, onFailure })
  await store.load()
  if (isCompacting) store.compaction.start()
  return store
}
