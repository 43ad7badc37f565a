import { BoundedCache } from '../../base/index.ts'
import { type Cycle, compileCycle, isNestedIn, loadZone } from '../../time/index.ts'
import { readGrid } from './interval-grid.ts'

/** Base cycles kept in memory. Streams share few of them. */
const CYCLES_MAX = 1_000
const cycles = new BoundedCache<string, Cycle>(CYCLES_MAX)
const nested = new BoundedCache<string, boolean>(CYCLES_MAX)

/** The base cycle of the grid that the catalog keeps of an interval stream; undefined for ''. */
export function cycleOfGrid(grid: string): Cycle | undefined {
  if (grid === '') return undefined
  return cycles.getOrInsertComputed(grid, () => {
    const definition = readGrid(grid)
    return compileCycle(definition, loadZone(definition.timeZone))
  })
}

/** Whether each interval of the outer grid is made of whole intervals of the inner one. */
export function isGridNested(inner: string, outer: string): boolean {
  if (inner === outer) return true
  const key = `${inner}\n${outer}`
  return nested.getOrInsertComputed(key, () => {
    const [innerCycle, outerCycle] = [cycleOfGrid(inner), cycleOfGrid(outer)]
    return (
      innerCycle !== undefined && outerCycle !== undefined && isNestedIn(innerCycle, outerCycle)
    )
  })
}
