import type { Principal } from '../../access/index.ts'
import type { Caller, ExportedData, ExportLog } from '../../auth/index.ts'
import { type Log, Refusal, readLoosePairs } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import { requireOwnSite } from '../admit/own-site.ts'
import { answer, answerError } from '../transport/answer.ts'
import type { Exchange, FastLane } from '../transport/exchange.ts'
import { requireAsPut } from './as-put.ts'
import { bytesWhileRead, type FeedBodyReader } from './feed-body-reader.ts'
import {
  type BodyQuery,
  type FeedCalls,
  type ReadAside,
  readBodyQuery,
  type Warn,
} from './feed-calls.ts'
import {
  type FeedCall,
  type FeedRead,
  findFeedCall,
  nextTarget,
  readFeedRead,
} from './feed-paths.ts'

/** What the fast lane of the feed needs. */
interface FeedLaneDeps {
  readonly calls: FeedCalls
  readonly bodies: FeedBodyReader
  readonly gate: Gate
  readonly log: Log
  /** Told of what was answered, for the audit log. */
  readonly exports: Pick<ExportLog, 'note'>
}

/** Parameters that the link to the next samples repeats; those that nobody reads may be long. */
const LINKED_NAMES: ReadonlySet<string> = new Set([
  'sd',
  'limit',
  'format',
  'retCompId',
  'retStreamId',
  'retFData',
  'retUnit',
  'retIntvlSd',
  'api_key',
  'session',
  'org',
])

/** Those that a call by UIDs has beside them. */
const LINKED_BY_UID: ReadonlySet<string> = new Set(['cycle', 'stat'])

/**
 * Serves the calls of the feed's table without Fastify: most calls of a busy service are one of these,
 * and Fastify would cost more than the call itself.
 */
export function feedLane(deps: FeedLaneDeps): FastLane {
  return (method, url) => {
    const call = findFeedCall(method, url)
    if (call === undefined) return undefined
    const kept: KeptCall = { ...call, readQuery: queryReader(call.query) }
    return (exchange) => void serve(deps, exchange, kept)
  }
}

/** A call that is found once for all requests of a connection that have the same head. */
interface KeptCall extends FeedCall {
  readonly readQuery: () => BodyQuery
}

/** Reads the query of a put with a body on first use. A bad query is refused on every use. */
function queryReader(query: string): () => BodyQuery {
  let read: BodyQuery | undefined
  return () => {
    read ??= readBodyQuery(query)
    return read
  }
}

/** A body that lies in memory of the connection is read, or copied, before this returns. */
async function serve(deps: FeedLaneDeps, exchange: Exchange, call: KeptCall): Promise<void> {
  exchange.route = call.route.pattern
  try {
    if (call.route.call === 'put') answer(exchange, 200, await put(deps, exchange, call))
    else await serveRead(deps, exchange, call)
  } catch (error) {
    const isWrongMethod = error instanceof Refusal && error.code === 'method_not_allowed'
    answerError(exchange, error, deps.log, isWrongMethod ? { Allow: 'PUT' } : undefined)
  }
}

async function put(deps: FeedLaneDeps, exchange: Exchange, call: KeptCall): Promise<string> {
  const { calls, bodies, gate } = deps
  const { query, readQuery } = call
  const { req, incoming } = exchange
  const isGet = req.method === 'GET'
  if (isGet) requireAsPut(query)
  const asOf = gate.changes
  let caller: Caller | undefined = gate.admitNow(exchange, 'feed')
  let body = incoming
  if (caller === undefined) {
    if (Buffer.isBuffer(body)) body = Buffer.from(body)
    caller = await gate.admit(exchange, 'feed')
  }
  requireOwnSite(req, caller)
  const admitted = caller
  const { principal } = admitted
  const renewLater = () => renewer(gate, exchange, { caller: admitted, asOf })()
  calls.requirePutter(principal)
  const warn: Warn = (warnings) => {
    exchange.warnings = warnings
  }
  const hold = holder(exchange)
  if (!Buffer.isBuffer(body)) {
    const renew = renewer(gate, exchange, { caller, asOf })
    return bodies.read(body, (bytes, held) =>
      calls.put(principal, query, bytes, { held, warn, renew, renewLater, hold, readQuery }),
    )
  }
  bodies.requireFits(body.length)
  const { budget } = bodies
  const heldBytes = bytesWhileRead(body.length)
  let renew: (() => Promise<Principal>) | undefined
  if (!budget.addSmall(heldBytes)) {
    if (body === incoming) body = Buffer.from(body)
    await budget.waitSmall(heldBytes, { heldBytes: body.length })
    renew = renewer(gate, exchange, { caller, asOf })
  }
  try {
    return await calls.put(principal, query, body, { warn, renew, renewLater, hold, readQuery })
  } finally {
    budget.endSmall(heldBytes)
  }
}

/** Has memory given back when the answer has left; at once when nobody is there to read it. */
function holder(exchange: Exchange): ReadAside['hold'] {
  return (share) => {
    exchange.held = share
    if (exchange.reply.isOver) share.release()
  }
}

/** How often a long read asks whether somebody waits for it until a client that may be gone is tried. */
const ASKED_PER_TRY = 32

/** Tells whether nobody waits for a read any more: a client that only goes away has closed its side. */
function goneTeller({ reply }: Exchange): () => boolean {
  let asked = 0
  return () => {
    asked += 1
    if (asked % ASKED_PER_TRY === 0) reply.tellProcessing()
    return reply.isOver
  }
}

/** Tells who calls once the call has waited: for its body, or for memory. */
function renewer(
  gate: Gate,
  exchange: Exchange,
  { caller, asOf }: { readonly caller: Caller; readonly asOf: number },
): () => Promise<Principal> {
  const standing = gate.follow(exchange, caller, asOf)
  return async () => (await standing.renew()).principal
}

async function serveRead(deps: FeedLaneDeps, exchange: Exchange, call: FeedCall): Promise<void> {
  const { calls, gate } = deps
  // A path that is wrong is told as such, whoever calls.
  const read = readFeedRead(call)
  const { principal } =
    gate.admitNow(exchange, undefined) ?? (await gate.admit(exchange, undefined))
  let headers: Record<string, string> | undefined
  let exported: ExportedData | undefined
  const aside: ReadAside = {
    hold: holder(exchange),
    isGone: goneTeller(exchange),
    accept: exchange.req.headers.accept,
    tellType: (type) => {
      headers = { ...headers, 'Content-Type': type, Vary: 'Accept' }
    },
    tellSamples: (amount, form) => {
      exported = { form, ...calls.targetOf(principal, read.ids), amount }
    },
    tellMore: (until) => {
      headers = { ...headers, 'Weir-More': 'true' }
      const next = nextTarget(call, read, nextQuery(read, until))
      if (next !== undefined) headers.Link = `<${next}>; rel="next"`
    },
  }
  answer(exchange, 200, await calls.read(principal, read, aside), headers)
  const { address, req } = exchange
  if (exported !== undefined && req.method === 'GET') {
    deps.exports.note({ principal, address }, exported)
  }
}

/** The query of the same call with the ed that goes on where its answer was cut off; as RFC 8288 has it. */
function nextQuery({ query, ids }: FeedRead, until: number): string {
  const isLinked = (name: string) =>
    LINKED_NAMES.has(name) || ('componentUid' in ids && LINKED_BY_UID.has(name))
  const kept = readLoosePairs(query).filter(([name]) => isLinked(name))
  const pairs = [...kept, ['ed', String(until)]].map((pair) => pair.map(encodeURIComponent))
  return pairs.map((pair) => pair.join('=')).join('&')
}
