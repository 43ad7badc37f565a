/**
 * The process that keeps the one cluster of all tests of a user on a machine: it starts the nodes, says where
 * they are, and ends when no test needs them any more. Started by ./cassandra.ts.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { reach, startCassandraNodes, TEST_HOSTS } from './cassandra-nodes.ts'
import { hasUsers } from './cassandra-users.ts'

const LOOK_MS = 1_000
/** Looks without anybody after which the cluster ends: the next test file may be about to start. */
const IDLE_LOOKS_MAX = 10

/** A cluster that serves, started by this keeper or by one that was killed. */
interface KeptNodes {
  readonly port: number
  readonly pids: readonly number[]
  /** The folder of its data, inside the keeper's. */
  readonly run: string
}

const folder = process.argv[2]
const path = (name: string) => join(folder, name)
mkdirSync(path('users'), { recursive: true })
// Held by name to the end: a database that nobody refers to is collected, and its lock with it.
const lock = new DatabaseSync(path('lock.db'))
let isTold = false
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    isTold = true
  })
}

/** Holds until this process ends, however it does; false when another keeper has it. */
function takesLock(): boolean {
  try {
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
    return true
  } catch {
    return false
  }
}

function isNode(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path('run-'))
  } catch {
    return false
  }
}

/** The nodes of a keeper that was killed, also amid their start. */
function endLeftOvers(): void {
  const pids = existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Number.isInteger) : []
  for (const pid of pids) {
    if (pid === process.pid || !isNode(pid)) continue
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It is gone.
    }
  }
}

/** The nodes of a keeper that was killed when all of them serve: tests may be using them. */
async function adopt(): Promise<KeptNodes | undefined> {
  try {
    const nodes: KeptNodes = JSON.parse(readFileSync(path('nodes.json'), 'utf8'))
    if (!nodes.pids.every(isNode)) return undefined
    await Promise.all(TEST_HOSTS.map((host) => reach(host, nodes.port)))
    return nodes
  } catch {
    return undefined
  }
}

async function start(): Promise<KeptNodes> {
  endLeftOvers()
  for (const name of ['ready.json', 'failed.txt', 'nodes.json']) rmSync(path(name), { force: true })
  for (const name of readdirSync(folder)) if (name.startsWith('run-')) remove(name)
  // A folder of its own: nodes that a killed keeper left behind may still write for a moment.
  const run = `run-${process.pid}`
  mkdirSync(path(run))
  const { port, pids } = await startCassandraNodes(path(run), {
    keepsSchema: false,
    count: TEST_HOSTS.length,
  })
  writeFileSync(path('nodes.json'), JSON.stringify({ port, pids, run }))
  return { port, pids, run }
}

function remove(name: string): void {
  try {
    rmSync(path(name), { recursive: true, force: true, maxRetries: 5 })
  } catch {
    // Somebody still writes in it; the next keeper removes it.
  }
}

function announce({ port }: KeptNodes): void {
  writeFileSync(path('ready.tmp'), JSON.stringify({ port, keeper: process.pid }))
  renameSync(path('ready.tmp'), path('ready.json'))
}

async function keep(nodes: KeptNodes): Promise<void> {
  for (;;) {
    announce(nodes)
    for (let idle = 0; idle < IDLE_LOOKS_MAX; idle = hasUsers(folder) ? 0 : idle + 1) {
      await pause(LOOK_MS)
      // The next process starts all of them again.
      if (isTold || !nodes.pids.every(isNode)) return
    }
    // A client that came before this is seen now; a later one finds no cluster and starts one.
    rmSync(path('ready.json'), { force: true })
    if (!hasUsers(folder)) return
  }
}

if (takesLock()) {
  try {
    const nodes = (await adopt()) ?? (await start())
    await keep(nodes)
    for (const name of ['ready.json', 'nodes.json']) rmSync(path(name), { force: true })
    endLeftOvers()
    remove(nodes.run)
  } catch (error) {
    endLeftOvers()
    writeFileSync(path('failed.txt'), String(error))
  }
}
lock.close()
process.exit(0)
