import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'

/** How often is looked whether there is anything to do. */
const TICK_MS = 1_000

/** Below this share of its time the main thread has nothing to do; above the other it has, and makes garbage. */
const IDLE_SHARE = 0.05
const BUSY_SHARE = 0.2

/** A pause between calls is no end of them. */
const IDLE_TICKS = 3

/** V8 looks every 8 s whether it should collect, for the first time 30 s after a start, and does so twice. */
const TRIM_TICKS = 45

/**
 * Makes V8 return memory when the service is idle. V8 collects only while memory is allocated, so an idle heap keeps
 * the garbage of the last load. A low-memory signal makes it collect in small steps, in all threads. Under load the
 * signal would cost a third of the processor's time, so it is sent once after each load.
 */
export class IdleTrim {
  readonly #setSaving: (isOn: boolean) => void
  #isDue = true
  #idleTicks = 0
  #trimTicksLeft = 0

  constructor(setSaving: (isOn: boolean) => void) {
    this.#setSaving = setSaving
  }

  /** Takes which share of its time since the last tick the main thread was busy. */
  tick(busyShare: number): void {
    this.#idleTicks = busyShare < IDLE_SHARE ? this.#idleTicks + 1 : 0
    if (busyShare > BUSY_SHARE) this.#isDue = true
    if (this.#trimTicksLeft > 0) {
      // Collecting may make a tick busy too: then the rest is due as after a load.
      this.#trimTicksLeft = busyShare > BUSY_SHARE ? 0 : this.#trimTicksLeft - 1
      if (this.#trimTicksLeft === 0) this.#setSaving(false)
      return
    }
    if (!this.#isDue || this.#idleTicks < IDLE_TICKS) return
    this.#isDue = false
    this.#trimTicksLeft = TRIM_TICKS
    this.#setSaving(true)
  }
}

/** Trims the heaps of this process whenever it becomes idle. */
export function trimWhenIdle(): void {
  const trim = new IdleTrim((isOn) =>
    setFlagsFromString(isOn ? '--memory-saver-mode' : '--no-memory-saver-mode'),
  )
  let before = performance.eventLoopUtilization()
  setInterval(() => {
    const until = performance.eventLoopUtilization()
    trim.tick(performance.eventLoopUtilization(until, before).utilization)
    before = until
  }, TICK_MS).unref()
}
