/**
 * What was touched in the source and not derived yet is touched in the target, and nothing else: so what is
 * derived there goes on where it stopped.
 */
import { readCursor } from '../derivation/index.ts'
import type { SampleStore, TouchedSpan } from '../store/index.ts'
import type { HandleOf } from './move-payloads.ts'
import type { MoveParts, StreamPair } from './move-side.ts'
import { copySpan } from './move-streams.ts'
import { persist } from './persist.ts'

const SPANS_PER_READ = 2_000

/** Touches the target; returns the cursor from which on it is to be derived, and the streams that were touched. */
export async function moveTouched(
  parts: MoveParts,
  pairs: readonly StreamPair[],
  handleOf: HandleOf,
): Promise<{ cursor: number; touched: readonly StreamPair[] }> {
  const { source, target } = parts
  await target.settle()
  const cursor = await endOf(target.samples)
  await persist(() => target.samples.watch(source.watched.map(handleOf)))
  const open = await openSpans(source.samples, await readCursor(source.catalog))
  const touched = pairs.filter((pair) => open.has(pair.source))
  for (const pair of touched) {
    const span = open.get(pair.source)
    if (span !== undefined) await copySpan(parts, pair, span)
  }
  return { cursor, touched }
}

/** The cursor behind all that was touched before. */
async function endOf(store: SampleStore): Promise<number> {
  for (let cursor = 0; ; ) {
    const next = await persist(() => store.touchedSince(cursor, SPANS_PER_READ))
    if (next.cursor === cursor) return cursor
    cursor = next.cursor
  }
}

/** Where streams were touched since a cursor: one span of each. */
async function openSpans(store: SampleStore, since: number): Promise<Map<number, TouchedSpan>> {
  const open = new Map<number, TouchedSpan>()
  for (let cursor = since; ; ) {
    const next = await persist(() => store.touchedSince(cursor, SPANS_PER_READ))
    for (const span of next.spans) {
      const known = open.get(span.handle)
      if (known === undefined) open.set(span.handle, span)
      else open.set(span.handle, widened(known, span))
    }
    if (next.cursor === cursor) return open
    cursor = next.cursor
  }
}

function widened(a: TouchedSpan, b: TouchedSpan): TouchedSpan {
  const from = a.from < b.from ? a.from : b.from
  return { handle: a.handle, from, until: a.until > b.until ? a.until : b.until }
}
