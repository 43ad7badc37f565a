import type { CycleDefinition } from '../../time/index.ts'

/** A base cycle in its zone as the text that streams keep and the index interns. */
export function packGrid(cycle: CycleDefinition, timeZone: string): string {
  const { sizeType, count, referenceDate } = cycle
  return JSON.stringify({ sizeType, count, referenceDate, timeZone: cycle.timeZone || timeZone })
}

/** Reads what packGrid wrote: the cycle whose periods are an interval stream's intervals. */
export function readGrid(grid: string): CycleDefinition {
  return JSON.parse(grid) as CycleDefinition
}
