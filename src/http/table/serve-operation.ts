import type { CountedAs } from '../../auth/index.ts'
import { invariant, type Log, type MemoryBudget } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import { requireOwnSite } from '../admit/own-site.ts'
import { answerError } from '../transport/answer.ts'
import type { Exchange } from '../transport/exchange.ts'
import { requireFits } from './body-schema.ts'
import { type Admitted, Call } from './call.ts'
import type { Callers, HttpOperation } from './http-operation.ts'
import { IncomingBody, readBytes, readInput } from './read-input.ts'
import { sendAnswer } from './send-answer.ts'
import type { Match } from './table.ts'

/** How a process keeps up with others that share its store. */
export interface KeepingUp {
  /** Takes over what they have committed. */
  readonly catchUp: () => Promise<void>
  /** Resolves when they have taken over what was committed before the call. */
  readonly heard: () => Promise<void>
  /** Loads the streams of an organization; undefined if they are loaded. */
  readonly ensureLoaded: (orgUid: string) => Promise<void> | undefined
}

/** What calls are served with. */
export interface ServingParts {
  readonly log: Log
  /** Lets callers in. Without it only operations for anyone are served. */
  readonly gate: Gate | undefined
  /** What all calls in flight may hold. */
  readonly budget: MemoryBudget
  /** Undefined where no other process shares the store. */
  readonly keepingUp: KeepingUp | undefined
}

/** Calls that change who may act and where: others look at that before they look at the log. */
const OF_PEOPLE = /^\/api\/(?:organization|org_user)(?:\/|$)/

/**
 * Serves a call to its end: admission, body, check, run, answer, each in one place for all
 * operations. A body that lies in memory of its connection is read, or copied, before this returns.
 */
export function serveOperation(parts: ServingParts, exchange: Exchange, match: Match): void {
  exchange.route = match.pattern
  const body = new IncomingBody(exchange.incoming)
  void serve(parts, exchange, match, body)
  body.own()
}

async function serve(
  parts: ServingParts,
  exchange: Exchange,
  match: Match,
  body: IncomingBody,
): Promise<void> {
  const { operation } = match
  const { gate, budget, keepingUp } = parts
  let call: Call<never, never> | undefined
  const fail = (error: unknown): void => {
    const { dialect, allow } = operation
    const headers = call?.errorHeaders
    answerError(exchange, error, parts.log, { writeError: dialect.writeError, allow, headers })
  }
  try {
    const target = readTarget(exchange, match)
    let admitted: Admitted | undefined
    if (operation.callers !== 'anyone') {
      invariant(gate !== undefined, 'a call that needs a caller is served without a gate')
      const arrival = {
        exchange,
        dialect: operation.dialect,
        countedAs: COUNTED[operation.callers],
      }
      const asOf = gate.changes
      let caller = gate.admitNow(arrival)
      if (caller === undefined) {
        body.own()
        caller = await gate.admit(arrival)
      }
      const loading = keepingUp?.ensureLoaded(caller.principal.orgUid)
      if (loading !== undefined) {
        body.own()
        await loading
      }
      if (operation.isWrite) requireOwnSite(exchange.req, caller)
      admitted = { caller, callerCheck: gate.follow(arrival, caller, asOf) }
    }
    const isKnown = admitted !== undefined
    const reading = { exchange, operation, body, budget, isKnown }
    let parsed: unknown
    if (isReadFirst(operation)) {
      parsed = await readInput(reading)
      // A body may have taken minutes: rights revoked meanwhile must not apply.
      if (admitted !== undefined) {
        admitted = { ...admitted, caller: await admitted.callerCheck.renew() }
      }
      if (operation.input.kind === 'json' && operation.input.isChecked) {
        requireFits(operation.input.schema, parsed)
      }
    }
    if (!operation.isCurrent) await keepingUp?.catchUp()
    call = new Call<never, never>({
      exchange,
      head: match,
      body: parsed as never,
      target: target as never,
      errorHeaders: operation.errorHeaders,
      admitted,
      readBytes: (use) => readBytes(reading, use),
    })
    const result = await operation.run(call)
    if (operation.isWrite && OF_PEOPLE.test(operation.path)) await keepingUp?.heard()
    if (operation.output !== 'events') {
      const waiting = sendAnswer({ exchange, operation, budget, isKnown }, result, fail)
      if (waiting !== undefined) await waiting
    }
  } catch (error) {
    fail(error)
  }
}

const COUNTED: Readonly<Record<Exclude<Callers, 'anyone'>, CountedAs>> = {
  admin: 'admin',
  feed: 'feed',
  uncounted: undefined,
}

/** Whether the body is read before `run`, and not by it. */
function isReadFirst({ input }: HttpOperation): boolean {
  return input.kind === 'json' || input.kind === 'text'
}

/** What the operation reads of the head, once for all requests with the same head. */
function readTarget({ req }: Exchange, { operation, ids, query, kept }: Match): unknown {
  if (operation.readTarget === undefined) return undefined
  const { method = '' } = req
  kept.target ??= { made: operation.readTarget({ method, head: req, ids, queryText: query }) }
  return kept.target.made
}
