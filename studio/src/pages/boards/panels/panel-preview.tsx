import styles from '../board.module.css'
import type { Panel } from '../board-types.ts'
import { LiveContext, useLiveValues } from '../live-board.ts'
import { PanelBody } from './panel-body.tsx'

interface PanelPreviewProps {
  readonly panel: Panel
  readonly boardRange: string
}

/** How a panel will look, while it is edited: with values of its own, as it may have streams that the board has not. */
export function PanelPreview({ panel, boardRange }: PanelPreviewProps) {
  const values = useLiveValues(panel.streams, { isLive: true, isAll: panel.kind === 'table' })
  return (
    <section className={styles.preview} aria-label="Preview">
      <h3>Preview</h3>
      <div className={styles.previewBody} data-kind={panel.kind}>
        <LiveContext value={values}>
          <PanelBody panel={panel} boardRange={boardRange} isLive />
        </LiveContext>
      </div>
    </section>
  )
}
