/** Messages between the main thread and the writer of payloads.db. */
import type { NewPayload, PayloadBounds, RunOutcome } from '../../ports/payload-port.ts'

export interface PayloadWrite extends NewPayload {
  readonly number: number
}

export interface OutcomeWrite extends RunOutcome {
  readonly number: number
}

/** Which times the samples of a payload are assigned, as `writeSpans` writes them. */
export interface AssignedWrite {
  readonly number: number
  readonly spans: string
}

/** A payload that comes from another store, with all that is kept of it. */
export interface WholeWrite {
  readonly put: PayloadWrite
  /** As `writeSpans` writes them. */
  readonly spans: string
  readonly outcome: RunOutcome | undefined
  /** Runs before the last, with the numbers that their UIDs have, or null. */
  readonly earlier: readonly { readonly id: number | null; readonly outcome: RunOutcome }[]
}

/** What shares one transaction and one sync: all of it is made, or nothing. */
export interface PayloadBatch {
  readonly puts: PayloadWrite[]
  readonly assigned: AssignedWrite[]
  readonly outcomes: OutcomeWrite[]
  readonly wholes: WholeWrite[]
  /** Connectors of which nothing is kept any more, what the batch puts included. */
  readonly deletes: string[]
  /** The thread ends after it. */
  readonly isLast?: boolean
}

/** How a batch ended; the first reply is about opening the file. */
export interface PayloadReply {
  readonly failure?: { readonly message: string; readonly errcode: number | undefined }
  /** The file was refused as it is. */
  readonly refusal?: string
}

/** What the thread is started with. */
export interface PayloadWriterData {
  /** The data folder, whose progress is recorded. */
  readonly folder: string
  readonly file: string
  readonly bounds: PayloadBounds
}
