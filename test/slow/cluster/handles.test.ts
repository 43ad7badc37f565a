/**
 * No number of a stream is ever given twice. Devices that only write samples change no record for months, while
 * processes are added, killed, and started again: what is made after that must not get the numbers of these devices.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { reserveHandles, stampsOf } from '../../../src/store/cassandra/index.ts'
import { openClusterSamples } from '../../../src/store/cassandra/samples/open-cluster-samples.ts'
import { sampleTables } from '../../../src/store/cassandra/samples/sample-tables.ts'
import { PostgresCatalog, PostgresSampleOrder } from '../../../src/store/postgres/index.ts'
import { createOf } from '../../contract/catalog-components.ts'
import { openTestKeyspace, type TestKeyspace } from '../../support/cassandra.ts'
import { makePostgresHome, type PostgresHome } from '../../support/postgres-home.ts'
import { Random, testSeeds } from '../../support/random.ts'
import { batch, read } from '../../support/samples.ts'
import { clusterSkip } from '../../support/test-cluster.ts'

const skip = clusterSkip()
const ROUNDS = 6
const DEVICES_MAX = 40
/** What processes and their housekeeping forget after a time, as if a year had passed; the catalog itself stays. */
const A_YEAR_PASSES = `DELETE FROM commit_key; DELETE FROM lease; DELETE FROM sample_writer;
  DELETE FROM change WHERE cursor < (SELECT last_change FROM head)`

let keyspace: TestKeyspace
let home: PostgresHome

async function openProcess() {
  const { cluster } = keyspace
  const database = await home.open()
  const catalog = new PostgresCatalog(database, {
    reserveHandles: (count, floor) => reserveHandles(cluster, count, floor),
  })
  const order = await PostgresSampleOrder.open({ database, stamps: stampsOf(cluster) })
  const samples = await openClusterSamples(cluster, order, { isCompacting: false })
  const close = async () => {
    await samples.close()
    await order.close()
    await catalog.close()
    await database.close()
  }
  return { catalog, samples, close }
}

type Process = Awaited<ReturnType<typeof openProcess>>

/** Makes devices of two streams each through all processes at once. */
async function makeDevices(processes: readonly Process[], random: Random): Promise<number[]> {
  const made = processes.map(async ({ catalog }) => {
    const ids = Array.from({ length: random.integer(1, DEVICES_MAX) }, () => String(random.next()))
    const { firstHandles } = await catalog.commit([createOf(ids.map((id) => [id, ['a', 'b']]))])
    return firstHandles.flatMap((first) => [first, first + 1])
  })
  return (await Promise.all(made)).flat()
}

function cases(): void {
  const [seed] = testSeeds(1)
  test(`streams that were quiet for long keep their numbers and samples (WEIR_TEST_SEED=${seed})`, async () => {
    const random = new Random(seed)
    const handles: number[] = []
    let processes: Process[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      // Some of them go, and some are added.
      const going = processes.splice(0, random.integer(0, processes.length + 1))
      await Promise.all(going.map((one) => one.close()))
      const added = Array.from({ length: random.integer(1, 4) }, openProcess)
      processes = processes.concat(await Promise.all(added))
      const made = await makeDevices(processes, random)
      handles.push(...made)
      for (const handle of handles) {
        const time = round
        // Each sample identifies its writer.
        await random.pick(processes).samples.append(batch([[handle, time, handle]]))
      }
      // All of them have heard of every commit long before the log of commits is cut.
      for (const { catalog } of processes) await catalog.changesSince(0, 100_000)
      await home.ask(A_YEAR_PASSES)
    }
    assert.equal(new Set(handles).size, handles.length, 'a number was given twice')
    const [{ samples }] = processes
    for (const handle of handles) {
      const values = (await read(samples, handle)).map(([, value]) => value)
      assert.deepEqual(new Set(values), new Set([handle]))
      assert.ok(values.length <= ROUNDS)
    }
    await Promise.all(processes.map((one) => one.close()))
  })
}

if (skip !== false) test('numbers of streams', { skip }, () => {})
else {
  before(async () => {
    keyspace = await openTestKeyspace('handles', sampleTables)
    home = await makePostgresHome()
  })
  after(async () => {
    await home?.dispose()
    await keyspace?.dispose()
  })
  cases()
}
