import { type EpochMs, KeyedMutex, TIME_END } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import { POINT, RANDOM } from '../../catalog/shape/index.ts'
import type { AssignedSpan, SampleBatch, SampleStore, StreamHandle } from '../../store/index.ts'
import { type AssignableTimes, type AssignedTimes, firstAssignable } from './assigned-times.ts'
import type { IncomingSamples } from './incoming-samples.ts'

/** Times some milliseconds apart. */
interface TimeSpan {
  readonly from: number
  readonly count: number
  /** Milliseconds from one to the next; 1 when it is not given. */
  readonly step?: number
}

/** The time that comes after the last of a span. */
function afterSpan({ from, count, step = 1 }: TimeSpan): number {
  return from + count * step
}

/** What is looked for in a stream. */
interface FreeTimesLook {
  readonly handle: StreamHandle
  readonly from: number
  readonly count: number
  /** The times that may be taken. */
  readonly assignable: AssignableTimes
  /** Times that others are about to store at. */
  readonly claimed: readonly TimeSpan[]
}

/** Samples that are passed at a time, and how often before the look is given up. */
const PAGE = 10_000
const PAGES_MAX = 100

/** The first times from one on at which a stream has no sample; fewer where it is full for very long. */
async function findFreeTimes(store: SampleStore, look: FreeTimesLook): Promise<TimeSpan[]> {
  const { handle, count, assignable } = look
  const from = firstAssignable(assignable, look.from)
  const wanted: TimeSpan =
    assignable.step === 1 ? { from, count } : { from, count, step: assignable.step }
  const claimed = look.claimed.toSorted((one, other) => one.from - other.from)
  const { count: taken } = await store.fold(handle, Float64Array.of(from, afterSpan(wanted)))
  if (taken[0] === 0 && claimed.length === 0) return [wanted]
  const free = new FreeSpans(look, claimed)
  let at = from
  for (let page = 0; page < PAGES_MAX && free.missing > 0; page += 1) {
    const { count: found, times } = await store.range(handle, {
      from: at as EpochMs,
      until: TIME_END,
      isTimesOnly: true,
      limit: PAGE,
      order: 'oldest_first',
    })
    for (let index = 0; index < found && free.missing > 0; index += 1) {
      free.take(at, times[index])
      at = times[index] + 1
    }
    if (found < PAGE) free.take(at, Number.POSITIVE_INFINITY)
  }
  return free.spans
}

/** Gathers free times until there are enough. */
class FreeSpans {
  readonly spans: TimeSpan[] = []
  missing: number
  readonly #assignable: AssignableTimes
  readonly #claimed: readonly TimeSpan[]

  constructor({ count, assignable }: FreeTimesLook, claimed: readonly TimeSpan[]) {
    this.missing = count
    this.#assignable = assignable
    this.#claimed = claimed
  }

  /** Takes what is needed of the times between two samples, but for those that are claimed. */
  take(from: number, until: number): void {
    let at = from
    for (const span of this.#claimed) {
      const end = afterSpan(span)
      if (end <= at) continue
      if (span.from >= until) break
      this.#add(at, span.from)
      at = Math.max(at, end)
    }
    this.#add(at, until)
  }

  #add(after: number, until: number): void {
    const from = firstAssignable(this.#assignable, after)
    const { step } = this.#assignable
    const count = Math.min(Math.ceil((until - from) / step), this.missing)
    if (count <= 0) return
    this.spans.push(step === 1 ? { from, count } : { from, count, step })
    this.missing -= count
  }
}

/** A put that may be made again, after a crash too, without storing anything twice. */
export interface RepeatablePut {
  /** What its samples without a time were assigned when it was made before. */
  readonly earlier: readonly AssignedSpan[]
  /** Whether it came earlier than others that were stored: its samples go to its own time as far as that is free. */
  readonly isPast: boolean
  /** Keeps all that was assigned, durably, before any sample is stored. */
  keep(spans: readonly AssignedSpan[]): Promise<void>
}

