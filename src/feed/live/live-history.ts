import type { StreamHandle } from '../../store/index.ts'
import { addDue, type Due } from './live-due.ts'

/** Some minutes of a busy service; 2 MB. */
const ENTRIES_DEFAULT = 65_536

/** What became owed in the latest rounds, so that a listener that reconnects receives exactly that. */
export class LiveHistory {
  readonly #rounds: Float64Array
  readonly #handles: Uint32Array
  readonly #spans: (Due | undefined)[]
  /** What became owed after this turn is all here. */
  #floor = 0
  #next = 0

  constructor(entries = ENTRIES_DEFAULT) {
    this.#rounds = new Float64Array(entries)
    this.#handles = new Uint32Array(entries)
    this.#spans = new Array<Due | undefined>(entries)
  }

  /** Notes what became owed in a turn, which is not before those noted earlier. */
  add(round: number, handle: StreamHandle, due: Due): void {
    const at = this.#next
    if (this.#spans[at] !== undefined) this.#floor = this.#rounds[at]
    this.#rounds[at] = round
    this.#handles[at] = handle
    this.#spans[at] = due
    this.#next = (at + 1) % this.#spans.length
  }

  /** What of some streams became owed after a turn; undefined: not known any more. */
  owedSince(
    round: number,
    handles: { has(handle: StreamHandle): boolean },
  ): Map<StreamHandle, Due> | undefined {
    if (round < this.#floor) return undefined
    const owed = new Map<StreamHandle, Due>()
    const length = this.#spans.length
    // From the latest back, so that each one found is earlier than what it is added to.
    for (let step = 1; step <= length; step += 1) {
      const at = (this.#next - step + length) % length
      const due = this.#spans[at]
      if (due === undefined || this.#rounds[at] <= round) break
      const handle = this.#handles[at] as StreamHandle
      if (!handles.has(handle)) continue
      const later = owed.get(handle)
      owed.set(handle, later === undefined ? due : addDue(due, later))
    }
    return owed
  }
}
