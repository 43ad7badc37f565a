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
import { CASSANDRA_HOSTS, type CassandraNodes } from '../../support/cassandra-nodes.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import { eventually } from '../../support/settle.ts'
import { clusterSkip } from '../../support/test-cluster.ts'
import { FaultWorkload, type LoadCounts, type LoadTarget } from './fault-load.ts'
import { clockLack, FaultWorld, firewallLack, startGuardedNodes } from './fault-world.ts'

const ROUNDS = roundsBy({ everyRun: 0, nightly: 10 })
const skip = clusterSkip() || (ROUNDS === 0 && 'a round takes minutes: npm run test:nightly')
const HALTED_MS = 20_000
const PARTED_MS = 10_000
/** Acknowledged calls per workload between two faults. */
const CALLS = 25
const WORKLOADS = 6

/** What a fault is made with. */
interface Round {
  readonly world: FaultWorld
  readonly random: Random
  readonly workloads: readonly FaultWorkload[]
  /** Waits until each workload has had CALLS more calls acknowledged. */
  goOn(): Promise<void>
}

interface Fault {
  readonly name: string
  /** Why it cannot be made here. */
  readonly lack?: string
  make(round: Round): Promise<void>
}

/** Waits until the callers of all workloads were asked to retry. */
async function areRefused(workloads: readonly FaultWorkload[]): Promise<void> {
  const before = workloads.map(({ counts }) => counts.refused)
  await eventually(() =>
    assert.ok(
      workloads.every(({ counts }, at) => counts.refused > before[at]),
      reportedOf(workloads),
    ),
  )
}

const faults: readonly Fault[] = [
  {
    name: 'kill of a node',
    make: async ({ world: { nodes }, random, goOn }) => {
      const node = random.integer(0, CASSANDRA_HOSTS.length)
      await nodes.kill(node)
      await goOn()
      await nodes.restart(node)
    },
  },
  {
    name: 'kill of two nodes',
    make: async ({ world: { nodes }, random, workloads }) => {
      const left = random.integer(0, CASSANDRA_HOSTS.length)
      const killed = CASSANDRA_HOSTS.map((_, node) => node).filter((node) => node !== left)
      await Promise.all(killed.map((node) => nodes.kill(node)))
      await areRefused(workloads)
      await Promise.all(killed.map((node) => nodes.restart(node)))
    },
  },
  {
    name: 'kill of each process in turn',
    make: async ({ world, goOn }) => {
      for (const at of world.processes) {
        await world.kill(at)
        await goOn()
        await world.start(at)
      }
    },
  },
  {
    name: 'a node that hangs',
    make: async ({ world: { nodes }, random }) => {
      const node = random.integer(0, CASSANDRA_HOSTS.length)
      nodes.signal(node, 'SIGSTOP')
      await pause(HALTED_MS)
      nodes.signal(node, 'SIGCONT')
    },
  },
  {
    name: 'a process that hangs',
    make: async ({ world, random }) => {
      const at = random.pick(world.processes)
      world.signal(at, 'SIGSTOP')
      await pause(HALTED_MS)
      world.signal(at, 'SIGCONT')
    },
  },
  {
    name: 'promotion of the standby of PostgreSQL',
    make: ({ world }) => world.promote(),
  },
  {
    name: 'a node that the others cannot reach',
    lack: firewallLack(),
    make: async ({ world, random, goOn }) => {
      const host = random.pick(CASSANDRA_HOSTS)
      const port = world.nodes.storagePort
      world.part({ host, port })
      world.part({ from: host, port })
      await pause(PARTED_MS)
      await goOn()
      world.rejoin()
    },
  },
  {
    name: 'a majority that cannot be reached',
    lack: firewallLack(),
    make: async ({ world, random, workloads }) => {
      const left = random.pick(CASSANDRA_HOSTS)
      for (const host of CASSANDRA_HOSTS)
        if (host !== left) world.part({ host, port: world.nodes.port })
      for (const host of CASSANDRA_HOSTS) world.part({ host, port: world.nodes.storagePort })
      await areRefused(workloads)
      world.rejoin()
    },
  },
  {
    name: 'PostgreSQL that cannot be reached',
    lack: firewallLack(),
    make: async ({ world, workloads }) => {
      world.part({ port: world.postgresPort })
      await areRefused(workloads)
      world.rejoin()
    },
  },
  {
    name: 'clocks that jump and drift',
    lack: clockLack(),
    make: async ({ world, random, goOn }) => {
      for (let step = 0; step < 4; step += 1) {
        for (const at of world.processes) world.setClock(at, random.pick(CLOCKS))
        await goOn()
      }
      for (const at of world.processes) world.setClock(at, '+0')
    },
  },
  {
    name: 'a rolling restart of everything',
    make: async ({ world, goOn }) => {
      for (const at of world.processes) {
        await world.stop(at)
        await world.start(at)
        await goOn()
      }
      for (const node of CASSANDRA_HOSTS.keys()) {
        await world.nodes.kill(node)
        await world.nodes.restart(node)
        await goOn()
      }
    },
  },
]

const CLOCKS = ['+55', '-55', '+3600', '-3600', '+0 x1.5', '+0 x0.5', '+0'] as const

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

function reportedOf(workloads: readonly FaultWorkload[]): string {
  const sums: Partial<Record<keyof LoadCounts, number>> = {}
  for (const { counts } of workloads) {
    for (const [name, count] of Object.entries(counts) as [keyof LoadCounts, number][]) {
      sums[name] = (sums[name] ?? 0) + count
    }
  }
  return JSON.stringify(sums)
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

function roundCases(seed: number, openWorld: () => Promise<FaultWorld>): void {
  const random = new Random(seed)
  let opened: Opened
  before(async () => {
    const world = await openWorld()
    const workloads = Array.from({ length: WORKLOADS }, (_, at) => {
      return new FaultWorkload(`r${at}`, world.targets, new Random(seed + at + 1))
    })
    opened = { world, workloads }
  })
  after(() => opened?.world.close())

  for (const fault of shuffled(faults, random)) {
    test(`${fault.name} loses and invents nothing`, { skip: fault.lack }, async (t) => {
      await makeFault(opened, fault, random)
      t.diagnostic(reportedOf(opened.workloads))
    })
  }

  test('all is there through every process, and after all were killed', async () => {
    const { world, workloads } = opened
    await checkAll(workloads, world.targets)
    await Promise.all(world.processes.map((at) => world.kill(at)))
    await world.startAll()
    await checkAll(workloads, world.targets)
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
      roundCases(seed, async () => {
        const folder = join(home, `round${round}`)
        mkdirSync(folder)
        return await FaultWorld.open(nodes, folder, `round${round}`)
      }))
  }
}

if (skip === false) cases()
else test('faults of everything', { skip }, () => assert.fail())
