import type { Principal } from '../../access/index.ts'
import type { HeldMemory } from '../../base/index.ts'
import {
  ANSWER_TEXT_LENGTH_MAX,
  readLoosePairs,
  readQueryPairs,
  readWhole,
  refuse,
} from '../../base/index.ts'
import {
  type Feed,
  type FeedFields,
  type FeedSeries,
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
import { type FeedQuery, readFeedQuery } from './feed-get-query.ts'
import type { FeedIds, StatisticIds } from './feed-paths.ts'
import { writeFeed } from './feed-writer.ts'
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
}

/** The feed calls from their wire form to the body of their answer; whoever serves them asks here. */
export class FeedCalls {
  readonly #feed: Feed
  readonly #cache: StreamCache

  constructor(feed: Feed) {
    this.#feed = feed
    this.#cache = new StreamCache(catalogStreams(feed.catalog.index))
  }

  /**
   * PUT /feed: the URL form when the body is empty, else one of the JSON forms. Of a long body `held`
   * is let go, and of its share what is not needed any more, as soon as its samples are read.
   */
  put(principal: Principal, query: string, body: Buffer, aside: PutAside): Promise<string> {
    return body.length === 0
      ? this.#putUrl(principal, query, aside.warn)
      : this.#putBody(principal, query, body, aside)
  }

  async #putBody(
    principal: Principal,
    query: string,
    body: Buffer,
    { held, warn }: PutAside,
  ): Promise<string> {
    const options = readPutOptions(readQueryPairs(query))
    const uploadTime = this.#feed.now()
    const from = { cache: this.#cache, orgUid: principal.orgUid }
    const read = readJsonSamples(body, from, held)
    const samples = read instanceof Promise ? await read : read
    if (held !== undefined) {
      held.freeBody()
      await held.share.resize(bytesOfSamples(samples))
    }
    warn(await this.#feed.put(principal, { samples, options, uploadTime }))
    return ''
  }

  async #putUrl(principal: Principal, query: string, warn: Warn): Promise<string> {
    const pairs = readQueryPairs(query)
    const options = readPutOptions(pairs)
    const uploadTime = this.#feed.now()
    const { samples, compId, requestedStreamIds } = readUrlSamples(pairs, {
      ...{ uploadTime, carrierNames: CARRIER_NAMES },
    })
    const command: PutCommand = { samples, options, uploadTime }
    if (requestedStreamIds.length === 0) {
      warn(await this.#feed.put(principal, command))
      return ''
    }
    const requested = { compId, streamIds: requestedStreamIds, creation: options.creation }
    const { values, warnings } = await this.#feed.putAndRequest(principal, command, requested)
    warn(warnings)
    return writeRequested(compId, values)
  }

  /** GET …/feed: a JSON array of samples. */
  async get(principal: Principal, path: FeedIds, query: string): Promise<Buffer> {
    const asked = readFeedQuery(readLoosePairs(query))
    return write(await this.#feed.get(principal, { path, ...asked }), asked.fields)
  }

  /** GET …/last_value: a JSON array with the last sample of each stream. */
  async lastValue(principal: Principal, path: FeedIds, query: string): Promise<Buffer> {
    const asked = readFeedQuery(readLoosePairs(query))
    return write(await this.#feed.lastValues(principal, { path, ...asked }), asked.fields)
  }

  /** GET …/cycle/{cycleId}/stat/{statId}/feed: a JSON array of statistic samples. */
  async statistic(principal: Principal, path: StatisticIds, query: string): Promise<Buffer> {
    const asked = readFeedQuery(readLoosePairs(query))
    const command = statisticCommand(path, asked)
    return write(await this.#feed.statistics(principal, command), asked.fields)
  }

  /** GET …/cycle/{cycleId}/stat/{statId}/last_value: the last of them of each stream. */
  async lastStatistic(principal: Principal, path: StatisticIds, query: string): Promise<Buffer> {
    const asked = readFeedQuery(readLoosePairs(query))
    const command = statisticCommand(path, asked)
    return write(await this.#feed.lastStatistics(principal, command), asked.fields)
  }

  /** DELETE …/stream/{streamId}/feed: takes the range out. */
  async delete(
    principal: Principal,
    path: { readonly compId: string; readonly streamId: string },
    query: string,
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
    await this.#feed.delete(principal, { ...path, from, until })
  }
}

function statisticCommand(path: StatisticIds, asked: FeedQuery): StatisticCommand {
  const { cycleId, statId } = path
  return { path, ...asked, cycleId, statistic: readStatisticId(statId) }
}

/** Refuses to build an answer that could take the memory of all other calls. */
function write(list: readonly FeedSeries[], fields: FeedFields): Buffer {
  let length = 0
  for (const { texts = [] } of list) for (const text of texts) length += text?.length ?? 0
  if (length > ANSWER_TEXT_LENGTH_MAX) {
    refuse('bad_input', {
      what: `The texts asked for have ${length} characters: ask for fewer by a smaller "limit"`,
    })
  }
  return writeFeed(list, fields)
}
