import { call } from '../api/client.ts'
import type { StreamName } from './stream-name.ts'

/** Most calls for streams; each examines some thousand streams. */
const CALLS_MAX = 20
const STREAMS_PER_CALLS = 100

/** Whether a search is for a label, such as `site=north`. */
export function isLabel(text: string): boolean {
  return text.indexOf('=') > 0
}

/** Streams of which a label begins like a text; `isPart` tells that there may be more. */
export async function searchLabel(
  text: string,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly streams: readonly StreamName[]; readonly isPart: boolean }> {
  const streams: StreamName[] = []
  let after = 0
  const callsMax = CALLS_MAX * Math.ceil(limit / STREAMS_PER_CALLS)
  for (let calls = 0; calls < callsMax && streams.length < limit; calls += 1) {
    const query = { label: `${text}*`, after, limit: limit - streams.length }
    const { search } = await call('get', '/api/stream', { query, signal })
    for (const { component, ...stream } of search.streams) {
      streams.push({ ...stream, component: { folder: '', ...component } })
    }
    if (search.next === undefined) return { streams, isPart: false }
    after = search.next
  }
  return { streams, isPart: true }
}
