/** The calls of the feed: puts, reads of samples, last values and statistics, and deletes of a range. */
import { announceAct } from '../../auth/administer/index.ts'
import type { ExportedData, Identity } from '../../auth/index.ts'
import { readFlag, readId, readLoosePairs, readQueryPairs, refuse, Type } from '../../base/index.ts'
import type { OneStreamPath, StreamPath } from '../../feed/index.ts'
import {
  type FeedCalls,
  type FeedRead,
  type ReadAside,
  readBodyQuery,
  type StatisticIds,
} from '../feed/feed-calls.ts'
import {
  asPutQuery,
  componentPath,
  deleteFeedQuery,
  feedAnswer,
  feedByUidQuery,
  feedQuery,
  putFeedAnswer,
  putFeedBody,
  putFeedQuery,
  statisticPath,
  streamPath,
  uidPath,
} from '../feed/feed-wire.ts'
import { readCycleAndStat } from '../feed/plot-query.ts'
import { doneAnswer } from '../openapi/answer-schema.ts'
import type { Call } from '../table/call.ts'
import { Answer } from '../table/call-answer.ts'
import { type CallTarget, type HttpOperation, httpOperation } from '../table/http-operation.ts'
import { JSON_POLICY } from '../transport/answer.ts'
import type { Exchange } from '../transport/exchange.ts'

/** What the operations of the feed need. */
interface FeedOperationsDeps {
  readonly calls: FeedCalls
  readonly bodyBytesMax: number
  readonly identity: Pick<Identity, 'exports' | 'audit'>
  /** Where the service is below its host; '' at its root. */
  readonly pathPrefix: string
}

/** What a call of the feed needs, whichever components it names. */
const FEED = 'component/{uid}/feed'

const undecodable = (name: string) => `Cannot decode the ${name} in the path: write a % as %25`

/** The operations of the feed. */
export function feedOperations(deps: FeedOperationsDeps): HttpOperation[] {
  return [
    ...putOperations(deps),
    ...READS.map((read) => readOperation(deps, read)),
    ...deletes(deps),
  ]
}

function putOperations({ calls, bodyBytesMax }: FeedOperationsDeps): HttpOperation[] {
  const input = { kind: 'bytes', limitBytes: bodyBytesMax, hasBatchForm: true } as const
  const put = {
    path: '/api/feed',
    callers: 'feed',
    needs: `PUT ${FEED}`,
    tag: 'feed',
    answer: putFeedAnswer,
    isWrite: true,
    isHot: true,
    isCurrent: true,
  } as const
  return [
    httpOperation({
      ...put,
      name: 'putFeed',
      methods: ['PUT'],
      summary: 'Store samples, all or none. Responds when they are durable',
      query: putFeedQuery,
      input: { ...input, schema: putFeedBody },
      isBodyOptional: true,
      run: (call) => runPut(calls, call),
    }),
    httpOperation({
      ...put,
      name: 'putFeedByGet',
      methods: ['GET'],
      hasHead: false,
      summary: 'With asPut: same as PUT',
      query: asPutQuery,
      // Without asPut it is a 405.
      errors: [400, 401, 403, 404, 405, 409, 429],
      allow: 'PUT',
      input: { ...input, schema: undefined },
      readTarget: ({ queryText }) => requireAsPut(queryText),
      run: (call) => runPut(calls, call),
    }),
  ]
}

/** Refuses a GET to /feed that does not ask to be taken as a put. */
function requireAsPut(query: string): void {
  if (readFlag(readQueryPairs(query), 'asPut')) return
  refuse('method_not_allowed', { what: 'Cannot GET /api/feed. Use PUT, or add asPut' })
}

function runPut(calls: FeedCalls, call: Call<unknown, unknown>): Promise<string> {
  const { principal, queryText, exchange } = call
  calls.requirePutter(principal)
  return call.withBytes((bytes, held) =>
    calls.put(principal, queryText, bytes, {
      held,
      warn: (warnings) => call.warn(warnings),
      hold: holder(exchange),
      renew: () => call.renew(),
      readQuery: () => call.once(() => readBodyQuery(queryText)),
    }),
  )
}

/** Has memory given back when the answer has left; at once when nobody is there to read it. */
function holder(exchange: Exchange): ReadAside['hold'] {
  return (share) => {
    exchange.held = share
    if (exchange.reply.isOver) share.release()
  }
}

