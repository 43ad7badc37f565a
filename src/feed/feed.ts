import { allowsEveryFeed, type Principal, requireSomeFeed } from '../access/index.ts'
import { ASSIGNED_AHEAD_MS_MAX, type Clock, type EpochMs } from '../base/index.ts'
import type { Catalog } from '../catalog/index.ts'
import { RANDOM } from '../catalog/shape/index.ts'
import type {
  KeptRoom,
  SampleBatch,
  SampleStore,
  StreamHandle,
  TextMemory,
} from '../store/index.ts'
import {
  type BeforeRemoval,
  type DeleteCommand,
  deleteFeed,
  type SamplesRemoved,
} from './delete-feed.ts'
import { Retention } from './expire/retention.ts'
import type { FeedSeries } from './get/feed-series.ts'
import {
  type GetCommand,
  type GetDeps,
  getFeed,
  getLastValues,
  type ShowFile,
} from './get/get-feed.ts'
import { type Extent, type ExtentPath, measureExtent } from './get/measure-extent.ts'
import {
  type DoubleColumns,
  type DoublesQuery,
  readWithSpecials,
} from './get/read-with-specials.ts'
import { getPlot } from './plot/get-plot.ts'
import { getSparks, type Sparks, type SparksCommand } from './plot/get-sparks.ts'
import type { Plot, PlotCommand } from './plot/plot.ts'
import { type PointsCommand, putPoints } from './points/put-points.ts'
import type { RefusedPoints } from './points/refused-points.ts'
import {
  type AssignableTimes,
  AssignedTimes,
  EVERY_TIME,
  recallTimes,
  TriedTimes,
} from './put/assigned-times.ts'
import { requireStillThere } from './put/prepare-put.ts'
import {
  type DeriveLanded,
  PutCall,
  type PutCommand,
  type PutTrial,
  type SamplesLanded,
} from './put/put-call.ts'
import { warnOfAhead, warnOfTimes } from './put/put-warnings.ts'
import { ClaimedTimes } from './put/repeatable-times.ts'
import {
  answerRequested,
  type RequestedAnswer,
  type RequestedValues,
  requireRequested,
} from './put/requested-values.ts'
import { foldWindows, type WindowsQuery, type WindowValues } from './statistic/fold-windows.ts'
import {
  getLastStatistics,
  getStatistics,
  type StatisticCommand,
} from './statistic/get-statistic.ts'
import { keepsTexts } from './stream-facts.ts'

/** What the feed is built from; listeners are handed in by the composition root. */
interface FeedOptions {
  readonly catalog: Catalog
  readonly store: SampleStore
  readonly clock: Clock
  readonly showFile: ShowFile
  /** Each is called with every batch, in this order. */
  readonly onLanded?: readonly SamplesLanded[]
  readonly onRemoved?: SamplesRemoved
  /** The times that this process may assign; all, unless others share the store. */
  readonly assignable?: AssignableTimes
  /** Asked by calls that want streams derived before they are answered. */
  readonly derive?: DeriveLanded
}

/** The answer to requested values, and what the caller should hear of the samples put. */
interface PutAnswer {
  readonly values: RequestedAnswer
  readonly warnings: readonly string[]
}

