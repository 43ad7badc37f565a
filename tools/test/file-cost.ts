/** What each test file costs: the time it takes, and the CPU time of its process and of all that it started. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'

/** The variable that names the file to which every test process adds its lines. */
export const COSTS_VARIABLE = 'WEIR_TEST_COSTS'

/** What one test file took. */
export interface FileCost {
  readonly file: string
  readonly seconds: number
  readonly cpuSeconds: number
}

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100

interface ProcessTimes {
  readonly parent: number
  readonly ticks: number
}

/** CPU seconds of a process and of all processes that it started, ended ones included; its own alone without /proc. */
export function cpuSecondsOf(root: number): number {
  const times = new Map<number, ProcessTimes>()
  for (const name of processNames()) {
    const read = readTimes(Number(name))
    if (read !== undefined) times.set(Number(name), read)
  }
  if (!times.has(root)) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  let ticks = 0
  for (const [pid, entry] of times) if (descends(pid, root, times)) ticks += entry.ticks
  return ticks / TICKS_PER_SECOND
}

/** Begins to measure a test file; the answer ends it. */
export function measureFile(file: string): () => void {
  const began = performance.now()
  const cpuBefore = cpuSecondsOf(process.pid)
  return () => {
    const path = process.env[COSTS_VARIABLE]
    if (path === undefined) return
    const seconds = (performance.now() - began) / 1000
    const cost: FileCost = { file, seconds, cpuSeconds: cpuSecondsOf(process.pid) - cpuBefore }
    appendFileSync(path, `${JSON.stringify(cost)}\n`)
  }
}

function processNames(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function readTimes(pid: number): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program stands in parentheses and may hold anything; the fields behind it are numbers.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { parent: Number(fields[1]), ticks }
  } catch {
    // It has ended since.
    return undefined
  }
}

function descends(pid: number, root: number, times: ReadonlyMap<number, ProcessTimes>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = times.get(at)?.parent)
    if (at === root) return true
  return root === 1
}