const OF_COMPONENT = '/api/comp/:compId'
const OF_STREAM = '/api/comp/:compId/stream/:streamId'
const OF_UIDS = '/api/component/:componentUid/stream/:uid'
const STATISTIC = 'cycle/:cycleId/stat/:statId'

/** One of the paths that samples, last values and statistics are read at. */
interface ReadPath {
  readonly path: string
  readonly call: FeedRead['call']
}

const READS: readonly ReadPath[] = [OF_COMPONENT, OF_STREAM]
  .flatMap((place): ReadPath[] => [
    { path: `${place}/feed`, call: 'get' },
    { path: `${place}/last_value`, call: 'lastValue' },
    { path: `${place}/${STATISTIC}/feed`, call: 'statistic' },
    { path: `${place}/${STATISTIC}/last_value`, call: 'lastStatistic' },
  ])
  .concat({ path: `${OF_UIDS}/feed`, call: 'get' })

/** What a read answers, and what its operation is called behind `get`. */
const ABOUT = {
  get: { name: 'Feed', summary: 'The latest samples' },
  lastValue: { name: 'LastValue', summary: 'The last value' },
  statistic: {
    name: 'Statistic',
    summary: 'A statistic per period of a cycle, newest first,',
  },
  lastStatistic: {
    name: 'LastStatistic',
    summary: 'A statistic of the last period with a value,',
  },
} as const

function readOperation(deps: FeedOperationsDeps, { path, call }: ReadPath): HttpOperation {
  const isByUid = path.startsWith(OF_UIDS)
  const isOfStream = isByUid || path.startsWith(OF_STREAM)
  const place = isByUid ? uidPath : isOfStream ? streamPath : componentPath
  const { name, summary } = ABOUT[call]
  const what = `${summary} of ${isOfStream ? 'one stream' : 'every stream of a component'}`
  return httpOperation({
    name: `get${isOfStream ? '' : 'Component'}${name}${isByUid ? 'ByUid' : ''}`,
    methods: ['GET'],
    path,
    callers: 'uncounted',
    needs: `GET ${FEED}`,
    tag: 'feed',
    summary: isByUid ? `${what}, by UIDs` : what,
    ids: path.includes(':statId')
      ? Type.Object({ ...place.properties, ...statisticPath.properties })
      : place,
    query: isByUid ? feedByUidQuery : feedQuery,
    answer: feedAnswer,
    isHot: true,
    isCurrent: true,
    undecodable,
    readTarget: (target) => readFeedRead(call, target),
    run: (asked) => runRead(deps, asked, path),
  })
}

/** The request of a read. A wrong path is rejected for every caller. */
function readFeedRead(call: FeedRead['call'], { ids, queryText: query }: CallTarget): FeedRead {
  if (ids.componentUid !== undefined) return readByUids(ids, query)
  const compId = readId(ids.compId, 'the path', 'compId')
  const streamId =
    ids.streamId === undefined ? undefined : readId(ids.streamId, 'the path', 'streamId')
  if (call === 'get' || call === 'lastValue') return { call, ids: { compId, streamId }, query }
  const cycleId = readId(ids.cycleId, 'the path', 'cycleId')
  const statId = readId(ids.statId, 'the path', 'statId')
  return { call, ids: { compId, streamId, cycleId, statId }, query }
}

/** By UIDs a statistic is asked for in the query, as a plot is: cycles may have any ID. */
function readByUids(given: CallTarget['ids'], query: string): FeedRead {
  const componentUid = readId(given.componentUid, 'the path', 'componentUid')
  const streamUid = readId(given.uid, 'the path', 'uid')
  const ids = { componentUid, streamUid }
  const asked = readCycleAndStat(readLoosePairs(query))
  if (asked === undefined) return { call: 'get', ids, query }
  return { call: 'statistic', ids: { ...ids, ...asked }, query }
}

