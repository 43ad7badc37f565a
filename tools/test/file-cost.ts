/** What each test file costs: the time it takes, and the CPU time of its process and of all that it started. */
import { appendFileSync } from 'node:fs'
import { descends, readProcessTree } from './process-tree.ts'

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

/** CPU seconds of a process and of all processes that it started, ended ones included; its own alone without /proc. */
export function cpuSecondsOf(root: number): number {
  const tree = readProcessTree()
  if (!tree.has(root)) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
  let ticks = 0
  for (const [pid, entry] of tree) if (descends(pid, root, tree)) ticks += entry.ticks
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
