/**
 * `weir check`: reads back all that is stored. The service, or the command itself where none runs, does
 * the reading; the command asks how far it is until it is over.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { KnownDamage, ScrubProgress, ScrubRunner, StreamPlaces } from '../store/index.ts'

/** A short check reports at once, a long one does not fill the screen. */
const ASK_FIRST_MS = 100
const ASK_LAST_MS = 3_000

/** What a check stands on. */
export interface CheckParts {
  readonly scrub: ScrubRunner
  readonly damage: KnownDamage
  readonly places: StreamPlaces
}

/** A damage as the command line names it: anyone who runs the machine may see every stream. */
interface ShownDamage {
  readonly part: string
  readonly what: string
  readonly org: string
  readonly component: string
  readonly stream: string
  readonly from: string
  readonly until: string
}

/** How a check stands, as the service answers it to the command. */
export interface CheckState {
  readonly running: ScrubProgress | null
  /** Passes that came to their end; one more than at the beginning: the check is done. */
  readonly passCount: number
  readonly failure: string
  readonly time: string
  readonly items: number
  readonly bytes: number
  readonly damaged: readonly ShownDamage[]
}

/** The commands that the service answers for `weir check`. */
export const CHECK_COMMANDS: readonly string[] = ['check', 'check status']

/** Begins a check, or returns its state. */
export function answerCheck(parts: CheckParts, name: string): CheckState {
  const before = showCheck(parts)
  if (name !== 'check') return before
  void parts.scrub.checkNow()
  return { ...showCheck(parts), passCount: before.passCount }
}

function showCheck({ scrub, damage, places }: CheckParts): CheckState {
  const { running, passCount, last, failure } = scrub.state
  const damaged = damage.list().map(({ part, what, handle, from, until }) => {
    const place = handle === undefined ? undefined : places.placeOf(handle)
    return {
      part,
      what,
      org: place?.orgUid ?? '',
      from: showTime(from),
      until: showTime(until),
      component: place === undefined ? '' : `${place.componentUid} ${place.componentId}`.trim(),
      stream: place === undefined ? '' : `${place.uid} ${place.id}`.trim(),
    }
  })
  return {
    running: running ?? null,
    passCount,
    failure: failure ?? '',
    damaged,
    time: showTime(last?.time),
    items: last?.items ?? 0,
    bytes: last?.bytes ?? 0,
  }
}

function showTime(time: number | undefined): string {
  return time === undefined ? '' : new Date(time).toISOString()
}

/** Runs a check to its end; undefined when it did not come to it, after a call of `onFailure`. */
export async function followCheck(
  ask: (name: string) => Promise<CheckState>,
  handlers: { onProgress(progress: ScrubProgress): void; onFailure(why: string): void },
): Promise<CheckState | undefined> {
  const begun = await ask('check')
  let pauseMs = ASK_FIRST_MS
  for (let state = begun; ; state = await ask('check status')) {
    if (state.passCount > begun.passCount) return state
    if (state.running === null) {
      handlers.onFailure(state.failure || 'it was stopped before it finished')
      return undefined
    }
    handlers.onProgress(state.running)
    await wait(pauseMs)
    pauseMs = Math.min(ASK_LAST_MS, pauseMs * 1.5)
  }
}

/** What a check came to, for `printResult`: the figures, then each damage. */
export function showCheckResult(state: CheckState): Readonly<Record<string, unknown>>[] {
  const { time, items, bytes, damaged } = state
  const filled = (shown: object) => Object.entries(shown).filter(([, value]) => value !== '')
  return [
    { checked: `${items} items, ${bytes} bytes`, time, damaged: damaged.length },
    ...damaged.map((one) => Object.fromEntries(filled(one))),
  ]
}
