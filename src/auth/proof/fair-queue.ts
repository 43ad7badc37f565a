import { refusal } from '../../base/index.ts'

/** Whose turn it is: tasks of one name wait for each other before they wait for anybody else. */
export interface Lane {
  readonly name: string
  /** Whether it belongs to somebody who has proved before who they are. */
  readonly isKnown: boolean
}

interface Waiter {
  start(): void
  refuse(): void
}

/** Tasks of one lane that may wait. */
const LANE_MAX = 16
/** Tasks that may wait, of known and of other lanes each; at a tenth of a second each, some 10 s in all. */
const WAITING_MAX = 50
const BUSY_RETRY_S = 5
/** Known lanes go first, but every fourth turn belongs to the others. */
const KNOWN_IN_A_ROW = 3

/**
 * Runs one task at a time, lane after lane, so that whoever sends many waits for themselves. When too
 * many wait, the longest lane gives way to shorter ones.
 */
export class FairQueue {
  readonly #known = new Lanes()
  readonly #others = new Lanes()
  #isRunning = false
  #knownInARow = 0

  /** Runs the task when its turn comes; refuses with `rate_limited` when too many are waiting. */
  async run<T>(lane: Lane, task: () => Promise<T>): Promise<T> {
    if (this.#isRunning) await this.#wait(lane)
    this.#isRunning = true
    try {
      return await task()
    } finally {
      this.#isRunning = false
      this.#next()?.start()
    }
  }

  #wait(lane: Lane): Promise<void> {
    const lanes = lane.isKnown ? this.#known : this.#others
    return new Promise((resolve, reject) => {
      const refuse = () => reject(refusal('rate_limited', { retryAfterSeconds: BUSY_RETRY_S }))
      const start = () => {
        // From here on nobody may come between.
        this.#isRunning = true
        resolve()
      }
      lanes.add(lane.name, { start, refuse })
    })
  }

  #next(): Waiter | undefined {
    const isOthersTurn = this.#knownInARow >= KNOWN_IN_A_ROW && this.#others.waiting > 0
    if (!isOthersTurn && this.#known.waiting > 0) {
      this.#knownInARow += 1
      return this.#known.take()
    }
    this.#knownInARow = 0
    return this.#others.take()
  }
}

class Lanes {
  /** The lane that comes next is first. */
  readonly #byName = new Map<string, Waiter[]>()
  waiting = 0

  add(name: string, waiter: Waiter): void {
    const lane = this.#byName.get(name) ?? []
    if (lane.length >= LANE_MAX || (this.waiting >= WAITING_MAX && !this.#makeRoom(lane.length))) {
      waiter.refuse()
      return
    }
    lane.push(waiter)
    this.#byName.set(name, lane)
    this.waiting += 1
  }

  take(): Waiter | undefined {
    for (const [name, lane] of this.#byName) {
      const waiter = lane.shift()
      this.#byName.delete(name)
      if (lane.length > 0) this.#byName.set(name, lane)
      if (waiter === undefined) continue
      this.waiting -= 1
      return waiter
    }
    return undefined
  }

  /** Refuses the last of the longest lane, when that is longer than the newcomer's would be. */
  #makeRoom(length: number): boolean {
    let longest: Waiter[] = []
    for (const lane of this.#byName.values()) if (lane.length > longest.length) longest = lane
    if (longest.length <= length + 1) return false
    longest.pop()?.refuse()
    this.waiting -= 1
    return true
  }
}
