/** The messages between a database thread and the main thread. */
import type { OutboundLists } from '../../outbound/outbound-rules.ts'
import type {
  DatabaseFailure,
  DatabaseLimits,
  DatabaseReason,
  DatabaseTarget,
} from '../database-port.ts'

/** The settings of one session. */
export interface ThreadData {
  readonly target: DatabaseTarget
  readonly limits: DatabaseLimits
  /** The lists of the outbound rules. */
  readonly outbound: OutboundLists
  /** Where add-on drivers are installed; undefined: the default. */
  readonly driversDir: string | undefined
}

/** What the main thread asks for; `open` is asked for by starting the thread. */
export type ThreadCall =
  | { readonly call: 'start'; readonly sql: string }
  | { readonly call: 'next'; readonly rowsMax: number }
  | { readonly call: 'cancel' }
  | { readonly call: 'close' }

/** A DatabaseFailure as plain data: errors lose their fields between threads. */
export interface FailureData {
  readonly reason: DatabaseReason
  readonly message: string
  readonly place: DatabaseFailure['place']
  /** Whether the server itself reported it, and so has stopped working on the statement. */
  readonly isFromServer: boolean
}

/** An answer to a call. The calls are numbered from 1; `open` is 0. */
export type ThreadAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: FailureData }
  /** The server sent too much. Every call fails with it. */
  | { readonly id: 'all'; readonly failure: FailureData }
