/** How a state follows from samples and from time. Pure functions. */
import type { AlertState, EventCause, StoredState } from './state-documents.ts'

/** The state of an alert on one stream. */
export type StreamState = Omit<StoredState, 'alertUid' | 'streamUid' | 'componentUid'>

/** Nothing is known, and nothing fires. */
export const OK_STATE: StreamState = {
  state: 'OK',
  cause: 'condition',
  sinceMs: 0,
  lastTime: null,
  sampleTime: null,
  value: null,
  noticeMs: null,
  eventUid: null,
  unmutedOf: null,
}

/** What a sample says. */
interface JudgedSample {
  readonly time: number
  readonly value: string | null
  /** Whether the condition holds. */
  readonly holds: boolean
  /** Whether a state that fires may end. */
  readonly clears: boolean
}

/** A state that follows another. Without `event` it differs in nothing that people see. */
export interface NextState {
  readonly state: StreamState
  readonly event?: EventCause
}

function changed(
  before: StreamState,
  to: {
    readonly state: AlertState
    readonly sinceMs: number
    readonly cause?: StreamState['cause']
    readonly sampleTime?: number | null
    readonly value?: string | null
  },
): StreamState {
  return { ...before, ...to }
}

/** The state after a sample; undefined where it stays. A sample that is judged twice changes nothing the second time. */
export function afterSample(
  before: StreamState,
  { time, value, holds, clears }: JudgedSample,
  forMs: number,
): NextState | undefined {
  const sample = { sampleTime: time, value }
  if (holds) {
    if (before.state === 'FIRING') {
      return before.cause === 'condition'
        ? undefined
        : { state: { ...before, cause: 'condition', ...sample } }
    }
    const isDue = before.state === 'PENDING' ? time - before.sinceMs >= forMs : forMs === 0
    if (before.state === 'PENDING' && !isDue) return undefined
    const state = isDue ? 'FIRING' : 'PENDING'
    const to = { state, sinceMs: time, cause: 'condition', ...sample } as const
    return { state: changed(before, to), event: 'sample' }
  }
  const isOver =
    before.state === 'PENDING' ||
    (before.state === 'FIRING' && (before.cause === 'silence' || clears))
  if (!isOver) return undefined
  return { state: changed(before, { state: 'OK', sinceMs: time, ...sample }), event: 'sample' }
}

/** What a condition gives for several samples: 1 where it holds for all, 0 for none; undefined: it may differ. */
type JudgedRange = 0 | 1 | undefined

/** Whether a state surely stays through samples up to a time, all of which say the same. */
export function staysThrough(
  before: StreamState,
  { time, holds, clears }: { time: number; holds: JudgedRange; clears: JudgedRange },
  forMs: number,
): boolean {
  switch (before.state) {
    case 'OK':
      return holds === 0
    case 'PENDING':
      return holds === 1 && time - before.sinceMs < forMs
    case 'FIRING':
      return before.cause === 'condition' && (holds === 1 || (holds === 0 && clears === 0))
  }
}

/** The state after a time has come at which a pending condition has held for long enough. */
export function afterHolding(before: StreamState, forMs: number): NextState | undefined {
  if (before.state !== 'PENDING') return undefined
  const to = { state: 'FIRING', sinceMs: before.sinceMs + forMs } as const
  return { state: changed(before, to), event: 'timer' }
}

/** The state after a stream was silent until a time. */
export function afterSilence(before: StreamState, atMs: number): NextState | undefined {
  if (before.state === 'FIRING') return undefined
  const none = { sampleTime: null, value: null }
  const to = { state: 'FIRING', sinceMs: atMs, cause: 'silence', ...none } as const
  return { state: changed(before, to), event: 'silence' }
}

/** The state after something else than a sample ended it. */
export function afterEnd(
  before: StreamState,
  event: EventCause,
  atMs: number,
): NextState | undefined {
  if (before.state === 'OK') return undefined
  const none = { sampleTime: null, value: null }
  return { state: changed(before, { state: 'OK', sinceMs: atMs, ...none }), event }
}
