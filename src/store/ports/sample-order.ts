/** The order of writes to samples among processes that share them. No clock has a part in it. */

/** Where a write stands among all writes of all processes. */
export interface WritePlace {
  /** A later write has a greater one. */
  readonly stamp: number
  /** The number of the process that writes; no two have the same. */
  readonly writer: number
}

/** Gives writes their places. */
export interface SampleOrder {
  /**
   * Does a write. Its stamp is greater than that of every write that had ended when this was called, through any
   * process. Refused with 503 when the others did not wait for its end: then it may have come too late to count.
   */
  write<T>(work: (place: WritePlace) => Promise<T>): Promise<T>
  /** A stamp greater than all before it, for what is not waited for. */
  next(): Promise<number>
  /** The number under which this process writes. */
  readonly writer: number
  /** Every write with this stamp or a smaller one has ended. Never goes back. */
  readonly endedUpTo: number
  /** The time by the clock that all processes share, as last received. */
  readonly nowMs: number
  /** Asks for newer values of both. */
  refresh(): Promise<void>
  close(): Promise<void>
}
