import { refusal } from '../../base/index.ts'

/** Whose turn it is: tasks of one name wait for each other before they wait for anybody else. */
export interface TaskOwner {
  readonly name: string
  /** Whether it belongs to somebody who has proved before who they are. */
  readonly isKnown: boolean
}

interface Waiter {
  start(): void
  refuse(): void
}

/** Tasks of one owner that may wait. */
const OWNER_TASKS_MAX = 16
/** Tasks that may wait, for known and for other owners each; at a tenth of a second each, about 10 s in all. */
const WAITING_MAX = 50
const BUSY_RETRY_S = 5
/** Known owners go first, but every fourth task is one of the others. */
const KNOWN_IN_A_ROW = 3

/**
 * Runs one task at a time and takes the owners in rotation, so that a caller with many tasks delays only itself. When
 * too many wait, the owner with the most tasks loses its last one.
 */
export class FairQueue {
  readonly #known = new OwnerQueues()
  readonly #others = new OwnerQueues()
  #isRunning = false
  #knownInARow = 0

  /** Runs the task when its turn comes; refuses with `rate_limited` when too many are waiting. */
  async run<T>(owner: TaskOwner, task: () => Promise<T>): Promise<T> {
    if (this.#isRunning) await this.#wait(owner)
    this.#isRunning = true
    try {
      return await task()
    } finally {
      this.#isRunning = false
      this.#next()?.start()
    }
  }

  #wait(owner: TaskOwner): Promise<void> {
    const queues = owner.isKnown ? this.#known : this.#others
    return new Promise((resolve, reject) => {
      const refuse = () => reject(refusal('rate_limited', { retryAfterSeconds: BUSY_RETRY_S }))
      const start = () => {
        // From here on nobody may come between.
        this.#isRunning = true
        resolve()
      }
      queues.add(owner.name, { start, refuse })
    })
  }

  #next(): Waiter | undefined {
    const isOthersDue = this.#knownInARow >= KNOWN_IN_A_ROW && this.#others.waiting > 0
    if (!isOthersDue && this.#known.waiting > 0) {
      this.#knownInARow += 1
      return this.#known.take()
    }
    this.#knownInARow = 0
    return this.#others.take()
  }
}

class OwnerQueues {
  /** Tasks by owner; the owner to serve next is first. */
  readonly #byName = new Map<string, Waiter[]>()
  waiting = 0

  add(name: string, waiter: Waiter): void {
    const tasks = this.#byName.get(name) ?? []
    if (
      tasks.length >= OWNER_TASKS_MAX ||
      (this.waiting >= WAITING_MAX && !this.#makeRoom(tasks.length))
    ) {
      waiter.refuse()
      return
    }
    tasks.push(waiter)
    this.#byName.set(name, tasks)
    this.waiting += 1
  }

  take(): Waiter | undefined {
    for (const [name, tasks] of this.#byName) {
      const waiter = tasks.shift()
      this.#byName.delete(name)
      if (tasks.length > 0) this.#byName.set(name, tasks)
      if (waiter === undefined) continue
      this.waiting -= 1
      return waiter
    }
    return undefined
  }

  /** Refuses the last task of the owner with the most, if that is more than the new owner would have. */
  #makeRoom(length: number): boolean {
    let longest: Waiter[] = []
    for (const tasks of this.#byName.values()) if (tasks.length > longest.length) longest = tasks
    if (longest.length <= length + 1) return false
    longest.pop()?.refuse()
    this.waiting -= 1
    return true
  }
}
