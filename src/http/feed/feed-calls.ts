import type { Static } from 'typebox'
import type { Principal } from '../../access/index.ts'
import {
  type HeldMemory,
  type MemoryBudget,
  type MemoryShare,
  nextIteration,
  Refusal,
  readLoosePairs,
  readQueryPairs,
  refuse,
} from '../../base/index.ts'
import type {
  Extent,
  ExtentPath,
  Feed,
  FeedFields,
  FeedSeries,
  OneStreamPath,
  Plot,
  StreamPath,
} from '../../feed/index.ts'
import type { PutCommand, PutOptions } from '../../feed/put/index.ts'
import { readStatisticId, type StatisticCommand } from '../../feed/statistic/index.ts'
import {
  bytesOfSamples,
  readJsonSamples,
  readPutOptions,
  readUrlSamples,
  StreamCache,
  warnIgnoredValues,
} from '../../intake/index.ts'
import { readTimeParameter } from '../../time/index.ts'
import { CSV_TYPE, prefersCsv, writeCsv } from './feed-csv.ts'
import { type FeedQuery, readFeedQuery } from './feed-get-query.ts'
import { countFeedBytes, writeFeed, writeLongFeed } from './feed-writer.ts'
import { plotCommand, plotOrRefusal, readPlotList, requireSomePlot } from './plot-list.ts'
import { readPlotQuery, readSparksQuery } from './plot-query.ts'
import type { plotsBody } from './plot-wire.ts'
import { joinPlotEntries, writePlotEntry } from './plot-writer.ts'
import { type MemoryHolder, ReadMemory, refuseLong } from './read-memory.ts'
import { countRequestedBytes, writeRequested } from './requested-writer.ts'

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

/** Parameters of a put that speak to the service and not of samples: credentials, and the method. */
const CARRIER_NAMES: ReadonlySet<string> = new Set(['api_key', 'session', 'org', 'asPut'])

/** What the query of a put with a body says. */
interface BodyQuery {
  readonly options: PutOptions
  /** Of what is ignored. */
  readonly warnings: readonly string[]
}

/** Reads the query of a put with a body. */
export function readBodyQuery(query: string): BodyQuery {
  const pairs = readQueryPairs(query)
  return { options: readPutOptions(pairs), warnings: warnIgnoredValues(pairs, CARRIER_NAMES) }
}

/** Takes what a caller should hear beside the answer; an empty list mostly. */
type Warn = (warnings: readonly string[]) => void

/** What a put has to do with beside its samples. */
interface PutAside {
  readonly warn: Warn
  /** The memory that a long body holds. */
  readonly held?: HeldMemory
  /** Takes the memory of the values that are asked for. */
  readonly hold?: Hold
  /** Re-reads the caller's rights, as the call may have waited. Fails if they were revoked. */
  readonly renew?: () => Principal | Promise<Principal>
  /** Returns the parameters of the query beside a body, which may have been read before. */
  readonly readQuery?: () => BodyQuery
}

/** Answers up to this length are written at once. Their memory is not counted. */
const SHORT_BYTES_MAX = 128 * 1024

/** The most bytes of a character of a text or an ID in JSON. */
const ESCAPED_BYTES = 6

/** What a row takes with a number. */
const NUMBER_ROW_BYTES = 48

/** Room for the rows of a usual answer. */
const CSV_BYTES = 32 * 1024

type Hold = MemoryHolder['hold']

/** What a read has to do with beside its samples. */
export interface ReadAside extends MemoryHolder {
  /** The header Accept of the call. */
  readonly accept?: string
  /** Takes the type of an answer that is not JSON. */
  readonly onType?: (type: string) => void
  /** Called with the number of samples in a response, and whether it is CSV. */
  readonly onSamples?: (count: number, form: 'csv' | 'json') => void
  /** Called when the limit cut the response off, with the ed for the next page of its last stream. */
  readonly onMore?: (until: number) => void
}

/** What a call for many plots has to do with beside them. */
interface PlotsAside {
  /** Called with each plot that was found. */
  readonly onPlot: (plot: Plot) => void
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean
}

const NO_HOLD: Hold = (share) => share.release()
const NO_ASIDE: ReadAside = { hold: NO_HOLD }

/** The feed calls, from their wire form to the body of the response, for every transport. */
export class FeedCalls {
  readonly #feed: Feed
  readonly #budget: MemoryBudget
  readonly #cache: StreamCache

