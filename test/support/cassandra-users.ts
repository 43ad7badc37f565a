/** Who needs the cluster of the tests: a file for each process, which counts while the process lives. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { TEST_HOSTS } from './cassandra-nodes.ts'

/** The folder of the keeper of this user's cluster. The name contains the number of nodes. */
export function clusterFolder(): string {
  return join(tmpdir(), `weir-cassandra-${userInfo().uid}-${TEST_HOSTS.length}`)
}

/** Reports that this process needs the cluster, until it ends. */
export function needCluster(folder: string): void {
  const users = join(folder, 'users')
  mkdirSync(users, { recursive: true })
  const ticket = join(users, String(process.pid))
  writeFileSync(ticket, JSON.stringify({ began: beginOf(process.pid) }))
  process.once('exit', () => rmSync(ticket, { force: true }))
}

/** Whether anybody needs it; forgets those who are gone. */
export function hasUsers(folder: string): boolean {
  const users = join(folder, 'users')
  // All are looked at, so that none of those who are gone stays.
  return (
    readdirSync(users).filter((name) => {
      if (isUsing(join(users, name), Number(name))) return true
      rmSync(join(users, name), { force: true })
      return false
    }).length > 0
  )
}

function isUsing(ticket: string, pid: number): boolean {
  try {
    process.kill(pid, 0)
    return JSON.parse(readFileSync(ticket, 'utf8')).began === beginOf(pid)
  } catch (error) {
    // Half of a file that is being written.
    return error instanceof SyntaxError
  }
}

/** When a process began, where the system has it: another may have its number later. */
function beginOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Behind the name, which may hold anything, the twentieth.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return ''
  }
}
