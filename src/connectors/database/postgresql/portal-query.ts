/**
 * Runs one statement through a portal and fetches its rows in batches. The server refuses a second statement in the
 * same text. The driver passes the server's messages to the methods `handle…`.
 */
import type { Connection, DataRow, FieldDef, Submittable } from './pg-messages.ts'

type Waiter<T> = PromiseWithResolvers<T>

/** A statement whose rows are fetched when they are asked for. */
export class PortalQuery implements Submittable {
  readonly #sql: string
  readonly #described: Waiter<readonly FieldDef[]> = Promise.withResolvers()
  #connection: Connection | undefined
  #rowsMax = 0
  #rows: (readonly (string | null)[])[] = []
  #fetching: Waiter<void> | undefined
  #error: unknown
  #isDone = false

  constructor(sql: string) {
    this.#sql = sql
    this.#described.promise.catch(() => {})
  }

  /** The columns of the result; undefined when the statement gives none, and then it was not run. */
  async fields(): Promise<readonly FieldDef[]> {
    return await this.#described.promise
  }

  /** Returns the next rows, at most `rows`; an empty list at the end. */
  async fetchRows(rows: number): Promise<readonly (readonly (string | null)[])[]> {
    if (this.#error !== undefined) throw this.#error
    if (this.#isDone || this.#connection === undefined) return []
    this.#rows = []
    this.#rowsMax = rows
    this.#fetching = Promise.withResolvers()
    this.#connection.execute({ portal: '', rows })
    this.#connection.flush()
    await this.#fetching.promise
    return this.#rows
  }

  submit(connection: Connection): void {
    this.#connection = connection
    connection.once('noData', this.#onNoData)
    connection.parse({ text: this.#sql })
    connection.bind({})
    connection.describe({ type: 'P', name: '' })
    connection.flush()
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#connection?.off('noData', this.#onNoData)
    this.#described.resolve(fields)
  }

  handleDataRow({ fields }: DataRow): void {
    // Millions of empty rows fit into the bytes that a server may send.
    if (this.#rows.length < this.#rowsMax) this.#rows.push(fields)
    else this.handleError(new Error('the server sent more rows than it was asked for'))
  }

  handlePortalSuspended(): void {
    this.#fetching?.resolve()
  }

  handleCommandComplete(_message: unknown, connection: Connection): void {
    this.#isDone = true
    connection.sync()
  }

  handleEmptyQuery(connection: Connection): void {
    this.#isDone = true
    connection.sync()
  }

  handleReadyForQuery(): void {
    this.#described.resolve([])
    this.#fetching?.resolve()
  }

  handleError(error: unknown, connection?: Connection): void {
    this.#error = error
    this.#isDone = true
    connection?.off('noData', this.#onNoData)
    this.#described.reject(error)
    this.#fetching?.reject(error)
    connection?.sync()
  }

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('COPY FROM STDIN is not allowed: connections only read')
  }

  handleCopyData(): void {
    // What COPY gives is no result: its command ends without a row.
  }

  #onNoData = (): void => {
    this.#isDone = true
    // Not executed: a statement without a result has nothing to import, only effects.
    this.#connection?.sync()
  }
}
