import { nextIteration, refuse, SAMPLES_PER_CALL_MAX } from '../base/index.ts'
import type { MetricMetadata } from '../catalog/index.ts'
import type { Feed } from '../feed/index.ts'
import type { DoorLog } from './door-log.ts'
import {
  type DoorReader,
  type DoorSlice,
  LABEL_CHARACTERS_MAX,
  type SliceBounds,
} from './door-slice.ts'
import { SeriesCache } from './series-cache.ts'

/** Who writes, what was written, and the result. */
type Caller = Parameters<Feed['putPoints']>[0]
type PointsCommand = Parameters<Feed['putPoints']>[1]
type RefusedPoints = Awaited<ReturnType<Feed['putPoints']>>

/** A body of a protocol, and how it is stored. */
interface WriteCommand extends Pick<PointsCommand, 'findRules' | 'isAllOrNone' | 'share'> {
  /** The protocol's name in metrics and lists. */
  readonly door: string
  readonly openReader: (cache: SeriesCache, bounds: SliceBounds) => DoorReader
  /** Called with the number of samples stored so far, after each slice. */
  readonly onStored?: (count: number) => void
  /** Re-reads the caller's permissions before each slice. */
  readonly renew: () => Promise<Caller>
}

/** A line of which a point was refused, or all. */
interface RefusedShown {
  readonly line: number
  readonly text: string
  readonly reason: string
}

/** What became of a body. */
export interface WriteOutcome {
  readonly acceptedCount: number
  readonly refusedCount: number
  /** Those of the refused that the caller may not put. */
  readonly forbiddenCount: number
  /** The first of them, by line. */
  readonly refused: readonly RefusedShown[]
}

/** Samples that one slice stores with one frame of the journal: some megabytes of columns. */
const SAMPLES_PER_SLICE = 100_000
/** Bytes that are read before others get a turn: a few milliseconds. */
const BYTES_PER_SLICE = 128 * 1024
/** Rejected lines of a body that are listed one by one. */
const SHOWN_MAX = 1_000

/** Stores bodies of other protocols through the write path of all puts, slice by slice. */
export class DoorWriter {
  readonly #feed: Feed
  readonly #log: DoorLog
  readonly #cache: SeriesCache

  constructor(feed: Feed, log: DoorLog) {
    this.#feed = feed
    this.#log = log
    const { index } = feed.catalog
    this.#cache = new SeriesCache({
      get seriesGeneration() {
        return index.seriesGeneration
      },
      has: (handle) => index.has(handle),
    })
  }

  /** Refuses a caller who may put nowhere, before a body of theirs is read. */
  requirePutter(caller: Caller): void {
    this.#feed.requirePutter(caller)
  }

  /** Keeps what a body says of metrics; resolves when it is durable. */
  async learnMetrics(caller: Caller, metrics: readonly MetricMetadata[]): Promise<void> {
    await this.#feed.catalog.metricMetadata.learn(caller, metrics)
  }

  /** Stores what can be stored of a body; resolves when it is durable. */
  async write(command: WriteCommand): Promise<WriteOutcome> {
    const { door, isAllOrNone } = command
    const bounds: SliceBounds = {
      samplesMax: isAllOrNone ? SAMPLES_PER_CALL_MAX : SAMPLES_PER_SLICE,
      seriesMax: this.#feed.catalog.createMax,
    }
    const reader = command.openReader(this.#cache, bounds)
    const uploadTime = this.#feed.now()
    const outcome = new Outcome(reader)
    while (!reader.isAtEnd) {
      const caller = await command.renew()
      const slice = reader.begin()
      while (reader.read(caller.orgUid, BYTES_PER_SLICE)) await nextIteration()
      this.#cache.lookAway()
      if (isAllOrNone && !reader.isAtEnd) refuseUndivided(slice, bounds)
      outcome.addLines(slice)
      const isHeldBack = isAllOrNone && slice.refusedCount > 0
      if (isHeldBack) slice.samples.release()
      else await this.#put(caller, { slice, outcome, uploadTime, command })
      reader.learn()
      slice.releaseLines()
      this.#note({ caller, door, slice }, outcome.takeNew())
    }
    return outcome
  }

  async #put(caller: Caller, { slice, outcome, uploadTime, command }: SlicePut): Promise<void> {
    const { samples } = slice
    const { count } = samples
    if (count === 0) {
      samples.release()
      return
    }
    const { door, findRules, isAllOrNone, share } = command
    const refused = await this.#feed.putPoints(caller, {
      samples,
      findRules,
      uploadTime,
      isAllOrNone,
      share,
    })
    const isHeldBack = isAllOrNone && refused.count > 0
    const acceptedCount = isHeldBack ? 0 : count - refused.count
    outcome.acceptedCount += acceptedCount
    command.onStored?.(outcome.acceptedCount)
    this.#log.countAccepted(door, acceptedCount)
    outcome.addPoints(slice, refused)
    for (const [code, points] of refused.countByCode) this.#log.countRefused(door, code, points)
  }

  #note({ caller, door, slice }: ReadSlice, shown: readonly RefusedShown[]): void {
    const { refusedCount, sharedMilliseconds: merged, roundedIntegers: rounded } = slice
    if (refusedCount > 0) this.#log.countRefused(door, 'unreadable', refusedCount)
    if (merged + rounded > 0) this.#log.countChanged(door, { merged, rounded })
    if (shown.length === 0) return
    const { orgUid, actor } = caller
    const keyUid = actor.kind === 'api_key' ? actor.keyUid : ''
    const time = this.#feed.now()
    const entries = shown.map(({ text, reason }) => ({ time, door, keyUid, reason, line: text }))
    this.#log.keep(orgUid, entries)
  }
}

