import { type PointerEvent, useRef } from 'react'
import type { Box } from './grid-layout.ts'

interface DragOptions {
  /** The box after so many columns and rows. */
  boxAt(columns: number, rows: number): Box
  onPreview(box: Box | undefined): void
  onPlace(box: Box): void
}

interface Dragging {
  readonly fromX: number
  readonly fromY: number
  readonly columnPx: number
  readonly rowPx: number
  /** The panel as it lay when the drag began: what is shown moves under the pointer. */
  readonly boxAt: DragOptions['boxAt']
  box: Box | undefined
}

/** The handlers of a handle that is dragged over the grid of a board; Escape leaves all as it was. */
export function useDrag(options: DragOptions) {
  const dragging = useRef<Dragging | undefined>(undefined)
  const end = (isPlaced: boolean) => {
    const { box } = dragging.current ?? {}
    dragging.current = undefined
    options.onPreview(undefined)
    if (isPlaced && box !== undefined) options.onPlace(box)
  }
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      const size = cellOf(event.currentTarget)
      if (size === undefined) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const from = { fromX: event.clientX, fromY: event.clientY }
      dragging.current = { ...from, ...size, boxAt: options.boxAt, box: undefined }
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const drag = dragging.current
      if (drag === undefined) return
      const columns = Math.round((event.clientX - drag.fromX) / drag.columnPx)
      const rows = Math.round((event.clientY - drag.fromY) / drag.rowPx)
      drag.box = drag.boxAt(columns, rows)
      options.onPreview(drag.box)
    },
    onPointerUp: () => end(true),
    onPointerCancel: () => end(false),
  }
}

/** How wide a column and how high a row of the grid is, with the gaps between them. */
function cellOf(handle: HTMLElement): { columnPx: number; rowPx: number } | undefined {
  const grid = handle.closest<HTMLElement>('[data-grid]')
  if (grid === null) return undefined
  const style = getComputedStyle(grid)
  const columns = style.gridTemplateColumns.split(' ').map(Number.parseFloat)
  const columnGap = Number.parseFloat(style.columnGap) || 0
  const rowPx = Number.parseFloat(style.gridAutoRows) + (Number.parseFloat(style.rowGap) || 0)
  if (columns.length < 2 || !(rowPx > 0)) return undefined
  return { columnPx: columns[0] + columnGap, rowPx }
}
