import type { Schema } from '../../api/paths.ts'
import type { Box } from './grid-layout.ts'

export type Panel = Schema<'Panel'>
export type PanelStream = Schema<'PanelStream'>
export type Dashboard = Schema<'Dashboard'>
export type PanelKind = Panel['kind']

/** The kinds of panels, how people call them, and how large one begins. */
export const PANEL_KINDS: ReadonlyArray<{
  readonly kind: PanelKind
  readonly label: string
  readonly size: Pick<Box, 'width' | 'height'>
}> = [
  { kind: 'chart', label: 'Chart', size: { width: 6, height: 5 } },
  { kind: 'value', label: 'Last value', size: { width: 3, height: 2 } },
  { kind: 'gauge', label: 'Gauge', size: { width: 3, height: 3 } },
  { kind: 'table', label: 'Table', size: { width: 6, height: 5 } },
  { kind: 'query', label: 'Query result', size: { width: 6, height: 5 } },
  { kind: 'alerts', label: 'Alerts', size: { width: 4, height: 4 } },
  { kind: 'text', label: 'Text', size: { width: 4, height: 2 } },
]

/** A panel of which nothing is said but its kind. */
export function blankPanel(kind: PanelKind): Panel {
  const size = PANEL_KINDS.find((one) => one.kind === kind)?.size ?? { width: 6, height: 4 }
  return {
    kind,
    title: '',
    x: 0,
    y: 0,
    ...size,
    streams: [],
    range: '',
    text: '',
    options: { min: null, max: null, cycleId: '', stat: '', rows: 20, timeZoneId: '' },
  }
}

/** What a panel is called where it has no title. */
export function panelName(panel: Panel, at: number): string {
  const kind = PANEL_KINDS.find((one) => one.kind === panel.kind)?.label ?? panel.kind
  return panel.title || `${kind} ${at + 1}`
}

/** The panels without one stream. A panel that showed only this stream is removed. */
export function withoutStream(
  panels: readonly Panel[],
  at: number,
  { streamUid }: PanelStream,
): readonly Panel[] {
  return panels.flatMap((panel, place) => {
    if (place !== at) return [panel]
    const streams = panel.streams.filter((stream) => stream.streamUid !== streamUid)
    return streams.length === 0 ? [] : [{ ...panel, streams }]
  })
}

/** As much of a name as the service keeps. */
const LABEL_LENGTH_MAX = 200

/** The name of a stream as a board keeps it, for when the stream is deleted. */
export function labelOf(name: string): string {
  return [...name].slice(0, LABEL_LENGTH_MAX).join('')
}
