import { DatabaseFailure, type DatabaseLimits, type Row } from './database-port.ts'
import type { DatabaseThreadLink } from './thread/database-thread-link.ts'

/** Rows of a result as they come, with the names of its columns. */
interface RowBatch {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** What a batch should come to: enough for the way there to be worth it, little to hold. */
const BATCH_CHARS = 500_000
/** Small, because the length of the rows is unknown and the bytes of a batch are limited. */
const FIRST_BATCH_ROWS = 8
const BATCH_ROWS_MAX = 2_000
/** What a server is given to hear that it should stop. */
const CANCEL_MS = 3_000

/** One session with a database. A statement that takes too long ends it, and so does its signal. */
export class DatabaseSession {
  /** What the server says it is. */
  readonly server: string
  readonly #thread: DatabaseThreadLink
  readonly #limits: DatabaseLimits
  readonly #signal: AbortSignal
  /** Whether a statement may have rows that nobody took. */
  #hasMore = false
  #isOver = false

  constructor(
    thread: DatabaseThreadLink,
    server: string,
    { limits, signal }: { readonly limits: DatabaseLimits; readonly signal: AbortSignal },
  ) {
    this.server = server
    this.#thread = thread
    this.#limits = limits
    this.#signal = signal
  }

  /**
   * Runs a statement and gives its rows in batches, each fetched when the one before was taken; the first
   * comes also when there is no row. `rowsMax` 0: all of them. Throws a DatabaseFailure.
   */
  async *read(sql: string, rowsMax = 0): AsyncGenerator<RowBatch, void> {
    this.#hasMore = true
    const columns = await this.#watch(this.#thread.start(sql))
    let wanted = FIRST_BATCH_ROWS
    let count = 0
    for (let isFirst = true; ; isFirst = false) {
      const left = rowsMax === 0 ? wanted : Math.min(wanted, rowsMax - count)
      const rows = left === 0 ? [] : await this.#watch(this.#thread.next(left))
      if (left > 0 && rows.length === 0) this.#hasMore = false
      if (rows.length === 0 && !isFirst) return
      count += rows.length
      wanted = rowsFor(rows, wanted)
      yield { columns, rows }
      if (rows.length === 0) return
    }
  }

  /** Ends the session: with manners when nothing is left to come, else by telling the server to stop. */
  async close(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    const thread = this.#thread
    if (thread.isBusy || this.#hasMore) await settleWithin(CANCEL_MS, thread.cancel())
    else await settleWithin(CANCEL_MS, thread.close())
    thread.destroy()
  }

  /** What the thread answers, unless it takes too long or is cancelled. */
  async #watch<T>(work: Promise<T>): Promise<T> {
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const { answerMs } = this.#limits
    const onTimeout = () => {
      const what = `The database did not respond for ${Math.ceil(answerMs / 1_000)} s`
      reject(new DatabaseFailure('timeout', what))
    }
    const timer = setTimeout(onTimeout, answerMs)
    const onAbort = () => reject(new DatabaseFailure('cancelled', 'The run was cancelled'))
    this.#signal.addEventListener('abort', onAbort, { once: true })
    if (this.#signal.aborted) onAbort()
    work.catch(() => {})
    try {
      return await Promise.race([work, ended])
    } catch (error) {
      await this.close()
      throw error
    } finally {
      clearTimeout(timer)
      this.#signal.removeEventListener('abort', onAbort)
      ended.catch(() => {})
    }
  }
}

/** How many rows to ask for next, by how long the last ones were. */
function rowsFor(rows: readonly Row[], before: number): number {
  if (rows.length === 0) return before
  let chars = 0
  for (const row of rows) for (const cell of row) chars += (cell?.length ?? 0) + 1
  const fitting = Math.floor((BATCH_CHARS * rows.length) / Math.max(1, chars))
  // Rows may differ, so that growth is bounded too.
  return Math.max(1, Math.min(fitting, before * 4, BATCH_ROWS_MAX))
}

/** Waits for something whose outcome does not matter, at most so long. */
async function settleWithin(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await Promise.race([work.catch(() => {}), over])
  } finally {
    clearTimeout(timer)
  }
}
