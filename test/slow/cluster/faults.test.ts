/**
 * Faults under load, with two processes of the service. Exactly the acknowledged writes are stored, and statistics match
 * the stored samples. In a run of all tests a proxy cuts and halts the connection to the one node. In
 * `npm run test:nightly` the test has three nodes of its own, which it kills and suspends.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { signIn } from '../../support/caller.ts'
import { TEST_HOSTS } from '../../support/cassandra-nodes.ts'
import { type ChildService, startChildService } from '../../support/child-service.ts'
import { makePostgresHome } from '../../support/postgres-home.ts'
import { Random, roundsBy, testSeeds } from '../../support/random.ts'
import { eventually } from '../../support/settle.ts'
import { clusterServiceSettings, clusterSkip } from '../../support/test-cluster.ts'
import { FaultWorkload, LOAD_MS_MAX, type LoadTarget } from './fault-load.ts'
import { type FaultyNodes, openCutNodes, openDyingNodes } from './fault-nodes.ts'

const skip = clusterSkip()
const ROUNDS = roundsBy({ everyRun: 0, nightly: 3 })
const PAUSE_MS = 20_000
/** Acknowledged calls per workload between two faults. */
const CALLS = ROUNDS > 0 ? 40 : 8
const WORKLOADS = 4
const PASSWORD = 'correct horse battery'

let home: string
let nodes: FaultyNodes
let postgresUrl: string
let services: ChildService[] = []
const targets: LoadTarget[] = ['', ''].map((url) => ({ url, cookie: '' }))

async function startService(at: number): Promise<void> {
  services[at] = await startChildService(join(home, `weir${at}`), {
    ...clusterServiceSettings({ cassandra: nodes.settings, postgresUrl }),
    WEIR_OWNER_PASSWORD: PASSWORD,
    WEIR_RATE_LIMITS: 'off',
  })
  targets[at].url = services[at].url
}

async function startBoth(): Promise<void> {
  services = []
  await Promise.all([startService(0), startService(1)])
}

async function goOn(workloads: readonly FaultWorkload[], calls = CALLS): Promise<void> {
  await Promise.all(workloads.map((workload) => workload.goesOn(calls)))
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

/** Halts a node without which there is no quorum. */
async function loseQuorum(workloads: readonly FaultWorkload[], node: number): Promise<void> {
  nodes.halt(node)
  await areRefused(workloads)
  nodes.goOn(node)
  await goOn(workloads)
}

/** A node is lost, one hangs, and a process of the service dies; the load goes on as far as there is a quorum. */
async function runFaults(workloads: readonly FaultWorkload[], random: Random): Promise<void> {
  const { length } = TEST_HOSTS
  const dying = random.integer(0, length)
  const hanging = (dying + random.integer(1, 3)) % length
  await goOn(workloads)
  await nodes.lose(dying)
  await (length > 1 ? goOn(workloads) : areRefused(workloads))
  if (length > 1) await loseQuorum(workloads, hanging)
  const back = nodes.regain(dying)
  const killed = random.integer(0, 2)
  await services[killed].kill()
  await goOn(workloads)
  await startService(killed)
  await back
  await goOn(workloads)
  if (length === 1) return await loseQuorum(workloads, hanging)
  nodes.halt(hanging)
  await pause(PAUSE_MS)
  nodes.goOn(hanging)
  await goOn(workloads)
}

async function checkAll(workloads: readonly FaultWorkload[]): Promise<void> {
  for (const target of targets)
    await Promise.all(workloads.map((workload) => workload.check(target)))
}

async function restartAll(): Promise<void> {
  await Promise.all(services.map((service) => service.kill()))
  await nodes.restartAll()
  await startBoth()
}

function reportedOf(workloads: readonly FaultWorkload[]): string {
  const sums: Record<string, number> = {}
  for (const { counts } of workloads) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
  }
  return JSON.stringify(sums)
}

function faultCases(): void {
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'weir-faults-'))
    // One key for both, as an operator gives it to them.
    for (const name of ['weir0', 'weir1']) {
      mkdirSync(join(home, name), { mode: 0o700 })
      writeFileSync(join(home, name, 'secret.key'), 'ab'.repeat(32), { mode: 0o600 })
    }
    postgresUrl = (await makePostgresHome()).url
    nodes = await (ROUNDS > 0 ? openDyingNodes(home) : openCutNodes())
    await startBoth()
    const cookie = await signIn(services[0], 'owner@localhost', PASSWORD)
    for (const target of targets) target.cookie = cookie
  })
  after(async () => {
    await Promise.all(services.map((service) => service.kill()))
    await nodes?.stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  })

  for (const seed of testSeeds(Math.max(1, ROUNDS))) {
    test(`faults of nodes and processes lose and invent nothing, seed ${seed}`, async (t) => {
      const random = new Random(seed)
      const workloads = Array.from(
        { length: WORKLOADS },
        (_, at) =>
          new FaultWorkload(`s${seed}_${at}`, targets, new Random(random.integer(0, 2 ** 31))),
      )
      for (const workload of workloads) workload.start()
      try {
        await runFaults(workloads, random)
      } finally {
        await Promise.all(workloads.map((workload) => workload.stop()))
      }
      t.diagnostic(reportedOf(workloads))
      await checkAll(workloads)
      await restartAll()
      await eventually(() => checkAll(workloads))
    })
  }
}

if (skip === false) faultCases()
else test('faults of a cluster', { skip }, () => assert.fail())