  /** Long answers take their share of the budget. */
  constructor(feed: Feed, budget: MemoryBudget) {
    this.#feed = feed
    this.#budget = budget
    this.#cache = new StreamCache(feed.catalog.index)
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
    { held, warn, renew, readQuery }: PutAside,
  ): Promise<string> {
    const { options, warnings } = readQuery?.() ?? readBodyQuery(query)
    const uploadTime = this.#feed.now()
    const { createMax } = this.#feed.catalog
    const from = { cache: this.#cache, orgUid: principal.orgUid, createMax }
    const read = readJsonSamples(body, from, held)
    const samples = read instanceof Promise ? await read : read
    if (held !== undefined) {
      held.freeBody()
      await held.share.resize(bytesOfSamples(samples))
    }
    const renewed = renew?.() ?? principal
    const current = renewed instanceof Promise ? await renewed : renewed
    const share = held?.share ?? this.#budget.emptyShare()
    const command = { samples, options, uploadTime, share, renew }
    const result = await this.#feed.put(current, command)
    warn(warnings.length === 0 ? result : [...warnings, ...result])
    return ''
  }

  async #putUrl(
    admitted: Principal,
    query: string,
    { warn, renew, hold = NO_HOLD }: PutAside,
  ): Promise<string> {
    const principal = (await renew?.()) ?? admitted
    const pairs = readQueryPairs(query)
    const options = readPutOptions(pairs)
    const uploadTime = this.#feed.now()
    const { samples, compId, requestedStreamIds } = readUrlSamples(pairs, {
      uploadTime,
      carrierNames: CARRIER_NAMES,
    })
    const share = this.#budget.emptyShare()
    const command: PutCommand = { samples, options, uploadTime, share, renew }
    if (requestedStreamIds.length === 0) {
      warn(await this.#feed.put(principal, command))
      return ''
    }
    const requested = { compId, streamIds: requestedStreamIds, creation: options.creation }
    const memory = new ReadMemory(this.#budget, { hold })
    const answer = await this.#feed.putAndRequest(principal, command, requested, memory)
    warn(answer.warnings)
    await memory.resize(memory.bytes + countRequestedBytes(answer.values))
    const text = await writeRequested(compId, answer.values)
    memory.settle(text.length)
    return text
  }

  /** A read of samples, last values or statistics: an array of samples, as JSON or CSV. */
  async read(principal: Principal, read: FeedRead, aside = NO_ASIDE): Promise<Buffer> {
    const { format, fields, ...asked } = readFeedQuery(readLoosePairs(read.query))
    const isCsv = format === undefined ? prefersCsv(aside.accept) : format === 'csv'
    const shown = isCsv ? withStreamId(fields, read.ids) : fields
    const memory = new ReadMemory(this.#budget, aside)
    const list = await this.#find(principal, read, {
      ...asked,
      fields: shown,
      memory,
      isGone: aside.isGone,
    })
    return this.#write(list, { fields: shown, isCsv }, { ...aside, memory })
  }

  /** GET …/extent: how much hangs on a component or stream. */
  async extent(principal: Principal, path: ExtentPath): Promise<Extent> {
    return await this.#feed.extent(principal, path)
  }

  /** GET …/plot: a range reduced to the pixels of a chart. */
  async plot(principal: Principal, path: OneStreamPath, query: string): Promise<Plot> {
    let held: MemoryShare | undefined
    const memory = new ReadMemory(this.#budget, {
      hold: (share) => {
        held = share
      },
    })
    try {
      const asked = readPlotQuery(readLoosePairs(query))
      return await this.#feed.plot(principal, { path, memory, ...asked })
    } finally {
      held?.release()
    }
  }

  /** Refuses a caller who may read nowhere. */
  requireReader(principal: Principal): void {
    this.#feed.requireReader(principal)
  }