/** Samples in and out of streams: what every form of the feed calls stands on. */
export class Feed {
  readonly catalog: Catalog
  /** How long streams keep their samples. */
  readonly retention: Retention
  readonly #deps: Required<FeedOptions> & {
    readonly assignedTimes: AssignedTimes
    readonly claimedTimes: ClaimedTimes
    readonly retention: Retention
  }

  constructor(options: FeedOptions) {
    this.catalog = options.catalog
    this.retention = new Retention(options.catalog)
    this.#deps = {
      onLanded: [],
      onRemoved: () => {},
      derive: async () => {},
      assignable: EVERY_TIME,
      ...options,
      assignedTimes: new AssignedTimes(options.assignable),
      claimedTimes: new ClaimedTimes(),
      retention: this.retention,
    }
  }

  /** Shows the text of a file sample as the address of its file. */
  get showFile(): ShowFile {
    return this.#deps.showFile
  }

  /** The current time: one upload time per call. */
  now(): EpochMs {
    return this.#deps.clock.now()
  }

  /** A time for a sample that came without one, never given to this stream before, and what the caller should hear. */
  async assignTime(
    handle: StreamHandle,
    uploadTime: number,
  ): Promise<{ readonly time: EpochMs; readonly warnings: readonly string[] }> {
    const { assignedTimes } = this.#deps
    assignedTimes.assignable.require()
    const isRandom = this.catalog.index.kindOf(handle) === RANDOM
    if (isRandom && !assignedTimes.knows(handle)) {
      await recallTimes(this.#deps, [handle], uploadTime)
    }
    const time = assignedTimes.next(handle, uploadTime) as EpochMs
    const aheadMs = time - uploadTime
    if (aheadMs <= ASSIGNED_AHEAD_MS_MAX) return { time, warnings: [] }
    const ahead = new Map([[handle, aheadMs]])
    return { time, warnings: warnOfAhead(this.catalog.index, ahead, uploadTime) }
  }

  /** Refuses a caller who may put nowhere, before a body of theirs is read. */
  requirePutter(principal: Principal): void {
    if (!allowsEveryFeed(principal, 'PUT')) requireSomeFeed(principal, 'PUT')
  }

  /** Refuses a caller who may read nowhere, before a list of streams of theirs is looked at. */
  requireReader(principal: Principal): void {
    if (!allowsEveryFeed(principal, 'GET')) requireSomeFeed(principal, 'GET')
  }

  /** Stores samples, all or none; resolves when they are durable, with warnings for the caller. */
  put(principal: Principal, command: PutCommand): Promise<readonly string[]> {
    return new PutCall(this.#deps, principal, command).run()
  }

  /** Stores points that are judged one by one; resolves when those that are good are durable. */
  putPoints(principal: Principal, command: PointsCommand): Promise<RefusedPoints> {
    return putPoints(this.#deps, principal, command)
  }

  /** As put, up to where something is made or stored: what it would do, or why it would be refused. */
  tryPut(principal: Principal, command: PutCommand): Promise<PutTrial> {
    return new PutCall(this.#deps, principal, command, new TriedTimes()).try()
  }

  /** As put, for samples whose streams, values and places another part has settled. */
  async append(batch: SampleBatch, orgUid: string, room?: KeptRoom): Promise<readonly string[]> {
    await this.#deps.store.append(batch, room)
    for (const notify of this.#deps.onLanded) notify(batch, orgUid)
    const { retention, catalog } = this
    if (catalog.catchUps.isShared) await requireStillThere(catalog, batch)
    return warnOfTimes({ retention, index: catalog.index }, batch, this.now())
  }

  /** As put; then answers the last values of the requested streams: missing ones are made with those of the put. */
  async putAndRequest(
    principal: Principal,
    command: PutCommand,
    requested: RequestedValues,
    memory?: TextMemory,
  ): Promise<PutAnswer> {
    const { catalog } = this
    await catalog.catchUps.lookAgain(
      () => requireRequested(catalog.index, principal, requested, command.samples),
      () => true,
    )
    const call = new PutCall(this.#deps, principal, { ...command, requested })
    const warnings = await call.run()
    const asked = { ...requested, made: call.madeForAnswer }
    const values = await answerRequested(this.#deps, principal.orgUid, asked, memory)
    return { values, warnings }
  }

  /** The samples of one stream or all of a component. */
  get(principal: Principal, command: GetCommand): Promise<FeedSeries[]> {
    return this.#look(() => getFeed(this.#reading, principal, command))
  }

  /** The last sample of one stream or of each of a component. */
  lastValues(principal: Principal, command: GetCommand): Promise<FeedSeries[]> {
    return this.#look(() => getLastValues(this.#reading, principal, command))
  }

  /** A statistic of one stream or of each of a component, for the periods of a cycle. */
  statistics(principal: Principal, command: StatisticCommand): Promise<FeedSeries[]> {
    return this.#look(() => getStatistics(this.#reading, principal, command))
  }

  /** A statistic of the last period in which a stream has a value, for one stream or each. */
  lastStatistics(principal: Principal, command: StatisticCommand): Promise<FeedSeries[]> {
    return this.#look(() => getLastStatistics(this.#reading, principal, command))
  }

  /** The samples of one stream as doubles, with NaN and the infinities. The caller has checked permissions. */
  readWithSpecials(handle: StreamHandle, query: DoublesQuery): Promise<DoubleColumns> {
    return readWithSpecials(this.#deps.store, handle, query)
  }

  /** A statistic of adjacent windows of many streams, from summaries. The caller has checked permissions. */
  foldWindows(query: WindowsQuery): Promise<WindowValues> {
    const { store } = this.#deps
    const { index } = this.catalog
    const isText = (handle: StreamHandle) => !index.has(handle) || keepsTexts(index, handle)
    return foldWindows({ store, isText }, query)
  }

  /** How much hangs on a component or stream. */
  extent(principal: Principal, path: ExtentPath): Promise<Extent> {
    return this.#look(() => measureExtent(this.#deps, principal, path))
  }

  /** Reduces a range of one stream to the entries that a chart of a given width can show. */
  plot(principal: Principal, command: PlotCommand): Promise<Plot> {
    return this.#look(() => getPlot(this.#reading, principal, command))
  }

  /** Small lines of the streams of a component, for lists. */
  sparks(principal: Principal, command: SparksCommand): Promise<Sparks> {
    return this.#look(() => getSparks(this.#reading, principal, command))
  }

  /** Takes a range out of a stream, durably. */
  delete(
    principal: Principal,
    command: DeleteCommand,
    beforeRemoval?: BeforeRemoval,
  ): Promise<void> {
    return this.#look(() => deleteFeed(this.#deps, principal, command, beforeRemoval))
  }

  /** What one call reads with. */
  get #reading(): Omit<Required<FeedOptions>, 'store'> & GetDeps {
    const reads = this.#deps.store.reads?.()
    return reads === undefined ? this.#deps : { ...this.#deps, store: reads }
  }

  /** What another process has just made is found as well. */
  #look<T>(look: () => Promise<T>): Promise<T> {
    const { catchUps } = this.catalog
    return catchUps.isShared ? catchUps.lookAgain(look) : look()
  }
}
