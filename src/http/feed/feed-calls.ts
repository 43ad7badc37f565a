import type { Principal } from '../../access/index.ts'
import type { HeldMemory, MemoryBudget, MemoryShare } from '../../base/index.ts'
import {
  ANSWER_BYTES_MAX,
  readLoosePairs,
  readQueryPairs,
  readWhole,
  refuse,
} from '../../base/index.ts'
import {
  type Extent,
  type ExtentPath,
  type Feed,
  type FeedFields,
  type FeedSeries,
  type Plot,
  type PlotPath,
  type PutCommand,
  readStatisticId,
  type StatisticCommand,
} from '../../feed/index.ts'
import {
  bytesOfSamples,
  catalogStreams,
  readJsonSamples,
  readPutOptions,
  readUrlSamples,
  StreamCache,
} from '../../intake/index.ts'
import { CSV_TYPE, prefersCsv, writeCsv } from './feed-csv.ts'
import { type FeedQuery, readFeedQuery } from './feed-get-query.ts'
import type { FeedRead, StatisticIds } from './feed-paths.ts'
import { countFeedBytes, writeFeed, writeLongFeed } from './feed-writer.ts'
import { readPlotQuery } from './plot-query.ts'
import { writeRequested } from './requested-writer.ts'

/** Parameters of a put that speak to the service and not of samples: credentials, and the method. */
const CARRIER_NAMES: ReadonlySet<string> = new Set(['api_key', 'session', 'org', 'asPut'])

/** Takes what a caller should hear beside the answer; an empty list mostly. */
export type Warn = (warnings: readonly string[]) => void

/** What a put has to do with beside its samples. */
interface PutAside {
  readonly warn: Warn
  /** The memory that a long body holds. */
  readonly held?: HeldMemory
  /** Tells the caller as of the moment before the put, when the call has waited; refuses one whose rights have ended. */
  readonly renew?: () => Promise<Principal>
}

/** Texts of so many characters together are written at once, in memory that is not worth counting. */
const SHORT_TEXT_LENGTH_MAX = 100_000

/** Room for the rows of a usual answer. */
const CSV_BYTES = 32 * 1024

/** Takes the memory that a long answer holds, to give it back when the answer has left. */
type Hold = (share: MemoryShare) => void

/** What a read has to do with beside its samples. */
export interface ReadAside {
  readonly hold: Hold
  /** The header Accept of the call. */
  readonly accept?: string
  /** Takes the type of an answer that is not JSON. */
  readonly tellType?: (type: string) => void
  /** Told how many samples an answer holds, and whether as CSV. */
  readonly tellSamples?: (count: number, form: 'csv' | 'json') => void
  /** Told when the limit has cut the answer off, with the ed that goes on in its last stream. */
  readonly tellMore?: (until: number) => void
}

const NO_ASIDE: ReadAside = { hold: (share) => share.release() }

/** The feed calls from their wire form to the body of their answer; whoever serves them asks here. */
export class FeedCalls {
  readonly #feed: Feed
  readonly #budget: MemoryBudget
  readonly #cache: StreamCache

  /** Long answers take their share of the budget. */
  constructor(feed: Feed, budget: MemoryBudget) {
    this.#feed = feed
    this.#budget = budget
    this.#cache = new StreamCache(catalogStreams(feed.catalog.index))
  }

  /** Refuses a caller who may put nowhere, before a body of theirs is read. */
  requirePutter(principal: Principal): void {
    this.#feed.requirePutter(principal)
  }

  /**
   * PUT /feed: the URL form when the body is empty, else one of the JSON forms. Of a long body `held`
   * is let go, and of its share what is not needed any more, as soon as its samples are read.
   */
  put(principal: Principal, query: string, body: Buffer, aside: PutAside): Promise<string> {
    return body.length === 0
      ? this.#putUrl(principal, query, aside)
      : this.#putBody(principal, query, body, aside)
  }

