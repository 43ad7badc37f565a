import type { NumberSeries } from './chart-series.ts'
import { drawEdges } from './draw-edges.ts'
import { type Canvas, LINE_WIDTH, middleOf, type Run } from './plot-canvas.ts'

/** Points are drawn where they are at least so far apart, in CSS pixels. */
const POINT_SPACE = 8
const POINT_SIZE = 2.5
const BAND_ALPHA = 0.22
const BAR_ALPHA = 0.55

/** Draws numbers: a line, steps, or bars; spans as a band with their mean as the line. */
export function drawNumbers(canvas: Canvas, data: NumberSeries, colour: string): void {
  const { ctx, ratio } = canvas
  ctx.lineWidth = LINE_WIDTH * ratio
  ctx.lineJoin = 'round'
  ctx.strokeStyle = colour
  ctx.fillStyle = colour
  if (data.shape === 'bars') drawBars(canvas, data)
  else if (data.shape === 'steps') drawSteps(canvas, data)
  else {
    if (data.lows !== data.values) {
      const runs = runsOf(data)
      drawBand(canvas, data, runs)
      drawEdges(canvas, data, runs)
    }
    drawLine(canvas, data)
  }
}

/** The stretches of a series, without entries that have no value. */
function runsOf({ values, isBroken }: NumberSeries): Run[] {
  const runs: Run[] = []
  let first = -1
  for (let at = 0; at <= values.length; at++) {
    const isEnd = at === values.length || Number.isNaN(values[at])
    if (first >= 0 && (isEnd || isBroken(at))) {
      runs.push([first, at])
      first = -1
    }
    if (!isEnd && first < 0) first = at
  }
  return runs
}

function drawBand(canvas: Canvas, data: NumberSeries, runs: readonly Run[]): void {
  const { ctx, xOf, yOf, ratio } = canvas
  ctx.globalAlpha = BAND_ALPHA
  for (const [first, behind] of runs) {
    ctx.beginPath()
    // A single span still shows its extremes: as wide as it is, at least a pixel.
    const left = xOf(data.starts[first])
    const right = Math.max(xOf(data.ends[behind - 1]), left + ratio)
    ctx.moveTo(left, yOf(data.highs[first]))
    for (let at = first; at < behind; at++) ctx.lineTo(xOf(middleOf(data, at)), yOf(data.highs[at]))
    ctx.lineTo(right, yOf(data.highs[behind - 1]))
    ctx.lineTo(right, yOf(data.lows[behind - 1]))
    for (let at = behind - 1; at >= first; at--)
      ctx.lineTo(xOf(middleOf(data, at)), yOf(data.lows[at]))
    ctx.lineTo(left, yOf(data.lows[first]))
    ctx.fill()
  }
  ctx.globalAlpha = 1
}

function drawLine({ ctx, xOf, yOf }: Canvas, data: NumberSeries): void {
  ctx.beginPath()
  for (const [first, behind] of runsOf(data)) {
    ctx.moveTo(xOf(middleOf(data, first)), yOf(data.values[first]))
    for (let at = first + 1; at < behind; at++)
      ctx.lineTo(xOf(middleOf(data, at)), yOf(data.values[at]))
  }
  ctx.stroke()
}

/**
 * Draws the points of samples that are far enough apart; they may hang over the edge of the plot, which
 * cuts its lines, so that the last sample is seen in full.
 */
export function drawPoints(canvas: Canvas, data: NumberSeries, colour: string): void {
  if (data.shape !== 'line') return
  const { ctx, xOf, yOf, ratio, box } = canvas
  const isSparse = arePointsApart(canvas, data)
  ctx.fillStyle = colour
  ctx.beginPath()
  for (const [first, behind] of runsOf(data)) {
    // A sample alone between two gaps has no line: without a point nobody would see it.
    if (!isSparse && behind - first > 1) continue
    for (let at = first; at < behind; at++) {
      const [x, y] = [xOf(middleOf(data, at)), yOf(data.values[at])]
      if (x < box.left || x > box.left + box.width) continue
      ctx.moveTo(x + POINT_SIZE * ratio, y)
      ctx.arc(x, y, POINT_SIZE * ratio, 0, 2 * Math.PI)
    }
  }
  ctx.fill()
}

function arePointsApart(
  { xOf, ratio, box }: Canvas,
  { values, starts, counts }: NumberSeries,
): boolean {
  if (counts !== undefined) return false
  const seen = starts.filter((at) => {
    const x = xOf(at)
    return x >= box.left && x <= box.left + box.width
  })
  return values.length > 0 && seen.length * POINT_SPACE * ratio <= box.width
}

function drawSteps({ ctx, xOf, yOf, ratio }: Canvas, data: NumberSeries): void {
  if (data.lows !== data.values) {
    for (const [at, low] of data.lows.entries()) {
      const [left, right] = [xOf(data.starts[at]), xOf(data.ends[at])]
      const [top, bottom] = [yOf(data.highs[at]), yOf(low)]
      ctx.globalAlpha = BAND_ALPHA
      ctx.fillRect(left, top, right - left, Math.max(bottom - top, 1))
      ctx.globalAlpha = 1
      // The extremes are edges wherever the line of the value does not cover them.
      const middle = yOf(data.values[at])
      const width = Math.max(right - left, ratio)
      for (const edge of [top, bottom]) {
        if (Math.abs(edge - middle) > LINE_WIDTH * ratio) {
          ctx.fillRect(left, Math.round(edge - ratio / 2), width, Math.ceil(ratio))
        }
      }
    }
  }
  ctx.beginPath()
  for (const [first, behind] of runsOf(data)) {
    ctx.moveTo(xOf(data.starts[first]), yOf(data.values[first]))
    for (let at = first; at < behind; at++) {
      ctx.lineTo(xOf(data.starts[at]), yOf(data.values[at]))
      ctx.lineTo(xOf(data.ends[at]), yOf(data.values[at]))
    }
  }
  ctx.stroke()
}

function drawBars({ ctx, xOf, yOf, ratio }: Canvas, { starts, ends, values }: NumberSeries): void {
  const zero = yOf(0)
  for (const [at, value] of values.entries()) {
    if (Number.isNaN(value)) continue
    const [left, right, y] = [xOf(starts[at]), xOf(ends[at]), yOf(value)]
    // A hair between two bars, unless they are thinner than that.
    const width = Math.max(right - left - (right - left > 4 * ratio ? ratio : 0), ratio)
    ctx.globalAlpha = BAR_ALPHA
    ctx.fillRect(left, Math.min(y, zero), width, Math.abs(y - zero))
    ctx.globalAlpha = 1
    ctx.beginPath()
    ctx.moveTo(left, y)
    ctx.lineTo(left + width, y)
    ctx.stroke()
  }
}
