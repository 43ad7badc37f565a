import {
  type DatabaseAdapter,
  DatabaseFailure,
  type DatabaseLimits,
  type Row,
  withoutPassword,
} from './database-port.ts'

/** Rows of a result as they come, with the names of its columns. */
interface RowBatch {
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** What a batch should come to: enough for the way there to be worth it, little to hold. */
const BATCH_CHARS = 500_000
const FIRST_BATCH_ROWS = 100
const BATCH_ROWS_MAX = 5_000
/** Bytes that may arrive for one batch: rows beyond it are no table of measurements. */
const BATCH_BYTES_MAX = 64 * 1024 * 1024
/** How often time and size of what is awaited are looked at. */
const LOOK_EVERY_MS = 50
/** What a server is given to hear that it should stop. */
const CANCEL_MS = 3_000

/** One session with a database, watched: what takes too long or grows too large ends it, and so does its signal. */
export class DatabaseSession {
  readonly #adapter: DatabaseAdapter
  readonly #limits: DatabaseLimits
  readonly #signal: AbortSignal
  readonly #password: string
  #isBusy = false
  /** Whether a statement may have rows that nobody took. */
  #hasMore = false
  #isOver = false

  /** The password stands in nothing that the session tells. */
  constructor(
    adapter: DatabaseAdapter,
    limits: DatabaseLimits,
    { signal, password }: { readonly signal: AbortSignal; readonly password: string },
  ) {
    this.#adapter = adapter
    this.#password = password
    this.#limits = limits
    this.#signal = signal
  }

  /** What the server says it is. */
  get server(): string {
    return withoutPassword(this.#adapter.server, this.#password)
  }

  /**
   * Runs a statement and gives its rows in batches, each fetched when the one before was taken; the first
   * comes also when there is no row. `rowsMax` 0: all of them. Throws a DatabaseFailure.
   */
  async *read(sql: string, rowsMax = 0): AsyncGenerator<RowBatch, void> {
    this.#hasMore = true
    const columns = await this.#watch(this.#adapter.start(sql))
    let wanted = FIRST_BATCH_ROWS
    let count = 0
    for (let isFirst = true; ; isFirst = false) {
      const left = rowsMax === 0 ? wanted : Math.min(wanted, rowsMax - count)
      const rows = left === 0 ? [] : await this.#watch(this.#adapter.next(left))
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
    const adapter = this.#adapter
    if (this.#isBusy || this.#hasMore) await settleWithin(CANCEL_MS, adapter.cancel())
    else await settleWithin(CANCEL_MS, adapter.close())
    adapter.destroy()
  }

  /** What the adapter gives, unless it takes too long, grows too large or is called off. */
  async #watch<T>(work: Promise<T>): Promise<T> {
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const { answerMs } = this.#limits
    const bytesBefore = this.#adapter.bytesRead()
    const deadline = performance.now() + answerMs
    const look = () => {
      if (this.#adapter.bytesRead() - bytesBefore > BATCH_BYTES_MAX) {
        const what = `Rows of more than ${BATCH_BYTES_MAX} bytes came at once: select fewer or shorter columns`
        reject(new DatabaseFailure('too_large', what))
      } else if (performance.now() > deadline) {
        const what = `The database gave nothing for ${Math.ceil(answerMs / 1_000)} s`
        reject(new DatabaseFailure('timeout', what))
      }
    }
    const timer = setInterval(look, LOOK_EVERY_MS)
    const onAbort = () => reject(new DatabaseFailure('cancelled', 'The run was cancelled'))
    this.#signal.addEventListener('abort', onAbort, { once: true })
    if (this.#signal.aborted) onAbort()
    this.#isBusy = true
    work.catch(() => {})
    try {
      const result = await Promise.race([work, ended])
      this.#isBusy = false
      return result
    } catch (error) {
      // What the database itself has told is over there too; the rest has to be told to stop.
      const failure = error instanceof DatabaseFailure ? error : this.#adapter.translate(error)
      if (!(error instanceof DatabaseFailure)) this.#isBusy = false
      await this.close()
      const { reason, message, place } = failure
      throw new DatabaseFailure(reason, withoutPassword(message, this.#password), place)
    } finally {
      clearInterval(timer)
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
