import type { EpochMs } from '../../base/index.ts'

declare const brand: unique symbol

/**
 * A stream as the stores know it: a positive integer below 2³¹ given by the catalog when the stream
 * is created, small enough to index a typed array and never given to another stream. Its meaning is
 * local to the process: an adapter on a cluster keeps the way from handle to UID itself.
 */
export type StreamHandle = number & { readonly [brand]: 'StreamHandle' }

/** Takes everything out of one stream in from ≤ time < until. */
export interface Removal {
  readonly handle: StreamHandle
  readonly from: EpochMs
  readonly until: EpochMs
}

/**
 * Samples as columns, in the order they arrived. Sample i belongs to handles[i] and has the time times[i]. Its value is
 * the text texts[i] or, where that is undefined, the number numbers[i]. Booleans are 0 and 1. NaN and the infinities
 * never occur; -0 and subnormals are kept.
 */
export interface SampleBatch {
  readonly count: number
  readonly handles: Uint32Array
  readonly times: Float64Array
  readonly numbers: Float64Array
  /** Absent when no sample of the batch is a text. */
  readonly texts?: ReadonlyArray<string | undefined>
  /**
   * Done before the samples of the same batch are added, atomically with them. Autofill removes one
   * span; a point stream removes all time, so that exactly its new sample remains.
   */
  readonly removals: readonly Removal[]
}

/** A batch of one stream that depends on what is stored. */
export interface Amendment {
  readonly batch: SampleBatch
  /** Whether its numbers are codes of special values. */
  readonly isSpecial?: boolean
}

/** Samples of one stream as columns; numbers[i] is meaningless where texts?.[i] is a string. */
export interface SampleColumns {
  readonly count: number
  readonly times: Float64Array
  readonly numbers: Float64Array
  readonly texts?: ReadonlyArray<string | undefined>
}

export interface Sample {
  readonly time: EpochMs
  readonly value: number | string
}

/**
 * The memory that one call may hold texts in. A reader counts texts before it holds them: it sets the
 * bytes to what the call held before and what it is about to read, and back to what it gives out.
 */
export interface TextMemory {
  /** What the call has at the moment. */
  readonly bytes: number
  /**
   * Changes the size to `bytes`, immediately (then the result is undefined) or when there is room. The caller must hold
   * no uncounted memory while it waits. Refuses a size that can never be granted.
   */
  resize(bytes: number): Promise<void> | undefined
}

export interface RangeQuery {
  readonly from: EpochMs
  readonly until: EpochMs
  /** Where texts are counted; without it they are not. */
  readonly memory?: TextMemory
  /** Whether only times are wanted: no value is read, and those given are meaningless. */
  readonly isTimesOnly?: boolean
  /** At most this many samples, counted from the side `order` begins with. */
  readonly limit: number
  readonly order: 'oldest_first' | 'latest_first'
}

/** How the latest samples are looked up; as in a RangeQuery. */
export interface LatestOptions {
  readonly memory?: TextMemory
  readonly isTimesOnly?: boolean
}

/**
 * What fold knows of the samples between two edges. Columns of one entry per interval. Where count
 * is 0 every other column is meaningless. Texts take part in count, first and last only: a sample
 * that is a text adds nothing to numberCount, sum, mean, min and max.
 */
export interface Summaries {
  readonly length: number
  readonly count: Float64Array
  /** How many of them are numbers; sum, mean, min and max speak of these only. */
  readonly numberCount: Float64Array
  /**
   * The exact sum rounded once, to nearest and even: the same bits whether the samples are in memory
   * or sealed. Infinite beyond the doubles.
   */
  readonly sum: Float64Array
  /** The exact sum over numberCount, rounded once as well; never outside min and max. */
  readonly mean: Float64Array
  readonly min: Float64Array
  /** The earliest time at which the minimum occurs. */
  readonly minTime: Float64Array
  readonly max: Float64Array
  readonly maxTime: Float64Array
  readonly firstTime: Float64Array
  readonly first: ReadonlyArray<number | string>
  readonly lastTime: Float64Array
  readonly last: ReadonlyArray<number | string>
}

/** The statistics of windows of query languages. */
export type WindowStatistic = 'min' | 'max' | 'sum' | 'avg' | 'count' | 'last'

/** A stretch of a stream in which something was added, replaced or removed. */
export interface TouchedSpan {
  readonly handle: StreamHandle
  readonly from: EpochMs
  readonly until: EpochMs
  /**
   * Whether all of it may have been touched before the cursor that was asked for: the store knows it only together with
   * other writes.
   */
  readonly mayBeOlder?: boolean
  /**
   * Where samples were added and nothing else happened, and all of them are numbers: there is one right before `until`,
   * and the numbers are not below `least` and not above `most`.
   */
  readonly least?: number
  readonly most?: number
}

/**
 * Some streams that are followed while they change, in this process and from the moment they are added
 * on: for those who show what happens. A caller that must miss nothing uses `touchedSince`.
 */
export interface StreamFollow {
  add(handle: StreamHandle): void
  delete(handle: StreamHandle): void
  /**
   * Where the followed streams were touched since the last call, one span for each; reads see all of
   * it. Spans may be wider than the change.
   */
  take(): TouchedSpan[]
  close(): void
}

/** Where the samples of one stream begin and end. */
export interface SampleSpan {
  readonly firstTime: EpochMs
  readonly lastTime: EpochMs
}

/** A place on disk that did not check; nothing of it is served and nothing of it is silently dropped. */
export interface Damage {
  readonly file: string
  readonly offset: number
  readonly bytes: number
  /** The streams and the stretch of time that may miss samples; empty and undefined when unknown. */
  readonly handles: readonly StreamHandle[]
  readonly from: EpochMs | undefined
  readonly until: EpochMs | undefined
  readonly what: string
}

