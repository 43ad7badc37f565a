import type { EpochMs } from '../../base/index.ts'
import type { StreamHandle } from './sample-port.ts'
import type { Scrubbable } from './scrub-port.ts'

/** What a connector is given: a call of its sink, or a run of its own, which has no body. */
export interface NewPayload {
  readonly orgUid: string
  readonly connectorUid: string
  /** When it came. */
  readonly time: EpochMs
  /** How it came: the method of the call, or what began the run. */
  readonly method: string
  /** Without secrets: the writer has masked them. */
  readonly query: string
  readonly body: string | null
}

/** What came of a run. */
export interface RunOutcome {
  readonly start: EpochMs
  readonly end: EpochMs
  readonly status: 'DONE' | 'FAILED'
  readonly rowsFetched: number
  readonly rowsIngested: number
  readonly rowsSkipped: number
  readonly samples: number
  /** Why it failed; blank when it did not. */
  readonly message: string
}

/** Times that were assigned to samples of one stream: their number, and the milliseconds between them. */
export interface AssignedSpan {
  readonly handle: StreamHandle
  readonly from: number
  readonly count: number
  /** Milliseconds from one to the next; 1 by default. */
  readonly step?: number
}

/** Where a payload is kept. */
export interface PayloadKey {
  readonly orgUid: string
  readonly connectorUid: string
  readonly uid: string
}

/** A payload without its body, and its outcome once it has one. */
export interface PayloadSummary {
  readonly uid: string
  readonly time: EpochMs
  readonly method: string
  /** Of the body, as UTF-8. */
  readonly bytes: number
  readonly outcome: RunOutcome | undefined
}

/** A stored payload and its result. */
export interface KeptPayload extends PayloadSummary, Pick<NewPayload, 'query' | 'body'> {
  /** What its samples without a time were assigned, in the order of `keepAssigned`. */
  readonly assigned: readonly AssignedSpan[]
}

/** A run of a payload, or of a connector of its own accord. */
export interface RunSummary {
  /** That of the payload for its last run; one of its own for those before. */
  readonly uid: string
  /** When the payload came. */
  readonly time: EpochMs
  readonly outcome: RunOutcome | undefined
}

/** What is kept of one connector: the newest, as far as both bounds allow. */
export interface PayloadBounds {
  readonly countMax: number
  /** Of bodies and queries; the newest stays however long it is. */
  readonly bytesMax: number
}

/** Stored data of a connector is damaged. Thrown instead of returning data that may be wrong. */
export class PayloadDamaged extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(what, options)
    this.name = 'PayloadDamaged'
  }
}

/**
 * The newest calls and runs of every connector, each with its result. A payload is durable before the call is answered,
 * so a crash loses no acknowledged payload.
 */
export interface PayloadStore extends Scrubbable {
  /**
   * Keeps a payload under a UID that it gets; `landed` resolves when it would survive a crash. Refuses at once, without
   * a UID, while nothing can be kept.
   */
  put(payload: NewPayload): { readonly uid: string; readonly landed: Promise<void> }
  /**
   * Keeps which times the samples of a payload are assigned, in the place of what was kept of that before;
   * durable when it resolves.
   */
  keepAssigned(key: PayloadKey, spans: readonly AssignedSpan[]): Promise<void>
  /**
   * Replaces the outcome of a payload, which `listRuns` returns; durable when it
   * resolves. Of a payload that is not kept any more nothing is kept.
   */
  settle(key: PayloadKey, outcome: RunOutcome): Promise<void>
  /** A page of a connector's payloads, the newest first; those that do not check are left out. */
  list(
    connectorUid: string,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ payloads: PayloadSummary[]; totalCount: number }>
  /** A page of a connector's runs, the one that began last first; those that do not check are left out. */
  listRuns(
    connectorUid: string,
    page: { readonly start: number; readonly limit: number },
  ): Promise<{ runs: RunSummary[]; totalCount: number }>
  /** One payload of a connector; rejects with PayloadDamaged when it does not check. */
  get(connectorUid: string, uid: string): Promise<KeptPayload | undefined>
  /** Payloads without an outcome that are newer than `after`, the oldest first. */
  listUnsettled(after: string | undefined, limit: number): Promise<PayloadKey[]>
  /**
   * Calls a listener with payloads that another process left without an outcome and that nobody else runs: the oldest
   * of them, and once more while they have none. A store of one process never does.
   */
  watchLeft(listener: (left: readonly PayloadKey[]) => void): void
  /** Every connector of which something is kept. */
  listConnectors(): Promise<Pick<PayloadKey, 'orgUid' | 'connectorUid'>[]>
  /** Forgets all payloads of a connector; durable when it resolves. */
  deleteOf(connectorUid: string): Promise<void>
  close(): Promise<void>
}
