/** The processes of the machine, read from /proc. Systems without /proc have none. */
import { readdirSync, readFileSync } from 'node:fs'

interface ProcessEntry {
  readonly parent: number
  readonly session: number
  /** CPU time, also of children that have ended. */
  readonly ticks: number
}

/** All processes by number. */
export type ProcessTree = ReadonlyMap<number, ProcessEntry>

/** Reads the processes that run now. */
export function readProcessTree(): ProcessTree {
  const tree = new Map<number, ProcessEntry>()
  for (const name of processNames()) {
    const entry = readEntry(Number(name))
    if (entry !== undefined) tree.set(Number(name), entry)
  }
  return tree
}

/** Whether a process is another, or was started by it, directly or through others. */
export function descends(pid: number, root: number, tree: ProcessTree): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = tree.get(at)?.parent)
    if (at === root) return true
  return root === 1
}

/**
 * The processes that this one has started and that still run. Those with a session of their own are left out, such as
 * the keeper of a cluster: they outlive this process on purpose.
 */
export function startedProcesses(): number[] {
  const tree = readProcessTree()
  const session = tree.get(process.pid)?.session
  return [...tree.keys()].filter(
    (pid) =>
      pid !== process.pid && tree.get(pid)?.session === session && descends(pid, process.pid, tree),
  )
}

/** Kills the processes that this one has started: without it they would run on, and keep its output open. */
export function killStartedProcesses(): void {
  for (const pid of startedProcesses()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

function processNames(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function readEntry(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program stands in parentheses and may hold anything; the fields behind it are numbers.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { parent: Number(fields[1]), session: Number(fields[3]), ticks }
  } catch {
    // It has ended since.
    return undefined
  }
}