export interface StoreStatus {
  /** Why writes are refused, or undefined while the store takes them. */
  readonly readOnlyReason: string | undefined
  /** Whether what is taken stays in the journal, as it cannot be sealed: once that is full writes are refused. */
  readonly isSealingStuck: boolean
  readonly damages: readonly Damage[]
}

/** Room that is kept for an append; its requester releases it, whatever the outcome. */
export interface KeptRoom {
  release(): void
}

/** Where there is nothing to keep. */
export const NO_ROOM: KeptRoom = { release: () => {} }

/** Reads of samples. */
export type SampleReads = Pick<SampleStore, 'range' | 'latest' | 'span' | 'fold' | 'outline'>

/** What the feed needs from any storage engine for samples. */
export interface SampleStore {
  /**
   * Reserves room for samples of about `bytes` bytes, before records are created for them. Rejects with `read_only`
   * like append(), as far as that can be known in advance.
   */
  keepRoom(bytes: number): KeptRoom | Promise<KeptRoom>
  /**
   * Resolves only when the whole batch would survive a crash and reads see it. Rejected: part of it
   * may be kept and the same append may be repeated (it is idempotent). The embedded store keeps none,
   * but for a batch whose own write or sync failed: a restart shows all of it or none. Rejects with the refusal `read_only` when the disk is full or has failed, and with
   * `conflict` when a stream of the batch was forgotten. The caller must not change the batch's
   * arrays until this settles. What room was kept for is not refused for lack of it.
   */
  append(batch: SampleBatch, room?: KeptRoom): Promise<void>
  /**
   * As append(), for special values: NaN and the infinities, whose codes (src/store/fields/special-code.ts) are in
   * `numbers`. Only specials() returns them. Removals of this and of remove() take out numbers and special values;
   * those of append() are not made in streams with special values. A special value does not remove the number at its
   * time, and a number does not remove the special value.
   */
  appendSpecials(batch: SampleBatch): Promise<void>
  /**
   * Appends to a part of one stream what `make` gives, which reads the part, and answers what was appended. What other
   * calls write into the part or remove from it from the moment that it is read stays as they leave it, at its times.
   * Removals take out special values too. `make` is called once.
   */
  amend(span: Removal, make: () => Promise<Amendment>): Promise<SampleBatch>
  /** As range(), of the special values of a stream; their codes are in `numbers`. */
  specials(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns>
  /** In the order asked for, at most one sample per time: the one appended last. The arrays are the caller's own. */
  range(handle: StreamHandle, query: RangeQuery): Promise<SampleColumns>
  /** The sample with the greatest time of each stream, in the order of the handles. */
  latest(
    handles: readonly StreamHandle[],
    options?: LatestOptions,
  ): Promise<ReadonlyArray<Sample | undefined>>
  /** Where each stream begins and ends; undefined for a stream without samples. */
  span(handle: StreamHandle): Promise<SampleSpan | undefined>
  /** One summary per interval between consecutive edges (ascending): edges[i] ≤ time < edges[i+1]. */
  fold(handle: StreamHandle, edges: Float64Array, memory?: TextMemory): Promise<Summaries>
  /**
   * As fold, for drawing: where an edge falls among samples that are summed up already, all of
   * these may count on one side of it, so that they need not be read. Each row is exact for the samples
   * from its firstTime to its lastTime; rows do not overlap, and together hold every sample between the
   * first edge and the last once.
   */
  outline(handle: StreamHandle, edges: Float64Array, memory?: TextMemory): Promise<Summaries>
  /**
   * As fold, for windows of which one statistic counts: `mean` for avg. The other columns are meaningless, but count and
   * numberCount are 0 only for rows without samples, and differ only for those with texts.
   */
  windows(handle: StreamHandle, edges: Float64Array, statistic: WindowStatistic): Promise<Summaries>
  /**
   * The same reads for one call that reads a stream several times, where that is cheaper than single reads. They see all
   * that was acknowledged before this call; of later writes they may see none.
   */
  reads?(): SampleReads
  /**
   * Takes a range out, durably; samples appended later into the range stay. `isWanted` is asked last,
   * when the removal takes its place among the appends. False: it was not, and nothing is removed.
   */
  remove(removal: Removal, isWanted?: () => boolean): Promise<boolean>
  /** Drops everything of streams that the catalog has deleted. Their handles never come back. */
  forget(handles: readonly StreamHandle[]): Promise<void>
  /**
   * What changed since a cursor that an earlier call gave (0 at first), in order, for the watched
   * streams only. Spans may repeat and be wider than the change; none is missed, across restarts too.
   * Spans that share a cursor are returned together, so there may be more than `limit`. A cursor that this
   * store cannot have given (its data was replaced by older) counts as 0. Cheap when nothing changed.
   */
  touchedSince(cursor: number, limit: number): Promise<{ spans: TouchedSpan[]; cursor: number }>
  /**
   * Sets the streams that touchedSince covers, from the call on; resolves when a restart knows them too. Repeated
   * with few changes it costs little more than these.
   */
  watch(handles: readonly StreamHandle[]): Promise<void>
  /**
   * Watches one stream more, from the call on. What is put from then on is covered after a restart as well, where
   * the first `watch` after it names the stream.
   */
  watchAlso(handle: StreamHandle): void
  /** Begins to follow streams, none at first. A put pays nothing while no stream is followed. */
  follow(): StreamFollow
  status(): StoreStatus
  /** Finishes what was appended and releases the files. */
  close(): Promise<void>
}
