import { refuse } from '../../base/index.ts'
import { readId } from '../../intake/index.ts'

/** A GET of samples that the fast lane serves, taken apart. */
export interface FeedPath {
  readonly call: 'feed' | 'last_value'
  readonly compId: string
  readonly streamId: string | undefined
}

/** A GET of statistics, taken apart. */
export interface StatisticPath extends FeedPath {
  readonly cycleId: string
  readonly statId: string
}

const READING_PATH =
  /^\/api\/comp\/[^/]*(?:\/stream\/[^/]*)?(?:\/cycle\/[^/]*\/stat\/[^/]*)?\/(?:feed|last_value)$/

/** Whether a path has the form of a GET of samples or statistics; its IDs may still be wrong. */
export function isReadingPath(path: string): boolean {
  return READING_PATH.test(path)
}

function decodeSegment(segment: string, name: string): string {
  let id: string
  try {
    id = segment.includes('%') ? decodeURIComponent(segment) : segment
  } catch {
    refuse('bad_input', { what: `Cannot decode the ${name} in the path: write a % as %25` })
  }
  return readId(id, 'the path', name)
}

/**
 * Reads `/api/comp/{compId}[/stream/{streamId}]/feed` and `…/last_value`; undefined for any other
 * path. IDs are decoded after the path is split, so that they may hold an encoded slash.
 */
export function readFeedPath(path: string): FeedPath | undefined {
  if (!path.startsWith('/api/comp/')) return undefined
  const parts = path.split('/')
  const last = parts.at(-1)
  if (last !== 'feed' && last !== 'last_value') return undefined
  if (parts.length === 5) {
    return { call: last, compId: decodeSegment(parts[3], 'compId'), streamId: undefined }
  }
  if (parts.length !== 7 || parts[4] !== 'stream') return undefined
  return {
    call: last,
    compId: decodeSegment(parts[3], 'compId'),
    streamId: decodeSegment(parts[5], 'streamId'),
  }
}

/**
 * Reads `/api/comp/{compId}[/stream/{streamId}]/cycle/{cycleId}/stat/{statId}/feed` and
 * `…/last_value`; undefined for any other path.
 */
export function readStatisticPath(path: string): StatisticPath | undefined {
  const parts = path.split('/')
  if (parts.at(-5) !== 'cycle' || parts.at(-3) !== 'stat') return undefined
  const stream = readFeedPath([...parts.slice(0, -5), parts.at(-1)].join('/'))
  if (stream === undefined) return undefined
  const cycleId = decodeSegment(parts.at(-4) ?? '', 'cycleId')
  return { ...stream, cycleId, statId: decodeSegment(parts.at(-2) ?? '', 'statId') }
}
