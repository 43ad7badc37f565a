import { type EpochMs, TIME_END } from '../../base/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'

/** Times a millisecond apart. */
export interface TimeSpan {
  readonly from: number
  readonly count: number
}

/** What is looked for in a stream. */
interface FreeTimesLook extends TimeSpan {
  readonly handle: StreamHandle
  /** Times that others are about to store at. */
  readonly claimed: readonly TimeSpan[]
}

/** Samples that are passed at a time, and how often before the look is given up. */
const PAGE = 10_000
const PAGES_MAX = 100

/** The first times from one on at which a stream has no sample; fewer where it is full for very long. */
export async function findFreeTimes(store: SampleStore, look: FreeTimesLook): Promise<TimeSpan[]> {
  const { handle, from, count } = look
  const claimed = look.claimed.toSorted((one, other) => one.from - other.from)
  const { count: taken } = await store.fold(handle, Float64Array.of(from, from + count))
  if (taken[0] === 0 && claimed.length === 0) return [{ from, count }]
  const free = new FreeSpans(count, claimed)
  let at = from
  for (let page = 0; page < PAGES_MAX && free.missing > 0; page += 1) {
    const { count: found, times } = await store.range(handle, {
      ...{ from: at as EpochMs, until: TIME_END, isTimesOnly: true },
      ...{ limit: PAGE, order: 'oldest_first' },
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
  readonly #claimed: readonly TimeSpan[]

  constructor(missing: number, claimed: readonly TimeSpan[]) {
    this.missing = missing
    this.#claimed = claimed
  }

  /** Takes what is needed of the times between two samples, but for those that are claimed. */
  take(from: number, until: number): void {
    let at = from
    for (const { from: start, count } of this.#claimed) {
      if (start + count <= at) continue
      if (start >= until) break
      this.#add(at, start)
      at = Math.max(at, start + count)
    }
    this.#add(at, until)
  }

  #add(from: number, until: number): void {
    const count = Math.min(until - from, this.missing)
    if (count <= 0) return
    this.spans.push({ from, count })
    this.missing -= count
  }
}