  /**
   * POST /plot: many plots, one after the other, so that a call holds the samples of one at a time. The caller
   * releases the memory of the body.
   */
  async plots(
    principal: Principal,
    asked: Static<typeof plotsBody>,
    { onPlot, isGone }: PlotsAside,
  ): Promise<{ readonly body: Buffer; readonly release: () => void }> {
    let held: MemoryShare | undefined
    const memory = new ReadMemory(this.#budget, {
      isGone,
      hold: (share) => {
        held = share
      },
    })
    try {
      const entries: Buffer[] = []
      const refused: Refusal[] = []
      for (const one of readPlotList(asked)) {
        const found = await plotOrRefusal(() =>
          this.#feed.plot(principal, { ...plotCommand(one), memory }),
        )
        if (found instanceof Refusal) refused.push(found)
        else onPlot(found)
        const entry = writePlotEntry(found)
        entries.push(entry)
        // Twice: the entries, and the body that is made of them.
        await memory.resize(memory.bytes + 2 * entry.length)
        await nextIteration()
      }
      if (refused.length === entries.length) requireSomePlot(refused)
      return { body: joinPlotEntries(entries), release: () => held?.release() }
    } catch (error) {
      held?.release()
      throw error
    }
  }

  /** Small lines of the streams of a component. */
  async sparks(principal: Principal, componentUid: string, query: string) {
    const asked = readSparksQuery(readLoosePairs(query), this.#feed.now())
    const { sparks, totalCount } = await this.#feed.sparks(principal, { componentUid, ...asked })
    const shown = sparks.map(({ streamUid, mean }) => ({
      streamUid,
      mean: Array.from(mean, (value) => (Number.isNaN(value) ? null : value)),
    }))
    return { from: asked.from, until: asked.until, streams: shown, totalCount }
  }

  /** What a call names, for the audit log; what cannot be found is ''. */
  targetOf({ orgUid }: Principal, path: StreamPath) {
    const { index } = this.#feed.catalog
    if ('componentUid' in path) {
      const compId = index.componentByUid(orgUid, path.componentUid)?.compId ?? ''
      const handle = index.streamByUid(orgUid, path.streamUid)
      return { ...path, compId, streamId: handle === 0 ? '' : index.streamIdOf(handle) }
    }
    const { compId, streamId } = path
    const component = index.resolveComponent(orgUid, compId)
    const handle = component && streamId && index.resolveStream(component, streamId)
    const streamUid = handle ? index.streamUid(handle) : ''
    return { componentUid: component?.uid ?? '', streamUid, compId, streamId }
  }

  #find(principal: Principal, { call, ids }: FeedRead, asked: AskedRead): Promise<FeedSeries[]> {
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
    { fields, isCsv }: { readonly fields: FeedFields; readonly isCsv: boolean },
    aside: ReadAside & { readonly memory: ReadMemory },
  ): Buffer | Promise<Buffer> {
    const last = list.at(-1)
    if (last?.isMore) aside.onMore?.((last.starts ?? last.times)[last.count - 1])
    const isLong = bytesAtMost(list, fields) > SHORT_BYTES_MAX
    aside.onSamples?.(countSamples(list), isCsv ? 'csv' : 'json')
    if (isCsv) {
      aside.onType?.(CSV_TYPE)
      return isLong
        ? this.#writeLong(list, fields, { memory: aside.memory, write: writeCsv })
        : writeCsv(list, fields, CSV_BYTES)
    }
    if (!isLong) return writeFeed(list, fields)
    return this.#writeLong(list, fields, { memory: aside.memory, write: writeLongFeed })
  }

  async #writeLong(
    list: readonly FeedSeries[],
    fields: FeedFields,
    { memory, write }: { readonly memory: ReadMemory; readonly write: typeof writeLongFeed },
  ): Promise<Buffer> {
    const limitBytes = memory.answerBytesMax
    // A row takes no more bytes as CSV than as JSON, which names every value.
    const bytes = await countFeedBytes(list, fields, limitBytes)
    if (bytes > limitBytes) refuseLong(limitBytes)
    // Beside the texts, which are there until the answer is written.
    await memory.resize(memory.bytes + bytes)
    const answer = await write(list, fields, bytes)
    memory.settle(bytes)
    return answer
  }

  /** DELETE …/stream/{streamId}/feed: removes the range after calling `announce`. */
  async delete(
    principal: Principal,
    path: OneStreamPath,
    query: string,
    announce?: (range: { readonly from: number; readonly until: number }) => Promise<void>,
  ): Promise<void> {
    const pairs = readQueryPairs(query)
    const from = readTimeParameter(pairs, 'sd')
    const until = readTimeParameter(pairs, 'ed')
    if (from === undefined || until === undefined) {
      refuse('bad_input', { what: 'The range is missing. Add "sd" and "ed"' })
    }
    if (from > until) {
      refuse('bad_input', { what: `Parameter "sd" (${from}) must not be after "ed" (${until})` })
    }
    const range = { from, until }
    await this.#feed.delete(principal, { ...path, ...range }, async () => announce?.(range))
  }
}

/** Rows of several streams cannot be distinguished without the ID; JSON leaves it to the caller. */
function withStreamId(fields: FeedFields, path: StreamPath): FeedFields {
  const isOfComponent = !('componentUid' in path) && path.streamId === undefined
  return isOfComponent ? { ...fields, streamId: true } : fields
}

/** What a read asks the feed for. */
type AskedRead = Omit<FeedQuery, 'format'> &
  Pick<ReadAside, 'isGone'> & { readonly memory: ReadMemory }

function statisticCommand(path: StatisticIds, asked: AskedRead): StatisticCommand {
  const { cycleId, statId } = path
  return { path, ...asked, cycleId, statistic: readStatisticId(statId) }
}

function countSamples(list: readonly FeedSeries[]): number {
  let samples = 0
  for (const { count } of list) samples += count
  return samples
}

/** At least the size of the response: a fast estimate. */
function bytesAtMost(list: readonly FeedSeries[], fields: FeedFields): number {
  let bytes = 0
  for (const { count, texts, compId, streamId, unit } of list) {
    let length = fields.compId ? compId.length : 0
    if (fields.streamId) length += streamId.length
    if (fields.unit) length += unit?.symbol.length ?? 0
    // Formatted values stand beside the others.
    const values = fields.fData ? 2 : 1
    bytes += count * (values * NUMBER_ROW_BYTES + length)
    if (texts !== undefined) {
      for (const text of texts) bytes += values * ESCAPED_BYTES * (text?.length ?? 0)
    }
  }
  return bytes
}
