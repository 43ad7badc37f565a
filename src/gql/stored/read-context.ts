import type { Principal } from '../../access/index.ts'
import type { EpochMs } from '../../base/index.ts'
import { compiledCycle } from '../../feed/statistic/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { Cycle, Range } from '../../time/index.ts'
import type { Asked } from './asked-rows.ts'
import type { Ahead } from './read-ahead.ts'
import { type ReadPlace, refuseRead, type SampleBudget } from './sample-budget.ts'
import { isNumeric } from './sample-cells.ts'
import type { StreamCellDeps, StreamRow } from './stream-cells.ts'
import type { TextShare } from './text-share.ts'

/** How many cycles a message lists. */
const CYCLES_LISTED_MAX = 20

/** Zones whose cycle is kept for one read. */
const ZONES_MAX = 500

/** What the reads of one table share. */
export interface ReadContext {
  readonly deps: StreamCellDeps
  readonly principal: Principal
  readonly asked: Asked
  readonly budget: SampleBudget
  readonly memory: TextShare
  readonly place: ReadPlace
  readonly now: EpochMs
  /** Called with samples that are handed over one by one. */
  readonly onRead: (handle: StreamHandle, amount: number) => void
  /** A cycle by its ID in a zone; refuses an unknown one. */
  readonly cycleOf: (cycleId: string, timeZone: string) => Promise<Cycle>
  /** The period of a cycle that the time of the call lies in. */
  readonly periodOf: (cycleId: string, timeZone: string) => Promise<Range>
}

/** Makes the context of a read. */
export function readContext(about: Omit<ReadContext, 'cycleOf' | 'periodOf'>): ReadContext {
  const { deps, principal, now, place } = about
  const { catalog } = deps
  const known = new Map<string, Cycle>()
  const cycleOf = async (cycleId: string, timeZone: string): Promise<Cycle> => {
    const key = `${timeZone} ${cycleId}`
    const kept = known.get(key)
    if (kept !== undefined) return kept
    const definition = await catalog.findCycle(principal.orgUid, cycleId)
    if (definition === undefined) {
      const ids = await catalog.cycles.listIds(principal.orgUid, CYCLES_LISTED_MAX)
      refuseRead(place, `Cannot find cycle "${cycleId.slice(0, 60)}". Cycles are ${ids.join(', ')}`)
    }
    const cycle = compiledCycle(definition, timeZone)
    if (known.size < ZONES_MAX) known.set(key, cycle)
    return cycle
  }
  const periodOf = async (cycleId: string, timeZone: string): Promise<Range> => {
    const cycle = await cycleOf(cycleId, timeZone)
    return cycle.periodOf(now) ?? { from: now, until: now }
  }
  return { ...about, cycleOf, periodOf }
}

/** Streams of numbers are read before their turn where other processes share the store. Texts are counted one by one. */
export function aheadOf<T>(
  { deps: { catalog } }: ReadContext,
  read: (row: StreamRow) => Promise<T>,
): Ahead<StreamRow, T> {
  const { catchUps, index } = catalog
  const isSmall = ({ handle }: StreamRow) =>
    index.has(handle) && isNumeric(index.valueCodeOf(handle))
  return { isShared: catchUps.isShared, isSmall, read }
}
