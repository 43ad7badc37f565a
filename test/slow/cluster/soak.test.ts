// Alone: all keyspaces of this file are on its own nodes.
/**
 * Streams that are overwritten, removed, and merged for long leave few tombstones in the way of reads, and what was
 * overwritten takes no room for long. Only in `npm run test:nightly`: it takes minutes.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { EARLIEST_TIME, epochMs, TIME_END } from '../../../src/base/index.ts'
import type { ClusterSamples } from '../../../src/store/cassandra/index.ts'
import {
  type CassandraNodes,
  freeClusterPort,
  startCassandraNodes,
  TEST_HOSTS,
} from '../../support/cassandra-nodes.ts'
import { runNodetool } from '../../support/nodetool.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import { batch, stream } from '../../support/samples.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { clusterSkip } from '../../support/test-cluster.ts'
import {
  alterTables,
  dropSampleTables,
  keyspaceOfTests,
  makeSampleTables,
  OwnStreams,
  openProcess,
  reportEnds,
} from './samples/home.ts'
import { traced } from './samples/traced.ts'

const CYCLES = roundsBy({ everyRun: 0, nightly: 40 })
const skip = clusterSkip() || (CYCLES === 0 && 'it takes minutes: npm run test:nightly')
const PROCESSES = 3
const STREAMS = 30
/** Of these, the streams that keep their latest sample only. */
const POINTS = 10
const CALLS = 40
const SAMPLES_PER_CALL = 25
/** All samples of a stream lie within this time, however long the test takes. */
const WINDOW = 1_000
const [MINUTE, DAY] = [60_000, 86_400_000]
/** Cycles between two measurements. */
const MEASURED_EVERY = 5
/** A read of a process that has just started. Cassandra refuses reads of 100,000, and warns of 1,000. */
const TOMBSTONES_MAX = 100
const GRACE_SECONDS = 1
const TABLES = ['sample', 'sample_chunk', 'sample_dirty', 'sample_intent']
/** Files that Cassandra has merged, beside those of the first cycle. */
const GROWTH_MAX = 2

let nodes: CassandraNodes
let folder: string
let jmxPort: number

/** Puts to all streams, as many calls as make them due several times. */
async function write(
  stores: readonly ClusterSamples[],
  handles: readonly number[],
  random: Random,
) {
  for (let call = 0; call < CALLS; call += 1) {
    const rows = handles.flatMap((handle, at) => {
      if (at < POINTS) return [[handle, call, random.next()] as const]
      const from = random.integer(0, WINDOW)
      return Array.from(
        { length: SAMPLES_PER_CALL },
        (_, sample) => [handle, (from + sample) % WINDOW, random.next()] as const,
      )
    })
    const cleared = handles
      .slice(0, POINTS)
      .map((handle) => [handle, EARLIEST_TIME, TIME_END] as const)
    const from = random.integer(0, WINDOW)
    const removed = [random.pick(handles.slice(POINTS)), from, from + 100] as const
    await stores[call % stores.length].append(batch(rows, [...cleared, removed]))
  }
}

async function nodetool(...words: string[]): Promise<string> {
  return await runNodetool(jmxPort, folder, words)
}

/** The bytes on the disk of one node once it has merged its files. */
async function settledBytes(keyspace: string): Promise<number> {
  const withGrace = (seconds: number) =>
    TABLES.map((table) => `ALTER TABLE ${table} WITH gc_grace_seconds = ${seconds}`)
  await alterTables(...withGrace(GRACE_SECONDS))
  await pause(2_000 * GRACE_SECONDS)
  await nodetool('flush', keyspace)
  await nodetool('compact', keyspace)
  const stats = await nodetool('tablestats', keyspace)
  await alterTables(...withGrace(3_600))
  const found = [...stats.matchAll(/Space used \(live\): (\d+)/g)]
  return found.reduce((sum, [, bytes]) => sum + Number(bytes), 0)
}

/** What a process that has just started reads, of streams of both kinds and of the lists of all streams. */
async function measure(streams: OwnStreams, handles: readonly number[]) {
  const store = await openProcess(streams.clock)
  const all = { from: epochMs(0), until: epochMs(WINDOW), limit: WINDOW }
  const works = {
    latest: () => store.latest([handles[0], handles[POINTS]].map(stream)),
    range: () => store.range(stream(handles[POINTS]), { ...all, order: 'oldest_first' }),
    fold: () => store.fold(stream(handles[POINTS]), Float64Array.of(0, WINDOW)),
    adopt: () => store.load(),
    follow: () => store.touchedSince(0, 1),
    sweep: () => store.compaction.sweep(),
  }
  const tombstones: Record<string, number> = {}
  for (const [name, work] of Object.entries(works))
    tombstones[name] = (await traced(work)).tombstones
  await store.close()
  return tombstones
}

if (skip !== false) test('a soak of the sample tables', { skip }, () => {})
else {
  before(async () => {
    folder = temporaryFolder()
    jmxPort = await freeClusterPort()
    nodes = await startCassandraNodes(folder, { count: TEST_HOSTS.length, jmxPorts: [jmxPort] })
    process.env.WEIR_TEST_CASSANDRA = `127.0.0.1:${nodes.port}`
    await makeSampleTables()
  })
  after(async () => {
    await dropSampleTables()
    await nodes?.stop()
  })

  const [seed] = testSeeds(1)
  test(`reads meet few tombstones however long streams are overwritten (WEIR_TEST_SEED=${seed})`, async (t) => {
    const random = new Random(seed)
    const streams = new OwnStreams()
    const handles = Array.from({ length: STREAMS }, (_, at) => streams.handleOf(at))
    const stores = await Promise.all(
      Array.from({ length: PROCESSES }, () => openProcess(streams.clock)),
    )
    await stores[0].watch(handles.map(stream))
    let first = 0
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      await write(stores, handles, random)
      streams.clock.advance(cycle % MEASURED_EVERY === 0 ? 3 * DAY : 2 * MINUTE)
      await reportEnds()
      for (const [at, handle] of handles.entries())
        await stores[(cycle + at) % PROCESSES].compaction.compact(handle)
      await stores[cycle % PROCESSES].load()
      if (cycle % MEASURED_EVERY !== 0) continue
      await nodetool('flush', keyspaceOfTests())
      const found = await measure(streams, handles)
      t.diagnostic(`cycle ${cycle}: ${JSON.stringify(found)} tombstones`)
      for (const [name, count] of Object.entries(found))
        assert.ok(count <= TOMBSTONES_MAX, `${name} met ${count} tombstones in cycle ${cycle}`)
      if (cycle === MEASURED_EVERY) first = await settledBytes(keyspaceOfTests())
    }
    const last = await settledBytes(keyspaceOfTests())
    t.diagnostic(`${first} bytes after ${MEASURED_EVERY} cycles, ${last} after ${CYCLES}`)
    assert.ok(last <= GROWTH_MAX * first, `${first} bytes became ${last}`)
    for (const store of stores) await store.close()
  })
}
