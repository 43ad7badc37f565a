import { type Clock, EARLIEST_TIME, refuse, TIME_END } from '../../../base/index.ts'
import { HandleSet } from '../../embedded/head/handle-set.ts'
import { batchOf, checkBatch, checkRemoval, namesAny } from '../../embedded/samples/batch-check.ts'
import { FollowedStreams } from '../../embedded/samples/followed-streams.ts'
import { companionOf, ownerOf } from '../../fields/companion.ts'
import type { SampleOrder } from '../../ports/sample-order.ts'
import {
  type Amendment,
  type KeptRoom,
  type LatestOptions,
  NO_ROOM,
  type RangeQuery,
  type Removal,
  type Sample,
  type SampleBatch,
  type SampleColumns,
  type SampleReads,
  type SampleSpan,
  type SampleStore,
  type StoreStatus,
  type StreamFollow,
  type StreamHandle,
  type Summaries,
  type TextMemory,
  type TouchedSpan,
  type WindowStatistic,
} from '../../ports/sample-port.ts'
import type { Cluster } from '../connection/cluster.ts'
import { ClusterReader } from './cluster-reader.ts'
import { BackgroundCompaction } from './compaction/background-compaction.ts'
import { Compactor } from './compaction/compactor.ts'
import { DueStreams } from './compaction/due-streams.ts'
import { DirtyDays, dayOf } from './dirty-days.ts'
import { LeafReader } from './leaf-reader.ts'
import { RemoteChanges } from './remote-changes.ts'
import { SampleHeads } from './sample-head.ts'
import { SampleWriter } from './sample-writer.ts'
import { eachAtOnce, Slots } from './slots.ts'
import { TouchedStreams } from './touched-streams.ts'
import { WrittenStreams } from './written-streams.ts'

/** Statements of all calls together that are under way: more only wait inside the nodes. */
const STATEMENTS_AT_ONCE = 256

const FORGOTTEN_AT_ONCE = 64

const ANY_TIME = { from: EARLIEST_TIME, until: TIME_END }

const updateForgotten = 'UPDATE sample SET forgotten = true WHERE stream = ?'

/** What the store is put together from. */
interface ClusterSamplesDeps {
  readonly cql: Cluster
  readonly clock: Clock
  readonly order: SampleOrder
  /** Called when a compaction failed; it is tried again. */
  readonly onFailure: (error: unknown) => void
}

/** Samples in a cluster of Cassandra, shared by all processes that are connected to it. */
export class ClusterSamples implements SampleStore {
  readonly #cql: Cluster
  readonly #order: SampleOrder
  readonly #dirty: DirtyDays
  readonly #reader: ClusterReader
  readonly #writer: SampleWriter
  readonly #touched: TouchedStreams
  /** Brings runs into the leaves. */
  readonly compaction: BackgroundCompaction
  readonly #forgotten = new HandleSet()
  readonly #follows = new Set<FollowedStreams>()
  readonly #remoteChanges: RemoteChanges
  readonly #running = new Set<Promise<unknown>>()

