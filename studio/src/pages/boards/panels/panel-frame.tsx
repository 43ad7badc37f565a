import type { CSSProperties, KeyboardEvent, ReactNode } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import styles from '../board.module.css'
import type { Panel } from '../board-types.ts'
import type { Box } from '../grid-layout.ts'
import { useDrag } from '../use-drag.ts'

/** What can be done to a panel while the board is edited. */
export interface PanelActs {
  /** Shows it elsewhere while it is dragged; undefined: where it was. */
  onPreview(box: Box | undefined): void
  onPlace(box: Box): void
  onEdit(): void
  onRemove(): void
}

interface PanelFrameProps {
  readonly panel: Panel
  readonly name: string
  /** Undefined: the board is only looked at. */
  readonly acts: PanelActs | undefined
  readonly children: ReactNode
}

const STEPS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** A panel in its place, with handles to move and resize it by mouse and by arrow keys. */
export function PanelFrame({ panel, name, acts, children }: PanelFrameProps) {
  const { x, y, width, height } = panel
  return (
    <section
      className={styles.panel}
      aria-label={name}
      data-kind={panel.kind}
      style={
        {
          gridColumn: `${x + 1} / span ${width}`,
          gridRow: `${y + 1} / span ${height}`,
          '--rows': height,
        } as CSSProperties
      }
    >
      {(acts !== undefined || panel.title !== '') && (
        <header className={styles.panelHead}>
          <h2 className={styles.panelTitle} title={name}>
            {acts === undefined ? panel.title : name}
          </h2>
          {acts !== undefined && <Tools panel={panel} name={name} acts={acts} />}
        </header>
      )}
      <div className={styles.panelBody}>{children}</div>
      {acts !== undefined && <ResizeHandle panel={panel} name={name} acts={acts} />}
    </section>
  )
}

interface HandleProps {
  readonly panel: Panel
  readonly name: string
  readonly acts: PanelActs
}

function Tools({ panel, name, acts }: HandleProps) {
  const moved = (columns: number, rows: number): Box => ({
    ...panel,
    x: panel.x + columns,
    y: panel.y + rows,
  })
  const drag = useDrag({ boxAt: moved, onPreview: acts.onPreview, onPlace: acts.onPlace })
  return (
    <div className={styles.panelTools}>
      <button
        type="button"
        className={styles.handle}
        aria-label={`Move ${name}: drag or use the arrow keys`}
        title="Move"
        {...drag}
        onKeyDown={(event) => onArrow(event, (step) => acts.onPlace(moved(...step)))}
      >
        <Icon name="move" size={18} />
      </button>
      <IconButton icon="edit" label={`Edit ${name}`} onClick={acts.onEdit} />
      <IconButton icon="trash" label={`Remove ${name} from the board`} onClick={acts.onRemove} />
    </div>
  )
}

function ResizeHandle({ panel, name, acts }: HandleProps) {
  const sized = (columns: number, rows: number): Box => ({
    ...panel,
    width: Math.min(12 - panel.x, panel.width + columns),
    height: panel.height + rows,
  })
  const drag = useDrag({ boxAt: sized, onPreview: acts.onPreview, onPlace: acts.onPlace })
  return (
    <button
      type="button"
      className={styles.resize}
      aria-label={`Resize ${name}: drag or use the arrow keys`}
      title="Resize"
      {...drag}
      onKeyDown={(event) => onArrow(event, (step) => acts.onPlace(sized(...step)))}
    />
  )
}

function onArrow(
  event: KeyboardEvent<HTMLElement>,
  act: (step: readonly [number, number]) => void,
): void {
  const step = STEPS[event.key]
  if (step === undefined) return
  event.preventDefault()
  act(step)
  // Panels stand in the page in their reading order: one that passes another is moved, and loses the focus.
  const handle = event.currentTarget
  requestAnimationFrame(() => handle.focus())
}
