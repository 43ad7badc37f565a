import { asApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import type { Panel, PanelStream } from './board-types.ts'
import type { TimeRange } from './ranges.ts'
import { readName } from './stream-facts.ts'

/** What was answered about a stream, or why nothing was. */
export type PlotAnswer =
  | { readonly plot: Schema<'Plot'>; readonly error: undefined }
  | { readonly plot: undefined; readonly error: string }

interface Asked {
  readonly panel: Panel
  readonly range: TimeRange
  readonly points: number
  readonly signal: AbortSignal
}

/** The plots of a panel's streams, in their order; a stream that is gone takes no other along. */
export async function readPlots(asked: Asked): Promise<readonly PlotAnswer[]> {
  return await Promise.all(asked.panel.streams.map((stream) => readPlot(stream, asked)))
}

async function readPlot(stream: PanelStream, asked: Asked): Promise<PlotAnswer> {
  const { panel, range, points, signal } = asked
  const { cycleId, stat } = panel.options
  const statistic = cycleId === '' || stat === '' ? {} : { cycle: cycleId, stat: stat as 'avg' }
  try {
    const { plot } = await call('get', '/api/component/{componentUid}/stream/{uid}/plot', {
      path: { componentUid: stream.componentUid, uid: stream.streamUid },
      query: { ...range, points, ...statistic },
      signal,
    })
    return { plot, error: undefined }
  } catch (thrown) {
    if (signal.aborted) throw thrown
    const { status, message, code } = asApiError(thrown)
    // A lost connection is nobody's fault: what was shown stays.
    if (code === 'connection') throw thrown
    return { plot: undefined, error: status === 404 ? 'This stream is gone.' : message }
  }
}

/** How the streams of a panel are called, in their order; blank where one is gone. */
export async function readNames(streams: readonly PanelStream[]): Promise<readonly string[]> {
  return await Promise.all(streams.map(readName))
}