  constructor({ cql, clock, order, onFailure }: ClusterSamplesDeps) {
    this.#cql = cql
    this.#order = order
    this.#touched = new TouchedStreams({ cql, order })
    this.#dirty = new DirtyDays(cql)
    const heads = new SampleHeads(cql)
    const leaves = new LeafReader(cql)
    const shared = { cql, clock, order, heads, leaves, dirty: this.#dirty }
    this.#reader = new ClusterReader(shared)
    const due = new DueStreams()
    const compactor = new Compactor(shared)
    this.#remoteChanges = new RemoteChanges({
      ...shared,
      onFailure,
      onTouched: (span) => this.#reportFollows(batchOf([], [span])),
    })
    const adopt = () => this.#touched.adopt(order.endedUpTo)
    this.compaction = new BackgroundCompaction({ ...shared, compactor, due, adopt, onFailure })
    this.#writer = new SampleWriter({
      cql,
      order,
      streams: new WrittenStreams(shared),
      touched: this.#touched,
      slots: new Slots(STATEMENTS_AT_ONCE),
      permit: (batch) => this.#permit(batch),
      onRun: (handle, run) => due.count(handle, run, clock.elapsed()),
    })
  }

  /** Learns what earlier processes left; before the first call. */
  async load(): Promise<void> {
    await this.#touched.load()
    await this.#touched.adopt(this.#order.endedUpTo)
  }

  /** A cluster that is full or away shows when it is written to. */
  async keepRoom(): Promise<KeptRoom> {
    return NO_ROOM
  }

  async append(batch: SampleBatch): Promise<void> {
    checkBatch(batch)
    this.#permit(batch)
    if (batch.count === 0 && batch.removals.length === 0) return
    await this.#run(this.#writer.append(batch))
    this.#reportFollows(batch)
  }

  async appendSpecials(batch: SampleBatch): Promise<void> {
    checkBatch(batch)
    this.#permit(batch)
    if (batch.count === 0 && batch.removals.length === 0) return
    await this.#run(this.#writer.append(withCompanions(batch)))
    this.#reportFollows(batchOf([], batch.removals))
  }

  async amend(span: Removal, make: () => Promise<Amendment>): Promise<SampleBatch> {
    checkRemoval(span)
    let appended = batchOf([])
    const amended = async (): Promise<SampleBatch> => {
      const { batch, isSpecial = false } = await make()
      checkBatch(batch)
      appended = batch
      if (isSpecial) return withCompanions(batch)
      return { ...batch, removals: withCompanions(batch).removals }
    }
    await this.#run(this.#writer.amend(amended))
    this.#reportFollows(appended)
    return appended
  }

  specials(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns> {
    return this.#reader.range(companionOf(handle), query)
  }

  range(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns> {
    return this.#reader.range(handle, query)
  }

  async latest(
    handles: readonly StreamHandle[],
    options?: LatestOptions,
  ): Promise<ReadonlyArray<Sample | undefined>> {
    // A follower asks for the end of a stream first. Only later changes are reported.
    const beginning = this.#remoteChanges.begun(handles)
    if (beginning !== undefined) await beginning
    return await this.#reader.latest(handles, options)
  }

  span(handle: StreamHandle): Promise<SampleSpan | undefined> {
    return this.#reader.span(handle)
  }

  fold(handle: StreamHandle, edges: Float64Array, memory?: TextMemory): Promise<Summaries> {
    return this.#reader.fold(handle, edges, memory)
  }

  outline(handle: StreamHandle, edges: Float64Array, memory?: TextMemory): Promise<Summaries> {
    return this.#reader.outline(handle, edges, memory)
  }

  windows(
    handle: StreamHandle,
    edges: Float64Array,
    statistic: WindowStatistic,
  ): Promise<Summaries> {
    return this.#reader.windows(handle, edges, statistic)
  }

  reads(): SampleReads {
    return this.#reader.forCall()
  }

  async remove(removal: Removal, isWanted: () => boolean = () => true): Promise<boolean> {
    checkRemoval(removal)
    // Of a forgotten stream everything is gone already.
    if (this.#forgotten.has(removal.handle)) return isWanted()
    const companion = { ...removal, handle: companionOf(removal.handle) }
    const removals = (await this.#hasAny(companion)) ? [removal, companion] : [removal]
    const isRemoved = await this.#run(this.#writer.remove(removals, isWanted))
    if (!isRemoved) return false
    this.#reportFollows(batchOf([], [removal]))
    return true
  }

  async forget(handles: readonly StreamHandle[]): Promise<void> {
    for (const handle of handles) this.#forgotten.add(handle)
    this.#touched.forget(handles)
    await eachAtOnce(handles, FORGOTTEN_AT_ONCE, async (handle) => {
      await this.#forgetOne(handle)
      const companion = companionOf(handle)
      if (await this.#hasAny({ handle: companion, ...ANY_TIME })) await this.#forgetOne(companion)
    })
  }

  touchedSince(cursor: number, limit: number): Promise<{ spans: TouchedSpan[]; cursor: number }> {
    return this.#touched.since(cursor, limit)
  }

  watch(handles: readonly StreamHandle[]): Promise<void> {
    return this.#touched.watch(handles)
  }

  watchAlso(handle: StreamHandle): void {
    this.#touched.watchAlso(handle)
  }

  follow(): StreamFollow {
    const followed = new FollowedStreams((self) => this.#follows.delete(self))
    const handles = new Set<StreamHandle>()
    const elsewhere = this.#remoteChanges
    this.#follows.add(followed)
    return {
      add: (handle) => {
        followed.add(handle)
        if (handles.has(handle)) return
        handles.add(handle)
        elsewhere.add(handle)
      },
      delete: (handle) => {
        followed.delete(handle)
        if (handles.delete(handle)) elsewhere.delete(handle)
      },
      take: () => followed.take(),
      close: () => {
        followed.close()
        for (const handle of handles) elsewhere.delete(handle)
        handles.clear()
      },
    }
  }

  status(): StoreStatus {
    return { readOnlyReason: undefined, isSealingStuck: false, damages: [] }
  }

  async close(): Promise<void> {
    await this.#remoteChanges.close()
    await this.compaction.close()
    await Promise.allSettled(this.#running)
  }

  /** Reports changes that reads find to followers in this process. */
  #reportFollows(batch: SampleBatch): void {
    for (const follow of this.#follows) follow.note([{ kind: 'samples', batch }])
  }

  /** Notes a call that close() waits for. */
  #run<T>(call: Promise<T>): Promise<T> {
    const running: Promise<unknown> = call
      .catch(() => {})
      .finally(() => void this.#running.delete(running))
    this.#running.add(running)
    return call
  }

  #permit(batch: SampleBatch): void {
    if (this.#forgotten.isEmpty) return
    const isForgotten = { has: (handle: number) => this.#forgotten.has(ownerOf(handle)) }
    if (!namesAny(batch, isForgotten)) return
    refuse('conflict', { what: 'A stream of the call was deleted meanwhile: send it again' })
  }

  /** Whether a stream has a sample in a range: most streams have no companion, and get no rows for one. */
  async #hasAny({ handle, from, until }: Removal): Promise<boolean> {
    const query = { from, until, limit: 1, order: 'latest_first', isTimesOnly: true } as const
    const { count } = await this.#reader.range(handle, query)
    return count > 0
  }

  async #forgetOne(handle: number): Promise<void> {
    const timestamp = await this.#order.next()
    await this.#cql.run(updateForgotten, [handle], { timestamp })
    await this.#dirty.add(handle, dayOf(this.#order.nowMs), timestamp)
  }
}

/** Special values as samples of companions. Removals are made in both, as of one moment. */
function withCompanions(batch: SampleBatch): SampleBatch {
  const handles = batch.handles.slice(0, batch.count).map(companionOf)
  const removals = batch.removals.flatMap((removal) => [
    removal,
    { ...removal, handle: companionOf(removal.handle) },
  ])
  return { ...batch, handles, removals }
}
