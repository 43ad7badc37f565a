import type { Caller } from '../auth/index.ts'
import { type Log, Refusal } from '../base/index.ts'
import { answer, answerError } from './answer.ts'
import { requireAsPut } from './as-put.ts'
import type { Exchange, FastLane } from './exchange.ts'
import type { FeedBodyReader } from './feed-body-reader.ts'
import type { FeedCalls } from './feed-calls.ts'
import type { Gate } from './gate.ts'
import { requireOwnSite } from './own-site.ts'
import {
  type FeedPath,
  readFeedPath,
  readStatisticPath,
  type StatisticPath,
} from './wire/feed-path.ts'

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
  return (req, _res, exchange) => {
    const { method, url = '' } = req
    if (method !== 'PUT' && method !== 'GET') return false
    const mark = url.indexOf('?')
    const path = mark < 0 ? url : url.slice(0, mark)
    const query = mark < 0 ? '' : url.slice(mark + 1)
    if (path === PUT_ROUTE) {
      exchange.route = PUT_ROUTE
      void settle(deps, exchange, () => put(deps, exchange, query))
      return true
    }
    if (method !== 'GET' || !path.startsWith('/api/comp/')) return false
    let feedPath: FeedPath | StatisticPath | undefined
    try {
      feedPath = readFeedPath(path) ?? readStatisticPath(path)
    } catch (error) {
      answerError(exchange, error, deps.log)
      return true
    }
    if (feedPath === undefined) return false
    const found = feedPath
    exchange.route = routeOf(found)
    void settle(deps, exchange, () => get(deps, exchange, found, query))
    return true
  }
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
  const { req } = exchange
  const isGet = req.method === 'GET'
  if (isGet) requireAsPut(req.url ?? '')
  const caller: Caller = gate.admitNow(exchange, 'feed') ?? (await gate.admit(exchange, 'feed'))
  if (isGet) requireOwnSite(req, caller)
  return bodies.read(req, (body) => calls.put(caller.principal, query, body))
}

async function get(
  deps: FeedLaneDeps,
  exchange: Exchange,
  path: FeedPath | StatisticPath,
  query: string,
): Promise<Buffer> {
  const { calls, gate } = deps
  const { principal } =
    gate.admitNow(exchange, undefined) ?? (await gate.admit(exchange, undefined))
  if ('statId' in path) return calls.statistic(principal, path, query)
  return path.call === 'feed'
    ? calls.get(principal, path, query)
    : calls.lastValue(principal, path, query)
}
