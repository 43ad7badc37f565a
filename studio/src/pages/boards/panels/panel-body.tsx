import { useContext } from 'react'
import type { Panel } from '../board-types.ts'
import { ZoomContext } from '../board-zoom.ts'
import { AlertsPanel } from './alerts-panel.tsx'
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
  const { rested } = useContext(ZoomContext)
  const own = panel.range || boardRange
  // Charts know how they are moved. The others show what a movement has led to.
  const range = rested === undefined ? own : `${rested.from}..${rested.until}`
  if (panel.kind === 'text') return <TextPanel panel={panel} />
  if (panel.kind === 'query') return <QueryPanel panel={panel} range={range} isLive={isLive} />
  if (panel.kind === 'alerts') return <AlertsPanel panel={panel} isLive={isLive} />
  if (panel.streams.length === 0) {
    return (
      <p className={styles.gone}>No stream. Choose one in the panel, or a device that has it.</p>
    )
  }
  switch (panel.kind) {
    case 'gauge':
      return <GaugePanel panel={panel} />
    case 'table':
      return <TablePanel panel={panel} range={range} isLive={isLive} />
    case 'chart':
      return <ChartPanel panel={panel} range={own} isLive={isLive} />
    default:
      return <ValuePanel panel={panel} />
  }
}
