import type { Panel } from '../board-types.ts'
import { ChartPanel } from './chart-panel.tsx'
import { GaugePanel } from './gauge-panel.tsx'
import styles from './panels.module.css'
import { QueryPanel } from './query-panel.tsx'
import { TablePanel } from './table-panel.tsx'
import { TextPanel } from './text-panel.tsx'
import { ValuePanel } from './value-panel.tsx'

interface PanelBodyProps {
  readonly panel: Panel
  /** What the board shows; counts where the panel has no range of its own. */
  readonly boardRange: string
  readonly isLive: boolean
}

/** What a panel shows. */
export function PanelBody({ panel, boardRange, isLive }: PanelBodyProps) {
  const range = panel.range || boardRange
  if (panel.kind === 'text') return <TextPanel panel={panel} />
  if (panel.kind === 'query') return <QueryPanel panel={panel} range={range} isLive={isLive} />
  if (panel.streams.length === 0) {
    return <p className={styles.gone}>No stream chosen. Edit the panel to choose one.</p>
  }
  switch (panel.kind) {
    case 'gauge':
      return <GaugePanel panel={panel} />
    case 'table':
      return <TablePanel panel={panel} range={range} />
    case 'chart':
      return <ChartPanel panel={panel} range={range} isLive={isLive} />
    default:
      return <ValuePanel panel={panel} />
  }
}
