import type { Caller } from '../../auth/index.ts'
import { invariant, type Log, Refusal } from '../../base/index.ts'
import type { Gate } from '../admit/gate.ts'
import { requireOwnSite } from '../admit/own-site.ts'
import { answer, answerError } from '../transport/answer.ts'
import type { Exchange, FastLane } from '../transport/exchange.ts'
import { requireAsPut } from './as-put.ts'
import { bytesWhileRead, type FeedBodyReader } from './feed-body-reader.ts'
import type { FeedCalls, Warn } from './feed-calls.ts'
import {
  type FeedPath,
  isReadingPath,
  readFeedPath,
  readStatisticPath,
  type StatisticPath,
} from './feed-path.ts'

/** What the fast lane of the feed needs. */
export interface FeedLaneDeps {
  readonly calls: FeedCalls
  readonly bodies: FeedBodyReader
  readonly gate: Gate
  readonly log: Log
}

const PUT_ROUTE = '/api/feed'

function routeOf(path: FeedPath | StatisticPath): string {
  const stream = path.streamId === undefined ? '' : '/stream/:streamId'
  const statistic = 'statId' in path ? '/cycle/:cycleId/stat/:statId' : ''
  return `/api/comp/:compId${stream}${statistic}/${path.call}`
}

/**
 * Serves PUT /api/feed and the GETs of samples, last values and statistics without Fastify: most
 * calls of a busy service are one of these, and Fastify would cost more than the call itself.
 */
export function feedLane(deps: FeedLaneDeps): FastLane {
  return {
    serves: ({ method, url = '' }) => {
      if (method !== 'PUT' && method !== 'GET') return false
      const path = pathOf(url)
      return path === PUT_ROUTE || (method === 'GET' && isReadingPath(path))
    },
    serve: (exchange) => {
      const { url = '' } = exchange.req
      const path = pathOf(url)
      const query = url.slice(path.length + 1)
      const isPut = path === PUT_ROUTE
      if (isPut) exchange.route = PUT_ROUTE
      void settle(deps, exchange, () =>
        isPut ? put(deps, exchange, query) : get(deps, exchange, path, query),
      )
    },
  }
}

function pathOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? url : url.slice(0, mark)
}

async function settle(
  deps: FeedLaneDeps,
  exchange: Exchange,
  serve: () => Promise<string | Buffer>,
): Promise<void> {
  try {
    answer(exchange, 200, await serve())
  } catch (error) {
    const isWrongMethod = error instanceof Refusal && error.code === 'method_not_allowed'
    answerError(exchange, error, deps.log, isWrongMethod ? { Allow: 'PUT' } : undefined)
  }
}

async function put(deps: FeedLaneDeps, exchange: Exchange, query: string): Promise<string> {
  const { calls, bodies, gate } = deps
  const { req, incoming } = exchange
  const isGet = req.method === 'GET'
  if (isGet) requireAsPut(req.url ?? '')
  let caller: Caller | undefined = gate.admitNow(exchange, 'feed')
  let body = incoming
  if (caller === undefined) {
    if (Buffer.isBuffer(body)) body = Buffer.from(body)
    caller = await gate.admit(exchange, 'feed')
  }
  if (isGet) requireOwnSite(req, caller)
  const { principal } = caller
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

function readPath(text: string): FeedPath | StatisticPath {
  const path = readFeedPath(text) ?? readStatisticPath(text)
  invariant(path !== undefined, 'the lane was given a path that it does not serve')
  return path
}

async function get(
  deps: FeedLaneDeps,
  exchange: Exchange,
  text: string,
  query: string,
): Promise<Buffer> {
  const { calls, gate } = deps
  const path = readPath(text)
  exchange.route = routeOf(path)
  const { principal } =
    gate.admitNow(exchange, undefined) ?? (await gate.admit(exchange, undefined))
  if ('statId' in path) return calls.statistic(principal, path, query)
  return path.call === 'feed'
    ? calls.get(principal, path, query)
    : calls.lastValue(principal, path, query)
}
