/** Where panels lie in the grid of a board: columns to the right, rows down, nothing over another. */

/** A place in the grid. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const COLUMNS = 12
const ROWS_MAX = 5_000
const HEIGHT_MAX = 50

/** The nearest place that is inside the grid. */
export function clampBox({ x, y, width, height }: Box): Box {
  const w = Math.min(COLUMNS, Math.max(1, width))
  return {
    x: Math.min(COLUMNS - w, Math.max(0, x)),
    y: Math.min(ROWS_MAX, Math.max(0, y)),
    width: w,
    height: Math.min(HEIGHT_MAX, Math.max(1, height)),
  }
}

/** The same boxes with one in another place; what lies in its way goes down as far as it must. */
export function placeBox<T extends Box>(boxes: readonly T[], at: number, to: Box): T[] {
  const placed = boxes.map((box) => ({ ...box }))
  Object.assign(placed[at], clampBox(to))
  // Each push goes down, so a box comes to rest: no more pushes than boxes squared.
  let pushing = [at]
  for (let round = 0; pushing.length > 0 && round <= boxes.length; round++) {
    const pushed: number[] = []
    for (const mover of pushing) {
      placed.forEach((other, index) => {
        if (index === mover || index === at || !overlaps(placed[mover], other)) return
        const y = Math.min(ROWS_MAX, placed[mover].y + placed[mover].height)
        placed[index] = { ...other, y }
        pushed.push(index)
      })
    }
    pushing = pushed
  }
  return placed
}

/** A place of a size below everything. */
export function placeBelow(
  boxes: readonly Box[],
  { width, height }: Pick<Box, 'width' | 'height'>,
): Box {
  const y = boxes.reduce((lowest, box) => Math.max(lowest, box.y + box.height), 0)
  return clampBox({ x: 0, y, width, height })
}

/** The first free place of a size, row by row. */
export function findPlace(
  boxes: readonly Box[],
  { width, height }: Pick<Box, 'width' | 'height'>,
): Box {
  const below = placeBelow(boxes, { width, height })
  for (let y = 0; y < below.y; y++) {
    for (let x = 0; x + width <= COLUMNS; x++) {
      const box = { x, y, width, height }
      if (!boxes.some((other) => overlaps(box, other))) return box
    }
  }
  return below
}

/** The order in which people read: row by row, from the left. */
export function readingOrder(boxes: readonly Box[]): number[] {
  return boxes
    .map((_, at) => at)
    .sort((a, b) => boxes[a].y - boxes[b].y || boxes[a].x - boxes[b].x || a - b)
}

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}