/** Times that puts of the past have found free and not yet stored at, by stream. */
export class ClaimedTimes {
  readonly #spans = new Map<number, Set<TimeSpan>>()
  /** Who looks for free times has the stream alone: what was claimed before the look is known to it. */
  readonly looking = new KeyedMutex<number>()

  /** Those of a stream. */
  of(handle: number): readonly TimeSpan[] {
    return [...(this.#spans.get(handle) ?? [])]
  }

  add(handle: number, span: TimeSpan): void {
    const spans = this.#spans.get(handle) ?? new Set()
    this.#spans.set(handle, spans.add(span))
  }

  delete(handle: number, span: TimeSpan): void {
    const spans = this.#spans.get(handle)
    spans?.delete(span)
    if (spans?.size === 0) this.#spans.delete(handle)
  }
}

interface RepeatableDeps {
  readonly streams: StreamIndex
  readonly store: SampleStore
  readonly assignedTimes: AssignedTimes
  readonly claimedTimes: ClaimedTimes
}

/**
 * Assigns times to a put that may be a repetition. It gets the times it was assigned before, in their order. A put of
 * the past then gets free times from its own time on. Any other put gets the usual times.
 */
export class RepeatableTimes implements Pick<AssignedTimes, 'next' | 'first'> {
  readonly #deps: RepeatableDeps
  readonly #put: RepeatablePut
  /** What is given next, by stream. */
  readonly #left = new Map<number, TimeSpan[]>()
  readonly #added: Array<AssignedSpan & { count: number }> = []
  readonly #lastAdded = new Map<number, AssignedSpan & { count: number }>()
  readonly #claims: { readonly handle: number; readonly span: TimeSpan }[] = []

  constructor(deps: RepeatableDeps, put: RepeatablePut) {
    this.#deps = deps
    this.#put = put
    for (const span of put.earlier) this.#leave(span.handle, span)
  }

  /** Looks, for a put of the past, for the free times that its samples need; before any is given. */
  async prepare(samples: IncomingSamples, uploadTime: number): Promise<void> {
    if (!this.#put.isPast || samples.isTimed) return
    for (const [handle, count] of this.#needed(samples)) {
      const known = countOf(this.#left.get(handle) ?? [])
      if (count > known) await this.#findFree(handle, { from: uploadTime, count: count - known })
    }
  }

  /** The next time for a stream. */
  next(handle: number, uploadTime: number): number {
    const { assignedTimes, streams } = this.#deps
    const [span] = this.#left.get(handle) ?? []
    if (span !== undefined) {
      const { from, count, step = 1 } = span
      if (count === 1) this.#left.get(handle)?.shift()
      else this.#left.get(handle)?.splice(0, 1, { from: from + step, count: count - 1, step })
      if (assignedTimes.knows(handle)) assignedTimes.recall(handle, span.from)
      return span.from
    }
    // Intervals and points are places that later samples take over by right: a past one is not made later.
    const isAtItsOwn = this.#put.isPast && streams.kindOf(handle) !== RANDOM
    const time = isAtItsOwn ? uploadTime : assignedTimes.next(handle, uploadTime)
    this.#note(handle as StreamHandle, time)
    return time
  }

  /** The first time from one on that may be assigned to a stream that does not exist yet. */
  first(from: number): number {
    return this.#deps.assignedTimes.first(from)
  }

  /** Keeps what was assigned beyond what was kept before; resolves when it is durable. */
  async keep(): Promise<void> {
    if (this.#added.length > 0) await this.#put.keep([...this.#put.earlier, ...this.#added])
  }

  /** Makes known when the points of a put of the past were updated last. */
  async recallPoints(batch: SampleBatch): Promise<void> {
    const { assignedTimes, store } = this.#deps
    if (!this.#put.isPast) return
    const unknown = this.#pointsOf(batch).filter((handle) => !assignedTimes.knows(handle))
    if (unknown.length === 0) return
    const latest = await store.latest(unknown, { isTimesOnly: true })
    for (const [at, handle] of unknown.entries()) {
      const time = latest[at]?.time
      if (time !== undefined) assignedTimes.recall(handle, time)
    }
  }

  /** The batch without the samples of points that were updated since: the newest by arrival stays. */
  withoutOutdated(batch: SampleBatch): SampleBatch {
    const { assignedTimes } = this.#deps
    const points = new Set(this.#pointsOf(batch))
    if (points.size === 0) return batch
    const outdated = new Set<number>()
    for (let at = 0; at < batch.count; at += 1) {
      const handle = batch.handles[at]
      if (points.has(handle as StreamHandle) && assignedTimes.last(handle) > batch.times[at]) {
        outdated.add(handle)
      }
    }
    return outdated.size === 0 ? batch : leaveOut(batch, outdated)
  }

  /** Gives back what was claimed, when the put is over. */
  release(): void {
    for (const { handle, span } of this.#claims) this.#deps.claimedTimes.delete(handle, span)
  }

  /** The streams that keep all their samples, with the number of those that need a time. */
  #needed({ handles, times, count }: IncomingSamples): Map<number, number> {
    const needed = new Map<number, number>()
    for (let at = 0; at < count; at += 1) {
      const handle = handles[at]
      if (handle === 0 || !Number.isNaN(times[at])) continue
      if (this.#deps.streams.kindOf(handle) !== RANDOM) continue
      needed.set(handle, (needed.get(handle) ?? 0) + 1)
    }
    return needed
  }

  async #findFree(handle: number, { from, count }: TimeSpan): Promise<void> {
    const { assignedTimes, claimedTimes, store } = this.#deps
    await claimedTimes.looking.run([handle], async () => {
      const claimed = claimedTimes.of(handle)
      const { assignable } = assignedTimes
      const look = { handle: handle as StreamHandle, from, count, claimed, assignable }
      for (const span of await findFreeTimes(store, look)) {
        claimedTimes.add(handle, span)
        this.#claims.push({ handle, span })
        this.#leave(handle, span)
        this.#added.push({ handle: handle as StreamHandle, ...span })
        assignedTimes.recall(handle, afterSpan(span) - (span.step ?? 1))
      }
    })
  }

  #pointsOf({ removals }: SampleBatch): StreamHandle[] {
    const { streams } = this.#deps
    return removals.map(({ handle }) => handle).filter((one) => streams.kindOf(one) === POINT)
  }

  #leave(handle: number, span: TimeSpan): void {
    const left = this.#left.get(handle)
    if (left === undefined) this.#left.set(handle, [span])
    else left.push(span)
  }

  #note(handle: StreamHandle, time: number): void {
    const { step } = this.#deps.assignedTimes.assignable
    const last = this.#lastAdded.get(handle)
    if (last !== undefined && afterSpan(last) === time) {
      last.count += 1
      return
    }
    const one = { handle, from: time, count: 1 }
    const span = step === 1 ? one : { ...one, step }
    this.#added.push(span)
    this.#lastAdded.set(handle, span)
  }
}

function countOf(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, { count }) => sum + count, 0)
}

function leaveOut(batch: SampleBatch, outdated: ReadonlySet<number>): SampleBatch {
  const kept: number[] = []
  for (let at = 0; at < batch.count; at += 1) if (!outdated.has(batch.handles[at])) kept.push(at)
  return {
    count: kept.length,
    handles: Uint32Array.from(kept, (at) => batch.handles[at]),
    times: Float64Array.from(kept, (at) => batch.times[at]),
    numbers: Float64Array.from(kept, (at) => batch.numbers[at]),
    texts: batch.texts && kept.map((at) => batch.texts?.[at]),
    removals: batch.removals.filter(({ handle }) => !outdated.has(handle)),
  }
}
