import { TIME_END } from '../base/plain.ts'
import { compileCycle } from './compile-cycle.ts'
import type { Period } from './cycle.ts'
import type { CycleDefinition } from './cycle-definition.ts'
import { formatWallTime } from './wall-time.ts'
import { loadZone, type Zone } from './zone.ts'

/** A period with what the wall clock shows at its edges, as 2026-03-29T00:00:00+01:00. */
export interface LocalPeriod extends Period {
  readonly localFrom: string
  readonly localUntil: string
}

interface Asked {
  /** Counts where the cycle has no zone of its own. */
  readonly timeZone: string
  readonly from: number
  readonly count: number
}

/**
 * The period that holds an instant, if there is one, and those that follow, up to a limit. There are fewer where the
 * list of a CUSTOM cycle or the time of samples ends. Refuses what checkCycle refuses.
 */
export function nextPeriods(
  definition: CycleDefinition,
  { timeZone, from, count }: Asked,
): LocalPeriod[] {
  const zone = loadZone(definition.timeZone === '' ? timeZone : definition.timeZone)
  const cycle = compileCycle(definition, zone)
  const found: LocalPeriod[] = []
  let period = cycle.periodOf(from) ?? cycle.next(from)
  while (period !== undefined && found.length < count && period.from < TIME_END) {
    const localFrom = formatLocal(zone, period.from)
    found.push({ ...period, localFrom, localUntil: formatLocal(zone, period.until) })
    period = cycle.periodOf(period.until) ?? cycle.next(period.until)
  }
  return found
}

function formatLocal(zone: Zone, at: number): string {
  const offsetMs = zone.offsetMs(at)
  const [hours, minutes, seconds] = [3_600_000, 60_000, 1_000].map(
    (unitMs, place) => Math.floor(Math.abs(offsetMs) / unitMs) % (place === 0 ? 24 : 60),
  )
  const parts = seconds === 0 ? [hours, minutes] : [hours, minutes, seconds]
  const text = parts.map((part) => String(part).padStart(2, '0')).join(':')
  return `${formatWallTime(at + offsetMs)}${offsetMs < 0 ? '-' : '+'}${text}`
}
