import type { Caller } from '../../auth/index.ts'
import { invariant, type Log, type MemoryBudget } from '../../base/index.ts'
import { SINK_BODY_BYTES_MAX, type SinkCalls } from '../../connectors/index.ts'
import type { Gate } from '../admit/gate.ts'
import { requireOwnSite } from '../admit/own-site.ts'
import { bytesWhileRead, FeedBodyReader } from '../feed/feed-body-reader.ts'
import { answer, answerError } from '../transport/answer.ts'
import { knownEncoding } from '../transport/body.ts'
import type { Exchange, FastLane } from '../transport/exchange.ts'
import { bodyText } from './body-text.ts'
import { findSinkCall, readSinkTarget, SINK_PATTERN, type SinkCall } from './sink-path.ts'

/** What the lane of sinks needs. */
interface SinkLaneDeps {
  readonly budget: MemoryBudget
  readonly gate: Gate
  readonly log: Log
  readonly sinks: SinkCalls
}

interface LaneParts extends SinkLaneDeps {
  readonly bodies: FeedBodyReader
}

type FoundConnector = Awaited<ReturnType<SinkCalls['find']>>

/** Serves calls of sinks without Fastify: gateways send as many of them as devices send puts. */
export function sinkLane(deps: SinkLaneDeps): FastLane {
  // Devices name as an encoding what is none, such as utf-8: it says nothing.
  const bodies = new FeedBodyReader(SINK_BODY_BYTES_MAX, deps.budget, knownEncoding)
  const parts = { ...deps, bodies }
  return (method, url) => {
    const call = findSinkCall(method, url)
    return call === undefined ? undefined : (exchange) => void serve(parts, exchange, call)
  }
}

/** A body that lies in memory of the connection is read, or copied, before this returns. */
async function serve(deps: LaneParts, exchange: Exchange, call: SinkCall): Promise<void> {
  exchange.route = SINK_PATTERN
  try {
    const samples = await receive(deps, exchange, call)
    answer(exchange, 200, `{"success":true,"message":"","samples":${samples}}`)
  } catch (error) {
    answerError(exchange, error, deps.log)
  }
}

async function receive(deps: LaneParts, exchange: Exchange, call: SinkCall): Promise<number> {
  const { bodies, sinks } = deps
  const { req, incoming } = exchange
  let connector = findNow(deps, exchange, call)
  let body = incoming
  if (connector === undefined) {
    if (Buffer.isBuffer(body)) body = Buffer.from(body)
    connector = await find(deps, exchange, call)
  }
  const found = connector
  const { method, query } = call
  const type = req.headers['content-type']
  const secret = deps.gate.sinkKeyOf(exchange)
  const take = (bytes: Buffer) =>
    sinks.receive(found, { method, query, body: bodyText(bytes, type), secret })
  if (!Buffer.isBuffer(body)) return await bodies.read(body, take)
  bodies.requireFits(body.length)
  const { budget } = bodies
  const heldBytes = bytesWhileRead(body.length)
  if (!budget.addSmall(heldBytes)) {
    if (body === incoming) body = Buffer.from(body)
    await budget.waitSmall(heldBytes, { heldBytes: body.length })
  }
  try {
    return await take(body)
  } finally {
    budget.endSmall(heldBytes)
  }
}

/** The connector, when caller and connector are in memory; undefined: ask `find`. */
function findNow(
  { gate, sinks }: SinkLaneDeps,
  exchange: Exchange,
  call: SinkCall,
): FoundConnector | undefined {
  const caller = gate.admitSinkNow(exchange)
  if (caller === undefined) return undefined
  requireOwnSite(exchange.req, caller)
  return sinks.findNow(caller.principal, readSinkTarget(call))
}

async function find(
  { gate, sinks }: SinkLaneDeps,
  exchange: Exchange,
  call: SinkCall,
): Promise<FoundConnector> {
  const caller: Caller = await gate.admitSink(exchange)
  invariant(caller.principal.actor.kind === 'api_key', 'a sink was called without a key')
  requireOwnSite(exchange.req, caller)
  return await sinks.find(caller.principal, readSinkTarget(call))
}