/** Refuses a body that is to be stored whole and does not fit into one slice. */
function refuseUndivided({ samples }: DoorSlice, { samplesMax, seriesMax }: SliceBounds): never {
  if (samples.count >= samplesMax) refuse('too_many_samples', { samplesMax })
  const limit =
    samples.series.length >= seriesMax
      ? `${seriesMax} new series`
      : `${LABEL_CHARACTERS_MAX} characters in the labels of new series`
  const what = `At most ${limit} can be stored all or none. Split the request, or accept a part of it`
  refuse('bad_input', { what })
}

interface ReadSlice {
  readonly caller: Caller
  readonly door: string
  readonly slice: DoorSlice
}

interface SlicePut {
  readonly slice: DoorSlice
  readonly outcome: Outcome
  readonly uploadTime: number
  readonly command: WriteCommand
}

/** Gathers what becomes of the slices of a body. */
class Outcome implements WriteOutcome {
  acceptedCount = 0
  refusedCount = 0
  forbiddenCount = 0
  readonly refused: RefusedShown[] = []
  readonly #reader: DoorReader
  #new: RefusedShown[] = []
  #lastText: { readonly from: number; readonly until: number; readonly text: string } | undefined

  constructor(reader: DoorReader) {
    this.#reader = reader
  }

  /** Adds the lines that could not be read. */
  addLines(slice: DoorSlice): void {
    this.refusedCount += slice.refusedCount
    for (const { line, from, until, reason } of slice.refused) {
      this.#show({ line, text: this.#textAt(from, until), reason })
    }
  }

  /** Adds the points that were not stored. */
  addPoints(slice: DoorSlice, refused: RefusedPoints): void {
    this.refusedCount += refused.count
    this.forbiddenCount += refused.forbiddenCount
    for (const { index, reason } of refused.list) {
      const { line, from, until } = slice.lineOf(index)
      this.#show({ line, text: this.#textAt(from, until), reason })
    }
    this.refused.sort((a, b) => a.line - b.line)
  }

  /** What was added since the last call. */
  takeNew(): readonly RefusedShown[] {
    const taken = this.#new
    this.#new = []
    return taken
  }

  /** The text of a place. All points of a long series share one, which is read once. */
  #textAt(from: number, until: number): string {
    const last = this.#lastText
    if (last !== undefined && last.from === from && last.until === until) return last.text
    const text = this.#reader.textAt(from, until)
    this.#lastText = { from, until, text }
    return text
  }

  #show(shown: RefusedShown): void {
    this.#new.push(shown)
    if (this.refused.length < SHOWN_MAX) this.refused.push(shown)
  }
}
