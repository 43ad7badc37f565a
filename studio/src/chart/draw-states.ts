import type { StateBand, StateSeries } from './chart-series.ts'
import type { Canvas } from './plot-canvas.ts'

/** The height of a strip of states, and the gap between two, in CSS pixels. */
export const STRIP_HEIGHT = 22
export const STRIP_ROOM = 6

/** Colors and fonts of strips. */
export interface StripLook {
  readonly palette: readonly string[]
  readonly ink: string
  readonly ground: string
  readonly font: string
}

/** Draws states as a band of colours, each with its name where there is room; files as marks. */
export function drawStrip(
  canvas: Canvas,
  { bands, shape }: StateSeries,
  strip: { readonly top: number; readonly colour: string; readonly look: StripLook },
): void {
  const { ctx, box, ratio } = canvas
  ctx.save()
  ctx.beginPath()
  ctx.rect(box.left, strip.top, box.width, STRIP_HEIGHT * ratio)
  ctx.clip()
  for (const band of bands) {
    const [left, right] = [canvas.xOf(band.from), canvas.xOf(band.until)]
    if (right < box.left || left > box.left + box.width) continue
    if (shape === 'marks') drawMark(canvas, { left, ...strip })
    else drawBand(canvas, band, { left, right, ...strip })
  }
  ctx.restore()
}

interface Drawn {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly colour: string
  readonly look: StripLook
}

function drawMark({ ctx, ratio }: Canvas, { left, top, colour }: Omit<Drawn, 'right'>): void {
  const [size, middle] = [6 * ratio, top + (STRIP_HEIGHT * ratio) / 2]
  ctx.fillStyle = colour
  ctx.beginPath()
  ctx.moveTo(left, middle - size)
  ctx.lineTo(left + size, middle)
  ctx.lineTo(left, middle + size)
  ctx.lineTo(left - size, middle)
  ctx.fill()
}

function drawBand(canvas: Canvas, { state }: StateBand, drawn: Drawn): void {
  const { ctx, ratio, box } = canvas
  const { left, right, top, look } = drawn
  const height = STRIP_HEIGHT * ratio
  const width = Math.max(right - left, ratio)
  if (state === undefined) {
    drawSeveral(canvas, drawn)
    return
  }
  ctx.globalAlpha = state === 'false' ? 0.12 : 0.32
  ctx.fillStyle = stateColour(state, drawn.colour, look.palette)
  ctx.fillRect(left, top, width, height)
  ctx.globalAlpha = 1
  ctx.fillRect(left, top + height - 2 * ratio, width, 2 * ratio)
  const [start, end] = [Math.max(left, box.left), Math.min(right, box.left + box.width)]
  const room = end - start - 10 * ratio
  if (room < 14 * ratio) return
  ctx.font = look.font
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  ctx.fillStyle = look.ink
  ctx.fillText(fitted(ctx, state, room), start + 5 * ratio, top + height / 2 - ratio)
}

/** Stripes: more than one state where only one can be shown. */
function drawSeveral({ ctx, ratio }: Canvas, { left, right, top, colour }: Drawn): void {
  const height = STRIP_HEIGHT * ratio
  ctx.save()
  ctx.beginPath()
  ctx.rect(left, top, Math.max(right - left, ratio), height)
  ctx.clip()
  ctx.strokeStyle = colour
  ctx.globalAlpha = 0.6
  ctx.lineWidth = ratio
  ctx.beginPath()
  // Counted from the edge of the canvas, so that stripes of neighbours meet.
  const step = 5 * ratio
  for (let x = Math.floor((left - height) / step) * step; x < right; x += step) {
    ctx.moveTo(x, top + height)
    ctx.lineTo(x + height, top)
  }
  ctx.stroke()
  ctx.restore()
}

function fitted(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  if (ctx.measureText(text).width <= room) return text
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (ctx.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle
    else high = middle - 1
  }
  return low === 0 ? '' : `${text.slice(0, low)}…`
}

/** The colour of a state: true and false that of the series, others always the same by their name. */
export function stateColour(state: string, own: string, palette: readonly string[]): string {
  if (state === 'true' || state === 'false') return own
  let hash = 0
  for (const letter of state) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return palette[hash % palette.length]
}
