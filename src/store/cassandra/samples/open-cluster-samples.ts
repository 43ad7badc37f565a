import { randomInt } from 'node:crypto'
import { type Clock, systemClock } from '../../../base/index.ts'
import { StoreUnusable } from '../../store-unusable.ts'
import type { Cluster } from '../connection/cluster.ts'
import { ClockGuard } from './clock-guard.ts'
import { ClusterSamples } from './cluster-samples.ts'

const WRITER_END = 2 ** 31

/** How the samples are opened. */
interface OpenOptions {
  readonly clock?: Clock
  /** Whether the clock is held against the cluster's; not one that a test moves. */
  readonly checksClock?: boolean
  /** Whether it compacts by itself; whoever tests compaction says when. */
  readonly isCompacting?: boolean
  readonly onFailure?: (error: unknown) => void
}

/** Opens the samples of a cluster whose tables exist; refuses to when this machine's clock is off. */
export async function openClusterSamples(
  cql: Cluster,
  {
    clock = systemClock,
    checksClock = true,
    isCompacting = true,
    onFailure = () => {},
  }: OpenOptions = {},
): Promise<ClusterSamples> {
  const guard = new ClockGuard(cql, clock)
  const problem = checksClock ? await guard.findProblem() : undefined
  if (problem !== undefined) throw new StoreUnusable('clock', problem)
  const store = new ClusterSamples({
    cql,
    clock,
    guard,
    writer: randomInt(1, WRITER_END),
    onFailure,
  })
  await store.load()
  if (isCompacting) store.compaction.start()
  return store
}
