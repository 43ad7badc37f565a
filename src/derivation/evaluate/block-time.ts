import { Pacer } from '../../base/plain.ts'

/** Milliseconds of work after which a block ends, so that waiting calls can run. */
const BLOCK_MS = 25

/** Rows that are evaluated before the time is looked at: few at first, as one may take milliseconds. */
const STEP_ROWS_MIN = 16
const STEP_ROWS_MAX = 4_096

/** Milliseconds of work, of all streams together, after which other calls have a turn. */
const TURN_MS = 10

/** The time that this thread has worked: what others take of the machine makes no block shorter. */
function workedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Calls back when rows of a block have taken long enough. */
export class BlockTime {
  readonly #worked: () => number
  readonly #blockMs: number
  readonly #begun: number
  #step = STEP_ROWS_MIN

  constructor(worked = workedMs, blockMs = BLOCK_MS) {
    this.#worked = worked
    this.#blockMs = blockMs
    this.#begun = worked()
  }

  /** How many rows to evaluate before `isOver` is asked. */
  get step(): number {
    return this.#step
  }

  /** Whether the block is to end. */
  isOver(): boolean {
    const { elapsed } = this
    if (elapsed < this.#blockMs / 8) this.#step = Math.min(2 * this.#step, STEP_ROWS_MAX)
    return elapsed >= this.#blockMs
  }

  /** The milliseconds that were worked. */
  get elapsed(): number {
    return this.#worked() - this.#begun
  }

  /** How many rows like some take a block's time; undefined where these took little of it. */
  fittingRows(rows: number): number | undefined {
    const { elapsed } = this
    if (elapsed < this.#blockMs / 4) return undefined
    return Math.max(STEP_ROWS_MIN, Math.floor((rows * this.#blockMs) / elapsed))
  }
}

/**
 * Lets others have a turn between blocks: many streams that are derived side by side, by one thread, would each take
 * a block's time of the same turn.
 */
export const blockPacer = new Pacer(TURN_MS)
