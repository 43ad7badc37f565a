import type { Principal } from '../access/index.ts'
import type { Clock, EpochMs } from '../base/index.ts'
import { type Catalog, RANDOM } from '../catalog/index.ts'
import type { SampleBatch, SampleStore, StreamHandle } from '../store/index.ts'
import { AssignedTimes } from './assigned-times.ts'
import { type DeleteCommand, deleteFeed, type SamplesRemoved } from './delete-feed.ts'
import type { FeedSeries } from './feed-series.ts'
import { type GetCommand, getFeed, getLastValues, type ShowFile } from './get-feed.ts'
import { getLastStatistics, getStatistics, type StatisticCommand } from './get-statistic.ts'
import { type PutCommand, putSamples, type SamplesLanded } from './put-feed.ts'
import { recallTimes } from './recall-times.ts'
import {
  answerRequested,
  type RequestedAnswer,
  type RequestedValues,
  requireRequested,
} from './requested-values.ts'

/** What the feed is built from; listeners are handed in by the composition root. */
export interface FeedOptions {
  readonly catalog: Catalog
  readonly store: SampleStore
  readonly clock: Clock
  readonly showFile: ShowFile
  readonly onLanded?: SamplesLanded
  readonly onRemoved?: SamplesRemoved
}

/** Samples in and out of streams: what every form of the feed calls stands on. */
export class Feed {
  readonly catalog: Catalog
  readonly #deps: Required<FeedOptions> & { readonly assignedTimes: AssignedTimes }

  constructor(options: FeedOptions) {
    this.catalog = options.catalog
    this.#deps = {
      onLanded: () => {},
      onRemoved: () => {},
      ...options,
      assignedTimes: new AssignedTimes(),
    }
  }

  /** The current time: one upload time per call. */
  now(): EpochMs {
    return this.#deps.clock.now()
  }

  /** A time for a sample that came without one: never given to this stream before. */
  async assignTime(handle: StreamHandle, uploadTime: number): Promise<EpochMs> {
    const { assignedTimes } = this.#deps
    const isRandom = this.catalog.index.kindOf(handle) === RANDOM
    if (isRandom && !assignedTimes.knows(handle)) {
      await recallTimes(this.#deps, [handle], uploadTime)
    }
    return assignedTimes.next(handle, uploadTime) as EpochMs
  }

  /** Stores samples, all or none; resolves when they are durable. */
  put(principal: Principal, command: PutCommand): Promise<void> {
    return putSamples(this.#deps, principal, command)
  }

  /** Adds samples whose streams, values and places another part has settled; resolves when durable. */
  async append(batch: SampleBatch, orgUid: string): Promise<void> {
    await this.#deps.store.append(batch)
    this.#deps.onLanded(batch, orgUid)
  }

  /** As put; then answers the last values of the requested streams, creating missing ones. */
  async putAndRequest(
    principal: Principal,
    command: PutCommand,
    requested: RequestedValues,
  ): Promise<RequestedAnswer> {
    await requireRequested(this.catalog.index, principal, requested, command.samples)
    await putSamples(this.#deps, principal, command)
    return answerRequested(this.#deps, principal.orgUid, requested)
  }

  /** The samples of one stream or all of a component. */
  get(principal: Principal, command: GetCommand): Promise<FeedSeries[]> {
    return getFeed(this.#deps, principal, command)
  }

  /** The last sample of one stream or of each of a component. */
  lastValues(principal: Principal, command: GetCommand): Promise<FeedSeries[]> {
    return getLastValues(this.#deps, principal, command)
  }

  /** A statistic of one stream or of each of a component, for the periods of a cycle. */
  statistics(principal: Principal, command: StatisticCommand): Promise<FeedSeries[]> {
    return getStatistics(this.#deps, principal, command)
  }

  /** A statistic of the last period in which a stream has a value, for one stream or each. */
  lastStatistics(principal: Principal, command: StatisticCommand): Promise<FeedSeries[]> {
    return getLastStatistics(this.#deps, principal, command)
  }

  /** Takes a range out of a stream, durably. */
  delete(principal: Principal, command: DeleteCommand): Promise<void> {
    return deleteFeed(this.#deps, principal, command)
  }
}
