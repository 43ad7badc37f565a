/** The rows of a fetch on their way to Ingest SQL. */
import type { Row } from '../database/database-port.ts'
import type { DatabaseSession } from '../database/database-session.ts'
import { RowSpool } from './row-spool.ts'

type Fetched = ReturnType<DatabaseSession['read']>

/**
 * Provides the rows of a fetch to several readers. The first reader gets each batch from the database on demand. The
 * rows are kept on disk only when they will be read again.
 */
export class ResultRows {
  readonly #batches: Fetched
  readonly #spool: RowSpool | undefined
  readonly #onRows: (count: number) => void
  #first: IteratorResult<Awaited<ReturnType<Fetched['next']>>['value'], void> | undefined
  #isTaken = false

  private constructor(
    batches: Fetched,
    spool: RowSpool | undefined,
    onRows: (count: number) => void,
  ) {
    this.#batches = batches
    this.#spool = spool
    this.#onRows = onRows
  }

  /** Waits for the first rows, so that nobody else waits for a statement that takes its time. */
  static async open(
    batches: Fetched,
    about: { readonly readCount: number; readonly folder: string; onRows(count: number): void },
  ): Promise<ResultRows> {
    const spool = about.readCount > 1 ? await RowSpool.open(about.folder) : undefined
    const rows = new ResultRows(batches, spool, (count) => about.onRows(count))
    try {
      rows.#first = await batches.next()
      if (about.readCount === 0) for await (const _ of rows.read());
      return rows
    } catch (error) {
      await rows.close()
      throw error
    }
  }

  /** All rows, in batches. */
  read(): AsyncIterable<readonly Row[]> {
    if (this.#isTaken && this.#spool !== undefined) return this.#spool.rows()
    if (this.#isTaken) throw new Error('BUG: rows are read again that nobody has kept')
    this.#isTaken = true
    return this.#flow()
  }

  async close(): Promise<void> {
    await this.#spool?.close()
  }

  async *#flow(): AsyncGenerator<readonly Row[], void> {
    for (let next = this.#first; next !== undefined && next.done !== true; ) {
      const { rows } = next.value as { readonly rows: readonly Row[] }
      this.#onRows(rows.length)
      await this.#spool?.add(rows)
      yield rows
      next = await this.#batches.next()
    }
  }
}
