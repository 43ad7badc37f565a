/**
 * The process that keeps the one cluster of all tests of a user on a machine: it starts the nodes, tells where
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
import { type CassandraNodes, startCassandraNodes } from './cassandra-nodes.ts'

const LOOK_MS = 1_000
/** Looks without anybody after which the cluster ends: the next test file may be about to start. */
const IDLE_LOOKS_MAX = 10

const folder = process.argv[2]
const path = (name: string) => join(folder, name)
mkdirSync(path('users'), { recursive: true })
// Held by name to the end: a database that nobody refers to is collected, and its lock with it.
const lock = new DatabaseSync(path('lock.db'))

/** Holds until this process ends, however it does; false when another keeper has it. */
function takesLock(): boolean {
  try {
    lock.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE')
    return true
  } catch {
    return false
  }
}

/** Ends nodes that a keeper has left behind that was killed. */
function endLeftOvers(): void {
  if (!existsSync(path('nodes.json'))) return
  for (const pid of JSON.parse(readFileSync(path('nodes.json'), 'utf8')) as number[]) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder))
        process.kill(pid, 'SIGKILL')
    } catch {
      // It is gone.
    }
  }
}

function remove(name: string): void {
  try {
    rmSync(path(name), { recursive: true, force: true, maxRetries: 5 })
  } catch {
    // Somebody still writes in it; the next keeper removes it.
  }
}

function hasUsers(): boolean {
  return readdirSync(path('users')).some((name) => {
    try {
      process.kill(Number(name), 0)
      return true
    } catch {
      rmSync(path(join('users', name)), { force: true })
      return false
    }
  })
}

function announce(nodes: CassandraNodes): void {
  writeFileSync(path('ready.tmp'), JSON.stringify({ port: nodes.port, keeper: process.pid }))
  renameSync(path('ready.tmp'), path('ready.json'))
}

async function keep(nodes: CassandraNodes): Promise<void> {
  for (;;) {
    announce(nodes)
    for (let idle = 0; idle < IDLE_LOOKS_MAX; idle = hasUsers() ? 0 : idle + 1) await pause(LOOK_MS)
    // Whoever came before this is seen now; who comes after finds no cluster and starts one.
    rmSync(path('ready.json'), { force: true })
    if (!hasUsers()) return
  }
}

if (takesLock()) {
  endLeftOvers()
  for (const name of ['ready.json', 'failed.txt']) rmSync(path(name), { force: true })
  for (const name of readdirSync(folder)) if (name.startsWith('run-')) remove(name)
  // A folder of its own: nodes that a killed keeper left behind may still write for a moment.
  const run = `run-${process.pid}`
  mkdirSync(path(run))
  try {
    const nodes = await startCassandraNodes(path(run))
    writeFileSync(path('nodes.json'), JSON.stringify(nodes.pids))
    await keep(nodes)
    await nodes.stop()
  } catch (error) {
    writeFileSync(path('failed.txt'), String(error))
  }
  remove(run)
}
lock.close()
process.exit(0)
