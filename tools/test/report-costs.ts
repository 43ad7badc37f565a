import { readFileSync } from 'node:fs'
import { cpuSecondsOf, type FileCost } from './file-cost.ts'

const SHOWN = 10

/** Prints the test files that took the most CPU time, and what the whole run took. */
export function reportCosts(path: string): void {
  console.log(`\n${reportSlowest(readCosts(path))}`)
  const minutes = process.uptime() / 60
  const cpuMinutes = cpuSecondsOf(process.pid) / 60
  console.log(
    `The run took ${minutes.toFixed(1)} min and ${cpuMinutes.toFixed(1)} min of CPU time.`,
  )
}

/** The ten files with the most CPU time as a table, the costliest first. */
export function reportSlowest(costs: readonly FileCost[]): string {
  const slowest = costs.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds).slice(0, SHOWN)
  const column = (amount: number) => amount.toFixed(1).padStart(8)
  return [
    `The slowest of ${costs.length} test files`,
    '   CPU s  time s  file',
    ...slowest.map(
      ({ file, seconds, cpuSeconds }) => `${column(cpuSeconds)}${column(seconds)}  ${file}`,
    ),
  ].join('\n')
}

function readCosts(path: string): FileCost[] {
  try {
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    return lines.map((line) => JSON.parse(line))
  } catch {
    // No file came to its end.
    return []
  }
}
