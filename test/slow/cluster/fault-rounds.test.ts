/**
 * Three processes of the service on three nodes and a pair of PostgreSQL servers, under every fault that a site meets, in
 * random order. Exactly the acknowledged writes are stored, and statistics match the stored samples. Each refusal is a
 * 503 with Retry-After. Only in `npm run test:nightly`: a round takes minutes.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { caller } from '../../support/caller.ts'
import type { CassandraNodes } from '../../support/cassandra-nodes.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import { clusterSkip } from '../../support/test-cluster.ts'
import { type Fault, faults, reportedOf } from './fault-list.ts'
import { FaultWorkload, type LoadTarget } from './fault-load.ts'
import { moveOverKills } from './fault-move.ts'
import { clockLack, FaultWorld, startGuardedNodes } from './fault-world.ts'

const ROUNDS = roundsBy({ everyRun: 0, nightly: 10 })
const skip = clusterSkip() || (ROUNDS === 0 && 'a round takes minutes: npm run test:nightly')
/** Acknowledged calls per workload between two faults. */
const CALLS = 25
/** Clocks drift for at least this time, in both directions. */
const DRIFT_MS = 600_000
/** Seconds in each second: 150 s after ten minutes. */
const DRIFTS = [0.25, -0.25, 0] as const
const WORKLOADS = 6
/** Workloads from whose streams others are derived. */
const DERIVED = 2

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

/** What a round is made with, once its servers run. */
interface Opened {
  readonly world: FaultWorld
  readonly workloads: readonly FaultWorkload[]
}

/** Makes a fault under load, and holds what one process answers against what was acknowledged. */
async function makeFault(
  { world, workloads }: Opened,
  fault: Fault,
  random: Random,
): Promise<void> {
  const goOn = async () => {
    await Promise.all(workloads.map((workload) => workload.goesOn(CALLS)))
  }
  for (const workload of workloads) workload.start()
  try {
    await goOn()
    await fault.make({ world, random, workloads, goOn })
    await goOn()
  } finally {
    // A fault that fails must not last into the next one.
    world.rejoin()
    await Promise.all(workloads.map((workload) => workload.stop()))
  }
  await checkAll(workloads, [random.pick(world.targets)])
}

async function checkAll(
  workloads: readonly FaultWorkload[],
  targets: readonly LoadTarget[],
): Promise<void> {
  for (const target of targets)
    await Promise.all(workloads.map((workload) => workload.check(target)))
}

function roundCases(
  seed: number,
  folderOf: () => string,
  openWorld: (folder: string) => Promise<FaultWorld>,
): void {
  const random = new Random(seed)
  const drifts = shuffled(DRIFTS, random)
  let opened: Opened
  let begunMs: number
  before(async () => {
    mkdirSync(folderOf())
    const world = await openWorld(folderOf())
    const workloads = Array.from({ length: WORKLOADS }, (_, at) => {
      return new FaultWorkload(`r${at}`, world.targets, new Random(seed + at + 1))
    })
    opened = { world, workloads }
    const owner = caller(world.targets[0], world.targets[0].cookie)
    for (const workload of workloads.slice(0, DERIVED)) await workload.derive(owner)
    begunMs = performance.now()
    for (const [at, rate] of drifts.entries()) world.setClock(at, 0, rate)
  })
  after(() => opened?.world.close())

  for (const fault of shuffled(faults, random)) {
    test(`${fault.name} loses and invents nothing`, { skip: fault.lack }, async (t) => {
      await makeFault(opened, fault, random)
      t.diagnostic(reportedOf(opened.workloads))
    })
  }

  test('clocks that drift both ways for ten minutes lose and invent nothing', {
    skip: clockLack(),
  }, async (t) => {
    const make = () => pause(Math.max(0, begunMs + DRIFT_MS - performance.now()))
    await makeFault(opened, { name: 'drift', make }, random)
    t.diagnostic(reportedOf(opened.workloads))
  })

  test('all is there through every process, and after all were killed', async () => {
    const { world, workloads } = opened
    await checkAll(workloads, world.targets)
    for (const target of world.targets)
      await Promise.all(workloads.map((workload) => workload.checkDerived(target)))
    await Promise.all(world.processes.map((at) => world.kill(at)))
    await world.startAll()
    await checkAll(workloads, world.targets)
  })

  test('moves that are killed on the way bring all of it to a folder, and to another cluster', async () => {
    const { world, workloads } = opened
    await Promise.all(world.processes.map((at) => world.stop(at)))
    await moveOverKills(world, { random, folder: join(folderOf(), 'moved') }, async (target) => {
      await checkAll(workloads, [target])
      await Promise.all(workloads.map((workload) => workload.checkDerived(target)))
    })
  })
}

function cases(): void {
  let home: string
  let nodes: CassandraNodes
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'weir-rounds-'))
    nodes = await startGuardedNodes(home)
  })
  after(async () => {
    await nodes?.stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })

  for (const [round, seed] of testSeeds(ROUNDS).entries()) {
    describe(`faults of everything (WEIR_TEST_SEED=${seed})`, () =>
      roundCases(
        seed,
        () => join(home, `round${round}`),
        (folder) => FaultWorld.open(nodes, folder, `round${round}`),
      ))
  }
}

if (skip === false) cases()
else test('faults of everything', { skip }, () => assert.fail())
