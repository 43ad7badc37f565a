import { growColumn, nextIteration } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import { RANDOM } from '../../catalog/shape/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import type { IncomingSamples } from './incoming-samples.ts'

const HANDLES_MIN = 1024

/**
 * The times that one process may assign when several share a store: one in every `step` milliseconds. No two processes
 * share a time.
 */
export interface AssignableTimes {
  /** Milliseconds from one time to the next; 1 for a process that is alone. */
  readonly step: number
  /** The rest of its times by `step`; it may change from one call to the next. */
  readonly offset: number
  /** Changes when another process may have used the same offset, so times it assigned may be unknown here. */
  readonly generation: number
  /** Refuses while the process has no offset. */
  require(): void
}

/** All times, of a process that shares its store with none. */
export const EVERY_TIME: AssignableTimes = { step: 1, offset: 0, generation: 0, require: () => {} }

/** The first assignable time at or after `from`. */
export function firstAssignable(
  { step, offset }: Pick<AssignableTimes, 'step' | 'offset'>,
  from: number,
): number {
  if (step === 1) return from
  const past = (from - offset) % step
  return past === 0 ? from : from + (past > 0 ? step : 0) - past
}

/**
 * The times the server assigns: never before the upload, and never one it gave the same stream
 * before, so that two quick puts keep both samples. Eight bytes per stream.
 */
export class AssignedTimes {
  readonly assignable: AssignableTimes
  #last = new Float64Array(HANDLES_MIN).fill(Number.NEGATIVE_INFINITY)
  #generation: number

  constructor(assignable: AssignableTimes = EVERY_TIME) {
    this.assignable = assignable
    this.#generation = assignable.generation
  }

  /** Whether the stream's assigned times are known: from before the start, or since. */
  knows(handle: number): boolean {
    if (this.#generation !== this.assignable.generation) this.#forget()
    return handle < this.#last.length && this.#last[handle] !== Number.NEGATIVE_INFINITY
  }

  /** The last time assigned to a stream, as far as it is known. */
  last(handle: number): number {
    return this.#last[handle] ?? Number.NEGATIVE_INFINITY
  }

  /** Notes a time that was assigned to a stream before the start. */
  recall(handle: number, time: number): void {
    if (handle >= this.#last.length) this.#grow(handle)
    this.#last[handle] = Math.max(this.#last[handle], time)
  }

  /**
   * Forgets the last time of a stream where it was ahead of the clock and among samples that were deleted: the next one
   * is at its upload again. One that is not ahead stays, as another put may be storing at it.
   */
  forgetAhead(handle: number, deleted: { from: number; until: number }, now: number): void {
    const last = this.last(handle)
    if (last <= now || last < deleted.from || last >= deleted.until) return
    this.#last[handle] = Number.NEGATIVE_INFINITY
  }

  /** The next time for a stream, given the time of the upload. */
  next(handle: number, uploadTime: number): number {
    if (handle >= this.#last.length) this.#grow(handle)
    const time = this.first(Math.max(uploadTime, this.#last[handle] + 1))
    this.#last[handle] = time
    return time
  }

  /** The first time from one on that this process may assign. */
  first(from: number): number {
    return firstAssignable(this.assignable, from)
  }

  /** Times that another process assigned with this offset are read from the store. */
  #forget(): void {
    this.#generation = this.assignable.generation
    this.#last.fill(Number.NEGATIVE_INFINITY)
  }

  #grow(handle: number): void {
    this.#last = growColumn(this.#last, handle + 1, Number.NEGATIVE_INFINITY)
  }
}

/** The times of a call that is only tried: samples without one are at its own, those of one stream a millisecond apart. */
export class TriedTimes implements Pick<AssignedTimes, 'next' | 'first'> {
  readonly #last = new Map<number, number>()

  /** The next time for a stream. */
  next(handle: number, uploadTime: number): number {
    const last = this.#last.get(handle)
    const time = last === undefined ? uploadTime : last + 1
    this.#last.set(handle, time)
    return time
  }

  /** The time itself. */
  first(from: number): number {
    return from
  }
}

/** Streams looked up before other calls get a turn: a few milliseconds. */
const STREAMS_PER_SLICE = 200

/** Assigned times are a step apart; samples taken out again, and nulls, leave some holes. */
const SPACING_STEPS_MAX = 10

/** Assigned times that ran ahead are followed in doubling steps, up to a day and a half. */
const STEPS = 18

/** What a recall looks into. */
interface RecallDeps {
  readonly store: SampleStore
  readonly assignedTimes: AssignedTimes
}

/** The streams of samples without a time whose assigned times are not known since the start. */
export function findUnrecalled(
  streams: StreamIndex,
  samples: IncomingSamples,
  assignedTimes: AssignedTimes,
): StreamHandle[] {
  if (samples.isTimed) return []
  const found = new Set<StreamHandle>()
  const { handles, times } = samples
  for (let index = 0; index < samples.count; index++) {
    const handle = handles[index] as StreamHandle | 0
    if (handle === 0 || !Number.isNaN(times[index]) || assignedTimes.knows(handle)) continue
    // Intervals and points are places that later samples take over by right.
    if (streams.kindOf(handle) === RANDOM) found.add(handle)
  }
  return found.size === 0 ? [] : [...found]
}

/**
 * Finds out where the assigned times of streams stood before a restart: bulk uploads without times
 * run ahead of the clock, and their samples would be overwritten. They show as samples one
 * step apart from the current time on; others in the future, such as forecasts, have a time
 * of their own and are not followed.
 */
export async function recallTimes(
  { store, assignedTimes }: RecallDeps,
  handles: readonly StreamHandle[],
  uploadTime: number,
): Promise<void> {
  for (let from = 0; from < handles.length; from += STREAMS_PER_SLICE) {
    if (from > 0) await nextIteration()
    const some = handles.slice(from, from + STREAMS_PER_SLICE)
    const latest = await store.latest(some, { isTimesOnly: true })
    for (const [at, handle] of some.entries()) {
      const isAhead = (latest[at]?.time ?? uploadTime - 1) >= uploadTime
      const run = { from: uploadTime, step: assignedTimes.assignable.step }
      const last = isAhead ? await followRun(store, handle, run) : uploadTime - 1
      assignedTimes.recall(handle, last)
    }
  }
}

/** The last of the samples that lie close to one another from a time on; the time before if none. */
async function followRun(
  store: SampleStore,
  handle: StreamHandle,
  run: { readonly from: number; readonly step: number },
): Promise<number> {
  const { from } = run
  const spacingMax = SPACING_STEPS_MAX * run.step
  const steps = Array.from({ length: STEPS }, (_, step) => from + 1_000 * 2 ** step)
  const edges = Float64Array.of(from, ...steps)
  const { count, lastTime } = await store.fold(handle, edges)
  let last = from - 1
  for (const [step, samples] of count.entries()) {
    const length = lastTime[step] + 1 - edges[step]
    if (samples === 0 || samples * spacingMax < length) return last
    last = lastTime[step]
    if (last + spacingMax < edges[step + 1]) return last
  }
  return last
}
