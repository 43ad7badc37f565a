/** The one table of the feed's paths; whoever asks whether a call is the feed's asks here. */
import { invariant, readId, readLoosePairs, refuse } from '../../base/index.ts'
import type { StreamPath } from '../../feed/index.ts'
import { pathOf, queryOf } from '../transport/target.ts'
import { readCycleAndStat } from './plot-query.ts'

/** A path of the feed that is served without Fastify. */
export interface FeedRoute {
  /** As the router and the metrics write it. */
  readonly pattern: string
  readonly methods: readonly string[]
  readonly call: 'put' | 'get' | 'lastValue' | 'statistic' | 'lastStatistic'
}

const PUT_PATH = '/api/feed'
const OF_COMPONENT = '/api/comp/:compId'
const OF_STREAM = '/api/comp/:compId/stream/:streamId'
const OF_UIDS = '/api/component/:componentUid/stream/:uid'
const STATISTIC = 'cycle/:cycleId/stat/:statId'
const READING = ['GET', 'HEAD']

/** A put; a GET is one too when it says so. */
export const PUT_ROUTE: FeedRoute = { pattern: PUT_PATH, methods: ['PUT', 'GET'], call: 'put' }

/** The reads of samples, last values and statistics. */
export const READ_ROUTES: readonly FeedRoute[] = [
  { pattern: `${OF_COMPONENT}/feed`, methods: READING, call: 'get' },
  { pattern: `${OF_COMPONENT}/last_value`, methods: READING, call: 'lastValue' },
  { pattern: `${OF_COMPONENT}/${STATISTIC}/feed`, methods: READING, call: 'statistic' },
  { pattern: `${OF_COMPONENT}/${STATISTIC}/last_value`, methods: READING, call: 'lastStatistic' },
  { pattern: `${OF_STREAM}/feed`, methods: READING, call: 'get' },
  { pattern: `${OF_STREAM}/last_value`, methods: READING, call: 'lastValue' },
  { pattern: `${OF_STREAM}/${STATISTIC}/feed`, methods: READING, call: 'statistic' },
  { pattern: `${OF_STREAM}/${STATISTIC}/last_value`, methods: READING, call: 'lastStatistic' },
  { pattern: `${OF_UIDS}/feed`, methods: READING, call: 'get' },
]

/** A call of the feed, found in the table by its method and target. */
export interface FeedCall {
  readonly route: FeedRoute
  /** The path between its slashes, as it was sent. */
  readonly segments: readonly string[]
  readonly query: string
}

/** What the path of a read of statistics names. */
export type StatisticIds = StreamPath & {
  readonly cycleId: string
  readonly statId: string
}

/** A read of the feed: what of, and the parameters as they were sent. */
export type FeedRead = { readonly query: string } & (
  | { readonly call: 'get' | 'lastValue'; readonly ids: StreamPath }
  | { readonly call: 'statistic' | 'lastStatistic'; readonly ids: StatisticIds }
)

interface TableRow {
  readonly route: FeedRoute
  readonly segments: readonly string[]
}

const NO_SEGMENTS: readonly string[] = []

/** The reads by how many segments their paths have. */
const rowsByLength = new Map<number, readonly TableRow[]>()
for (const route of READ_ROUTES) {
  const segments = route.pattern.split('/')
  const others = rowsByLength.get(segments.length) ?? []
  rowsByLength.set(segments.length, [...others, { route, segments }])
}

function isOf(row: TableRow, segments: readonly string[]): boolean {
  return row.segments.every((name, at) => name.startsWith(':') || name === segments[at])
}

/** The call that a method and a target mean; undefined when it is none of the table's. */
export function findFeedCall(method: string, url: string): FeedCall | undefined {
  if (!url.startsWith('/api/')) return undefined
  const path = pathOf(url)
  const query = queryOf(url)
  if (path === PUT_PATH) {
    const isServed = PUT_ROUTE.methods.includes(method)
    return isServed ? { route: PUT_ROUTE, segments: NO_SEGMENTS, query } : undefined
  }
  if (!READING.includes(method)) return undefined
  const segments = path.split('/')
  const row = rowsByLength.get(segments.length)?.find((one) => isOf(one, segments))
  return row === undefined ? undefined : { route: row.route, segments, query }
}

/** The target of a call whose IDs the router has decoded, as findFeedCall() reads it. */
export function feedTarget(
  { pattern }: FeedRoute,
  ids: Readonly<Record<string, string>>,
  query: string,
): string {
  return `${pattern.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(ids[name]))}?${query}`
}

function readSegment(segment: string, name: string): string {
  let id: string
  try {
    id = segment.includes('%') ? decodeURIComponent(segment) : segment
  } catch {
    refuse('bad_input', { what: `Cannot decode the ${name} in the path: write a % as %25` })
  }
  return readId(id, 'the path', name)
}

/** The call for more of one stream, with another query; undefined of a read of several streams. */
export function nextTarget({ route }: FeedCall, { ids }: FeedRead, query: string) {
  if ('componentUid' in ids) {
    const { componentUid, streamUid: uid } = ids
    return feedTarget(route, { componentUid, uid }, query)
  }
  const { streamId } = ids
  return streamId === undefined ? undefined : feedTarget(route, { ...ids, streamId }, query)
}

/** What a read asks for. Its IDs are decoded behind the split, so that they may hold an encoded slash. */
export function readFeedRead({ route: { call }, segments, query }: FeedCall): FeedRead {
  invariant(call !== 'put', 'a put is no read')
  if (segments[2] === 'component') {
    return readByUids(segments, query)
  }
  const compId = readSegment(segments[3], 'compId')
  const streamId = segments[4] === 'stream' ? readSegment(segments[5], 'streamId') : undefined
  if (call === 'get' || call === 'lastValue') return { call, ids: { compId, streamId }, query }
  const cycleId = readSegment(segments[segments.length - 4], 'cycleId')
  const statId = readSegment(segments[segments.length - 2], 'statId')
  return { call, ids: { compId, streamId, cycleId, statId }, query }
}

/** By UIDs a statistic is asked for in the query, as a plot is: cycles may have any ID. */
function readByUids(segments: readonly string[], query: string): FeedRead {
  const componentUid = readSegment(segments[3], 'componentUid')
  const streamUid = readSegment(segments[5], 'uid')
  const ids = { componentUid, streamUid }
  const asked = readCycleAndStat(readLoosePairs(query))
  if (asked === undefined) return { call: 'get', ids, query }
  return { call: 'statistic', ids: { ...ids, ...asked }, query }
}
