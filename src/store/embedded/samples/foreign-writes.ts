import type { Removal, SampleBatch } from '../../ports/sample-port.ts'

/** The part of a stream that is amended. */
type AmendedSpan = Removal

/** What calls write into parts of streams that are being amended; they are few and short. */
export class ForeignWrites {
  readonly #open = new Set<ForeignSpan>()

  /** Notes a batch that takes its place now. */
  note(batch: SampleBatch): void {
    if (this.#open.size > 0) for (const span of this.#open) span.note(batch)
  }

  /** Begins to note what is written into a span. */
  open(span: AmendedSpan): ForeignSpan {
    const opened = new ForeignSpan(span, () => this.#open.delete(opened))
    this.#open.add(opened)
    return opened
  }
}

/** What was written into a span, and removed from it. */
class ForeignSpan implements Disposable {
  readonly #span: AmendedSpan
  readonly #close: () => void
  readonly #times = new Set<number>()
  readonly #removals: Removal[] = []

  constructor(span: AmendedSpan, close: () => void) {
    this.#span = span
    this.#close = close
  }

  note({ count, handles, times, removals }: SampleBatch): void {
    const { handle, from, until } = this.#span
    for (const removal of removals) if (removal.handle === handle) this.#removals.push(removal)
    for (let at = 0; at < count; at++) {
      if (handles[at] === handle && times[at] >= from && times[at] < until)
        this.#times.add(times[at])
    }
  }

  /** A batch of this stream without what others have written or removed. */
  without(batch: SampleBatch): SampleBatch {
    if (this.#times.size === 0 && this.#removals.length === 0) return batch
    const places: number[] = []
    for (let at = 0; at < batch.count; at++) if (!this.#isForeign(batch.times[at])) places.push(at)
    const foreign = [...this.#times].sort((a, b) => a - b)
    return {
      count: places.length,
      handles: Uint32Array.from(places, (at) => batch.handles[at]),
      times: Float64Array.from(places, (at) => batch.times[at]),
      numbers: Float64Array.from(places, (at) => batch.numbers[at]),
      ...(batch.texts === undefined ? {} : { texts: places.map((at) => batch.texts?.[at]) }),
      removals: batch.removals.flatMap((removal) => around(removal, foreign)),
    }
  }

  #isForeign(time: number): boolean {
    if (this.#times.has(time)) return true
    return this.#removals.some(({ from, until }) => time >= from && time < until)
  }

  [Symbol.dispose](): void {
    this.#close()
  }
}

/** A removal in parts that leave out some times, which ascend. */
function around(removal: Removal, times: readonly number[]): Removal[] {
  const parts: Removal[] = []
  let { from } = removal
  for (const time of times) {
    if (time < from || time >= removal.until) continue
    if (from < time) parts.push({ ...removal, from, until: time as Removal['until'] })
    from = (time + 1) as Removal['from']
  }
  if (from < removal.until) parts.push({ ...removal, from })
  return parts
}
