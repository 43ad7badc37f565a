import type { ReadSpan } from '../head/head.ts'
import { type Mask, touchesMask } from '../head/tombstones.ts'
import type { ChunkPlace } from '../rows/chunk-row.ts'

/** Up to this number of runs, reading all is as fast as choosing. Only long texts make more runs. */
const FEW_RUNS = 8

/** Which runs a read with a limit may need, counted from the side where it begins. */
export class NearRuns {
  readonly #mask: Mask
  #span: ReadSpan

  constructor(span: ReadSpan, mask: Mask) {
    this.#span = span
    this.#mask = mask
  }

  /** The span without what lies behind the samples that the chosen runs surely have. */
  get span(): ReadSpan {
    return this.#span
  }

  /** The runs without those that lie wholly behind as many samples as are wanted. */
  choose(places: readonly ChunkPlace[]): readonly ChunkPlace[] {
    if (places.length <= FEW_RUNS) return places
    const edge = this.#edgeOf(places)
    if (edge === undefined) return places
    this.#span = this.#span.isLatestFirst
      ? { ...this.#span, from: edge }
      : { ...this.#span, until: edge + 1 }
    const { from, until } = this.#span
    return places.filter(({ start, last }) => start < until && last >= from)
  }

  /** Where the runs nearest to the beginning have enough samples; of those that overlap one counts. */
  #edgeOf(places: readonly ChunkPlace[]): number | undefined {
    const { from, until, limit, isLatestFirst } = this.#span
    const isSure = ({ start, last }: ChunkPlace): boolean =>
      start >= from && last < until && !touchesMask(this.#mask, start, last + 1)
    const near = places
      .filter(isSure)
      .sort(isLatestFirst ? (a, b) => b.last - a.last : (a, b) => a.start - b.start)
    let edge: number | undefined
    let count = 0
    for (const place of near) {
      const isBehind =
        edge === undefined || (isLatestFirst ? place.last < edge : place.start > edge)
      if (!isBehind) continue
      edge = isLatestFirst ? place.start : place.last
      count += place.count
      if (count >= limit) return edge
    }
    return undefined
  }
}
