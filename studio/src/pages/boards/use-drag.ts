import { type PointerEvent, useRef } from 'react'
import type { Box } from './grid-layout.ts'

interface DragOptions {
  /** The box after a move by `columns` and `rows`. */
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
  readonly stopKeys: () => void
  box: Box | undefined
}

/** So near to the edge of the window the page moves along. */
const EDGE_PX = 48
const SCROLL_PX = 16

/** The handlers of a handle that is dragged over the grid of a board; Escape leaves all as it was. */
export function useDrag(options: DragOptions) {
  const dragging = useRef<Dragging | undefined>(undefined)
  const latest = useRef(options)
  latest.current = options
  const end = (isPlaced: boolean) => {
    const { box, stopKeys } = dragging.current ?? {}
    dragging.current = undefined
    stopKeys?.()
    latest.current.onPreview(undefined)
    if (isPlaced && box !== undefined) latest.current.onPlace(box)
  }
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      const size = cellOf(event.currentTarget)
      if (size === undefined) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const from = { fromX: event.pageX, fromY: event.pageY }
      const stopKeys = onEscape(() => end(false))
      dragging.current = { ...from, ...size, boxAt: options.boxAt, stopKeys, box: undefined }
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const drag = dragging.current
      if (drag === undefined) return
      if (event.clientY > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX)
      else if (event.clientY < EDGE_PX) scrollBy(0, -SCROLL_PX)
      const columns = Math.round((event.pageX - drag.fromX) / drag.columnPx)
      const rows = Math.round((event.pageY - drag.fromY) / drag.rowPx)
      drag.box = drag.boxAt(columns, rows)
      latest.current.onPreview(drag.box)
    },
    onPointerUp: () => end(true),
    onPointerCancel: () => end(false),
  }
}

function onEscape(act: () => void): () => void {
  const look = ({ key }: KeyboardEvent) => {
    if (key === 'Escape') act()
  }
  addEventListener('keydown', look)
  return () => removeEventListener('keydown', look)
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
