import { useState } from 'react'
import styles from './board.module.css'
import { type Panel, panelName, withoutStream } from './board-types.ts'
import { type Box, clampBox, placeBox, readingOrder } from './grid-layout.ts'
import { DropContext } from './panels/gone-stream.tsx'
import { PanelBody } from './panels/panel-body.tsx'
import { type PanelActs, PanelFrame } from './panels/panel-frame.tsx'

interface BoardGridProps {
  readonly panels: readonly Panel[]
  readonly range: string
  readonly isLive: boolean
  /** Undefined: the board is only looked at. */
  readonly edit:
    | {
        readonly onChange: (panels: readonly Panel[]) => void
        readonly onEdit: (at: number) => void
      }
    | undefined
  /** Puts panels in place of these, of which one has lost a stream; undefined for who may not change the board. */
  readonly onDrop: ((panels: readonly Panel[]) => void) | undefined
}

/** The panels of a board in their grid. */
export function BoardGrid({ panels, range, isLive, edit, onDrop }: BoardGridProps) {
  const [preview, setPreview] = useState<{ readonly at: number; readonly box: Box }>()
  const [said, setSaid] = useState('')
  const shown = preview === undefined ? panels : placeBox(panels, preview.at, preview.box)
  const actsOf = (at: number): PanelActs | undefined => {
    if (edit === undefined) return undefined
    return {
      onPreview: (box) => setPreview(box === undefined ? undefined : { at, box }),
      onPlace: (box) => {
        const { x, y, width, height } = clampBox(box)
        edit.onChange(placeBox(panels, at, box))
        const where = `column ${x + 1}, row ${y + 1}, ${width} wide, ${height} high`
        setSaid(`${panelName(panels[at], at)}: ${where}`)
      },
      onEdit: () => edit.onEdit(at),
      onRemove: () => {
        edit.onChange(panels.filter((_, place) => place !== at))
        setSaid(`${panelName(panels[at], at)} removed from the board.`)
      },
    }
  }
  return (
    <>
      <div className={styles.grid} data-grid data-editing={edit !== undefined || undefined}>
        {readingOrder(panels).map((at) => (
          <PanelFrame key={at} panel={shown[at]} name={panelName(shown[at], at)} acts={actsOf(at)}>
            <DropContext value={onDrop && ((stream) => onDrop(withoutStream(panels, at, stream)))}>
              <PanelBody panel={panels[at]} boardRange={range} isLive={isLive} />
            </DropContext>
          </PanelFrame>
        ))}
      </div>
      <p className="visually-hidden" aria-live="polite">
        {said}
      </p>
    </>
  )
}