async function runRead(
  { calls, identity, pathPrefix }: FeedOperationsDeps,
  { exchange, principal, target: read, method, address }: Call<unknown, FeedRead>,
  path: string,
): Promise<Answer> {
  const headers: Record<string, string> = {}
  let exported: ExportedData | undefined
  const aside: ReadAside = {
    hold: holder(exchange),
    isGone: goneReporter(exchange),
    accept: exchange.req.headers.accept,
    onType: (type) => {
      headers['Content-Type'] = type
      headers['Content-Security-Policy'] = JSON_POLICY
      headers.Vary = 'Accept'
    },
    onSamples: (amount, form) => {
      exported = { form, ...calls.targetOf(principal, read.ids), amount }
    },
    onMore: (until) => {
      headers['Weir-More'] = 'true'
      const next = nextTarget(path, read, until)
      if (next !== undefined) headers.Link = `<${pathPrefix}${next}>; rel="next"`
    },
  }
  const body = await calls.read(principal, read, aside)
  if (exported !== undefined && method === 'GET') {
    identity.exports.note({ principal, address }, exported)
  }
  return new Answer(body, { headers })
}

/** How often a long read asks whether somebody waits for it until a client that may be gone is tried. */
const ASKED_PER_TRY = 32

/** Whether nobody waits for a read any more: a client that only goes away has closed its side. */
function goneReporter({ reply }: Exchange): () => boolean {
  let asked = 0
  return () => {
    asked += 1
    if (asked % ASKED_PER_TRY === 0) reply.sendProcessing()
    return reply.isOver
  }
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

/** The call for more of one stream, from where its answer was cut off (RFC 8288); undefined of several streams. */
function nextTarget(pattern: string, { ids, query }: FeedRead, until: number): string | undefined {
  const named = namesOf(ids)
  if (named === undefined) return undefined
  const isLinked = (name: string) =>
    LINKED_NAMES.has(name) || ('componentUid' in ids && LINKED_BY_UID.has(name))
  const kept = readLoosePairs(query).filter(([name]) => isLinked(name))
  const pairs = [...kept, ['ed', String(until)]].map((pair) => pair.map(encodeURIComponent))
  const path = pattern.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(named[name]))
  return `${path}?${pairs.map((pair) => pair.join('=')).join('&')}`
}

/** The IDs of one stream by their names in the path. */
function namesOf(ids: StreamPath | StatisticIds): Readonly<Record<string, string>> | undefined {
  if ('componentUid' in ids) return { componentUid: ids.componentUid, uid: ids.streamUid }
  return ids.streamId === undefined ? undefined : { ...ids, streamId: ids.streamId }
}

/** A delete by IDs, and one by UIDs. */
function deletes(deps: FeedOperationsDeps): HttpOperation[] {
  return [
    deleteOperation(deps, {
      path: `${OF_STREAM}/feed`,
      ids: streamPath,
      name: 'deleteFeed',
      summary: 'Delete the samples of a range',
      pathOf: ({ compId, streamId }) => ({
        compId: readId(compId, 'the path', 'compId'),
        streamId: readId(streamId, 'the path', 'streamId'),
      }),
    }),
    deleteOperation(deps, {
      path: `${OF_UIDS}/feed`,
      ids: uidPath,
      name: 'deleteFeedByUid',
      summary: 'Delete the samples of a range, by UIDs',
      pathOf: ({ componentUid, uid }) => ({ componentUid, streamUid: uid }),
    }),
  ]
}

/** A way to say which stream samples are deleted of. */
interface DeleteWay extends Pick<HttpOperation, 'path' | 'ids' | 'name' | 'summary'> {
  readonly pathOf: (ids: Call['ids']) => OneStreamPath
}

function deleteOperation({ calls, identity }: FeedOperationsDeps, way: DeleteWay): HttpOperation {
  const { pathOf, ...about } = way
  return httpOperation({
    ...about,
    methods: ['DELETE'],
    callers: 'feed',
    needs: `DELETE ${FEED}`,
    tag: 'feed',
    query: deleteFeedQuery,
    answer: doneAnswer,
    run: async (call) => {
      const path = pathOf(call.ids)
      await calls.delete(call.principal, path, call.queryText, ({ from, until }) => {
        const { streamUid: target, compId, streamId } = calls.targetOf(call.principal, path)
        const place = `${JSON.stringify(compId)} / ${JSON.stringify(streamId)}`
        const detail = `${place}, sd ${from}, ed ${until}`
        return announceAct(identity, call.acting, { act: 'samples_deleted', target, detail })
      })
      return { success: true, message: '' }
    },
  })
}
