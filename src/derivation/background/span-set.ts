import type { Range } from '../../time/index.ts'

/** Stretches kept apart; with more of them the two that are nearest become one. */
const SPANS_MAX = 32

/** Stretches of time that grow together where they meet. */
export class SpanSet {
  /** Ascending, none touching the next. */
  #spans: Range[] = []

  get spans(): readonly Range[] {
    return this.#spans
  }

  add({ from, until }: Range): void {
    if (from >= until) return
    const apart = this.#spans.filter((span) => span.until < from || span.from > until)
    const met = this.#spans.filter((span) => span.until >= from && span.from <= until)
    apart.push({
      from: Math.min(from, ...met.map((span) => span.from)),
      until: Math.max(until, ...met.map((span) => span.until)),
    })
    this.#spans = apart.sort((a, b) => a.from - b.from)
    if (this.#spans.length > SPANS_MAX) this.#joinNearest()
  }

  #joinNearest(): void {
    const spans = this.#spans
    let nearest = 1
    const distance = (at: number) => spans[at].from - spans[at - 1].until
    for (let at = 2; at < spans.length; at += 1) {
      if (distance(at) < distance(nearest)) nearest = at
    }
    const joined = { from: spans[nearest - 1].from, until: spans[nearest].until }
    spans.splice(nearest - 1, 2, joined)
  }
}
