import { type Clock, epochMs, systemClock } from '../../src/base/index.ts'

/** How much faster the wall clock of a test goes: a minute passes in half a second. */
const SPEED = 120

/** A wall clock that goes faster from a time on, the same in every process that is given this time. */
export function fastClock(fromMs: number): Clock {
  return {
    now: () => epochMs(fromMs + (systemClock.now() - fromMs) * SPEED),
    elapsed: () => systemClock.elapsed(),
  }
}
