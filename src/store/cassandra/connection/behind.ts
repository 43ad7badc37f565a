/** Nodes that have not heard of a keyspace or a table yet, which another node has just made. */
import { setTimeout as pause } from 'node:timers/promises'
import cassandra from 'cassandra-driver'

/** Nodes learn of a change within a second or two; one that takes longer than this has a fault. */
const BEHIND_MS = 20_000
const LOOK_MS = 100

/** Only the messages of nodes say which object they consider invalid. */
const UNKNOWN = /(keyspace|table) \S+ (does not exist|doesn't exist)|unconfigured table/i

/**
 * Whether an error says that the node that was asked does not know a keyspace or a table. It finds that out before
 * it runs anything, so whatever it was asked may be asked again.
 */
export function isBehind(error: unknown): boolean {
  const { errors, types } = cassandra
  if (error instanceof errors.NoHostAvailableError) {
    const reasons = Object.values((error.innerErrors ?? {}) as Record<string, unknown>)
    return reasons.some(isBehind)
  }
  if (!(error instanceof errors.ResponseError)) return false
  return error.code === types.responseErrorCodes.invalid && UNKNOWN.test(error.message)
}

/** How a task is asked again. */
interface KnownWatch {
  /** Called once with the reason for waiting. */
  readonly onWaiting?: (what: string) => void
  /** Ends the waiting. */
  readonly signal?: AbortSignal
  /** Whether what was refused by some nodes and made by others may be made again. */
  readonly isIdempotent?: boolean
  /** Whether all nodes have the same schema: asked before each repetition. */
  readonly isAgreed?: () => Promise<boolean>
}

/** Repeats a task while the node that it asks is behind, and logs that. Rejects like the task if the delay lasts. */
export async function untilKnown<T>(task: () => Promise<T>, watch: KnownWatch): Promise<T> {
  const deadline = performance.now() + BEHIND_MS
  const isLasting = () => performance.now() > deadline || watch.signal?.aborted === true
  for (let tries = 0; ; tries++) {
    try {
      return await task()
    } catch (error) {
      // The node that was asked may know by then what its replicas do not.
      const isReplicaBehind =
        watch.isIdempotent === true && (isHalfKnown(error) || (tries > 0 && isFailure(error)))
      if (isLasting() || !(isBehind(error) || isReplicaBehind)) throw error
      if (tries === 0) watch.onWaiting?.(`waits for a node that is behind: ${messageOf(error)}`)
    }
    do await pause(LOOK_MS)
    while (!isLasting() && watch.isAgreed !== undefined && !(await watch.isAgreed()))
  }
}

/** What a node says of itself when it knows a table by its name and has not made it yet. */
const HALF_KNOWN = /Unknown CF/

function isHalfKnown(error: unknown): boolean {
  const { errors, types } = cassandra
  if (!(error instanceof errors.ResponseError)) return false
  return error.code === types.responseErrorCodes.serverError && HALF_KNOWN.test(error.message)
}

function isFailure(error: unknown): boolean {
  const { errors, types } = cassandra
  if (!(error instanceof errors.ResponseError)) return false
  const { readFailure, writeFailure } = types.responseErrorCodes
  return error.code === readFailure || error.code === writeFailure
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
