/** Samples on a real cluster: their contract, a model, the oracle of statistics, compaction. */
import { after, before } from 'node:test'
import { type StoreUnderTest, sampleStoreContract } from '../../contract/sample-store-contract.ts'
import { cassandraSkip } from '../../support/cassandra.ts'
import { compactionTests } from './samples/compaction.ts'
import { feedTests } from './samples/feed.ts'
import { followTests } from './samples/follow.ts'
import { dropSampleTables, makeSampleTables, OwnStreams, openProcess } from './samples/home.ts'
import { modelTests } from './samples/model.ts'
import { orderTests } from './samples/order.ts'
import { readTests } from './samples/reads.ts'
import { statisticTests } from './samples/statistics.ts'

const skip = cassandraSkip()

if (skip === false) {
  before(makeSampleTables)
  after(dropSampleTables)
}

async function openOnCluster(): Promise<StoreUnderTest> {
  const streams = new OwnStreams()
  const open = async () => streams.shift(await openProcess())
  const first = await open()
  await first.watch([])
  let store = first
  return {
    store: first,
    async reopen() {
      await store.close()
      store = await open()
      return store
    },
    dispose: () => store.close(),
  }
}

if (skip === false) sampleStoreContract('cassandra', openOnCluster)
compactionTests(skip)
orderTests(skip)
readTests(skip)
followTests(skip)
modelTests(skip)
feedTests(skip)
statisticTests(skip)
