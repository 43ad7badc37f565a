import { totalmem } from 'node:os'

/** What the process takes with a usual catalog and journal before any long call is in hand. */
const BASE_BYTES = 256 * 1024 * 1024

/** Below this a single put of usual length might wait for itself. */
const BUDGET_BYTES_MIN = 32 * 1024 * 1024

/** The memory that the process may use: the limit of its cgroup (v1 or v2), else the machine's. */
export function findMemoryBytes(): number {
  // Without a limit this is 0, or a number beyond any machine.
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

/** How much of a memory the bytes in flight of all calls together may take. */
export function budgetBytesOf(memoryBytes: number): number {
  const share = Math.min(memoryBytes - BASE_BYTES, memoryBytes / 2)
  return Math.floor(Math.max(share, BUDGET_BYTES_MIN))
}
