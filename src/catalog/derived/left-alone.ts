import { nextIteration } from '../../base/index.ts'
import type { StreamHandle } from '../../store/index.ts'
import type { StreamIndex } from '../index/stream-index.ts'
import type { Derivation, LeftAlone } from '../shape/derivation-shape.ts'
import type { PlacedStreamBody } from '../shape/stream-shape.ts'

/** Streams looked at before others get a turn: about a millisecond. */
const STREAMS_PER_STEP = 50

/** What the samples of sources are looked for with. */
interface SourceTimes {
  readonly orgUid: string
  readonly index: StreamIndex
  /** The times of the newest samples of streams; undefined where nobody derives, as in tools. */
  readonly newestOf:
    | ((handles: readonly StreamHandle[]) => Promise<readonly (number | undefined)[]>)
    | undefined
}

/** A stream of a save. */
interface SavedStream {
  readonly before: PlacedStreamBody | undefined
  readonly after: PlacedStreamBody
}

/**
 * Streams of a save with the samples that their formulas leave alone: those that sources have when a formula is
 * saved that is new, or has other sources or another trigger. It is part of the record, so that what appends
 * derive is settled once the save is answered.
 */
export async function withLeftAlone(
  times: SourceTimes,
  streams: readonly SavedStream[],
): Promise<PlacedStreamBody[]> {
  const begun = streams.filter(isBegun)
  const newest = await newestByUid(times, begun)
  const settled: PlacedStreamBody[] = []
  for (const [at, stream] of streams.entries()) {
    if (at % STREAMS_PER_STEP === STREAMS_PER_STEP - 1) await nextIteration()
    const { leftAlone: _, ...after } = stream.after
    const left = isBegun(stream) ? leftOf(after.derivation, newest) : keptOf(stream)
    settled.push(left === undefined ? after : { ...after, leftAlone: left })
  }
  return settled
}

function isBegun({ before, after }: SavedStream): boolean {
  if (after.derivation === null) return false
  return before?.derivation == null || keyOf(before.derivation) !== keyOf(after.derivation)
}

function keptOf({ before, after }: SavedStream): LeftAlone | undefined {
  return after.derivation === null ? undefined : before?.leftAlone
}

/** What a formula is begun again for when it is another. */
function keyOf({ trigger, variables }: Derivation): string {
  return [trigger, ...new Set(variables.map(({ streamUid }) => streamUid))].sort().join()
}

async function newestByUid(
  { orgUid, index, newestOf }: SourceTimes,
  begun: readonly SavedStream[],
): Promise<ReadonlyMap<string, number>> {
  const handles = new Map<string, StreamHandle>()
  for (const { after } of begun) {
    for (const { streamUid } of after.derivation?.variables ?? []) {
      // Streams that are made by this save have no samples.
      const handle = index.hasLivingUid(streamUid) ? index.streamByUid(orgUid, streamUid) : 0
      if (handle !== 0) handles.set(streamUid, handle)
    }
  }
  const times = handles.size === 0 ? [] : await newestOf?.([...handles.values()])
  const newest = new Map<string, number>()
  for (const [at, uid] of [...handles.keys()].entries()) {
    const time = times?.[at]
    if (time !== undefined) newest.set(uid, time)
  }
  return newest
}

function leftOf(
  derivation: Derivation | null,
  newest: ReadonlyMap<string, number>,
): LeftAlone | undefined {
  const left: Record<string, number> = {}
  for (const { streamUid } of derivation?.variables ?? []) {
    const time = newest.get(streamUid)
    if (time !== undefined) left[streamUid] = time
  }
  return Object.keys(left).length === 0 ? undefined : left
}
