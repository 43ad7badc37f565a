import { epochMs, invariant } from '../base/plain.ts'
import { customCycle } from './custom-cycle.ts'
import { type Cycle, EDGES_MAX, type Period, type Range } from './cycle.ts'
import { type CycleDefinition, checkCycle } from './cycle-definition.ts'
import { type EdgeSequence, edgeSequence } from './edge-sequence.ts'
import { loadZone, type Zone } from './zone.ts'

/**
 * Makes a definition compute. Its zone counts; where that is blank, the one given here does. Refuses
 * what checkCycle refuses.
 */
export function compileCycle(definition: CycleDefinition, zone: Zone): Cycle {
  const isCustom = definition.sizeType === 'CUSTOM'
  // Intervals are checked as they are read: there may be ten thousand.
  if (!isCustom) checkCycle(definition)
  const ownZone = definition.timeZone === '' ? zone : loadZone(definition.timeZone)
  if (isCustom) return customCycle(definition.intervals ?? [], ownZone)
  return sequenceCycle(edgeSequence(definition, ownZone))
}

function sequenceCycle(sequence: EdgeSequence): Cycle {
  const { edge, indexAt, fixedMs, emptyIndexes } = sequence
  const periodAt = (index: number): Period => ({
    from: epochMs(edge(index)),
    until: epochMs(edge(index + 1)),
  })
  const countEmpty = (first: number, last: number): number =>
    emptyIndexes.filter((index) => index >= first && index <= last).length
  const countPeriods = ({ from, until }: Range): number => {
    if (from >= until) return 0
    const [first, last] = [indexAt(from), indexAt(until - 1)]
    return last - first + 1 - countEmpty(first, last)
  }
  const latestEdges = (range: Range, limit: number): Float64Array => {
    const count = Math.min(limit, countPeriods(range))
    if (count <= 0) return new Float64Array(0)
    invariant(count <= EDGES_MAX, `${count} periods asked at once`)
    const edges = new Float64Array(count + 1)
    let index = indexAt(range.until - 1) + 1
    edges[count] = edge(index)
    for (let at = count - 1; at >= 0; at--) {
      let start = edge(--index)
      while (start === edges[at + 1]) start = edge(--index)
      edges[at] = start
    }
    return edges
  }
  return {
    fixedMs,
    periodOf: (at) => periodAt(indexAt(at)),
    next: (at) => periodAt(indexAt(edge(indexAt(at) + 1))),
    previous: (at) => periodAt(indexAt(edge(indexAt(at)) - 1)),
    periods: (range, limit) => {
      const edges = latestEdges(range, limit)
      const count = Math.max(0, edges.length - 1)
      return { count, froms: edges.subarray(0, count), untils: edges.subarray(1) }
    },
    edges: (range) => latestEdges(range, Number.POSITIVE_INFINITY),
    countPeriods,
    countStarts: ({ from, until }) => {
      if (from >= until) return 0
      const [before, last] = [indexAt(from - 1), indexAt(until - 1)]
      return last - before - countEmpty(before + 1, last)
    },
  }
}
