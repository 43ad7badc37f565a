import type { Sample, TouchedSpan } from '../../store/index.ts'

/** A stretch of time in which something was replaced or removed. */
interface Span {
  readonly from: number
  readonly until: number
}

/** Changes of a stream that a listener has not received. */
export interface Due {
  /** Samples after this time are owed; undefined: its last one alone. */
  readonly sent: number | undefined
  /** Where something was replaced or removed; undefined: nothing was. */
  readonly changed: Span | undefined
  /** Whether it is not known what the listener has missed. */
  readonly isGap: boolean
  /** The last sample, where it is at hand. */
  readonly last: Sample | undefined
  /** Whether that is the only sample after `sent`. */
  readonly isOne: boolean
}

const NOTHING_KNOWN = {
  sent: undefined,
  changed: undefined,
  last: undefined,
  isOne: false,
} as const

/** The last value of a stream, for a listener that has received nothing yet. */
export const LAST_DUE: Due = { ...NOTHING_KNOWN, isGap: false }

/** The last value of a stream, for a listener that missed changes which are no longer known. */
export const GAP_DUE: Due = { ...NOTHING_KNOWN, isGap: true }

/** All samples of a stream, for a listener that followed it before it was created. */
export const NEW_DUE: Due = { ...NOTHING_KNOWN, sent: Number.NEGATIVE_INFINITY, isGap: false }

/** Both together: what was owed earlier, and what came since. */
export function addDue(earlier: Due | undefined, later: Due): Due {
  if (earlier === undefined) return later
  return {
    sent: earlier.sent,
    changed: unite(earlier.changed, later.changed),
    isGap: earlier.isGap || later.isGap,
    last: later.last,
    isOne: false,
  }
}

function unite(one: Span | undefined, other: Span | undefined): Span | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return { from: Math.min(one.from, other.from), until: Math.max(one.until, other.until) }
}

/** What is left of what was owed once all up to a time was sent. */
export function dueAfter({ last }: Due, sent: number): Due {
  return { sent, changed: undefined, isGap: false, last, isOne: false }
}

/** What a touch of a stream makes owed to listeners that have received everything up to a time. */
export function dueOf(
  { from, until }: Omit<TouchedSpan, 'handle'>,
  sent: number,
  last: Sample | undefined,
): Due {
  const changed = from <= sent ? { from, until } : undefined
  const isOne = changed === undefined && last?.time === from
  return { sent, changed, isGap: false, last, isOne }
}
