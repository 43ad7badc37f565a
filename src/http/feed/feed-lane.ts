import type { Caller } from '../../auth/index.ts'
import { type Log, Refusal } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import { requireOwnSite } from '../admit/own-site.ts'
import { answer, answerError } from '../transport/answer.ts'
import type { Exchange, FastLane } from '../transport/exchange.ts'
import { requireAsPut } from './as-put.ts'
import { bytesWhileRead, type FeedBodyReader } from './feed-body-reader.ts'
import type { FeedCalls, Hold, Warn } from './feed-calls.ts'
import { type FeedCall, findFeedCall, readFeedIds } from './feed-paths.ts'

/** What the fast lane of the feed needs. */
interface FeedLaneDeps {
  readonly calls: FeedCalls
  readonly bodies: FeedBodyReader
  readonly gate: Gate
  readonly log: Log
}

/**
 * Serves the calls of the feed's table without Fastify: most calls of a busy service are one of these,
 * and Fastify would cost more than the call itself.
 */
export function feedLane(deps: FeedLaneDeps): FastLane {
  return (method, url) => {
    const call = findFeedCall(method, url)
    return call === undefined ? undefined : (exchange) => void serve(deps, exchange, call)
  }
}

/** A body that lies in memory of the connection is read, or copied, before this returns. */
async function serve(deps: FeedLaneDeps, exchange: Exchange, call: FeedCall): Promise<void> {
  exchange.route = call.route.pattern
  try {
    const isPut = call.route.call === 'put'
    const served = isPut ? put(deps, exchange, call.query) : read(deps, exchange, call)
    answer(exchange, 200, await served)
  } catch (error) {
    const isWrongMethod = error instanceof Refusal && error.code === 'method_not_allowed'
    answerError(exchange, error, deps.log, isWrongMethod ? { Allow: 'PUT' } : undefined)
  }
}

async function put(deps: FeedLaneDeps, exchange: Exchange, query: string): Promise<string> {
  const { calls, bodies, gate } = deps
  const { req, incoming } = exchange
  const isGet = req.method === 'GET'
  if (isGet) requireAsPut(query)
  let caller: Caller | undefined = gate.admitNow(exchange, 'feed')
  let body = incoming
  if (caller === undefined) {
    if (Buffer.isBuffer(body)) body = Buffer.from(body)
    caller = await gate.admit(exchange, 'feed')
  }
  requireOwnSite(req, caller)
  const { principal } = caller
  calls.requirePutter(principal)
  const warn: Warn = (warnings) => {
    exchange.warnings = warnings
  }
  if (!Buffer.isBuffer(body)) {
    return bodies.read(body, (bytes, held) => calls.put(principal, query, bytes, { held, warn }))
  }
  bodies.requireFits(body.length)
  const { budget } = bodies
  const heldBytes = bytesWhileRead(body.length)
  if (!budget.addSmall(heldBytes)) {
    if (body === incoming) body = Buffer.from(body)
    await budget.waitSmall(heldBytes, { heldBytes: body.length })
  }
  try {
    return await calls.put(principal, query, body, { warn })
  } finally {
    budget.endSmall(heldBytes)
  }
}

async function read(deps: FeedLaneDeps, exchange: Exchange, call: FeedCall): Promise<Buffer> {
  const { calls, gate } = deps
  const { route, query } = call
  // A path that is wrong is told as such, whoever calls.
  const ids = readFeedIds(call)
  const { principal } =
    gate.admitNow(exchange, undefined) ?? (await gate.admit(exchange, undefined))
  // Given back when the answer has left; at once when nobody is there to read it.
  const hold: Hold = (share) => {
    exchange.held = share
    if (exchange.reply.isOver) share.release()
  }
  if ('statId' in ids) {
    return route.call === 'statistic'
      ? calls.statistic(principal, ids, query, hold)
      : calls.lastStatistic(principal, ids, query, hold)
  }
  return route.call === 'get'
    ? calls.get(principal, ids, query, hold)
    : calls.lastValue(principal, ids, query, hold)
}
