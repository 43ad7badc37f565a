/** What callers of the runners hand in and get back. */
import type { EpochMs } from '../../base/plain.ts'
import type { CompiledSql, SqlCell, SqlPlace } from '../compiled-sql.ts'
import type { RowCell } from './cell-codec.ts'
import type { InputBatch } from './input-batch.ts'

/** Which rows of stored data a statement asks for, when it comes to it. */
export interface WantedRead {
  readonly statement: number
  /** The number of the read among those of the statement's query. */
  readonly read: number
  /** The row of the read's `given`. */
  readonly given: readonly RowCell[]
  /** The row of its `bounds`; undefined where it is unknown. */
  readonly bounds: readonly RowCell[] | undefined
}

/** Webhooks and queries do not wait for each other. */
export type RunKind = 'query' | 'webhook'

/** One run of a program. */
export interface SqlCall {
  /** The account that the run is counted for. No owner has all runners, and the one that used them least goes first. */
  readonly owner: string
  /** A query if unsaid. */
  readonly kind?: RunKind
  /** A program is kept compiled under this, as long as it is the very same object. */
  readonly key: string
  readonly program: CompiledSql
  /** Values by the names of variables, @ and capitals; those that are not here are NULL. */
  readonly variables: ReadonlyMap<string, SqlCell>
  /** The time of the call. */
  readonly now: EpochMs
  /** The most rows that all statements together may give. */
  readonly rowsMax: number
  /** Takes rows of a statement, for `readCell`; the next come when what it returns has resolved. */
  onRows(statement: number, rows: RowCell[][]): void | Promise<void>
  /** Takes the options of an INSERT, before its rows. */
  onOptions?(statement: number, row: readonly RowCell[]): void
  /** Hands over stored rows; batches are asked for as fast as the runner takes them. */
  openRead?(wanted: WantedRead): AsyncIterable<InputBatch>
  /** Ends the call; it fails with the signal's reason. */
  readonly signal?: AbortSignal
}

/** A run that went through. */
export interface SqlRunSummary {
  readonly rowCount: number
}

/** Why a run has failed. */
export type SqlRunReason =
  /** The statements themselves: bad values, too many rows, something that is not allowed. */
  | 'failed'
  /** They took too long. */
  | 'time'
  /** They took too much memory. */
  | 'memory'
  /** The caller did not hand over or take rows for too long. */
  | 'wait'
  /** The runner died. */
  | 'crash'

/** A run that failed; nothing of it is left, and other calls go on. */
export class SqlRunError extends Error {
  readonly reason: SqlRunReason
  /** The stretch of the program's text that is meant; undefined where it is all of it. */
  readonly place: SqlPlace | undefined

  constructor(reason: SqlRunReason, problem: string, place?: SqlPlace) {
    super(problem)
    this.name = 'SqlRunError'
    this.reason = reason
    this.place = place
  }
}

/** A call that its runner never read, as it had died before: another may take it. */
export class UndeliveredCall extends SqlRunError {
  constructor() {
    super('crash', 'Cannot run this: its process ended unexpectedly. Nothing was stored')
    this.name = 'UndeliveredCall'
  }
}
