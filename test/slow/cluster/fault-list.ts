/** The faults of a nightly round, each made under load. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { CASSANDRA_HOSTS } from '../../support/cassandra-nodes.ts'
import { ImportHome } from '../../support/import-home.ts'
import type { Random } from '../../support/random.ts'
import { eventually } from '../../support/settle.ts'
import { type FaultWorkload, LOAD_MS_MAX, type LoadCounts } from './fault-load.ts'
import { ACCOUNT, clockLack, type FaultWorld, firewallLack } from './fault-world.ts'
import { derivedBy, TAKEN_OVER_MS_MAX } from './takeover-workloads.ts'

const HALTED_MS = 20_000
const PARTED_MS = 10_000
const LOOK_MS = 20
/** Streams of the call that one slow node must not fail. */
const WIDE = 1_000
const ROWS = 60_000
const DEVICES = 5
/** A kill comes at most this long after the work has begun. */
const KILL_MS_MAX = 1_500

/** What a fault is made with. */
export interface Round {
  readonly world: FaultWorld
  readonly random: Random
  readonly workloads: readonly FaultWorkload[]
  /** Waits until each workload has had some more calls acknowledged. */
  goOn(): Promise<void>
}

/** A fault, and how the site recovers from it. */
export interface Fault {
  readonly name: string
  /** Why it cannot be made here. */
  readonly lack?: string
  make(round: Round): Promise<void>
}

/** The sums of what the workloads have counted. */
export function reportedOf(workloads: readonly FaultWorkload[]): string {
  const sums: Partial<Record<keyof LoadCounts, number>> = {}
  for (const { counts } of workloads) {
    for (const [name, count] of Object.entries(counts) as [keyof LoadCounts, number][]) {
      sums[name] = (sums[name] ?? 0) + count
    }
  }
  return JSON.stringify(sums)
}

/** Waits until the callers of all workloads were asked to retry. */
async function areRefused(workloads: readonly FaultWorkload[]): Promise<void> {
  const before = workloads.map(({ counts }) => counts.refused)
  await eventually(
    () =>
      assert.ok(
        workloads.every(({ counts }, at) => counts.refused > before[at]),
        reportedOf(workloads),
      ),
    LOAD_MS_MAX,
  )
}

/** Puts a sample to each of many streams in one call. */
async function putWide({ world, random }: Round, data: number): Promise<void> {
  const { url, cookie } = random.pick(world.targets)
  const time = Date.UTC(2026, 0, 1) + data
  const samples = Array.from({ length: WIDE }, (_, at) => {
    return { compId: 'wide', streamId: `s${at}`, time, data }
  })
  const headers = { Cookie: cookie, 'Content-Type': 'application/json' }
  const body = JSON.stringify(samples)
  const answer = await fetch(`${url}/api/feed`, { method: 'PUT', headers, body })
  assert.equal(answer.status, 200, await answer.text())
}

let imports = 0

