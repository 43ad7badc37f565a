/** Samples in the keyspace of a test file, for tests that each have streams of their own. */
import { ManualClock } from '../../../../src/base/index.ts'
import {
  type ClusterSamples,
  openClusterSamples,
  stampsOf,
} from '../../../../src/store/cassandra/index.ts'
import { sampleTables } from '../../../../src/store/cassandra/samples/sample-tables.ts'
import type { SampleStore } from '../../../../src/store/index.ts'
import { type Database, PostgresSampleOrder } from '../../../../src/store/postgres/index.ts'
import { openTestKeyspace, type TestKeyspace } from '../../../support/cassandra.ts'
import { makePostgresHome, type PostgresHome } from '../../../support/postgres-home.ts'
import { shiftedSamples } from '../../../support/shifted-samples.ts'

const STREAMS_PER_TEST = 1_000

interface Home {
  readonly keyspace: TestKeyspace
  readonly postgres: PostgresHome
  readonly database: Database
}

let home: Home | undefined
let tests = 0
/** The order of writes of each process that runs. */
const orders = new Map<ClusterSamples, PostgresSampleOrder>()

/** Makes the tables of samples; for the `before` of a test file. */
export async function makeSampleTables(): Promise<void> {
  const [keyspace, postgres] = await Promise.all([
    openTestKeyspace('samples', sampleTables),
    makePostgresHome(),
  ])
  home = { keyspace, postgres, database: await postgres.open() }
}

/** Lets the tables go; for the `after` of a test file. */
export async function dropSampleTables(): Promise<void> {
  await home?.database.close()
  await home?.postgres.dispose()
  await home?.keyspace.dispose()
}

function theHome(): Home {
  if (home === undefined) throw new Error('no tables were made')
  return home
}

/** The keyspace that has the tables. */
export function keyspaceOfTests(): string {
  return theHome().keyspace.settings.keyspace
}

/** What tests ask the tables themselves. */
export async function askTables(cql: string, params: readonly unknown[] = [], timestamp?: number) {
  return await theHome().keyspace.cluster.run(cql, params, { timestamp })
}

/** Changes the tables. */
export async function alterTables(...statements: readonly string[]): Promise<void> {
  await theHome().keyspace.cluster.alter(...statements)
}

/** What tests ask the tables of PostgreSQL. */
export async function askPostgres(sql: string) {
  return await theHome().postgres.ask(sql)
}

/** A process with samples of the cluster. With a clock that the test moves it compacts only when asked to. */
export async function openProcess(clock?: ManualClock): Promise<ClusterSamples> {
  const { keyspace, database } = theHome()
  const { cluster } = keyspace
  const stamps = stampsOf(cluster)
  const sharedNowMs = clock && (() => clock.now())
  const order = await PostgresSampleOrder.open({ database, stamps, clock, sharedNowMs })
  const store = await openClusterSamples(cluster, order, {
    clock,
    isCompacting: clock === undefined,
  })
  const close = store.close.bind(store)
  orders.set(store, order)
  store.close = async () => {
    await close()
    orders.delete(store)
    await order.close()
  }
  return store
}

/** How a process orders its writes. */
export function orderOf(store: ClusterSamples): PostgresSampleOrder {
  const order = orders.get(store)
  if (order === undefined) throw new Error('the process has ended')
  return order
}

/** Lets all processes publish the progress of their writes, and read that of the others. */
export async function reportEnds(): Promise<void> {
  // An idle process reads the last stamp and publishes it, and then the others read that.
  for (let round = 0; round < 4; round++) {
    for (const order of orders.values()) await order.refresh()
  }
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
