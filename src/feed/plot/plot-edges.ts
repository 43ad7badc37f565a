import type { Placement } from '../statistic/fold-periods.ts'

/** Edges that part a range into spans of equal length; those at its two ends may be shorter. */
interface PlotEdges {
  readonly spanMs: number
  /** Sample times, ascending; the first and the last are the ends of the range. */
  readonly edges: Float64Array
}

/** A range of instants, and the sample times that belong to it. */
interface PlotRange {
  readonly from: number
  readonly until: number
  readonly sampleFrom: number
  readonly sampleUntil: number
}

/**
 * Parts a range into at most `points` spans. They are counted from the epoch and not from where the
 * range begins: then moving the range shows the same spans again, and nothing flickers.
 */
export function plotEdges(range: PlotRange, points: number, placement: Placement): PlotEdges {
  const { from, until, sampleFrom, sampleUntil } = range
  // A range touches one span more than its length holds when it begins inside one.
  const spanMs = points < 2 ? until - from : Math.max(1, Math.ceil((until - from) / (points - 1)))
  const edges: number[] = [sampleFrom]
  const first = (Math.floor(from / spanMs) + 1) * spanMs
  if (points > 1) {
    for (let instant = first; instant < until; instant += spanMs) {
      const edge = placement.sampleTimeAt(instant)
      if (edge > edges[edges.length - 1] && edge < sampleUntil) edges.push(edge)
    }
  }
  edges.push(sampleUntil)
  return { spanMs, edges: Float64Array.from(edges) }
}
