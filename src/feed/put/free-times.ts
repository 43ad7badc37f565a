import { type EpochMs, TIME_END } from '../../base/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import { firstInLane, type TimeLane } from './assigned-times.ts'

/** Times some milliseconds apart. */
export interface TimeSpan {
  readonly from: number
  readonly count: number
  /** Milliseconds from one to the next; 1 when it is not told. */
  readonly step?: number
}

/** The time that comes after the last of a span. */
export function afterSpan({ from, count, step = 1 }: TimeSpan): number {
  return from + count * step
}

/** What is looked for in a stream. */
interface FreeTimesLook {
  readonly handle: StreamHandle
  readonly from: number
  readonly count: number
  /** The times that may be taken. */
  readonly lane: TimeLane
  /** Times that others are about to store at. */
  readonly claimed: readonly TimeSpan[]
}

/** Samples that are passed at a time, and how often before the look is given up. */
const PAGE = 10_000
const PAGES_MAX = 100

/** The first times from one on at which a stream has no sample; fewer where it is full for very long. */
export async function findFreeTimes(store: SampleStore, look: FreeTimesLook): Promise<TimeSpan[]> {
  const { handle, count, lane } = look
  const from = firstInLane(lane, look.from)
  const wanted: TimeSpan = lane.step === 1 ? { from, count } : { from, count, step: lane.step }
  const claimed = look.claimed.toSorted((one, other) => one.from - other.from)
  const { count: taken } = await store.fold(handle, Float64Array.of(from, afterSpan(wanted)))
  if (taken[0] === 0 && claimed.length === 0) return [wanted]
  const free = new FreeSpans(look, claimed)
  let at = from
  for (let page = 0; page < PAGES_MAX && free.missing > 0; page += 1) {
    const { count: found, times } = await store.range(handle, {
      from: at as EpochMs,
      until: TIME_END,
      isTimesOnly: true,
      limit: PAGE,
      order: 'oldest_first',
    })
    for (let index = 0; index < found && free.missing > 0; index += 1) {
      free.take(at, times[index])
      at = times[index] + 1
    }
    if (found < PAGE) free.take(at, Number.POSITIVE_INFINITY)
  }
  return free.spans
}

/** Gathers free times until there are enough. */
class FreeSpans {
  readonly spans: TimeSpan[] = []
  missing: number
  readonly #lane: TimeLane
  readonly #claimed: readonly TimeSpan[]

  constructor({ count, lane }: FreeTimesLook, claimed: readonly TimeSpan[]) {
    this.missing = count
    this.#lane = lane
    this.#claimed = claimed
  }

  /** Takes what is needed of the times between two samples, but for those that are claimed. */
  take(from: number, until: number): void {
    let at = from
    for (const span of this.#claimed) {
      const end = afterSpan(span)
      if (end <= at) continue
      if (span.from >= until) break
      this.#add(at, span.from)
      at = Math.max(at, end)
    }
    this.#add(at, until)
  }

  #add(after: number, until: number): void {
    const from = firstInLane(this.#lane, after)
    const { step } = this.#lane
    const count = Math.min(Math.ceil((until - from) / step), this.missing)
    if (count <= 0) return
    this.spans.push(step === 1 ? { from, count } : { from, count, step })
    this.missing -= count
  }
}
