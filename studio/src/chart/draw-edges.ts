/** The edges of a band, so that extremes are seen however few pixels they have. */
import type { NumberSeries } from './chart-series.ts'
import { type Canvas, LINE_WIDTH, middleOf, type Run } from './plot-canvas.ts'

/** An edge is steep from this part of the plot's height on, over a few pixels of its width. */
const STEEP_PART = 0.05
const STEEP_WIDTH = 3

/** One extreme of every entry: the highs, which lie at smaller y, or the lows. */
interface Edge {
  readonly values: readonly number[]
  readonly isHigh: boolean
}

/** Draws the highs and lows wherever they differ from the line by more than its width, in full color. */
export function drawEdges(canvas: Canvas, data: NumberSeries, runs: readonly Run[]): void {
  const edges: readonly Edge[] = [
    { values: data.highs, isHigh: true },
    { values: data.lows, isHigh: false },
  ]
  for (const edge of edges) {
    drawEdge(canvas, data, { edge, runs })
    drawSteep(canvas, data, { edge, runs })
  }
}

interface EdgeOf {
  readonly edge: Edge
  readonly runs: readonly Run[]
}

function drawEdge(canvas: Canvas, data: NumberSeries, { edge, runs }: EdgeOf): void {
  const { ctx, xOf, yOf, ratio } = canvas
  const isApart = (at: number) =>
    Math.abs(yOf(edge.values[at]) - yOf(data.values[at])) > LINE_WIDTH * ratio
  ctx.lineWidth = Math.max(1, ratio)
  ctx.beginPath()
  for (const [first, behind] of runs) {
    let isDrawing = false
    for (let at = first + 1; at < behind; at++) {
      const isSeen = isApart(at - 1) || isApart(at)
      if (isSeen && !isDrawing) ctx.moveTo(xOf(middleOf(data, at - 1)), yOf(edge.values[at - 1]))
      if (isSeen) ctx.lineTo(xOf(middleOf(data, at)), yOf(edge.values[at]))
      isDrawing = isSeen
    }
  }
  ctx.stroke()
  ctx.lineWidth = LINE_WIDTH * ratio
}

/**
 * Draws steep edges as lines on whole pixels, at the entry that stands out. A slanted line over one pixel is blurred,
 * which would make a spike of a single entry faint.
 */
function drawSteep(canvas: Canvas, data: NumberSeries, { edge, runs }: EdgeOf): void {
  const { ctx, xOf, yOf, ratio, box } = canvas
  const width = Math.max(1, Math.round(LINE_WIDTH * ratio))
  const draw = (at: number, other: number, beside: number) => {
    const left = Math.round(xOf(middleOf(data, at)) - width / 2)
    ctx.fillRect(left, Math.min(other, beside), width, Math.abs(other - beside))
  }
  for (const [first, behind] of runs) {
    const alone = yOf(data.values[first])
    let before = yOf(edge.values[first])
    if (behind - first === 1) draw(first, before, alone)
    for (let at = first + 1; at < behind; at++) {
      const y = yOf(edge.values[at])
      const isNear = xOf(middleOf(data, at)) - xOf(middleOf(data, at - 1)) <= STEEP_WIDTH * ratio
      if (isNear && Math.abs(y - before) > box.height * STEEP_PART) {
        const isOut = y < before === edge.isHigh
        draw(isOut ? at : at - 1, y, before)
      }
      before = y
    }
  }
}
