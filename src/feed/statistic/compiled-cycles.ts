import { hash } from 'node:crypto'
import { BoundedCache } from '../../base/index.ts'
import { type Cycle, type CycleDefinition, compileCycle, loadZone } from '../../time/index.ts'

/** One of 10,000 intervals takes about a megabyte. */
const CUSTOM_CYCLES_MAX = 32
const customCycles = new BoundedCache<string, Cycle>(CUSTOM_CYCLES_MAX)

/**
 * A definition made to compute, in a component's zone unless it has its own. CUSTOM cycles are kept:
 * to find the instants of 10,000 intervals takes longer than the statistic. A changed definition is
 * another one.
 */
export function compiledCycle(definition: CycleDefinition, timeZone: string): Cycle {
  if (definition.sizeType !== 'CUSTOM') return compileCycle(definition, loadZone(timeZone))
  const key = hash('sha256', JSON.stringify([definition, timeZone]), 'base64')
  return customCycles.getOrInsertComputed(key, () => compileCycle(definition, loadZone(timeZone)))
}