/** Begins an import by its schedule, and kills the process that runs it. */
async function killAmidImport({ world, random, goOn }: Round): Promise<void> {
  imports += 1
  const id = `import${imports}`
  await world.source.ask(`CREATE TABLE ${id} AS SELECT '${id}-' || (n % ${DEVICES}) AS device, n
    FROM generate_series(1, ${ROWS}) AS n`)
  let asked = 0
  const service = {
    get url() {
      return world.targets[asked].url
    },
  }
  const home = await ImportHome.open(service, ACCOUNT, 'POSTGRESQL', world.source)
  const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
    SELECT device, 'n', n, n FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 n LONG);`
  const uid = await home.insert({
    id,
    schedule: { cron: nextMinute(), timeZoneId: 'UTC' },
    externalSql: `SELECT * FROM ${id}`,
    procs: [{ timeZoneId: 'UTC', sql }],
  })
  const killed = await importingProcess(world, home, uid)
  await pause(random.integer(0, KILL_MS_MAX))
  asked = killed
  const [begun] = await home.runsOf(uid)
  await world.kill(killed)
  asked = world.processes.find((at) => at !== killed) ?? 0
  // Rows are read again until the result is shared. Once some of it is stored, nothing is read again.
  if (begun.samples > 0) await world.source.ask(`DROP TABLE ${id}`)
  await goOn()
  const runs = await eventually(async () => {
    const found = await home.runsOf(uid)
    assert.ok(found.every(({ status }) => status !== 'RUNNING'))
    return found
  }, TAKEN_OVER_MS_MAX)
  const ends = runs.map(({ status, samples, message }) => [status, samples, message])
  assert.deepEqual(ends, [['DONE', ROWS, '']])
  // One device at a time: with a pattern, a query reads the thousands of streams of the workloads, too.
  let [count, sum] = [0, 0]
  for (let device = 0; device < DEVICES; device += 1) {
    const text = `SELECT count(sample), sum(sample) FROM SAMPLE WHERE CID = '${id}-${device}'`
    const { body } = await home.owner('GET', `/api/gql?s=${encodeURIComponent(text)}`)
    const [own] = body.rows as [number, number][]
    count += own[0]
    sum += own[1]
  }
  assert.deepEqual([count, sum], [ROWS, (ROWS * (ROWS + 1)) / 2])
  await world.start(killed)
}

/** The minute that begins next, and not at once. */
function nextMinute(): string {
  const at = new Date(Date.now() + 65_000)
  return `${at.getUTCMinutes()} ${at.getUTCHours()} * * *`
}

/** Waits for the process that runs an import, or for its end on a machine that let the test wait. */
async function importingProcess(world: FaultWorld, home: ImportHome, uid: string): Promise<number> {
  const deadline = performance.now() + TAKEN_OVER_MS_MAX
  for (;;) {
    const found = world.importingProcess()
    if (found !== undefined) return found
    const runs = await home.runsOf(uid)
    if (runs.some(({ status }) => status !== 'RUNNING')) return 1
    assert.ok(performance.now() < deadline, 'the import is not begun')
    await pause(LOOK_MS)
  }
}

/** Kills the process that derives most, amid its work. */
async function killAmidDerivation({ world, random, workloads, goOn }: Round): Promise<void> {
  const before = await Promise.all(world.targets.map(derivedBy))
  const killed = await eventually(async () => {
    await goOn()
    const counts = await Promise.all(world.targets.map(derivedBy))
    const more = counts.map((count, at) => count - before[at])
    assert.ok(Math.max(...more) > 0, 'no process derives')
    return more.indexOf(Math.max(...more))
  }, TAKEN_OVER_MS_MAX)
  await pause(random.integer(0, KILL_MS_MAX))
  await world.kill(killed)
  await goOn()
  await world.start(killed)
  await goOn()
  await Promise.all(workloads.map((workload) => workload.stop()))
  const target = random.pick(world.targets)
  await Promise.all(workloads.map((workload) => workload.checkDerived(target)))
  for (const workload of workloads) workload.start()
}

/** Seconds that a clock is set off. */
const JUMPS = [55, -55, 3_600, -3_600, 0] as const

/** All faults but the drift of clocks, which lasts for a whole round, and moves, which end it. */
export const faults: readonly Fault[] = [
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
    name: 'kill of the process that runs a scheduled import',
    make: killAmidImport,
  },
  {
    name: 'kill of the process that derives',
    make: killAmidDerivation,
  },
  {
    name: 'a node that hangs',
    make: async (round) => {
      const { nodes } = round.world
      const node = round.random.integer(0, CASSANDRA_HOSTS.length)
      await eventually(() => putWide(round, 1))
      nodes.signal(node, 'SIGSTOP')
      try {
        await Promise.all([putWide(round, 2), pause(HALTED_MS)])
      } finally {
        nodes.signal(node, 'SIGCONT')
      }
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
      // Nodes answer over connections of their own, so a node that is not reached hears of nothing. All of their
      // connections on this machine come from 127.0.0.1: they cannot be cut by where they come from.
      world.part({ host, port })
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
    name: 'clocks that jump',
    lack: clockLack(),
    make: async ({ world, random, goOn }) => {
      const before = world.clocks
      for (let step = 0; step < 4; step += 1) {
        for (const at of world.processes) world.setClock(at, random.pick(JUMPS))
        await goOn()
      }
      world.clocks = before
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
