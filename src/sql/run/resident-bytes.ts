import { readFileSync } from 'node:fs'

/** The memory that a process holds; 0 where the system does not report it, or the process has ended. */
export function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]
    return Number(kilobytes ?? 0) * 1_024
  } catch {
    return 0
  }
}
