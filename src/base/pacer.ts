/** The one way to let other calls work in between: iterations of the event loop, and slices of work between them. */

/**
 * How long those who wait may work in one iteration of the event loop, all together: eight long calls
 * that each do a little would else be a long time for everyone else.
 */
const WORK_MS_MAX = 5

/** Those who wait, in the order of their calls; as many immediates are queued as wait. */
const waiting: Array<() => void> = []
let isIterationBegun = false
let begunAtMs = 0

/**
 * Resolves after everything that waits on the event loop has had its turn, in the order of calls; in a
 * later turn when others have worked for long in that one.
 */
export function nextIteration(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    setImmediate(wakeNext)
  })
}

function wakeNext(): void {
  if (!isIterationBegun) {
    isIterationBegun = true
    begunAtMs = performance.now()
    // What is queued from here on runs in the next turn, this first.
    setImmediate(endIteration)
  }
  if (performance.now() - begunAtMs < WORK_MS_MAX) waiting.shift()?.()
  else setImmediate(wakeNext)
}

function endIteration(): void {
  isIterationBegun = false
}

/** Items of the slowest kind that are looked at in one slice: a few milliseconds. */
export const ITEMS_PER_SLICE = 16_384

/**
 * Gives other calls a turn whenever work adds up to a slice. The unit is that of its user: items, or milliseconds.
 * Tasks that share one wait for the same turn.
 */
export class Pacer {
  readonly #slice: number
  #done = 0
  #iteration: Promise<void> | undefined

  constructor(slice = ITEMS_PER_SLICE) {
    this.#slice = slice
  }

  /** Counts work and answers what to await before more; undefined while the slice is not full. */
  spend(work: number): Promise<void> | undefined {
    this.count(work)
    return this.due
  }

  /** Counts work that is done. */
  count(work: number): void {
    this.#done += work
  }

  /** What to await before more work; undefined while the slice is not full. */
  get due(): Promise<void> | undefined {
    if (this.#done < this.#slice) return undefined
    this.#iteration ??= nextIteration().then(() => {
      this.#done = 0
      this.#iteration = undefined
    })
    return this.#iteration
  }
}

/**
 * Does `work` for every index below `count`, in slices with iterations of the event loop between them.
 * Undefined: one slice was enough, and all is done.
 */
export function inSlices(
  count: number,
  work: (from: number, until: number) => void,
): Promise<void> | undefined {
  if (count > ITEMS_PER_SLICE) return workInSlices(count, work)
  work(0, count)
  return undefined
}

async function workInSlices(
  count: number,
  work: (from: number, until: number) => void,
): Promise<void> {
  for (let from = 0; from < count; from += ITEMS_PER_SLICE) {
    if (from > 0) await nextIteration()
    work(from, Math.min(count, from + ITEMS_PER_SLICE))
  }
}
