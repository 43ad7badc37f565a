import type { Clock } from '../../base/index.ts'

const MINUTE_MS = 60_000
/** Parts of a minute that are counted apart: as fine as people see the figure change. */
const PART_MS = 10_000
/** The parts of a minute, and the one that is under way. */
const PARTS = MINUTE_MS / PART_MS + 1

/** The samples of an organization in the last parts of a minute. */
interface Counts {
  readonly counts: Float64Array
  /** The part that is under way, counted from the start of the clock. */
  part: number
}

/** How many samples devices of each organization send to this process. */
export class PutRates {
  readonly #clock: Clock
  readonly #byOrg = new Map<string, Counts>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts samples that were put. */
  note(orgUid: string, count: number): void {
    const known = this.#byOrg.get(orgUid) ?? this.#begin(orgUid)
    this.#follow(known)
    known.counts[known.part % PARTS] += count
  }

  /** The samples of the last minute, without the seconds that are under way. */
  perMinute(orgUid: string): number {
    const known = this.#byOrg.get(orgUid)
    if (known === undefined) return 0
    this.#follow(known)
    return known.counts.reduce((sum, count) => sum + count, -known.counts[known.part % PARTS])
  }

  #begin(orgUid: string): Counts {
    const counts = { counts: new Float64Array(PARTS), part: 0 }
    this.#byOrg.set(orgUid, counts)
    return counts
  }

  /** Forgets parts that are more than a minute ago. */
  #follow(known: Counts): void {
    const part = Math.floor(this.#clock.elapsed() / PART_MS)
    for (let at = Math.max(known.part + 1, part - PARTS + 1); at <= part; at++) {
      known.counts[at % PARTS] = 0
    }
    known.part = part
  }
}
