/**
 * Alerts as their documentation describes them, for one stream and with everything in plain fields. It knows nothing of
 * spans, commits, or restarts.
 */

/** What the model knows of an alert. */
export interface ModelAlert {
  /** The condition is `value > high`. */
  readonly high: number
  /** The clear condition is `value < low`; undefined: there is none. */
  readonly low: number | undefined
  readonly forMs: number
  readonly silentForMs: number
  readonly maxAgeMs: number
  readonly startedMs: number
}

type State = 'OK' | 'PENDING' | 'FIRING'

/** An arrival: the time of its newest sample, and when it was; the service may take it for one since `leastMs`. */
interface Arrival {
  readonly newest: number
  readonly leastMs: number
  readonly atMs: number
  /** Whether all of its samples were late, or corrections. */
  readonly isLate: boolean
}

/** The states of one alert on one stream. */
export class AlertModel {
  state: State = 'OK'
  readonly #events: { readonly text: string; readonly noticedMs: number }[] = []
  readonly #alert: ModelAlert
  #cause: 'condition' | 'silence' = 'condition'
  #sinceMs = 0
  #lastTime = Number.NEGATIVE_INFINITY
  #judgedTime = Number.NEGATIVE_INFINITY
  #arrivalMs = Number.NEGATIVE_INFINITY
  #arrivals: readonly Arrival[] = []
  #nowMs = 0

  constructor(alert: ModelAlert) {
    this.#alert = alert
  }

  /** As the API shows events: the state and what caused it, by the time of the wall clock. */
  get events(): string[] {
    const sorted = this.#events.toSorted((a, b) => a.noticedMs - b.noticedMs)
    return sorted.map(({ text }) => text)
  }

  /** Samples arrive together; those of one stream in the order of their times. */
  arrive(
    samples: readonly (readonly [time: number, value: number])[],
    { nowMs, isLate }: { readonly nowMs: number; readonly isLate: boolean },
  ): void {
    this.#nowMs = nowMs
    this.#arrivalMs = nowMs
    const times = samples.map(([time]) => time)
    const before = this.#lastTime
    // Among late and new samples, a correction of the last one is not seen (decision 026).
    const newest = Math.max(...times)
    const isHidden = Math.min(...times) < before && before < newest
    const isCorrected = !isHidden || !this.isSilent
    this.#arrivals = [...this.#arrivals, { newest, leastMs: nowMs, atMs: nowMs, isLate }]
    for (const [time, value] of [...samples].sort((a, b) => a[0] - b[0])) {
      if (this.isOld(time, nowMs)) {
        if (time === this.#lastTime) this.#judgedTime = Number.NEGATIVE_INFINITY
        continue
      }
      if (time === before && !isCorrected) continue
      this.#lastTime = time
      this.#judgedTime = time
      this.#judge(time, value)
    }
  }

  /** Whether the state fires because nothing arrived. */
  get isSilent(): boolean {
    return this.state === 'FIRING' && this.#cause === 'silence'
  }

  /** The last sample of the stream that was evaluated. */
  get lastTime(): number {
    return this.#lastTime
  }

  /** Another alert of the stream has evaluated it further: samples are late by the last one of the stream. */
  follow(lastTime: number): void {
    this.#lastTime = Math.max(this.#lastTime, lastTime)
  }

  /** Whether the last sample of the stream, or a correction of it, was too old for this alert. */
  get hasSkippedLast(): boolean {
    return this.#judgedTime < this.#lastTime
  }

  /** Whether a sample changes no state because of its age. */
  isOld(time: number, nowMs: number): boolean {
    return time < this.#lastTime || time < nowMs - this.#alert.maxAgeMs
  }

  /** The wall clock was set back: nothing has arrived later than now. */
  setBack(nowMs: number): void {
    this.#arrivalMs = Math.min(this.#arrivalMs, nowMs)
    this.#arrivals = this.#arrivals.map((arrival) => ({
      ...arrival,
      leastMs: Math.min(arrival.leastMs, nowMs),
      atMs: Math.min(arrival.atMs, nowMs),
    }))
  }

  #judge(time: number, value: number): void {
    const { high, low, forMs } = this.#alert
    if (value > high) {
      if (this.state === 'FIRING') this.#cause = 'condition'
      else if (this.state === 'OK') this.#go(forMs === 0 ? 'FIRING' : 'PENDING', time, 'sample')
      else if (time - this.#sinceMs >= forMs) this.#go('FIRING', time, 'sample')
      return
    }
    const clears = low === undefined || value < low
    if (this.state === 'PENDING') this.#go('OK', time, 'sample')
    if (this.state === 'FIRING' && (clears || this.#cause === 'silence')) {
      this.#go('OK', time, 'sample')
    }
  }

  /**
   * The service is killed. When samples arrived is known up to the last mark; later ones arrived after it, and not before
   * their own time. Once a start has sealed the journal, late samples and
   * corrections are not seen to arrive (decision 026). Returns the
   * bounds of what it may know of the last arrival.
   */
  kill(
    { markedMs, isSealed }: { readonly markedMs: number; readonly isSealed: boolean },
    nowMs: number,
  ): { readonly least: number; readonly most: number } {
    const afterMark = (newest: number) => Math.min(nowMs, Math.max(markedMs, newest))
    const least = this.#arrivals
      .filter(({ isLate }) => !isSealed || !isLate)
      .map(({ newest, leastMs, atMs }) => (atMs <= markedMs ? leastMs : afterMark(newest)))
    // A sample from ahead of the clock counts as arrived later. The mark may have been made right before the evaluation.
    const most = this.#arrivals.map(({ newest, atMs }) =>
      atMs < markedMs ? atMs : Math.max(atMs, afterMark(newest)),
    )
    // A stream counts as heard of when the alert begins to watch it.
    const { startedMs } = this.#alert
    return { least: Math.max(startedMs, ...least), most: Math.max(startedMs, ...most) }
  }

  /** The service knows the last arrival again, within the bounds of kill(); maybe not for long. */
  recover(arrivalMs: number, { isKilledAgain }: { readonly isKilledAgain: boolean }): void {
    this.#arrivalMs = arrivalMs
    const known = this.#arrivals.map((arrival) => ({
      ...arrival,
      leastMs: Math.min(arrival.leastMs, arrivalMs),
    }))
    const newest = Number.NEGATIVE_INFINITY
    const last = { newest, leastMs: arrivalMs, atMs: arrivalMs, isLate: false }
    this.#arrivals = isKilledAgain ? known : [...known, last]
  }

  /** What time alone does, up to a time. */
  advance(nowMs: number): void {
    this.#nowMs = nowMs
    for (;;) {
      const { forMs, silentForMs, startedMs } = this.#alert
      const held = this.state === 'PENDING' ? this.#sinceMs + forMs : Number.POSITIVE_INFINITY
      const silent =
        silentForMs > 0 && this.state !== 'FIRING'
          ? Math.max(this.#arrivalMs, startedMs) + silentForMs
          : Number.POSITIVE_INFINITY
      if (Math.min(held, silent) > nowMs) return
      if (held <= silent) this.#go('FIRING', held, 'timer')
      else {
        this.#go('FIRING', silent, 'silence')
        this.#cause = 'silence'
      }
    }
  }

  #go(state: State, sinceMs: number, cause: string): void {
    this.state = state
    this.#sinceMs = sinceMs
    this.#cause = 'condition'
    this.#events.push({ text: `${state} ${cause} ${sinceMs}`, noticedMs: this.#nowMs })
  }
}
