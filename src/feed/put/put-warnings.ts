import { ASSIGNED_AHEAD_MS_MAX, inSlices, TIME_END } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import type { SampleBatch } from '../../store/index.ts'
import { keptFrom, type Retention, SHORTEST_AGE_MS } from '../expire/retention.ts'
import type { AssignedTimes } from './assigned-times.ts'
import type { IncomingSamples } from './incoming-samples.ts'

/** What the caller of a put should hear of samples that were stored: warnings, in words. */

const NONE: readonly string[] = []

/** Streams named in one answer; the others are counted. */
const NAMED_MAX = 6
const ID_LENGTH_SHOWN = 60

/** A stream as warnings name it. */
interface NamedStream {
  readonly compId: string
  readonly streamId: string
}

/** Warnings of the same kind for several streams: the first are named, the rest are counted. */
function warnByStream<T extends NamedStream>(
  streams: readonly T[],
  describe: (stream: T) => string,
  describeRest: (count: number) => string,
): string[] {
  const shown = (id: string) => JSON.stringify(id.slice(0, ID_LENGTH_SHOWN))
  const warnings = streams
    .slice(0, NAMED_MAX)
    .map(
      (one) => `stream ${shown(one.streamId)} of component ${shown(one.compId)}: ${describe(one)}`,
    )
  const rest = streams.length - warnings.length
  if (rest > 0) warnings.push(describeRest(rest))
  return warnings
}

/** By handle: by how many milliseconds its assigned times are ahead of the clock, as after that was set wrong. */
export type StreamsAhead = ReadonlyMap<number, number>

/**
 * The streams of samples without a time whose assigned times were ahead before this call. A call that brings many
 * such samples of one stream runs ahead by itself, and is not meant.
 */
export function findAhead(
  { count, handles, times }: IncomingSamples,
  assignedTimes: AssignedTimes,
  uploadTime: number,
): StreamsAhead | undefined {
  let found: Map<number, number> | undefined
  const limit = uploadTime + ASSIGNED_AHEAD_MS_MAX
  for (let index = 0; index < count; index += 1) {
    const handle = handles[index]
    if (handle === 0 || !Number.isNaN(times[index])) continue
    const last = assignedTimes.last(handle)
    if (last <= limit || found?.has(handle)) continue
    found ??= new Map()
    found.set(handle, last - uploadTime)
  }
  return found
}

/** Warns the caller of streams that are ahead, with advice. */
export function warnOfAhead(index: StreamIndex, ahead: StreamsAhead, uploadTime: number): string[] {
  const living = [...ahead].filter(([handle]) => index.has(handle))
  const streams = living.map(([handle, aheadMs]) => {
    const { compId } = index.componentOf(handle)
    return { compId, streamId: index.streamIdOf(handle), aheadMs }
  })
  const now = new Date(uploadTime).toISOString()
  return warnByStream(
    streams,
    ({ aheadMs }) =>
      `the server assigned a time ${Math.round(aheadMs / 1_000)} s ahead of its clock because earlier samples ` +
      `are in the future. Delete the samples after ${now} to get current times again`,
    (count) => `${count} more streams were assigned times ahead of the clock`,
  )
}

/** What a caller should hear of samples older than the delete profiles of their streams keep. */
async function warnOfOutdated(
  retention: Retention,
  batch: SampleBatch,
  found: {
    /** Streams that may have a profile and got samples that are not of the last minute. */
    readonly suspects: ReadonlySet<number>
    readonly uploadTime: number
  },
): Promise<readonly string[]> {
  const floors = new Map<number, number>()
  for (const handle of found.suspects) {
    // The samples are stored, and a profile that cannot be read deletes nothing.
    const rule = await retention.ruleOf(handle).catch(() => undefined)
    if (rule !== undefined) floors.set(handle, keptFrom(rule, found.uploadTime))
  }
  if (floors.size === 0) return NONE
  let outdated = 0
  const counting = inSlices(batch.count, (from, until) => {
    const { handles, times } = batch
    for (let at = from; at < until; at += 1) {
      const floor = floors.get(handles[at])
      if (floor !== undefined && times[at] < floor) outdated += 1
    }
  })
  if (counting !== undefined) await counting
  return outdated === 0 ? NONE : [textOf(outdated, batch.count)]
}

function textOf(outdated: number, count: number): string {
  const samples = count === 1 ? 'sample' : 'samples'
  const are = outdated === 1 ? 'is' : 'are'
  return `${outdated} of ${count} ${samples} ${are} older than the retention of the delete profile and will be deleted`
}

/** 2001-01-01 in seconds: as milliseconds a day in January 1970, when nobody measured. */
const SECONDS_FROM = 978_307_200
/** Where the time of samples ends, in seconds; as milliseconds in April 1970. */
const SECONDS_UNTIL = TIME_END / 1_000

interface Found {
  /** Streams that may have a delete profile and got old samples. */
  outdated: Set<number> | undefined
  /** The first time of each stream that looks like seconds. */
  seconds: Map<number, number> | undefined
}

/**
 * What a caller should hear of the times of samples that are stored as they came: older than a
 * delete profile keeps, or likely seconds where milliseconds are meant. No promise where nothing
 * can be: samples of the last minute cost one look.
 */
export function warnOfTimes(
  deps: { readonly retention: Retention; readonly index: StreamIndex },
  batch: SampleBatch,
  uploadTime: number,
): readonly string[] | Promise<readonly string[]> {
  const { retention, index } = deps
  const found: Found = { outdated: undefined, seconds: undefined }
  const youngest = uploadTime - SHORTEST_AGE_MS
  const looking = inSlices(batch.count, (from, until) => {
    const { handles, times } = batch
    for (let at = from; at < until; at += 1) {
      if (times[at] >= youngest) continue
      if (looksLikeSeconds(times[at])) noteSeconds(found, batch, at)
      if (!retention.mayHaveRule(handles[at])) continue
      found.outdated ??= new Set()
      found.outdated.add(handles[at])
    }
  })
  const notify = (): readonly string[] | Promise<readonly string[]> => {
    const seconds = found.seconds === undefined ? NONE : warnOfSeconds(index, found.seconds)
    if (found.outdated === undefined) return seconds
    const outdated = warnOfOutdated(retention, batch, { suspects: found.outdated, uploadTime })
    return outdated.then((outdated) => [...outdated, ...seconds])
  }
  return looking === undefined ? notify() : looking.then(notify)
}

function noteSeconds(found: Found, { handles, times }: SampleBatch, at: number): void {
  found.seconds ??= new Map()
  if (!found.seconds.has(handles[at])) found.seconds.set(handles[at], times[at])
}

function warnOfSeconds(index: StreamIndex, seconds: ReadonlyMap<number, number>): string[] {
  const living = [...seconds].filter(([handle]) => index.has(handle))
  return secondsWarnings(
    living.map(([handle, time]) => {
      const { compId } = index.componentOf(handle)
      return { compId, streamId: index.streamIdOf(handle), time }
    }),
  )
}

/** Whether a time is likely seconds where milliseconds are meant. */
export function looksLikeSeconds(time: number): boolean {
  return time < SECONDS_UNTIL && time >= SECONDS_FROM
}

/** What a caller should hear of streams with times that look like seconds. */
export function secondsWarnings(
  streams: readonly {
    readonly compId: string
    readonly streamId: string
    readonly time: number
  }[],
): string[] {
  return warnByStream(
    streams,
    ({ time }) => {
      const day = new Date(time).toISOString().slice(0, 10)
      return `time ${time} looks like seconds but is stored as milliseconds: ${day}`
    },
    (count) => `${count} more streams have times that look like seconds`,
  )
}
