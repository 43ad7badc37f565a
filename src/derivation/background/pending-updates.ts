import type { StreamHandle, TouchedSpan } from '../../store/index.ts'
import type { Range } from '../../time/index.ts'
import { SpanSet } from './span-set.ts'

/** What has to be derived of one stream. */
export class PendingUpdates {
  #bySource = new Map<StreamHandle, SpanSet>()
  #results = new SpanSet()
  #fronts = new Map<StreamHandle, number>()
  /** What was appended before this time is derived. */
  #appendedTo = Number.NEGATIVE_INFINITY

  /** Takes in where a source was touched. */
  add({ handle, from, until }: TouchedSpan): void {
    this.#appendedTo = Math.min(this.#appendedTo, from)
    const spans = this.#bySource.getOrInsertComputed(handle, () => new SpanSet())
    spans.add({ from, until })
  }

  /** Where a source was touched. */
  spansOf(handle: StreamHandle): readonly Range[] {
    return this.#bySource.get(handle)?.spans ?? []
  }

  /** Whether all of a stretch of a source is among what was touched. */
  covers({ handle, from, until }: TouchedSpan): boolean {
    return this.spansOf(handle).some((span) => span.from <= from && until <= span.until)
  }

  /** The earliest time that was touched and not derived since; infinite where nothing was. */
  get from(): number {
    const firsts = [...this.#bySource.values()].flatMap(({ spans }) => spans.slice(0, 1))
    return Math.max(this.#appendedTo, Math.min(...firsts.map(({ from }) => from)))
  }

  /** Appends before a time are derived. */
  appendedTo(time: number): void {
    this.#appendedTo = time
  }

  /** Every stretch of every source that was touched. */
  *touched(): Iterable<Range & { readonly handle: StreamHandle }> {
    for (const [handle, { spans }] of this.#bySource) {
      for (const { from, until } of spans) yield { handle, from, until }
    }
  }

  /** Results that have to be derived again, whatever was touched. */
  get results(): readonly Range[] {
    return this.#results.spans
  }

  /** Up to where appends of sources are among the results, derived or not. */
  get fronts(): ReadonlyMap<StreamHandle, number> {
    return this.#fronts
  }

  /** Says which results what was touched comes to; it need not be asked again. */
  settle(results: readonly Range[], fronts: ReadonlyMap<StreamHandle, number> = new Map()): void {
    this.#bySource = new Map()
    for (const [handle, front] of fronts) this.#fronts.set(handle, front)
    for (const span of results) this.#results.add(span)
  }

  /** Results before a time are derived. */
  passTo(time: number): void {
    const left = this.#results.spans.filter(({ until }) => until > time)
    this.#results = new SpanSet()
    for (const { from, until } of left) this.#results.add({ from: Math.max(from, time), until })
  }
}
