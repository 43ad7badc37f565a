import type { Plot } from '../chart/chart-series.ts'
import { isEmptyIn } from '../chart/empty.ts'
import type { EmptyChart } from '../chart/empty-note.tsx'
import type { ViewRange } from './use-view-range.ts'

/** What a chart says instead of a picture; undefined while it has one, or is not known. */
export function emptyChart(
  plots: ReadonlyArray<Plot | undefined>,
  { range, onEnd }: ViewRange,
  hasSamples: boolean,
): EmptyChart | undefined {
  if (!isEmptyIn(plots, range)) return undefined
  if (!hasSamples) return { text: 'No samples yet. New samples of this stream appear here.' }
  return { text: 'No samples in this range.', onLatest: onEnd }
}
