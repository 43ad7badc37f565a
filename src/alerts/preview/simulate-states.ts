/** The states that an alert would have had, if each sample had arrived at its own time. Pure functions. */
import type { Cycle } from '../../time/index.ts'
import {
  afterEnd,
  afterHolding,
  afterSample,
  afterSilence,
  type NextState,
  OK_STATE,
  type StreamState,
} from '../state/next-state.ts'

/** A time for which the alert would have fired; `until` is null while it would fire still. */
export interface Firing {
  readonly from: number
  readonly until: number | null
}

interface SimulatedAlert {
  readonly forMs: number
  readonly silentForMs: number
}

/** Takes one stream of an alert through its samples. */
export class Simulation {
  readonly firings: Firing[] = []
  /** All of them, also those that are left out. */
  firingCount = 0
  #state: StreamState = OK_STATE
  #arrivalMs: number
  readonly #alert: SimulatedAlert
  readonly #active: Cycle | undefined
  readonly #firingsMax: number

  constructor(
    alert: SimulatedAlert,
    {
      active,
      fromMs,
      firingsMax,
    }: { readonly active: Cycle | undefined; readonly fromMs: number; readonly firingsMax: number },
  ) {
    this.#alert = alert
    this.#active = active
    this.#arrivalMs = fromMs
    this.#firingsMax = firingsMax
  }

  /** Goes on to a sample. `instant` is the time that it stands for. */
  sample(
    { time, instant }: { readonly time: number; readonly instant: number },
    { holds, clears }: { readonly holds: boolean; readonly clears: boolean },
  ): void {
    this.advance(time - 1)
    this.#arrivalMs = time
    const isActive = this.#active === undefined || this.#active.periodOf(instant) !== undefined
    const judged = { time, value: null, holds: isActive && holds, clears: !isActive || clears }
    this.#take(afterSample(this.#state, judged, this.#alert.forMs))
  }

  /** Goes on to a time at which nothing arrives. */
  advance(nowMs: number): void {
    for (;;) {
      const due = this.#nextDue()
      if (due === undefined || due.atMs > nowMs) return
      this.#take(due.next)
    }
  }

  /** The earliest change that time alone makes. */
  #nextDue(): { readonly atMs: number; readonly next: NextState } | undefined {
    const changes = [this.#held(), this.#silent(), this.#ended()].filter((one) => one !== undefined)
    changes.sort((a, b) => a.atMs - b.atMs)
    return changes[0]
  }

  #held() {
    const next = afterHolding(this.#state, this.#alert.forMs)
    return next && { atMs: next.state.sinceMs, next }
  }

  #silent() {
    const { silentForMs } = this.#alert
    if (silentForMs === 0) return undefined
    const dueMs = this.#arrivalMs + silentForMs
    const after = Math.max(dueMs, this.#state.sinceMs)
    const isActive = this.#active === undefined || this.#active.periodOf(after) !== undefined
    const atMs = isActive ? after : this.#active?.next(after)?.from
    const next = atMs === undefined ? undefined : afterSilence(this.#state, atMs)
    return next && atMs !== undefined ? { atMs, next } : undefined
  }

  #ended() {
    if (this.#active === undefined || this.#state.state === 'OK') return undefined
    let atMs: number | undefined = this.#active.periodOf(this.#state.sinceMs)?.until
    for (let next = atMs; next !== undefined; next = this.#active.periodOf(next)?.until) atMs = next
    const next = atMs === undefined ? undefined : afterEnd(this.#state, 'inactive', atMs)
    return next && atMs !== undefined ? { atMs, next } : undefined
  }

  #take(next: NextState | undefined): void {
    if (next === undefined) return
    const before = this.#state.state
    this.#state = next.state
    const { state, sinceMs } = next.state
    if (state === 'FIRING' && before !== 'FIRING') {
      this.firingCount += 1
      if (this.firings.length < this.#firingsMax) this.firings.push({ from: sinceMs, until: null })
    }
    const last = this.firings.at(-1)
    const isShown = this.firingCount === this.firings.length
    if (before === 'FIRING' && state !== 'FIRING' && last !== undefined && isShown) {
      this.firings[this.firings.length - 1] = { from: last.from, until: sinceMs }
    }
  }
}
