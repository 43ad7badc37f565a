import { asApiError } from '../../api/api-error.ts'
import type { Plot } from '../../chart/chart-series.ts'
import { askPlot } from '../../state/plots.ts'
import type { Panel, PanelStream } from './board-types.ts'
import { readName } from './panels/stream-facts.ts'
import type { TimeRange } from './ranges.ts'

/** What was answered about a stream, or why nothing was. */
export type PlotAnswer =
  | { readonly plot: Plot; readonly error: undefined; readonly isGone: false }
  | { readonly plot: undefined; readonly error: string; readonly isGone: boolean }

interface Asked {
  readonly panel: Panel
  readonly range: TimeRange
  readonly points: number
  readonly signal: AbortSignal
  /** What stays as it is known: nothing of it has changed. */
  readonly keep: (streamUid: string, at: number) => PlotAnswer | undefined
}

/** What is known of a stream that is not there. */
export const GONE: PlotAnswer = { plot: undefined, error: 'This stream was deleted.', isGone: true }

/** The plots of a panel's streams, in their order; a stream that is gone takes no other along. */
export async function readPlots(asked: Asked): Promise<readonly PlotAnswer[]> {
  const { panel, keep } = asked
  return await Promise.all(
    panel.streams.map((stream, at) => keep(stream.streamUid, at) ?? readPlot(stream, asked)),
  )
}

async function readPlot(stream: PanelStream, asked: Asked): Promise<PlotAnswer> {
  const { panel, range, points, signal } = asked
  const { cycleId, stat } = panel.options
  const cycle = cycleId === '' || stat === '' ? undefined : { cycle: cycleId, stat }
  try {
    const plot = await askPlot(stream, { range, points, cycle }, signal)
    return { plot, error: undefined, isGone: false }
  } catch (thrown) {
    if (signal.aborted) throw thrown
    const { status, message, code } = asApiError(thrown)
    // A lost connection is nobody's fault: what was shown stays.
    if (code === 'connection') throw thrown
    return status === 404 ? GONE : { plot: undefined, error: message, isGone: false }
  }
}

/** How the streams of a panel are called, in their order; blank where one is gone. */
export async function readNames(streams: readonly PanelStream[]): Promise<readonly string[]> {
  return await Promise.all(streams.map(readName))
}
