/** Spans whose numbers show that no state changes: their samples are not read. Most samples of a threshold are of this kind. */
import type { StreamHandle, TouchedSpan } from '../../store/index.ts'
import { staysThrough } from '../state/next-state.ts'
import type { EvaluateDeps } from './evaluate-deps.ts'

/** Earlier samples of a span change no state: they are late, or too old for each alert. */
export function earliestOf(deps: EvaluateDeps, { handle, from, until }: TouchedSpan): number {
  const { table } = deps.watches
  const last = table.lastTimeOf(handle)
  const newest = until - 1
  const arrival = deps.arrivalOf(newest)
  let maxAgeMs = 0
  for (const ref of table.refsOf(handle)) {
    maxAgeMs = Math.max(maxAgeMs, deps.watches.byRef(ref)?.alert.maxAgeMs ?? 0)
  }
  const oldest = arrival - maxAgeMs
  if (newest < oldest) deps.onTooOld(oldest - newest)
  if (from < last && newest > table.keptTimeOf(handle)) deps.onLate(handle)
  return Math.max(from, last, oldest)
}

/** Whether an alert of a stream fires when nothing arrives. */
export function isSilenceWatched({ watches }: EvaluateDeps, handle: StreamHandle): boolean {
  return watches.table
    .refsOf(handle)
    .some((ref) => (watches.byRef(ref)?.alert.silentForMs ?? 0) > 0)
}

/** Notes when a sample arrived. */
export function noteArrival(deps: EvaluateDeps, handle: StreamHandle, time: number): void {
  const { table } = deps.watches
  const arrival = deps.arrivalOf(time)
  if (table.placeOf(handle) === 0 || table.arrivalOf(handle) >= arrival) return
  table.setArrival(handle, arrival)
  deps.onProgress(handle)
}

/** Notes how far a stream is evaluated. */
export function noteEvaluated(deps: EvaluateDeps, handle: StreamHandle, last: number): void {
  const { table } = deps.watches
  if (table.placeOf(handle) === 0 || last <= table.lastTimeOf(handle)) return
  table.setLastTime(handle, last)
  deps.onProgress(handle)
  for (const ref of table.refsOf(handle)) deps.states.forgetOkOf(ref, handle, last)
}

/** Evaluates a span by its least and greatest number; false: its samples have to be read. */
export function settleSpan(deps: EvaluateDeps, span: TouchedSpan): boolean {
  const { handle, until, least, most } = span
  if (least === undefined || most === undefined || span.mayBeOlder === true) return false
  const newest = until - 1
  const isFresh = newest >= earliestOf(deps, span)
  if (isFresh && !isSettled(deps, handle, { newest, least, most })) return false
  // Late samples and old ones are arrivals only for those who watch silence.
  if (isFresh || isSilenceWatched(deps, handle)) noteArrival(deps, handle, newest)
  if (isFresh) noteEvaluated(deps, handle, newest)
  return true
}

function isSettled(
  { catalog, states, watches }: EvaluateDeps,
  handle: StreamHandle,
  { newest, least, most }: { newest: number; least: number; most: number },
): boolean {
  const valueCode = catalog.index.valueCodeOf(handle)
  for (const ref of watches.table.refsOf(handle)) {
    const loaded = watches.byRef(ref)
    if (loaded === undefined) continue
    const state = states.stateOf(ref, handle)
    // A state that is not OK ends with its active time.
    if (state.state !== 'OK' && loaded.context.activeCycle !== undefined) return false
    const judges = loaded.judgesFor(valueCode)
    const holds = judges.holds(least, most)
    const clears = judges.clears(least, most)
    if (!staysThrough(state, { time: newest, holds, clears }, loaded.alert.forMs)) return false
  }
  return true
}
