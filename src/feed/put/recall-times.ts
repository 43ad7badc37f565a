import { nextTurn } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import { RANDOM } from '../../catalog/shape/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import type { AssignedTimes } from './assigned-times.ts'
import type { IncomingSamples } from './incoming-samples.ts'

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
    if (from > 0) await nextTurn()
    const some = handles.slice(from, from + STREAMS_PER_SLICE)
    const latest = await store.latest(some, { isTimesOnly: true })
    for (const [at, handle] of some.entries()) {
      const isAhead = (latest[at]?.time ?? uploadTime - 1) >= uploadTime
      const run = { from: uploadTime, step: assignedTimes.lane.step }
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
