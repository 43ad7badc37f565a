import { inSlices, TIME_END } from '../../base/index.ts'
import type { StreamIndex } from '../../catalog/index.ts'
import type { SampleBatch } from '../../store/index.ts'
import { type Retention, SHORTEST_AGE_MS } from '../expire/retention.ts'
import { warnOfOutdated } from './outdated-samples.ts'
import { warnByStream } from './warn-by-stream.ts'

const NONE: readonly string[] = []

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
  const tell = (): readonly string[] | Promise<readonly string[]> => {
    const seconds = found.seconds === undefined ? NONE : warnOfSeconds(index, found.seconds)
    if (found.outdated === undefined) return seconds
    const told = warnOfOutdated(retention, batch, { suspects: found.outdated, uploadTime })
    return told.then((outdated) => [...outdated, ...seconds])
  }
  return looking === undefined ? tell() : looking.then(tell)
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
      return `time ${time} looks like seconds and is stored as milliseconds: ${day}`
    },
    (count) => `${count} more streams have times that look like seconds`,
  )
}