  async #putBody(
    principal: Principal,
    query: string,
    body: Buffer,
    { held, warn, renew }: PutAside,
  ): Promise<string> {
    const options = readPutOptions(readQueryPairs(query))
    const uploadTime = this.#feed.now()
    const { createMax } = this.#feed.catalog
    const from = { cache: this.#cache, orgUid: principal.orgUid, createMax }
    const read = readJsonSamples(body, from, held)
    const samples = read instanceof Promise ? await read : read
    if (held !== undefined) {
      held.freeBody()
      await held.share.resize(bytesOfSamples(samples))
    }
    const current = renew === undefined ? principal : await renew()
    const share = held?.share ?? this.#budget.emptyShare()
    warn(await this.#feed.put(current, { samples, options, uploadTime, share }))
    return ''
  }

  async #putUrl(admitted: Principal, query: string, { warn, renew }: PutAside): Promise<string> {
    const principal = renew === undefined ? admitted : await renew()
    const pairs = readQueryPairs(query)
    const options = readPutOptions(pairs)
    const uploadTime = this.#feed.now()
    const { samples, compId, requestedStreamIds } = readUrlSamples(pairs, {
      ...{ uploadTime, carrierNames: CARRIER_NAMES },
    })
    const share = this.#budget.emptyShare()
    const command: PutCommand = { samples, options, uploadTime, share }
    if (requestedStreamIds.length === 0) {
      warn(await this.#feed.put(principal, command))
      return ''
    }
    const requested = { compId, streamIds: requestedStreamIds, creation: options.creation }
    const { values, warnings } = await this.#feed.putAndRequest(principal, command, requested)
    warn(warnings)
    return writeRequested(compId, values)
  }

  /** A read of samples, last values or statistics: an array of samples, as JSON or CSV. */
  async read(principal: Principal, read: FeedRead, aside = NO_ASIDE): Promise<Buffer> {
    const asked = readFeedQuery(readLoosePairs(read.query))
    return this.#write(await this.#find(principal, read, asked), asked, aside)
  }

  /** GET …/extent: how much hangs on a component or stream. */
  async extent(principal: Principal, path: ExtentPath): Promise<Extent> {
    return await this.#feed.extent(principal, path)
  }

  /** GET …/plot: what of a range can be seen on so many pixels. */
  async plot(principal: Principal, path: PlotPath, query: string): Promise<Plot> {
    return await this.#feed.plot(principal, { path, ...readPlotQuery(readLoosePairs(query)) })
  }

  /** What the IDs of a call name, for the audit log; a UID is '' where nothing has the ID. */
  targetOf(
    { orgUid }: Principal,
    { compId, streamId }: { readonly compId: string; readonly streamId?: string },
  ) {
    const { index } = this.#feed.catalog
    const component = index.resolveComponent(orgUid, compId)
    const handle = component && streamId && index.resolveStream(component, streamId)
    const streamUid = handle ? index.streamUid(handle) : ''
    return { componentUid: component?.uid ?? '', streamUid, compId, streamId }
  }

  #find(principal: Principal, { call, ids }: FeedRead, asked: FeedQuery): Promise<FeedSeries[]> {
    switch (call) {
      case 'get':
        return this.#feed.get(principal, { path: ids, ...asked })
      case 'lastValue':
        return this.#feed.lastValues(principal, { path: ids, ...asked })
      case 'statistic':
        return this.#feed.statistics(principal, statisticCommand(ids, asked))
      case 'lastStatistic':
        return this.#feed.lastStatistics(principal, statisticCommand(ids, asked))
    }
  }

  /** Long texts are counted as they are written, and the memory they take is in the budget first. */
  #write(
    list: readonly FeedSeries[],
    { fields, format }: FeedQuery,
    aside: ReadAside,
  ): Buffer | Promise<Buffer> {
    const last = list.at(-1)
    if (last?.isMore) aside.tellMore?.((last.starts ?? last.times)[last.count - 1])
    const isLong = textLengthOf(list) > SHORT_TEXT_LENGTH_MAX
    const isCsv = format === undefined ? prefersCsv(aside.accept) : format === 'csv'
    aside.tellSamples?.(countSamples(list), isCsv ? 'csv' : 'json')
    if (isCsv) {
      aside.tellType?.(CSV_TYPE)
      return isLong
        ? this.#writeLong(list, fields, { hold: aside.hold, write: writeCsv })
        : writeCsv(list, fields, CSV_BYTES)
    }
    if (!isLong) return writeFeed(list, fields)
    return this.#writeLong(list, fields, { hold: aside.hold, write: writeLongFeed })
  }

  async #writeLong(
    list: readonly FeedSeries[],
    fields: FeedFields,
    { hold, write }: { readonly hold: Hold; readonly write: typeof writeLongFeed },
  ): Promise<Buffer> {
    const limitBytes = Math.min(ANSWER_BYTES_MAX, this.#budget.shareBytesMax)
    // A row takes no more bytes as CSV than as JSON, which names every value.
    const bytes = await countFeedBytes(list, fields, limitBytes)
    if (bytes > limitBytes) {
      const what = `The texts asked for take more than ${limitBytes} bytes`
      refuse('bad_input', { what: `${what}: ask for fewer by a smaller "limit"` })
    }
    const share = await this.#budget.take(bytes)
    hold(share)
    return write(list, fields, bytes)
  }

  /** DELETE …/stream/{streamId}/feed: takes the range out, after `announce` was told of it. */
  async delete(
    principal: Principal,
    path: { readonly compId: string; readonly streamId: string },
    query: string,
    announce?: (range: { readonly from: number; readonly until: number }) => Promise<void>,
  ): Promise<void> {
    const pairs = readQueryPairs(query)
    const from = readWhole(pairs, 'sd', { min: Number.MIN_SAFE_INTEGER })
    const until = readWhole(pairs, 'ed', { min: Number.MIN_SAFE_INTEGER })
    if (from === undefined || until === undefined) {
      refuse('bad_input', { what: 'Say by "sd" and "ed" which range to delete' })
    }
    if (from > until) {
      refuse('bad_input', { what: `Parameter "sd" (${from}) must not be after "ed" (${until})` })
    }
    const range = { from, until }
    await this.#feed.delete(principal, { ...path, ...range }, async () => announce?.(range))
  }
}

function statisticCommand(path: StatisticIds, asked: FeedQuery): StatisticCommand {
  const { cycleId, statId } = path
  return { path, ...asked, cycleId, statistic: readStatisticId(statId) }
}

function countSamples(list: readonly FeedSeries[]): number {
  let samples = 0
  for (const { count } of list) samples += count
  return samples
}

/** Characters of all texts of an answer, each of which may take six bytes in JSON. */
function textLengthOf(list: readonly FeedSeries[]): number {
  let length = 0
  for (const { texts } of list) {
    if (texts !== undefined) for (const text of texts) length += text?.length ?? 0
  }
  return length
}
