/** Samples in the keyspace of a test file, for tests that each have streams of their own. */
import { type Clock, ManualClock } from '../../../../src/base/index.ts'
import { type ClusterSamples, openClusterSamples } from '../../../../src/store/cassandra/index.ts'
import { sampleTables } from '../../../../src/store/cassandra/samples/sample-tables.ts'
import type { SampleStore } from '../../../../src/store/index.ts'
import { openTestKeyspace, type TestKeyspace } from '../../../support/cassandra.ts'
import { shiftedSamples } from '../../../support/shifted-samples.ts'

const STREAMS_PER_TEST = 1_000

let keyspace: TestKeyspace | undefined
let tests = 0

/** Makes the tables of samples; for the `before` of a test file. */
export async function makeSampleTables(): Promise<void> {
  keyspace = await openTestKeyspace('samples', sampleTables)
}

/** Lets the tables go; for the `after` of a test file. */
export async function dropSampleTables(): Promise<void> {
  await keyspace?.dispose()
}

/** What tests ask the tables themselves. */
export async function askTables(cql: string, params: readonly unknown[] = []) {
  if (keyspace === undefined) throw new Error('no keyspace was made')
  return await keyspace.cluster.run(cql, params)
}

/** A process with samples of the cluster; its clock is moved by the test, or is the machine's. */
export async function openProcess(clock?: Clock): Promise<ClusterSamples> {
  if (keyspace === undefined) throw new Error('no keyspace was made')
  // A clock that a test moves runs ahead of the cluster's.
  const isReal = clock === undefined
  const options = { clock, checksClock: isReal, isCompacting: isReal }
  return await openClusterSamples(keyspace.cluster, options)
}

/** The streams of one test: processes that number them from 1 on, whatever other tests have. */
export class OwnStreams {
  readonly first = STREAMS_PER_TEST * tests++
  readonly clock = new ManualClock(Date.now())

  /** A stream's handle in the tables. */
  handleOf(stream: number): number {
    return stream + this.first
  }

  /** A store of a process, which sees the streams of this test only. */
  shift(store: ClusterSamples): SampleStore {
    return shiftedSamples(store, this.first)
  }
}
